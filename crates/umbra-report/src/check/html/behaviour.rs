//! What the versions do on an input, beside each other.

use crate::check::compare::{Row, Sign, Span, rows};
use crate::markup::Markup;
use crate::numbers::{count, counted};
use crate::{Behaviour, Stream};

/// Equal rows around a difference that are not folded.
const CONTEXT: usize = 3;

/// Fewer equal rows than this are not worth folding.
const FOLDED: usize = 4;

/// Rows of a stream that are shown at all.
const MOST: usize = 1000;

pub(super) fn table(page: &mut Markup, old: &Behaviour, new: &Behaviour) {
    page.put(
        "<table class=\"sides\">\n<thead><tr><th scope=\"col\">old version</th>\
         <th scope=\"col\">new version</th></tr></thead>\n<tbody class=\"ends\">",
        &[],
    );
    let differs = old.end != new.end;
    let end = |text: &str| Some(vec![Span { text: text.to_owned(), differs }]);
    let sign = if differs { Sign::Changed } else { Sign::Same };
    row(page, &Row { sign, old: end(&old.end), new: end(&new.end) });
    page.put("</tbody>\n", &[]);
    if old.error.is_some() || new.error.is_some() {
        let whole = |error: &Option<String>| Stream {
            text: error.as_ref().map_or(String::new(), |error| format!("{error}\n")),
            ..Stream::default()
        };
        title(page, "What went wrong", "");
        page.put("<tbody class=\"wrong\">\n", &[]);
        rows(&whole(&old.error), &whole(&new.error))
            .iter()
            .take(MOST)
            .for_each(|one| row(page, one));
        page.put("</tbody>\n", &[]);
    }
    for (name, old, new) in [
        ("Standard output", &old.stdout, &new.stdout),
        ("Standard error", &old.stderr, &new.stderr),
    ] {
        if old.bytes == 0 && new.bytes == 0 && old.text.is_empty() && new.text.is_empty() {
            continue;
        }
        title(page, name, &sizes(old, new));
        streams(page, old, new);
    }
    page.put("</table>\n", &[]);
}

/// How much of the streams there is.
fn sizes(old: &Stream, new: &Stream) -> String {
    let mut text = match (old.bytes, new.bytes) {
        (old, new) if old == new => counted(old, "byte"),
        (old, new) => format!("{} → {}", count(old), counted(new, "byte")),
    };
    if old.text == new.text && old.bytes == new.bytes {
        text += ", the same";
    }
    if old.cut || new.cut {
        text += ", of which this is the start";
    }
    text
}

fn title(page: &mut Markup, name: &str, detail: &str) {
    page.put(
        "<tbody class=\"title\"><tr><th colspan=\"2\" scope=\"rowgroup\">{} <small>{}</small></th></tr></tbody>\n",
        &[&name, &detail],
    );
}

fn streams(page: &mut Markup, old: &Stream, new: &Stream) {
    let all = rows(old, new);
    let shown = &all[..all.len().min(MOST)];
    let near = near(shown);
    let mut at = 0;
    while at < shown.len() {
        let end = (at..shown.len()).find(|row| near[*row] != near[at]).unwrap_or(shown.len());
        match !near[at] && end - at >= FOLDED {
            true => page.put("<tbody class=\"fold\" data-lines=\"{}\">\n", &[&(end - at)]),
            false => page.put("<tbody>\n", &[]),
        }
        shown[at..end].iter().for_each(|one| row(page, one));
        page.put("</tbody>\n", &[]);
        at = end;
    }
    if all.len() > MOST {
        let more = counted((all.len() - MOST) as u64, "more line");
        page.put("<tbody><tr class=\"more\"><td colspan=\"2\">{}</td></tr></tbody>\n", &[&more]);
    }
}

/// Which rows differ or are near one that does.
fn near(rows: &[Row]) -> Vec<bool> {
    let mut near = vec![false; rows.len()];
    for (index, _) in rows.iter().enumerate().filter(|(_, row)| row.sign != Sign::Same) {
        let last = (index + CONTEXT).min(rows.len() - 1);
        near[index.saturating_sub(CONTEXT)..=last].fill(true);
    }
    near
}

fn row(page: &mut Markup, row: &Row) {
    let class = match row.sign {
        Sign::Same => "same",
        Sign::Changed => "changed",
        Sign::Removed => "removed",
        Sign::Added => "added",
    };
    page.put("<tr class=\"{}\">", &[&class]);
    cell(page, "old", row.old.as_deref());
    cell(page, "new", row.new.as_deref());
    page.put("</tr>\n", &[]);
}

fn cell(page: &mut Markup, side: &str, spans: Option<&[Span]>) {
    let Some(spans) = spans else {
        page.put("<td class=\"{} gap\"></td>", &[&side]);
        return;
    };
    page.put("<td class=\"{}\">", &[&side]);
    for span in spans {
        match span.differs {
            true => page.put("<mark>{}</mark>", &[&span.text]),
            false => page.text(&span.text),
        }
    }
    page.put("</td>", &[]);
}
