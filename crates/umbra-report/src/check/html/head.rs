//! The top of the page: the verdict, and the answers to the three questions.

use umbra_words::Class;

use crate::check::wording::{class_counted, first_line};
use crate::markup::Markup;
use crate::numbers::count;
use crate::{CheckReport, RevisionLine};

impl CheckReport {
    pub(super) fn head(&self, page: &mut Markup) {
        page.put("<header class=\"hero tone-{}\">\n<div class=\"inner\">\n", &[&self.tone()]);
        page.put(
            "<p class=\"brand\"><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle cx=\"10\" cy=\"10\" r=\"9\"/>\
             <circle class=\"shadow\" cx=\"12.5\" cy=\"9\" r=\"7.5\"/></svg>umbra check</p>\n\
             <button type=\"button\" class=\"theme\" data-script hidden>Dark</button>\n",
            &[],
        );
        page.put("<h1>{}</h1>\n", &[&self.headline()]);
        self.revisions(page);
        if !self.is_complete() && !self.stages.is_empty() {
            page.put(
                "<p class=\"incomplete\"><a href=\"#gaps\">The check is not complete</a></p>\n",
                &[],
            );
        }
        page.put("</div>\n</header>\n", &[]);
        page.put("<section class=\"answers\" aria-label=\"The three questions\">\n", &[]);
        self.what_changes(page);
        self.is_it_tested(page);
        self.does_it_break(page);
        page.put("</section>\n", &[]);
        self.notes_and_gaps(page);
    }

    /// The class whose colour the page has, or `calm`, or `unknown`.
    fn tone(&self) -> &'static str {
        match self.findings.iter().find(|finding| finding.is_shown()) {
            Some(finding) if self.has_open() => finding.class.name(),
            _ if self.is_complete() && !self.stages.is_empty() => "calm",
            _ => "unknown",
        }
    }

    fn revisions(&self, page: &mut Markup) {
        if self.old.name.is_empty() && self.new.name.is_empty() {
            return;
        }
        page.put("<dl class=\"revisions\">\n", &[]);
        for (name, line) in [("old", &self.old), ("new", &self.new)] {
            revision(page, name, line);
        }
        page.put("</dl>\n", &[]);
    }

    fn what_changes(&self, page: &mut Markup) {
        page.put("<div><h2>What does the patch change?</h2>\n", &[]);
        let changes = self.changes();
        page.put("<p class=\"answer\">{}</p>\n", &[&sentence(&changes)]);
        if !self.programs.is_empty() {
            page.put("<p>They are part of</p><ul class=\"names\">", &[]);
            for program in self.programs.iter().take(NAMES) {
                page.put("<li><code>{}</code></li>", &[&program.path]);
            }
            if self.programs.len() > NAMES {
                page.put("<li>and {} more</li>", &[&(self.programs.len() - NAMES)]);
            }
            page.put("</ul>\n", &[]);
        }
        page.put("</div>\n", &[]);
    }

    fn is_it_tested(&self, page: &mut Markup) {
        let lines = self.changed_lines();
        page.put("<div><h2>Is that tested?</h2>\n", &[]);
        page.put("<p class=\"answer\">{}</p>\n", &[&self.tested_word()]);
        if lines.lines > 0 {
            let parts = [
                ("tests", lines.by_tests, "run by tests"),
                ("reached", lines.reached, "run by found inputs only"),
                ("missed", lines.not_run, "not run"),
            ];
            bar(page, &parts, lines.lines);
            page.put("<ul class=\"legend\">", &[]);
            for (name, number, what) in parts.iter().filter(|(_, number, _)| *number > 0) {
                page.put(
                    "<li><i class=\"{}\"></i><b>{}</b> {}</li>",
                    &[name, &count(*number), what],
                );
            }
            page.put(
                "</ul>\n<p>of {} with code</p>\n",
                &[&crate::numbers::counted(lines.lines, "changed line")],
            );
        } else {
            page.put("<p>{}</p>\n", &[&sentence(&self.tested())]);
        }
        page.put("</div>\n", &[]);
    }

    fn does_it_break(&self, page: &mut Markup) {
        page.put("<div><h2>Does it break anything?</h2>\n", &[]);
        page.put("<p class=\"answer\">{}</p>\n", &[&self.breaks_word()]);
        page.put("<ul class=\"classes\">", &[]);
        let counts = Class::ALL.iter().map(|class| (*class, self.count(*class) as u64));
        for (class, number) in counts.filter(|(_, number)| *number > 0) {
            let first = self.numbered().find(|(_, f)| f.class == class && !f.accepted);
            page.put(
                "<li class=\"tone-{}\"><a href=\"#finding-{}\">{}</a></li>",
                &[
                    &class.name(),
                    &first.map_or(1, |(number, _)| number),
                    &class_counted(class, number),
                ],
            );
        }
        page.put("</ul>\n", &[]);
        let accepted = self.findings.iter().filter(|finding| finding.accepted).count() as u64;
        let unconfirmed = self.open().filter(|finding| !finding.confirmed).count() as u64;
        if accepted > 0 {
            page.put("<p>{} accepted before</p>\n", &[&count(accepted)]);
        }
        if unconfirmed > 0 {
            page.put("<p>Native runs do not confirm {}</p>\n", &[&count(unconfirmed)]);
        }
        page.put("</div>\n", &[]);
    }

    /// What a reader must know before the rest.
    fn notes_and_gaps(&self, page: &mut Markup) {
        let gaps = self.gaps();
        let gone =
            self.gone.iter().map(|id| format!("{id} of the baseline was not found any more"));
        let notes: Vec<String> = self.notes.iter().cloned().chain(gone).collect();
        if notes.is_empty() && gaps.is_empty() {
            return;
        }
        page.put("<section class=\"notes\" aria-label=\"Before you read on\">\n", &[]);
        for (id, title, lines) in [("gaps", "What is missing", &gaps), ("notes", "Notes", &notes)] {
            if lines.is_empty() {
                continue;
            }
            page.put("<div id=\"{}\"><h2>{}</h2><ul>\n", &[&id, &title]);
            for line in lines {
                let (first, rest) = first_line(line);
                page.put("<li>{}", &[&first]);
                if !rest.is_empty() {
                    page.put("<pre>", &[]);
                    rest.iter().for_each(|line| page.put("{}\n", &[line]));
                    page.put("</pre>", &[]);
                }
                page.put("</li>\n", &[]);
            }
            page.put("</ul></div>\n", &[]);
        }
        page.put("</section>\n", &[]);
    }
}

/// Programs that are named.
const NAMES: usize = 8;

fn revision(page: &mut Markup, name: &str, line: &RevisionLine) {
    page.put("<div><dt>{}</dt><dd><b>{}</b>", &[&name, &line.title()]);
    if let Some(subject) = &line.subject {
        page.put(" <span>{}</span>", &[subject]);
    }
    page.put("</dd></div>\n", &[]);
}

/// Shares of a whole.
fn bar(page: &mut Markup, parts: &[(&'static str, u64, &str)], all: u64) {
    page.put(
        "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        &[],
    );
    let mut before = 0;
    for (name, number, _) in parts {
        let at = |number: u64| number * 1000 / all.max(1);
        let (start, end) = (at(before), at(before + number));
        page.put(
            "<rect class=\"{}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"10\"/>",
            &[name, &start, &(end - start)],
        );
        before += number;
    }
    page.put("</svg>\n", &[]);
}

/// The text with a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
