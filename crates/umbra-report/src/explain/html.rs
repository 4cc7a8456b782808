//! What became of two programs, as one page that needs nothing else: no other file, no network.
//!
//! Without scripts all is there and unfolded. The script folds equal lines and knows a few keys.

use std::fmt::Write;

use super::source::{Part, compare, parts};
use super::{Cell, ExplainReport, FunctionReport, LineMark, RowLine, RunReport, SymbolLine, shown};
use crate::markup::{escaped, spaced};
use crate::numbers::{count, counted, percent, times};

/// Lines around a difference that are not folded.
const CONTEXT: usize = 3;
/// Fewer equal lines than this are not worth folding.
const FOLDED: usize = 4;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl ExplainReport {
    /// The page.
    pub fn to_html(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_html(&mut out);
        out
    }

    fn write_html(&self, out: &mut String) -> std::fmt::Result {
        let title = format!("{} → {}", escaped(&self.old), escaped(&self.new));
        write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <title>{title} · umbra</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        )?;
        self.write_side(out)?;
        writeln!(out, "<main>")?;
        writeln!(
            out,
            "<header><p class=\"brand\">umbra diff --explain</p><h1><span>{}</span>\
             <i aria-label=\"becomes\">→</i><span>{}</span></h1></header>",
            escaped(&self.old),
            escaped(&self.new)
        )?;
        self.write_tiles(out)?;
        if let Some(run) = &self.run {
            write_run(out, run)?;
        }
        self.write_lists(out)?;
        for (number, function) in self.functions.iter().enumerate() {
            write_function(out, number, function)?;
        }
        writeln!(out, "{LEGEND}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>")
    }

    /// The list of functions at the side.
    fn write_side(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "<nav aria-label=\"Functions\"><h2>Changed functions</h2><ol>")?;
        for (number, function) in self.functions.iter().enumerate() {
            let parted = function.rows.iter().filter_map(|row| row.run.as_ref());
            let parted = parted.into_iter().any(|run| !run.parted.is_empty());
            let class = match (parted, function.two_copies, function.ripples) {
                (true, ..) => " class=\"parted\"",
                (_, true, _) => " class=\"copies\"",
                (_, _, true) => " class=\"ripples\"",
                _ => "",
            };
            writeln!(
                out,
                "<li{class}><a href=\"#f{number}\"><b>{}</b><small>{}</small></a></li>",
                escaped(&function.name),
                percent(function.share() as f64 / 1000.0)
            )?;
        }
        writeln!(
            out,
            "</ol><p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> differences<br><kbd>n</kbd> <kbd>p</kbd> functions<br>\
             <kbd>e</kbd> unfold all<br><kbd>t</kbd> light, dark</p></nav>"
        )
    }

    fn write_tiles(&self, out: &mut String) -> std::fmt::Result {
        let lines = |count: fn(&super::FileLine) -> u64| self.files.iter().map(count).sum::<u64>();
        let sum = |count: fn(&FunctionReport) -> u64| self.sum(count);
        let ripples = self.functions.iter().filter(|f| f.ripples).count() as u64;
        let copies = self.functions.iter().filter(|f| f.two_copies).count() as u64;
        writeln!(out, "<section class=\"tiles\">")?;
        tile(
            out,
            "text",
            &format!(
                "<span class=\"gone\">−{}</span> <span class=\"came\">+{}</span>",
                count(lines(|f| f.removed)),
                count(lines(|f| f.added))
            ),
            &format!(
                "{} in {}",
                counted(lines(|f| f.hunks), "hunk"),
                counted(self.files.len() as u64, "file")
            ),
        )?;
        tile(
            out,
            "functions",
            &format!("{} <small>changed</small>", self.functions.len()),
            &format!(
                "{} shared, {ripples} ripple, {} added, {} removed{}",
                count(self.shared),
                self.added.len(),
                self.removed.len(),
                if copies > 0 { format!(", {copies} as two copies") } else { String::new() }
            ),
        )?;
        let (equal, weak) = (sum(|f| f.equal), sum(|f| f.weak));
        let (old, new) = (sum(|f| f.old_alone), sum(|f| f.new_alone));
        tile(
            out,
            "matched",
            &percent(self.share() as f64 / 1000.0),
            &format!("{} equal, {weak} differ, {old} old alone, {new} new alone", count(equal)),
        )?;
        tile(
            out,
            "changes",
            &format!("{} <small>operands</small>", sum(|f| f.changes)),
            &format!(
                "{} own ways, {} of one version",
                sum(|f| f.version_branches),
                counted(sum(|f| f.version_blocks), "block")
            ),
        )?;
        writeln!(out, "</section>")?;
        write_bar(out, [equal, weak, old, new])
    }

    /// What is not a changed function.
    fn write_lists(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "<section class=\"lists\">")?;
        let files: Vec<SymbolLine> = self
            .files
            .iter()
            .map(|file| SymbolLine {
                name: file.name.clone(),
                detail: format!(
                    "−{} +{}{}",
                    file.removed,
                    file.added,
                    file.old_name.as_ref().map_or(String::new(), |name| format!(", was {name}"))
                ),
            })
            .collect();
        list(out, "Files", &files)?;
        let line = |(name, count): &(String, u64)| SymbolLine {
            name: name.clone(),
            detail: count.to_string(),
        };
        let kinds: Vec<SymbolLine> = self.kinds().iter().map(line).collect();
        list(out, "Changes by kind", &kinds)?;
        list(out, "Only in the new version", &self.added)?;
        list(out, "Only in the old version", &self.removed)?;
        list(out, "Variables and constants", &self.globals)?;
        let types: Vec<SymbolLine> = self
            .types
            .iter()
            .map(|ty| SymbolLine {
                name: ty.name.clone(),
                detail: format!("{}; {}", ty.detail, ty.rippled()),
            })
            .collect();
        list(out, "Types", &types)?;
        let noise: Vec<SymbolLine> = self
            .noise
            .iter()
            .map(|(name, count)| SymbolLine { name: name.clone(), detail: times(*count) })
            .collect();
        list(out, "Ignored", &noise)?;
        writeln!(out, "</section>")
    }
}

