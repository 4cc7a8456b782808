//! The patch: who runs each line, before and after the search, and what became of each hunk.

use super::code;
use crate::check::wording::{RunBy, answer_label, is_gap};
use crate::explain::source::{Part, compare, parts};
use crate::markup::Markup;
use crate::numbers::{count, counted};
use crate::{CheckReport, HunkAnswer, HunkLine, HunkReport, LineSort, PatchFile};

/// Files of a patch with more lines than this, all in all, are folded at first.
const UNFOLDED: usize = 1500;

impl CheckReport {
    pub(super) fn patch_section(&self, page: &mut Markup) {
        page.put(
            "<section id=\"patch\" aria-labelledby=\"patch-title\">\n<h2 id=\"patch-title\">The patch</h2>\n",
            &[],
        );
        if self.patch.is_empty() {
            page.put("<p class=\"empty\">There is no changed line to show.</p>\n</section>\n", &[]);
            return;
        }
        page.put(
            "<ul class=\"legend\"><li><i class=\"tests\"></i>tests run it, with their number</li>\
             <li><i class=\"reached\"></i>only an input that was found runs it</li>\
             <li><i class=\"missed\"></i>nothing runs it</li></ul>\n\
             <p class=\"lead\">Before: by the tests of the suite. After: with the inputs that were found, too.</p>\n",
            &[],
        );
        // A browser has time for so many lines at once.
        let is_open = self.hunks().map(|hunk| hunk.lines.len()).sum::<usize>() <= UNFOLDED;
        for file in &self.patch {
            self.patch_file(page, file, is_open);
        }
        page.put("</section>\n", &[]);
    }

    fn patch_file(&self, page: &mut Markup, file: &PatchFile, is_open: bool) {
        let lines = || file.hunks.iter().flat_map(|hunk| &hunk.lines);
        let of_sort = |sort| lines().filter(|line| line.sort == sort).count();
        page.put("<details class=\"file\"", &[]);
        page.put(if is_open { " open" } else { "" }, &[]);
        page.put(
            ">\n<summary><h3>{}</h3><span class=\"gone\">−{}</span> \
             <span class=\"came\">+{}</span></summary>\n",
            &[&file.path, &of_sort(LineSort::Removed), &of_sort(LineSort::Added)],
        );
        for hunk in &file.hunks {
            self.hunk(page, file, hunk);
        }
        page.put("</details>\n", &[]);
    }

    fn hunk(&self, page: &mut Markup, file: &PatchFile, hunk: &HunkReport) {
        let tone = match hunk.answer {
            HunkAnswer::Found => "found",
            answer if is_gap(answer) => "gap",
            _ => "calm",
        };
        page.put("<div class=\"hunk\">\n<div class=\"verdict {}\">", &[&tone]);
        let (function, word) = match &hunk.function {
            Some(function) => (&**function, "line"),
            None => ("line", ""),
        };
        page.put("<h4>{} <small>{} {}</small></h4>", &[&function, &word, &hunk.line()]);
        page.put("<span class=\"chip\">{}</span>", &[&answer_label(hunk.answer)]);
        page.put("<p>", &[]);
        if hunk.answer != HunkAnswer::Found {
            page.put("<b>Why was nothing found here?</b> ", &[]);
        }
        // The findings stand behind it.
        if hunk.findings.is_empty() {
            page.text(&hunk.because);
        }
        for number in
            hunk.findings.iter().filter(|number| (1..=self.findings.len()).contains(number))
        {
            page.put(" <a href=\"#finding-{}\">Finding {}</a>", &[number, number]);
        }
        page.put("</p></div>\n", &[]);
        page.put(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Lines of {} from {}\">\n\
             <table class=\"lines\"><thead><tr><th scope=\"col\">old</th><th scope=\"col\">new</th>\
             <th scope=\"col\"><span title=\"by the tests, before the search\">before</span></th>\
             <th scope=\"col\"><span title=\"with the inputs that were found\">after</span></th>\
             <th scope=\"col\">source</th></tr></thead>\n<tbody>\n",
            &[&file.path, &hunk.line()],
        );
        let (mut old_comment, mut new_comment) = (false, false);
        let mut all: Vec<Vec<Part<'_>>> = Vec::with_capacity(hunk.lines.len());
        for line in &hunk.lines {
            let parts = match line.sort {
                LineSort::Removed => parts(&line.text, &mut old_comment),
                _ => parts(&line.text, &mut new_comment),
            };
            if line.sort == LineSort::Context {
                old_comment = new_comment;
            }
            all.push(parts);
        }
        mark_pairs(&hunk.lines, &mut all);
        for (line, parts) in hunk.lines.iter().zip(&all) {
            row(page, line, parts);
        }
        page.put("</tbody></table>\n</div>\n</div>\n", &[]);
    }
}

/// Marks words that differ where as many lines came as went.
fn mark_pairs(lines: &[HunkLine], all: &mut [Vec<Part<'_>>]) {
    let run = |from: usize, sort: LineSort| {
        lines[from..].iter().take_while(|line| line.sort == sort).count()
    };
    let mut at = 0;
    while at < lines.len() {
        let removed = run(at, LineSort::Removed);
        let added = run(at + removed, LineSort::Added);
        if removed > 0 && removed == added {
            let (old, new) = all[at..at + removed + added].split_at_mut(removed);
            old.iter_mut().zip(new).for_each(|(old, new)| compare(old, new));
        }
        at += (removed + added).max(1);
    }
}

fn row(page: &mut Markup, line: &HunkLine, parts: &[Part<'_>]) {
    let (class, sign) = match line.sort {
        LineSort::Context => ("context", " "),
        LineSort::Removed => ("removed", "−"),
        LineSort::Added => ("added", "+"),
    };
    let number = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
    page.put(
        "<tr class=\"{}\"><td class=\"n\">{}</td><td class=\"n\">{}</td>",
        &[&class, &number(line.old), &number(line.new)],
    );
    match line.run_by() {
        RunBy::NoCode => page.put("<td class=\"runs\"></td><td class=\"runs\"></td>", &[]),
        RunBy::Tests(tests) => {
            let title = counted(tests, "test");
            for _ in 0..2 {
                page.put("<td class=\"runs tests\" title=\"{}\">{}</td>", &[&title, &count(tests)]);
            }
        }
        RunBy::Generated => page.put(
            "<td class=\"runs missed\" title=\"no test\">0</td>\
             <td class=\"runs reached\" title=\"{}\">input</td>",
            &[&line.input.as_deref().unwrap_or("an input that was found")],
        ),
        RunBy::Nothing => page.put(
            "<td class=\"runs missed\" title=\"no test\">0</td>\
             <td class=\"runs missed\" title=\"{}\">0</td>",
            &[&line.why.as_deref().unwrap_or("nothing")],
        ),
    }
    page.put("<td class=\"code\"><i>{}</i>", &[&sign]);
    code::line(page, parts, None);
    page.put("</td></tr>\n", &[]);
}
