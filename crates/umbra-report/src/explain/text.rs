//! What became of two programs, for a terminal.

use std::fmt::Write;

use umbra_text::Show;

use super::{Cell, ExplainReport, FunctionReport, LineMark, RowLine, RunReport, shown};
use crate::Colour;
use crate::numbers::{counted, percent, times};

/// Lines that are shown around a difference.
const CONTEXT: usize = 2;
/// Columns of a terminal that does not say how wide it is.
const COLUMNS: usize = 120;
/// The least that makes sense.
const LEAST: usize = 60;

impl LineMark {
    fn sign(self) -> char {
        match self {
            Self::None => ' ',
            Self::Equal => '=',
            Self::Changed => '~',
            Self::Alone => '!',
        }
    }
}

/// How a page is written.
struct Style {
    colour: Colour,
    /// Columns of one text.
    width: usize,
}

impl Style {
    fn paint(&self, code: &str, text: &str) -> String {
        match self.colour {
            Colour::Ansi if !text.trim().is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }

    fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }
}

impl ExplainReport {
    /// A page for a terminal of so many columns.
    pub fn to_text(&self, colour: Colour, columns: Option<usize>) -> String {
        let columns = columns.unwrap_or(COLUMNS).max(LEAST);
        // Two numbers of lines, a mark, and space between them.
        let style = Style { colour, width: (columns - 15) / 2 };
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out, &style);
        out
    }

    fn write(&self, out: &mut String, style: &Style) -> std::fmt::Result {
        let sum = |count: fn(&FunctionReport) -> u64| self.sum(count);
        let lines = |count: fn(&super::FileLine) -> u64| self.files.iter().map(count).sum::<u64>();
        writeln!(out, "{}", style.bold(&format!("{} -> {}", self.old.shown(), self.new.shown())))?;
        writeln!(
            out,
            "text:       {} in {}, {} removed, {} added",
            counted(lines(|file| file.hunks), "hunk"),
            counted(self.files.len() as u64, "file"),
            counted(lines(|file| file.removed), "line"),
            lines(|file| file.added)
        )?;
        let ripples = self.functions.iter().filter(|function| function.ripples).count();
        let library = match self.library {
            0 => String::new(),
            count => format!(" ({count} more in libraries)"),
        };
        writeln!(
            out,
            "functions:  {} shared, {} changed ({ripples} of them ripple), {} added, {} removed{library}",
            self.shared,
            self.functions.len(),
            self.added.len(),
            self.removed.len()
        )?;
        if !self.functions.is_empty() {
            writeln!(
                out,
                "matched:    {} of their instructions are one in both versions: {} equal, {} with a \
                 difference; {} old alone, {} new alone",
                percent(self.share() as f64 / 1000.0),
                sum(|f| f.equal),
                sum(|f| f.weak),
                sum(|f| f.old_alone),
                sum(|f| f.new_alone)
            )?;
            let kinds = self.kinds();
            let kinds: Vec<String> =
                kinds.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let kinds = match kinds.is_empty() {
                true => String::new(),
                false => format!(" ({})", kinds.join(", ")),
            };
            writeln!(
                out,
                "changes:    {} of operands{kinds}; {}, {} of one version",
                sum(|f| f.changes),
                branches(sum(|f| f.version_branches)),
                counted(sum(|f| f.version_blocks), "block")
            )?;
        }
        for (title, lines) in
            [("added", &self.added), ("removed", &self.removed), ("globals", &self.globals)]
        {
            for line in lines {
                let (name, detail) = (line.name.shown(), line.detail.shown());
                writeln!(out, "{:12}{name} ({detail})", format!("{title}:"))?;
            }
        }
        for ty in &self.types {
            writeln!(
                out,
                "type:       {} changed ({}), {}",
                ty.name.shown(),
                ty.detail.shown(),
                ty.rippled().shown()
            )?;
        }
        for (noise, count) in &self.noise {
            writeln!(out, "ignored:    {noise} ({})", times(*count))?;
        }
        if let Some(run) = &self.run {
            write_run(out, run, style)?;
        }
        for function in &self.functions {
            write_function(out, function, style)?;
        }
        if !self.functions.is_empty() {
            writeln!(out, "\n= equal   ~ something differs   ! one version alone")?;
        }
        Ok(())
    }
}