const LEGEND: &str = "<footer><span class=\"sign equal\">=</span> equal \
    <span class=\"sign changed\">~</span> something differs \
    <span class=\"sign alone\">!</span> one version alone \
    <span class=\"sign parted\">◆</span> the versions part</footer>\n";

fn tile(out: &mut String, name: &str, value: &str, detail: &str) -> std::fmt::Result {
    writeln!(
        out,
        "<div class=\"tile\"><h3>{name}</h3><p class=\"value\">{value}</p><p>{detail}</p></div>"
    )
}

/// Shares of a whole as a bar.
fn write_bar(out: &mut String, parts: [u64; 4]) -> std::fmt::Result {
    let all: u64 = parts.iter().sum();
    if all == 0 {
        return Ok(());
    }
    write!(out, "<div class=\"bar\" role=\"img\" aria-label=\"instructions\">")?;
    for (part, class) in parts.iter().zip(["equal", "changed", "old", "new"]) {
        let share = 100.0 * *part as f64 / all as f64;
        write!(out, "<i class=\"{class}\" style=\"width:{share:.2}%\"></i>")?;
    }
    writeln!(out, "</div>")
}

fn list(out: &mut String, title: &str, lines: &[SymbolLine]) -> std::fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "<div class=\"list\"><h3>{title}</h3><ul>")?;
    for line in lines {
        let (name, detail) = (escaped(&line.name), escaped(&line.detail));
        writeln!(out, "<li><code>{name}</code> <span>{detail}</span></li>")?;
    }
    writeln!(out, "</ul></div>")
}

