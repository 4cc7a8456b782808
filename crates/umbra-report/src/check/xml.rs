//! XML on its way to a file: what comes from outside is escaped, and what XML 1.0 cannot hold is replaced.

use std::borrow::Cow;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use umbra_text::Show;

/// Stands for a character that XML cannot hold.
const REPLACEMENT: char = '\u{fffd}';

/// A document that is being written.
pub(super) struct Xml {
    writer: Writer<Vec<u8>>,
    open: Vec<&'static str>,
}

impl Xml {
    /// An empty document.
    pub fn new() -> Self {
        let mut xml =
            Self { writer: Writer::new_with_indent(Vec::new(), b' ', 2), open: Vec::new() };
        xml.put(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        xml
    }

    fn put(&mut self, event: Event<'_>) {
        // Writing to a vector cannot fail.
        let _ = self.writer.write_event(event);
    }

    /// Begins an element.
    pub fn start(&mut self, name: &'static str, attributes: &[(&str, String)]) {
        self.put(Event::Start(element(name, attributes)));
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    pub fn end(&mut self) {
        if let Some(name) = self.open.pop() {
            self.put(Event::End(BytesEnd::new(name)));
        }
    }

    /// An element without content.
    pub fn empty(&mut self, name: &'static str, attributes: &[(&str, String)]) {
        self.put(Event::Empty(element(name, attributes)));
    }

    /// An element with lines of text.
    pub fn lines(&mut self, name: &'static str, attributes: &[(&str, String)], text: &str) {
        let lines: Vec<String> = text.lines().map(fit).collect();
        self.put(Event::Start(element(name, attributes)));
        self.put(Event::Text(BytesText::new(&lines.join("\n"))));
        self.put(Event::End(BytesEnd::new(name)));
    }

    /// The document.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        let mut text = String::from_utf8_lossy(&self.writer.into_inner()).into_owned();
        text.push('\n');
        text
    }
}

fn element(name: &'static str, attributes: &[(&str, String)]) -> BytesStart<'static> {
    let fitting = attributes.iter().map(|(name, value)| (*name, fit(value)));
    let mut element = BytesStart::new(name);
    for (name, value) in fitting {
        element.push_attribute((name, &*value));
    }
    element
}

/// A line without characters that do something, nor any that XML cannot hold.
fn fit(line: &str) -> String {
    let shown = Cow::from(line.shown().to_string());
    let is_held = |letter: char| !matches!(letter, '\0'..'\t' | '\u{b}' | '\u{c}' | '\u{e}'..' ' | '\u{fffe}' | '\u{ffff}');
    shown.chars().map(|letter| if is_held(letter) { letter } else { REPLACEMENT }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_escaped_or_replaced() {
        let mut xml = Xml::new();
        xml.start("a", &[("b", "<&\"'\n\u{0}\u{1b}\u{ffff}>".to_owned())]);
        xml.lines("c", &[], "x ]]> & <y>\n\u{b}\u{fffe}\u{d7ff}");
        xml.empty("d", &[]);
        let text = xml.finish();
        assert_eq!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <a b=\"&lt;&amp;&quot;&apos;\\n\\x00\\x1b\u{fffd}&gt;\">\n  \
             <c>x ]]&gt; &amp; &lt;y&gt;\n\\x0b\u{fffd}\u{d7ff}</c>\n  <d/>\n</a>\n"
        );
    }
}
