//! Lines of C, coloured.

use umbra_text::Show;

use crate::explain::source::Part;
use crate::markup::{Markup, spaced};

/// A line in parts. `underlined`: columns of it, from 0 and without the last.
pub(super) fn line(page: &mut Markup, parts: &[Part<'_>], underlined: Option<(u32, u32)>) {
    let (mut column, mut shown) = (0u32, 0);
    for part in parts {
        let mut run = String::new();
        let mut is_marked = false;
        for letter in part.text.chars() {
            let marks = underlined.is_some_and(|(start, end)| (start..end).contains(&column));
            if marks != is_marked {
                piece(page, &run, part, is_marked);
                run.clear();
                is_marked = marks;
            }
            let text = match letter {
                // Up to the next stop, wherever this part begins.
                '\t' => spaced(&format!("{}\t", " ".repeat(shown % 4)))[shown % 4..].to_owned(),
                letter => letter.to_string().shown().to_string(),
            };
            shown += text.chars().count();
            run += &text;
            column += 1;
        }
        piece(page, &run, part, is_marked);
    }
}

fn piece(page: &mut Markup, text: &str, part: &Part<'_>, is_underlined: bool) {
    if text.is_empty() {
        return;
    }
    let sort = part.sort.class();
    match (is_underlined, part.differs, sort) {
        (true, ..) => page.put("<u class=\"{}\">{}</u>", &[&sort, &text]),
        (_, true, _) => page.put("<mark class=\"{}\">{}</mark>", &[&sort, &text]),
        (_, _, "") => page.text(text),
        _ => page.put("<span class=\"{}\">{}</span>", &[&sort, &text]),
    }
}