fn write_run(out: &mut String, run: &RunReport) -> std::fmt::Result {
    writeln!(out, "<section class=\"run\"><h2>The run</h2><p>{}</p><dl>", escaped(&run.manner))?;
    let mut fact =
        |name: &str, value: String| writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    fact("changed lines reached", format!("{} of {}", run.reached, run.changes))?;
    fact("tests that touch them", format!("{} of {}", run.tests, run.followed))?;
    fact("in lockstep", percent(run.lockstep))?;
    fact("ran apart", times(run.partings))?;
    fact("different ways, same place", run.forgotten.to_string())?;
    writeln!(out, "</dl>")?;
    match run.divergences.is_empty() {
        true => writeln!(out, "<p class=\"calm\">The versions do not part.</p>")?,
        false => {
            writeln!(out, "<ul class=\"parted\">")?;
            for line in &run.divergences {
                let (name, detail) = (escaped(&line.name), escaped(&line.detail));
                writeln!(out, "<li><code>{name}</code> <span>{detail}</span></li>")?;
            }
            writeln!(out, "</ul>")?;
        }
    }
    writeln!(out, "</section>")
}

fn write_function(out: &mut String, number: usize, f: &FunctionReport) -> std::fmt::Result {
    writeln!(out, "<section class=\"function\" id=\"f{number}\" tabindex=\"-1\">")?;
    let renamed = f
        .old_name
        .as_ref()
        .map_or(String::new(), |name| format!("<span class=\"chip\">was {}</span>", escaped(name)));
    let mut chips = format!("<span class=\"chip\">{}</span>{renamed}", escaped(&f.basis));
    if f.ripples {
        chips += "<span class=\"chip ripples\">no line of it was edited</span>";
    }
    if f.two_copies {
        chips += "<span class=\"chip copies\">kept as two copies: too little is alike</span>";
    }
    for (kind, count) in &f.kinds {
        write!(chips, "<span class=\"chip kind\">{} {}</span>", count, escaped(kind))?;
    }
    writeln!(
        out,
        "<h2>{}<small>{}</small></h2><p class=\"chips\">{chips}</p>",
        escaped(&f.name),
        escaped(&f.place)
    )?;
    writeln!(
        out,
        "<p class=\"counts\"><b>{}</b> equal · <b>{}</b> differ · <b>{}</b> old alone · <b>{}</b> new alone · \
         <b>{}</b> of operands · <b>{}</b> own ways · <b>{}</b> of one version</p>",
        f.equal,
        f.weak,
        f.old_alone,
        f.new_alone,
        counted(f.changes, "change"),
        f.version_branches,
        counted(f.version_blocks, "block")
    )?;
    write_bar(out, [f.equal, f.weak, f.old_alone, f.new_alone])?;
    writeln!(
        out,
        "<div class=\"scroll\"><table><colgroup><col class=\"n\"><col class=\"t\"><col class=\"m\"><col class=\"n\">\
         <col class=\"t\"></colgroup><thead><tr><th></th><th>old</th><th></th><th></th><th>new</th></tr></thead>"
    )?;
    let shown = shown(&f.rows, CONTEXT);
    let (mut old_comment, mut new_comment) = (false, false);
    let mut at = 0;
    while at < f.rows.len() {
        let end = (at..f.rows.len()).find(|&row| shown[row] != shown[at]).unwrap_or(f.rows.len());
        let folded = !shown[at] && end - at >= FOLDED;
        match folded {
            true => writeln!(out, "<tbody class=\"fold\" data-lines=\"{}\">", end - at)?,
            false => writeln!(out, "<tbody>")?,
        }
        for row in &f.rows[at..end] {
            write_row(out, row, (&mut old_comment, &mut new_comment))?;
        }
        writeln!(out, "</tbody>")?;
        at = end;
    }
    writeln!(out, "</table></div></section>")
}

