//! The report as a comment on a pull request: the three answers, a table of the findings, and the rest folded.
//!
//! Text from outside must not become markup, mention people, link to issues, or end a fence. Forges refuse comments that
//! are too long, so details are left out when there is no more room for them, and that is said.

use std::fmt::Write;

use umbra_text::Show;

use super::compare::{Row, Sign, Span, rows};
use super::wording::{self, answer_label, class_label};
use crate::numbers::{counted, duration};
use crate::{CheckFinding, CheckReport, HunkAnswer, Stream};

/// The most bytes of a comment. A forge takes 65,536 characters.
const MOST: usize = 60_000;

/// Findings in the table, and lines of an output.
const FINDINGS: usize = 25;
const LINES: usize = 24;

/// Characters of a text in a table, and of a line in a fence.
const CELL: usize = 300;
const LINE: usize = 400;

impl CheckReport {
    /// The report as Markdown for a pull request.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_markdown(&mut out);
        out
    }

    fn write_markdown(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "### Umbra: {}\n", inline(&self.headline()))?;
        writeln!(out, "| | |\n|---|---|")?;
        writeln!(out, "| What does the patch change? | {} |", cell(&self.changes()))?;
        for (question, word, text) in [
            ("Is that tested?", self.tested_word(), self.tested()),
            ("Does it break anything?", self.breaks_word(), self.breaks()),
        ] {
            writeln!(out, "| {question} | **{word}**: {} |", cell(&text))?;
        }
        self.write_gaps(out)?;
        self.write_table(out)?;
        self.write_details(out)?;
        self.write_hunks(out)?;
        self.write_notes(out)?;
        let (old, new) = (cut(&self.old.title(), CELL), cut(&self.new.title(), CELL));
        writeln!(
            out,
            "\n<sub>{} → {}, checked in {}</sub>",
            html(&old),
            html(&new),
            duration(self.wall_s)
        )
    }

    fn write_gaps(&self, out: &mut String) -> std::fmt::Result {
        if self.is_complete() || self.stages.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n> [!WARNING]\n> The check is not complete.")?;
        self.gaps().iter().try_for_each(|gap| writeln!(out, "> - {}", inline(gap)))
    }

    fn write_table(&self, out: &mut String) -> std::fmt::Result {
        let shown: Vec<(usize, &CheckFinding)> =
            self.numbered().filter(|(_, finding)| finding.is_shown()).collect();
        if shown.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n| # | finding | what happens | where |\n|--:|---|---|---|")?;
        for (number, f) in shown.iter().take(FINDINGS) {
            let place =
                f.place.as_ref().map_or(String::new(), |place| code_cell(&place.to_string()));
            let doubt = if f.confirmed { "" } else { " (not confirmed natively)" };
            let class = class_label(f.class);
            writeln!(out, "| {number} | {class}{doubt} | {} | {place} |", cell(&f.verdict))?;
        }
        match shown.len().saturating_sub(FINDINGS) {
            0 => Ok(()),
            more => writeln!(out, "\nand {}.", counted(more as u64, "more finding")),
        }
    }

    fn write_details(&self, out: &mut String) -> std::fmt::Result {
        let mut left_out = 0;
        for (number, f) in self.numbered().filter(|(_, finding)| finding.is_shown()) {
            let mut one = String::new();
            self.write_finding(&mut one, number, f)?;
            if left_out > 0 || number > FINDINGS || out.len() + one.len() > MOST {
                left_out += 1;
                continue;
            }
            out.push_str(&one);
        }
        match left_out {
            0 => Ok(()),
            more => {
                let findings = counted(more, "finding");
                writeln!(out, "\nThe details of {findings} are in the whole report only.")
            }
        }
    }

    fn write_hunks(&self, out: &mut String) -> std::fmt::Result {
        let hunks =
            self.patch.iter().flat_map(|file| file.hunks.iter().map(move |hunk| (file, hunk)));
        let hunks: Vec<_> = hunks.filter(|(_, hunk)| hunk.answer != HunkAnswer::Found).collect();
        if hunks.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n<details><summary>Where nothing was found, and why</summary>\n")?;
        writeln!(out, "| hunk | answer | why |\n|---|---|---|")?;
        let mut left_out = 0;
        for (file, hunk) in hunks {
            let place = code_cell(&format!("{}:{}", file.path, hunk.line()));
            let (answer, why) = (answer_label(hunk.answer), cell(&hunk.because));
            let line = format!("| {place} | {answer} | {why} |\n");
            match out.len() + line.len() > MOST {
                true => left_out += 1,
                false => out.push_str(&line),
            }
        }
        if left_out > 0 {
            writeln!(out, "\nand {}.", counted(left_out, "more hunk"))?;
        }
        writeln!(out, "\n</details>")
    }

    fn write_notes(&self, out: &mut String) -> std::fmt::Result {
        let room = MOST.saturating_sub(out.len());
        let mut notes = String::new();
        for note in &self.notes {
            let (first, rest) = wording::first_line(note);
            writeln!(notes, "- {}", cell(first))?;
            if !rest.is_empty() {
                let lines: Vec<String> = rest.iter().map(|line| cut(line, LINE)).collect();
                writeln!(notes)?;
                fenced(&mut notes, "", &lines)?;
            }
        }
        match notes.len() {
            0 => Ok(()),
            length if length > room => Ok(()),
            _ => writeln!(out, "\n<details><summary>Notes</summary>\n\n{notes}\n</details>"),
        }
    }

    fn write_finding(&self, out: &mut String, number: usize, f: &CheckFinding) -> std::fmt::Result {
        writeln!(
            out,
            "\n<details><summary>{number}. <b>{}</b>: {}</summary>\n",
            class_label(f.class),
            html(&cut(&f.verdict, CELL))
        )?;
        let mut lines = Vec::new();
        for (line, what) in f.commands() {
            let local = self.local(line);
            let folder = if local == line { "" } else { ", in the folder of the check" };
            lines.push(format!("# {what}{folder}"));
            lines.push(cut(&local.shown().to_string(), 4 * LINE));
        }
        if !lines.is_empty() {
            fenced(out, "sh", &lines)?;
        }
        writeln!(out, "| | old version | new version |\n|---|---|---|")?;
        writeln!(out, "| end | {} | {} |", cell(&f.old.end), cell(&f.new.end))?;
        if f.old.error.is_some() || f.new.error.is_some() {
            let first = |error: &Option<String>| {
                let line = error.as_deref().and_then(|error| error.lines().next());
                line.map_or(String::new(), code_cell)
            };
            writeln!(out, "| error | {} | {} |", first(&f.old.error), first(&f.new.error))?;
        }
        writeln!(out)?;
        for (name, old, new) in [
            ("Standard output", &f.old.stdout, &f.new.stdout),
            ("Standard error", &f.old.stderr, &f.new.stderr),
        ] {
            if old.text != new.text || old.bytes != new.bytes {
                writeln!(out, "{name}:\n")?;
                fenced(out, "diff", &diff(old, new))?;
            }
        }
        if let Some(excerpt) = &f.excerpt {
            writeln!(
                out,
                "{} ({}):\n",
                code(&format!("{}:{}", excerpt.file, excerpt.marked)),
                f.version_name()
            )?;
            let lines = excerpt.numbered().map(|(number, line)| {
                let sign = if number == u64::from(excerpt.marked) { '>' } else { ' ' };
                let line = crate::markup::spaced(line).shown().to_string();
                cut(&format!("{sign} {number:4} {line}"), LINE)
            });
            fenced(out, "c", &lines.collect::<Vec<_>>())?;
        }
        let seed = f.seed.as_ref().map(|seed| format!(", made from {}", code(&self.local(seed))));
        let seed = seed.unwrap_or_default();
        writeln!(
            out,
            "Shown by {}, for one {}{seed}; identity {}\n\n</details>",
            counted(f.cases, "case"),
            code(&f.case),
            code(&f.id)
        )
    }
}

