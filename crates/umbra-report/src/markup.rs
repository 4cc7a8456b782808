//! Text that becomes markup, shared by the pages.
//!
//! [`Markup`] takes markup from our own source only (`&'static str`); every value that goes in between is escaped, so
//! that no form can forget to.

use std::fmt::Display;

use umbra_text::Show;

/// Columns of a tab in source text.
const TAB: usize = 4;

/// Markup on its way to a page.
#[derive(Debug, Default)]
pub struct Markup {
    text: String,
}

impl Markup {
    /// Adds markup in which each `{}` stands for one of the values. Without values it is added as it is.
    pub fn put(&mut self, form: &'static str, values: &[&dyn Display]) {
        if values.is_empty() {
            self.text.push_str(form);
            return;
        }
        let mut values = values.iter();
        let mut parts = form.split("{}");
        self.text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let value = values.next();
            debug_assert!(value.is_some(), "a value is missing in {form}");
            self.text.push_str(&value.map_or(String::new(), |value| escaped(&value.to_string())));
            self.text.push_str(part);
        }
        debug_assert!(values.next().is_none(), "a value has no place in {form}");
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        self.text.push_str(&escaped(text));
    }

    /// The page.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Text that is no markup, without characters that do something.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.shown().to_string().chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

/// Text with tabs as spaces.
pub fn spaced(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for letter in text.chars() {
        match letter {
            '\t' => {
                let width = TAB - column % TAB;
                out.push_str(&" ".repeat(width));
                column += width;
            }
            letter => {
                out.push(letter);
                column += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_forms_are_not() {
        let mut page = Markup::default();
        page.put("<b title=\"{}\">{}</b>", &[&"\"<'", &7]);
        page.text("&\x1b\n");
        page.put("<i>{}</i>", &[]);
        assert_eq!(page.finish(), "<b title=\"&quot;&lt;&#39;\">7</b>&amp;\\x1b\\n<i>{}</i>");
    }

    #[test]
    fn values_are_not_forms() {
        let mut page = Markup::default();
        page.put("{}{}", &[&"{}", &"x"]);
        assert_eq!(page.finish(), "{}x");
    }

    #[test]
    fn tabs_are_spaces() {
        assert_eq!(spaced("\tif"), "    if");
        assert_eq!(spaced("ab\tc"), "ab  c");
    }
}