fn write_row(out: &mut String, row: &RowLine, open: (&mut bool, &mut bool)) -> std::fmt::Result {
    let text = |cell: &Option<Cell>| cell.as_ref().map_or(String::new(), |cell| spaced(&cell.text));
    let (old, new) = (text(&row.old), text(&row.new));
    let (mut left, mut right) = (parts(&old, open.0), parts(&new, open.1));
    if !old.trim().is_empty() && !new.trim().is_empty() && old.trim() != new.trim() {
        compare(&mut left, &mut right);
    }
    let class = |cell: &Option<Cell>, alone: &str| match cell {
        None => "gap".to_owned(),
        Some(cell) => match cell.mark {
            LineMark::None => "none".to_owned(),
            LineMark::Equal => "equal".to_owned(),
            LineMark::Changed => "changed".to_owned(),
            LineMark::Alone => alone.to_owned(),
        },
    };
    let (sign, sign_class) = match row.mark() {
        LineMark::None => ("", "none"),
        LineMark::Equal => ("=", "equal"),
        LineMark::Changed => ("~", "changed"),
        LineMark::Alone => ("!", "alone"),
    };
    let parted = row.run.as_ref().is_some_and(|run| !run.parted.is_empty());
    let reached = row.run.as_ref().map(|run| run.reached || !run.tests.is_empty());
    let state = match (parted, reached) {
        (true, _) => " parted",
        (false, Some(true)) => " reached",
        (false, Some(false)) => " missed",
        (false, None) => "",
    };
    let hit = if row.differs() { " hit" } else { "" };
    let (sign, sign_class) = if parted { ("◆", "parted") } else { (sign, sign_class) };
    writeln!(
        out,
        "<tr class=\"row{hit}{state}\">{}<td class=\"sign {sign_class}\">{sign}</td>{}</tr>",
        side(&row.old, &class(&row.old, "old"), &left),
        side(&row.new, &class(&row.new, "new"), &right)
    )?;
    let mut notes: Vec<String> = row.notes.iter().map(|note| escaped(note)).collect();
    if let Some(run) = &row.run {
        if !run.tests.is_empty() {
            notes.push(format!("reached by {}", escaped(&run.tests.join(", "))));
        } else if run.reached {
            notes.push("reached".to_owned());
        } else if !parted {
            notes.push("not reached".to_owned());
        }
        notes.extend(run.parted.iter().map(|what| format!("<b>parts here: {}</b>", escaped(what))));
    }
    if !notes.is_empty() {
        writeln!(
            out,
            "<tr class=\"note{state}\"><td></td><td colspan=\"4\">{}</td></tr>",
            notes.join(" · ")
        )?;
    }
    Ok(())
}

fn side(cell: &Option<Cell>, class: &str, parts: &[Part<'_>]) -> String {
    let Some(cell) = cell else {
        return "<td class=\"n gap\"></td><td class=\"gap\"></td>".to_owned();
    };
    let mut text = String::new();
    for part in parts {
        let sort = part.sort.class();
        let inner = escaped(part.text);
        match (sort, part.differs) {
            ("", false) => text += &inner,
            (sort, false) => text += &format!("<span class=\"{sort}\">{inner}</span>"),
            (sort, true) => text += &format!("<mark class=\"{sort}\">{inner}</mark>"),
        }
    }
    format!("<td class=\"n {class}\">{}</td><td class=\"{class}\">{text}</td>", cell.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_text_is_no_markup() {
        let cell =
            |text: &str| Some(Cell { line: 1, text: text.to_owned(), mark: LineMark::Changed });
        let row = RowLine {
            old: cell("if (a<b) puts(\"</td><script>\");"),
            new: cell("if (a>b) puts(\"\u{202e}\x1b\");"),
            notes: vec!["<b>".to_owned()],
            run: None,
        };
        let function =
            FunctionReport { name: "<f>".to_owned(), rows: vec![row], ..Default::default() };
        let report = ExplainReport {
            old: "a\"b".to_owned(),
            functions: vec![function],
            ..ExplainReport::default()
        };
        let page = report.to_html();
        assert_eq!(page.matches("<script>").count(), 1, "{page}");
        assert!(
            page.contains("&lt;f&gt;") && page.contains("a&quot;b") && page.contains("&lt;b&gt;")
        );
        assert!(!page.contains(['\x1b', '\u{202e}']));
        assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src="));
    }
}