/// What differs between two outputs, in lines.
fn diff(old: &Stream, new: &Stream) -> Vec<String> {
    let whole = |spans: &Option<Vec<Span>>| -> Option<String> {
        Some(spans.as_ref()?.iter().map(|span| &*span.text).collect())
    };
    let mut lines = Vec::new();
    let mut added = Vec::new();
    for Row { sign, old, new } in rows(old, new) {
        if sign == Sign::Same {
            lines.append(&mut added);
            lines.extend(whole(&new).map(|line| format!("  {line}")));
            continue;
        }
        // What goes stands before what comes.
        lines.extend(whole(&old).map(|line| format!("- {line}")));
        added.extend(whole(&new).map(|line| format!("+ {line}")));
    }
    lines.append(&mut added);
    shortened(lines).iter().map(|line| cut(line, LINE)).collect()
}

/// The lines that differ and those next to them, and not too many.
fn shortened(lines: Vec<String>) -> Vec<String> {
    let differs = |line: &String| !line.starts_with(' ');
    let near =
        |at: usize| lines[at.saturating_sub(1)..(at + 2).min(lines.len())].iter().any(differs);
    let mut out = Vec::new();
    let mut skipped = 0;
    for (at, line) in lines.iter().enumerate() {
        if !near(at) || out.len() >= LINES {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            out.push(format!("@@ {} @@", counted(skipped, "line")));
            skipped = 0;
        }
        out.push(line.clone());
    }
    if skipped > 0 {
        out.push(format!("@@ {} @@", counted(skipped, "line")));
    }
    out
}

