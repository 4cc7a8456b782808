//! One finding for a terminal.

use std::fmt::{Result, Write};

use umbra_text::Show;
use umbra_words::{Class, Version};

use super::Page;
use super::paint::{self, class_code, fitted, width};
use crate::check::compare::{Row, Sign, Span, rows};
use crate::check::wording::phase_meaning;
use crate::numbers::{count, counted, duration};
use crate::{Behaviour, CheckFinding, Colour, Excerpt, InputPart, LaterOn, Stream};

/// Narrower terminals have old and new one under the other.
const NARROW: usize = 76;

/// Rows of an output that are shown, and those around a difference.
const ROWS: usize = 10;
const VERBOSE_ROWS: usize = 60;
const CONTEXT: usize = 1;

/// Other differences that are shown.
const DIFFERENCES: usize = 3;

/// Parts of the input that are shown.
const PARTS: usize = 4;

impl Page<'_> {
    pub(super) fn finding(&self, out: &mut String, number: usize, f: &CheckFinding) -> Result {
        let paint = &self.paint;
        let class = paint.bold(class_code(f.class), f.class.name());
        let mut marks = String::new();
        for (is, mark) in [
            (f.accepted, "accepted"),
            (!f.confirmed, "not confirmed"),
            (f.by_suite, "a test shows it"),
        ] {
            if is {
                marks += &format!(" [{mark}]");
            }
        }
        let head = format!("{number}. {}: ", f.class.name());
        let verdict = format!("{}{marks}", f.verdict.shown());
        let lines = paint::wrapped(&format!("{head}{verdict}"), self.columns);
        for (index, line) in lines.iter().enumerate() {
            match line.strip_prefix(&head) {
                Some(rest) if index == 0 => {
                    writeln!(out, "{number}. {class}: {}", paint.bold("", rest))?;
                }
                _ => writeln!(out, "   {}", paint.bold("", line))?,
            }
        }
        let command = f.shell.as_ref().unwrap_or(&f.command);
        if !command.is_empty() {
            writeln!(out, "   {} {}", paint.dim("$"), command.shown())?;
        }
        if !self.verbose {
            self.changed_input(out, f)?;
        }
        writeln!(out)?;
        self.behaviours(out, &f.old, &f.new)?;
        let differences: Vec<_> = match self.verbose {
            true => f.differences.iter().collect(),
            false => f.other_differences().collect(),
        };
        for difference in differences.iter().take(self.most(DIFFERENCES)) {
            let room = self.columns.saturating_sub(10);
            let side = |text: &str| fitted(&text.shown().to_string(), room, paint.dots());
            let place = format!("{} {}", difference.channel.shown(), difference.place.shown());
            writeln!(out, "   {}", paint.bold("", &fitted(&place, room, paint.dots())))?;
            writeln!(out, "   {} {}", paint.in_code("31", "-"), side(&difference.old))?;
            writeln!(out, "   {} {}", paint.in_code("32", "+"), side(&difference.new))?;
        }
        match differences.len().saturating_sub(self.most(DIFFERENCES)) {
            0 => {}
            more => writeln!(out, "   and {}", counted(more as u64, "more difference"))?,
        }
        self.also(out, f)?;
        if f.excerpt.is_some() || f.place.is_some() {
            writeln!(out)?;
        }
        match (&f.excerpt, &f.place) {
            (Some(excerpt), _) => self.excerpt(out, f, excerpt)?,
            (None, Some(place)) => {
                let arrow = paint.in_code("34", "-->");
                writeln!(out, "   {arrow} {place} ({})", f.version_name())?;
            }
            (None, None) => {}
        }
        if self.verbose {
            self.details(out, f)?;
        }
        self.case(out, f)
    }

    /// What further versions do: as one of the two, or something else.
    fn also(&self, out: &mut String, f: &CheckFinding) -> Result {
        for (name, behaviour) in &f.also {
            let like = match behaviour {
                it if *it == f.old => "as the old version".to_owned(),
                it if *it == f.new => "as the new version".to_owned(),
                it => format!("neither as old nor as new: {}", it.end.shown()),
            };
            writeln!(out, "   {}: {like}", name.shown())?;
        }
        match f.judged {
            Some(LaterOn::Expected) => writeln!(out, "   later versions say that it is expected"),
            Some(LaterOn::Bug) => writeln!(out, "   later versions say that it is a bug"),
            None => Ok(()),
        }
    }

    fn most(&self, usual: usize) -> usize {
        if self.verbose { usize::MAX } else { usual }
    }

    /// Where its case is, and what it was made from.
    fn case(&self, out: &mut String, f: &CheckFinding) -> Result {
        if f.case.is_empty() {
            return Ok(());
        }
        let cases = match f.cases {
            0 | 1 => String::new(),
            cases => format!(", {} like it", counted(cases - 1, "case")),
        };
        let folder = match &*self.report.folder {
            "" => String::new(),
            folder => format!("{}/", folder.shown()),
        };
        let id = match &*f.id {
            "" => String::new(),
            id => format!("; id {}", id.shown()),
        };
        let text = format!("case {folder}{}{cases}{id}", f.case.shown());
        writeln!(out, "   {}", self.paint.dim(&text))?;
        if f.shell.is_some() && !f.command.is_empty() {
            let text = format!("both versions: {}", f.command.shown());
            writeln!(out, "   {}", self.paint.dim(&text))?;
        }
        Ok(())
    }

    /// What the versions do, beside each other if there is room.
    fn behaviours(&self, out: &mut String, old: &Behaviour, new: &Behaviour) -> Result {
        let paint = &self.paint;
        let ends = [&old.end, &new.end].map(|end| end.shown().to_string());
        let differs = ends[0] != ends[1];
        // Without colours the sign between them says it.
        let is_marked = differs && paint.colour == Colour::Ansi;
        let end = |end: &str| vec![Span { text: end.to_owned(), differs: is_marked }];
        let sign = if differs { Sign::Changed } else { Sign::Same };
        let row = Row { sign, old: Some(end(&ends[0])), new: Some(end(&ends[1])) };
        if self.columns >= NARROW {
            let half = self.half();
            let title = |text: &str| format!("{text:half$}");
            let heads = [title("old"), "new".to_owned()].map(|text| paint.bold("", &text));
            writeln!(out, "   {} {} {}", heads[0], paint.dim(paint.bar()), heads[1])?;
        }
        self.row_of_both(out, &row)?;
        for (name, old, new) in
            [("stdout", &old.stdout, &new.stdout), ("stderr", &old.stderr, &new.stderr)]
        {
            if old.text != new.text || old.bytes != new.bytes || self.verbose {
                self.streams(out, name, old, new)?;
            }
        }
        for (version, behaviour) in [("old", old), ("new", new)] {
            if let Some(error) = &behaviour.error {
                let first = error.lines().next().unwrap_or_default().shown().to_string();
                writeln!(out, "   {version}: {}", paint.in_code("31", &first))?;
                for line in error.lines().skip(1).take(self.most(0)) {
                    writeln!(out, "        {}", line.shown())?;
                }
            }
        }
        Ok(())
    }

    /// Columns of one side.
    fn half(&self) -> usize {
        (self.columns - 7) / 2
    }

    fn streams(&self, out: &mut String, name: &str, old: &Stream, new: &Stream) -> Result {
        let rows = rows(old, new);
        if rows.is_empty() {
            return Ok(());
        }
        let bytes = match old.cut || new.cut {
            true => {
                format!(", of {} and {} bytes", count(old.bytes), count(new.bytes))
            }
            false => String::new(),
        };
        writeln!(out, "   {}", self.paint.dim(&format!("{name}{bytes}")))?;
        let most = if self.verbose { VERBOSE_ROWS } else { ROWS };
        let wanted = wanted(&rows, most);
        let mut left_out = 0;
        for (row, is_wanted) in rows.iter().zip(wanted) {
            if !is_wanted {
                left_out += 1;
                continue;
            }
            self.left_out(out, std::mem::take(&mut left_out))?;
            self.row_of_both(out, row)?;
        }
        self.left_out(out, left_out)
    }

    fn left_out(&self, out: &mut String, lines: u64) -> Result {
        match lines {
            0 => Ok(()),
            lines => {
                let text = format!("{} {}", self.paint.dots(), counted(lines, "line"));
                writeln!(out, "   {}", self.paint.dim(&text))
            }
        }
    }

    /// A row, with a line of marks below if there are no colours.
    fn row_of_both(&self, out: &mut String, row: &Row) -> Result {
        let paint = &self.paint;
        if self.columns < NARROW {
            return self.row_of_each(out, row);
        }
        let half = self.half();
        let old = self.side(row.old.as_deref(), half, "31");
        let new = self.side(row.new.as_deref(), half, "32");
        let bar = match (row.sign, paint.colour) {
            (Sign::Same, _) => paint.dim(paint.bar()),
            (Sign::Changed, Colour::Plain) => "!".to_owned(),
            (Sign::Removed, Colour::Plain) => "<".to_owned(),
            (Sign::Added, Colour::Plain) => ">".to_owned(),
            (Sign::Changed, Colour::Ansi) => paint.in_code("33", "│"),
            (Sign::Removed, Colour::Ansi) => paint.in_code("31", "┤"),
            (Sign::Added, Colour::Ansi) => paint.in_code("32", "├"),
        };
        let space = " ".repeat(half.saturating_sub(old.columns));
        let line = format!("   {}{space} {bar} {}", old.text, new.text);
        writeln!(out, "{}", line.trim_end())?;
        if !old.marks.is_empty() || !new.marks.is_empty() {
            let marks = format!("   {:half$}   {}", old.marks, new.marks);
            writeln!(out, "{}", marks.trim_end())?;
        }
        Ok(())
    }

    fn row_of_each(&self, out: &mut String, row: &Row) -> Result {
        let room = self.columns.saturating_sub(6);
        let sides: &[_] = match row.sign {
            Sign::Same => &[(" ", "", &row.new)],
            _ => &[("-", "31", &row.old), ("+", "32", &row.new)],
        };
        for (sign, code, spans) in sides {
            let Some(spans) = spans else { continue };
            let side = self.side(Some(spans), room, code);
            let line = format!("   {} {}", self.paint.in_code(code, sign), side.text);
            writeln!(out, "{}", line.trim_end())?;
            if !side.marks.is_empty() {
                writeln!(out, "     {}", side.marks)?;
            }
        }
        Ok(())
    }

    /// A line of one version in so many columns, from a little before its first difference if it is long.
    fn side(&self, spans: Option<&[Span]>, columns: usize, code: &str) -> Side {
        let mut side = Side::default();
        let Some(spans) = spans else { return side };
        let before: usize =
            spans.iter().take_while(|span| !span.differs).map(|span| width(&span.text)).sum();
        let all: usize = spans.iter().map(|span| width(&span.text)).sum();
        let mut skip = match all > columns && before > columns * 2 / 3 && before < all {
            true => before - columns / 3,
            false => 0,
        };
        if skip > 0 {
            side.push(self, self.paint.dots(), false, code);
        }
        for span in spans {
            let mut text = &*span.text;
            while skip > 0
                && let Some(letter) = text.chars().next()
            {
                skip = skip.saturating_sub(width(letter.encode_utf8(&mut [0; 4])));
                text = &text[letter.len_utf8()..];
            }
            let room = columns.saturating_sub(side.columns);
            side.push(self, &fitted(text, room, self.paint.dots()), span.differs, code);
            if width(text) > room {
                break;
            }
        }
        if self.paint.colour == Colour::Ansi {
            side.marks.clear();
        }
        side.marks.truncate(side.marks.trim_end().len());
        side
    }

    /// The source, with what the patch changed underlined.
    fn excerpt(&self, out: &mut String, f: &CheckFinding, excerpt: &Excerpt) -> Result {
        let paint = &self.paint;
        let last = u64::from(excerpt.first) + excerpt.lines.len() as u64;
        let gutter = last.to_string().len();
        let space = " ".repeat(gutter);
        let bar = paint.in_code("34", paint.bar());
        let version = match excerpt.version {
            Version::Old => " (old version)",
            Version::New => "",
        };
        let (arrow, file) = (paint.in_code("34", "-->"), excerpt.file.shown());
        writeln!(out, "  {space}{arrow} {file}:{}{version}", excerpt.marked)?;
        writeln!(out, "  {space} {bar}")?;
        let dots = paint.dots();
        let room = self.columns.saturating_sub(gutter + 6);
        for (number, line) in excerpt.numbered() {
            let text = fitted(&paint::source(line), room, dots);
            let number_text = paint.in_code("34", &format!("{number:gutter$}"));
            writeln!(out, "  {}", format!("{number_text} {bar} {text}").trim_end())?;
            if number == u64::from(excerpt.marked) {
                let (start, length) = underlined(line, excerpt.columns, room);
                let marks = format!("{}{}", " ".repeat(start), "^".repeat(length));
                let why = self.why(f);
                let marks = paint.bold(class_code(f.class), &format!("{marks}{why}"));
                writeln!(out, "  {space} {bar} {marks}")?;
            }
        }
        Ok(())
    }

    /// What goes wrong at the place, behind the marks.
    fn why(&self, f: &CheckFinding) -> String {
        let behaviour = match f.version {
            Version::Old => &f.old,
            Version::New => &f.new,
        };
        let error = behaviour.error.as_deref().and_then(|error| error.lines().next());
        match (error, f.class) {
            (Some(error), _) => {
                let error = error.split(" at ").next().unwrap_or(error);
                format!(" {}", error.shown())
            }
            (None, Class::OutputDifference) => " the versions part here".to_owned(),
            (None, _) => String::new(),
        }
    }

    /// What only somebody who looks into it wants to know.
    fn details(&self, out: &mut String, f: &CheckFinding) -> Result {
        let list = |out: &mut String, title: &str, lines: &[String]| {
            if !lines.is_empty() {
                writeln!(out, "   {title}")?;
            }
            lines.iter().try_for_each(|line| writeln!(out, "     {}", line.shown()))
        };
        let changes: Vec<String> = f.changes.iter().map(ToString::to_string).collect();
        list(out, "changes", &changes)?;
        list(out, "path", &f.path)?;
        list(out, "stack", &f.stack)?;
        for part in &f.input {
            self.input(out, part)?;
        }
        let mut facts = Vec::new();
        facts.extend(f.seed.as_ref().map(|seed| format!("made from {}", seed.shown())));
        facts.extend(f.phase.map(|phase| phase_meaning(phase).to_owned()));
        facts.extend(f.kind.map(|kind| format!("{kind} flow")));
        facts.push(format!("{} of input", counted(f.input_bytes, "byte")));
        if f.seconds > 0.0 {
            facts.push(format!("known after {}", duration(f.seconds)));
        }
        writeln!(out, "   {}", facts.join("; "))
    }

    /// The input, as far as it is not the seed's; all of it where no line for a shell has it.
    fn changed_input(&self, out: &mut String, f: &CheckFinding) -> Result {
        let is_changed = |part: &&InputPart| part.pieces.iter().any(|piece| piece.changed);
        let wanted: Vec<&InputPart> = match f.shell {
            Some(_) => f.input.iter().filter(is_changed).collect(),
            None => f.input.iter().collect(),
        };
        for part in wanted.iter().take(PARTS) {
            self.input(out, part)?;
        }
        match wanted.len().saturating_sub(PARTS) {
            0 => Ok(()),
            more => writeln!(out, "   and {} of the input", counted(more as u64, "more part")),
        }
    }

    /// A part of the input, with what is not the seed's marked.
    fn input(&self, out: &mut String, part: &InputPart) -> Result {
        let mut text = String::new();
        for piece in &part.pieces {
            let shown = piece.text.shown().to_string();
            text += &match (piece.changed, self.paint.colour) {
                (false, _) => shown,
                (true, Colour::Plain) => format!("[{shown}]"),
                (true, Colour::Ansi) => self.paint.in_code("7", &shown),
            };
        }
        let dots = if part.cut { self.paint.dots() } else { "" };
        writeln!(out, "   {}: {text}{dots}", part.name.shown())
    }
}