fn write_run(out: &mut String, run: &RunReport, style: &Style) -> std::fmt::Result {
    writeln!(
        out,
        "run:        {}; {} of {} reached, {} of {} touch them; {} in lockstep, {} apart, {} forgotten",
        run.manner,
        run.reached,
        counted(run.changes, "changed line"),
        run.tests,
        counted(run.followed, "test"),
        percent(run.lockstep),
        times(run.partings),
        counted(run.forgotten, "different way")
    )?;
    for divergence in &run.divergences {
        let line = format!("{} ({})", divergence.name.shown(), divergence.detail.shown());
        writeln!(out, "parted:     {}", style.paint("31", &line))?;
    }
    Ok(())
}

fn write_function(out: &mut String, function: &FunctionReport, style: &Style) -> std::fmt::Result {
    let f = function;
    let renamed =
        f.old_name.as_ref().map_or(String::new(), |name| format!(", was {}", name.shown()));
    let how = match (f.two_copies, f.ripples) {
        (true, _) => ", kept as two copies: too little is alike",
        (false, true) => ", no line of it was edited",
        (false, false) => "",
    };
    writeln!(
        out,
        "\n{} ({}, {}{renamed}{how})",
        style.bold(&f.name.shown().to_string()),
        f.place.shown(),
        f.basis
    )?;
    writeln!(
        out,
        "  instructions: {} equal, {} differ, {} old alone, {} new alone; {}, {}, {} of one version",
        f.equal,
        f.weak,
        f.old_alone,
        f.new_alone,
        counted(f.changes, "change"),
        branches(f.version_branches),
        counted(f.version_blocks, "block")
    )?;
    let mut skipped = false;
    for (row, shown) in f.rows.iter().zip(shown(&f.rows, CONTEXT)) {
        if !shown {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            writeln!(out, "{}", style.dim("      ..."))?;
        }
        write_row(out, row, style)?;
    }
    if skipped {
        writeln!(out, "{}", style.dim("      ..."))?;
    }
    Ok(())
}

fn write_row(out: &mut String, row: &RowLine, style: &Style) -> std::fmt::Result {
    let width = style.width;
    let cell = |cell: &Option<Cell>| match cell {
        Some(cell) => format!("{:5} {:width$}", cell.line, clean(&cell.text, width)),
        None => " ".repeat(width + 6),
    };
    let mark = row.mark();
    let line = format!("{} {} {}", cell(&row.old), mark.sign(), cell(&row.new));
    let line = line.trim_end();
    let line = match (mark, row.old.is_some(), row.new.is_some()) {
        (LineMark::Changed, ..) => style.paint("33", line),
        (LineMark::Alone, true, false) => style.paint("31", line),
        (LineMark::Alone, false, true) => style.paint("32", line),
        (LineMark::Alone, ..) => style.paint("35", line),
        (LineMark::None | LineMark::Equal, ..) => line.to_owned(),
    };
    writeln!(out, "{line}")?;
    let mut notes: Vec<String> = row.notes.iter().map(|note| note.shown().to_string()).collect();
    if let Some(run) = &row.run {
        match (run.tests.is_empty(), run.reached) {
            (false, _) => {
                notes.push(format!("reached by {}", counted(run.tests.len() as u64, "test")));
            }
            (true, true) => notes.push("reached".to_owned()),
            (true, false) if run.parted.is_empty() => notes.push("not reached".to_owned()),
            (true, false) => {}
        }
        notes.extend(run.parted.iter().map(|what| format!("parts: {}", what.shown())));
    }
    if !notes.is_empty() {
        let indent = " ".repeat(width + 9);
        writeln!(out, "{indent}{}", style.paint("36", &format!("^ {}", notes.join("; "))))?;
    }
    Ok(())
}

/// "1 branch on the version".
fn branches(count: u64) -> String {
    let plural = if count == 1 { "" } else { "es" };
    format!("{count} branch{plural} on the version")
}

/// A line of source text for a terminal: tabs are spaces, and there is nothing that moves a cursor.
fn clean(line: &str, width: usize) -> String {
    let mut out = String::new();
    for letter in line.chars() {
        match letter {
            '\t' => out.push_str(&"    "[out.chars().count() % 4..]),
            letter if letter.is_control() => out.push('?'),
            letter => out.push(letter),
        }
    }
    if out.chars().count() > width {
        out = out.chars().take(width - 3).collect::<String>() + "...";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_fit_for_a_terminal() {
        assert_eq!(clean("\tif (x)", 50), "    if (x)");
        assert_eq!(clean("a\tb", 50), "a   b");
        assert_eq!(clean("\x1b[31m", 50), "?[31m");
        assert_eq!(clean(&"x".repeat(100), 50).len(), 50);
    }
}