/// Lines in a fence that none of them can end.
fn fenced(out: &mut String, language: &str, lines: &[String]) -> std::fmt::Result {
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    writeln!(out, "{fence}{language}")?;
    for line in lines {
        writeln!(out, "{}", line.shown())?;
    }
    writeln!(out, "{fence}\n")
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// Text as code.
fn code(text: &str) -> String {
    let text = cut(&text.shown().to_string(), CELL);
    if text.trim().is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    // A backtick at an end would belong to the marks.
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Text as code in a table.
fn code_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// Text in a table.
fn cell(text: &str) -> String {
    inline(&cut(text, CELL))
}

/// Text that is no markup: every sign that could be one is escaped. Names of people and numbers of issues are interrupted,
/// since forges look for them in what is shown; so are addresses.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for letter in text.shown().to_string().chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' | '#' => out.push_str(&format!("\\{letter}<!-- -->")),
            '/' if out.ends_with(':') => out.push_str("<!-- -->/"),
            '.' if out.to_ascii_lowercase().ends_with("www") => out.push_str("<!-- -->."),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
    guarded_start(&out)
}

/// What would begin a list or a heading does not.
fn guarded_start(text: &str) -> String {
    let begins = text.starts_with(['-', '+', '=']) || {
        let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        rest.len() < text.len() && rest.starts_with(['.', ')'])
    };
    if begins { format!("<!-- -->{text}") } else { text.to_owned() }
}

/// Text between tags, where Markdown means nothing.
fn html(text: &str) -> String {
    crate::markup::escaped(text)
        .replace('@', "@<!-- -->")
        .replace("://", ":<!-- -->//")
        .replace("www.", "www<!-- -->.")
        // All signs of escapes that have a number sign are ours.
        .replace('#', "#<!-- -->")
        .replace("&#<!-- -->39;", "&#39;")
}

/// Text of at most so many characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_check;

    #[test]
    fn the_comment_answers_first() {
        let text = sample_check().to_markdown();
        for part in [
            "### Umbra: 2 regressions and 2 output differences\n",
            "| Is that tested? | **In part**: 7 of 13 changed lines",
            "| Does it break anything? | **Yes**: 2 regressions",
            "> [!WARNING]\n> The check is not complete.",
            "| 3 | regression (not confirmed natively) |",
            "| 1 | regression | tools/average is killed by SIGFPE",
            "```diff\n  average of 0 values\n- 0\n```",
            "| `src/average.c:24` | proved |",
            "&lt;/pre&gt;&lt;script&gt;",
            "```sh\n# where a version is built\nprintf '1 2 3\\n\\000\\n' | ./tools/average --values=\n",
            "\n# on both versions in the sandbox, in the folder of the check\numbra replay cases/000001 --on old/",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains(
            "<script>alert('1')</script> & ]]> \\x1b[31mred\\x1b[0m\\u{202e} ``` ```` | for"
        ));
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        let empty = CheckReport::default().to_markdown();
        assert!(empty.contains("### Umbra: Nothing was checked") && !empty.contains("details"));
    }

    #[test]
    fn text_is_no_markup_and_calls_nobody() {
        assert_eq!(
            inline("*a* _b_ [c](d) <e> `f` a|b"),
            "\\*a\\* \\_b\\_ \\[c\\](d) &lt;e&gt; \\`f\\` a\\|b"
        );
        assert_eq!(inline("@all #12"), "\\@<!-- -->all \\#<!-- -->12");
        assert_eq!(inline("https://a www.b"), "https:<!-- -->//a www<!-- -->.b");
        assert_eq!(inline("a\n- b\u{202e}"), "a\\\\n- b\\\\u{202e}");
        assert_eq!([inline("- a"), inline("1. a")], ["<!-- -->- a", "<!-- -->1. a"]);
        assert_eq!(
            html("'@a' #1 <b> http://x"),
            "&#39;@<!-- -->a&#39; #<!-- -->1 &lt;b&gt; http:<!-- -->//x"
        );
    }

    #[test]
    fn no_text_ends_its_fence() {
        let mut out = String::new();
        fenced(&mut out, "diff", &["- ````".to_owned(), "`````".to_owned()]).unwrap();
        assert_eq!(out, "``````diff\n- ````\n`````\n``````\n\n");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code_cell("a|b"), "`a\\|b`");
        assert_eq!(code(" "), "");
    }

    #[test]
    fn a_comment_is_never_too_long() {
        let mut report = sample_check();
        let mut finding = report.findings[5].clone();
        finding.new.stdout.text = "x `|` \u{1b} @y\n".repeat(500);
        finding.command = "z".repeat(100_000);
        report.findings = vec![finding; 200];
        report.notes = vec!["n".repeat(100_000); 3];
        let hunk = report.patch[1].hunks[1].clone();
        report.patch[1].hunks = vec![hunk; 5000];
        let text = report.to_markdown();
        assert!(text.len() < 65_536, "{}", text.len());
        assert!(text.contains("are in the whole report only") && text.contains("more hunks"));
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }
}