/// A line of one version as it is written.
#[derive(Default)]
struct Side {
    text: String,
    marks: String,
    columns: usize,
}

impl Side {
    fn push(&mut self, page: &Page<'_>, text: &str, differs: bool, code: &str) {
        let mark = if differs { "^" } else { " " };
        self.marks += &mark.repeat(width(text));
        self.columns += width(text);
        self.text += &match differs {
            true => page.paint.in_code(&format!("{code};7"), text),
            false => text.to_owned(),
        };
    }
}

/// Which rows are shown: differences and what is around them, up to so many.
fn wanted(rows: &[Row], most: usize) -> Vec<bool> {
    let mut wanted = vec![false; rows.len()];
    let differing = rows.iter().enumerate().filter(|(_, row)| row.sign != Sign::Same);
    for (index, _) in differing {
        let first = index.saturating_sub(CONTEXT);
        let last = (index + CONTEXT).min(rows.len() - 1);
        wanted[first..=last].fill(true);
    }
    if rows.len() <= most {
        return vec![true; rows.len()];
    }
    let mut left = most;
    for is_wanted in wanted.iter_mut().filter(|is_wanted| **is_wanted) {
        *is_wanted = left > 0;
        left = left.saturating_sub(1);
    }
    wanted
}

/// From which column of the line as it is shown, and how many, within so many.
fn underlined(line: &str, columns: Option<(u32, u32)>, room: usize) -> (usize, usize) {
    let indent = line.chars().take_while(|letter| letter.is_whitespace()).count();
    let letters = line.chars().count();
    let (start, end) = match columns {
        Some((start, end)) => (start as usize, end as usize),
        None => (indent, letters),
    };
    let shown_to =
        |column: usize| width(&paint::source(&line.chars().take(column).collect::<String>()));
    let start = shown_to(start.min(letters)).min(room.saturating_sub(1));
    let end = shown_to(end.min(letters)).min(room);
    (start, end.saturating_sub(start).max(1))
}
