//! The findings, each of which unfolds.

use umbra_words::{Class, Kind};

use super::{behaviour, class_badge, code};
use crate::check::wording::{class_label, phase_meaning};
use crate::explain::source::parts;
use crate::markup::Markup;
use crate::numbers::{count, counted, duration};
use crate::{CheckFinding, CheckReport, Excerpt, InputPart};

impl CheckReport {
    pub(super) fn findings_section(&self, page: &mut Markup) {
        page.put(
            "<section id=\"findings\" aria-labelledby=\"findings-title\">\n\
             <h2 id=\"findings-title\">Findings</h2>\n",
            &[],
        );
        if self.findings.is_empty() {
            page.put("<p class=\"empty\">{}.</p>\n</section>\n", &[&self.headline()]);
            return;
        }
        self.filters(page);
        // The first one shows what there is to unfold.
        let first = self.numbered().find(|(_, f)| f.is_shown()).map(|(number, _)| number);
        for (number, finding) in self.numbered().filter(|(_, finding)| finding.is_shown()) {
            self.finding_article(page, number, finding, first == Some(number));
        }
        if self.findings.iter().any(|finding| !finding.is_shown()) {
            page.put(
                "<h3 class=\"aside\">Set aside</h3>\n<p class=\"aside\">Accepted before, without effect, \
                 or different from run to run in the old version already.</p>\n",
                &[],
            );
        }
        for (number, finding) in self.numbered().filter(|(_, finding)| !finding.is_shown()) {
            self.finding_article(page, number, finding, false);
        }
        page.put(
            "<p class=\"empty nothing\" hidden>No finding is like that. <button type=\"button\">Show all</button></p>\n\
             </section>\n",
            &[],
        );
    }

    /// What the script makes work, so hidden without it.
    fn filters(&self, page: &mut Markup) {
        page.put(
            "<form class=\"filters\" role=\"search\" aria-label=\"Findings\" data-script hidden>\n\
             <input type=\"search\" id=\"search\" placeholder=\"Search the findings\" aria-label=\"Search the findings\" \
             autocomplete=\"off\" spellcheck=\"false\">\n<div class=\"chips\" role=\"group\" aria-label=\"Class\">",
            &[],
        );
        for class in Class::ALL {
            let number = self.findings.iter().filter(|finding| finding.class == *class).count();
            if number > 0 {
                page.put(
                    "<button type=\"button\" class=\"tone-{}\" aria-pressed=\"false\" data-filter=\"class\" \
                     data-value=\"{}\">{} <small>{}</small></button>",
                    &[&class.name(), &class.name(), &class_label(*class), &number],
                );
            }
        }
        page.put("</div>\n<div class=\"chips\" role=\"group\" aria-label=\"Kind\">", &[]);
        for kind in Kind::ALL {
            let number = self.findings.iter().filter(|finding| finding.kind == Some(*kind)).count();
            if number > 0 {
                page.put(
                    "<button type=\"button\" aria-pressed=\"false\" data-filter=\"kind\" data-value=\"{}\">\
                     {} flow <small>{}</small></button>",
                    &[&kind.name(), &kind.name(), &number],
                );
            }
        }
        page.put("</div>\n<p class=\"shown\" role=\"status\"></p>\n</form>\n", &[]);
    }

    fn finding_article(&self, page: &mut Markup, number: usize, f: &CheckFinding, is_open: bool) {
        page.put(
            "<article class=\"finding tone-{}\" id=\"finding-{}\" data-class=\"{}\" data-kind=\"{}\" \
             aria-labelledby=\"verdict-{}\">\n",
            &[&f.class.name(), &number, &f.class.name(), &f.kind.map_or("", Kind::name), &number],
        );
        page.put(if is_open { "<details open>\n" } else { "<details>\n" }, &[]);
        page.put("<summary><span class=\"number\">{}</span><div>", &[&number]);
        page.put("<h3 id=\"verdict-{}\">{}</h3><p class=\"marks\">", &[&number, &f.verdict]);
        class_badge(page, f.class);
        for (is, mark) in [
            (f.accepted, "accepted"),
            (!f.confirmed, "not confirmed natively"),
            (f.by_suite, "a test shows it"),
        ] {
            if is {
                page.put("<span class=\"chip\">{}</span>", &[&mark]);
            }
        }
        if let Some(place) = &f.place {
            page.put("<code>{}</code>", &[place]);
        }
        if f.cases > 1 {
            page.put("<span>{}</span>", &[&counted(f.cases, "case")]);
        }
        page.put("</p></div></summary>\n<div class=\"body\">\n", &[]);
        commands(page, f);
        page.put("<h4>What the versions do</h4>\n", &[]);
        behaviour::table(page, &f.old, &f.new);
        differences(page, f);
        input(page, f);
        if let Some(excerpt) = &f.excerpt {
            source(page, f, excerpt);
        }
        origin(page, f);
        also(page, f);
        self.facts(page, f);
        page.put("</div>\n</details>\n</article>\n", &[]);
    }

    fn facts(&self, page: &mut Markup, f: &CheckFinding) {
        page.put("<dl class=\"facts\">\n", &[]);
        let mut fact = |name: &str, value: &str| {
            page.put("<div><dt>{}</dt><dd>{}</dd></div>\n", &[&name, &value]);
        };
        fact("program", &f.program);
        if let Some(phase) = f.phase {
            fact("found by", phase_meaning(phase));
        }
        if let Some(kind) = f.kind {
            fact("differs in", &format!("{} flow", kind.name()));
        }
        fact("cases", &count(f.cases));
        fact("input", &counted(f.input_bytes, "byte"));
        fact("known after", &duration(f.seconds));
        let folder =
            if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) };
        fact("case", &format!("{folder}{}", f.case));
        fact("identity", &f.id);
        page.put("</dl>\n", &[]);
    }
}

/// The lines to paste: first the one that needs nothing but the built program, if there is one.
fn commands(page: &mut Markup, f: &CheckFinding) {
    for (command, what) in f.commands() {
        page.put(
            "<p>To see it, {}:</p>\n<div class=\"command\"><pre tabindex=\"0\" role=\"group\" aria-label=\"Command, {}\"><code>{}</code></pre>\
             <button type=\"button\" class=\"copy\" data-script hidden>Copy</button></div>\n",
            &[&what, &what, &command],
        );
    }
}

fn differences(page: &mut Markup, f: &CheckFinding) {
    let mut others = f.other_differences().peekable();
    if others.peek().is_none() {
        return;
    }
    page.put(
        "<h4>What else differs</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"What else differs\">\
         <table class=\"list differences\"><thead><tr><th scope=\"col\">what</th>\
         <th scope=\"col\">old version</th><th scope=\"col\">new version</th></tr></thead><tbody>\n",
        &[],
    );
    for line in others {
        page.put(
            "<tr><th scope=\"row\">{} <code>{}</code></th><td class=\"old\">{}</td><td class=\"new\">{}</td></tr>\n",
            &[&line.channel, &line.place, &line.old, &line.new],
        );
    }
    page.put("</tbody></table></div>\n", &[]);
}

/// The input against its seed.
fn input(page: &mut Markup, f: &CheckFinding) {
    if f.input.is_empty() {
        if let Some(seed) = &f.seed {
            page.put("<h4>The input</h4>\n<p>It was made from <code>{}</code>.</p>\n", &[seed]);
        }
        return;
    }
    page.put("<h4>The input</h4>\n", &[]);
    let changed = f.input.iter().flat_map(|part| &part.pieces).any(|piece| piece.changed);
    match (&f.seed, changed) {
        (Some(seed), true) => page.put(
            "<p>It was made from <code>{}</code>; <mark class=\"byte\">marked</mark> bytes are other ones there.</p>\n",
            &[seed],
        ),
        (Some(seed), false) => page.put("<p>It is that of <code>{}</code>.</p>\n", &[seed]),
        (None, _) => {}
    }
    page.put("<dl class=\"input\">\n", &[]);
    f.input.iter().for_each(|part| input_part(page, part));
    page.put("</dl>\n", &[]);
}

fn input_part(page: &mut Markup, part: &InputPart) {
    page.put("<div><dt>{}</dt><dd>", &[&part.name]);
    for piece in &part.pieces {
        // The end of a line shows, and the line ends.
        for line in piece.text.split_inclusive('\n') {
            let text = line.strip_suffix('\n').unwrap_or(line);
            match piece.changed {
                true => page.put("<mark class=\"byte\">{}", &[&text]),
                false => page.text(text),
            }
            let ends = line.ends_with('\n');
            if ends {
                page.put("<i>↵</i>", &[]);
            }
            if piece.changed {
                page.put("</mark>", &[]);
            }
            if ends {
                page.put("<br>", &[]);
            }
        }
    }
    if part.cut {
        page.put("<i>… and more</i>", &[]);
    }
    page.put("</dd></div>\n", &[]);
}

/// The source at the place, with what the patch changed underlined.
fn source(page: &mut Markup, f: &CheckFinding, excerpt: &Excerpt) {
    let title = match f.class {
        Class::Regression | Class::Fix => "Where it goes wrong",
        _ => "Where the versions part",
    };
    page.put("<h4>{}</h4>\n", &[&title]);
    page.put(
        "<figure class=\"source\"><figcaption><code>{}:{}</code> in the {} version</figcaption>\n\
         <pre tabindex=\"0\" role=\"group\" aria-label=\"Source\">",
        &[&excerpt.file, &excerpt.marked, &excerpt.version.name()],
    );
    let mut in_comment = false;
    for (number, text) in excerpt.numbered() {
        let is_marked = number == u64::from(excerpt.marked);
        let columns = is_marked.then(|| excerpt.columns.unwrap_or_else(|| whole(text)));
        page.put(
            if is_marked { "<b class=\"line marked\">" } else { "<span class=\"line\">" },
            &[],
        );
        page.put("<i>{}</i>", &[&number]);
        code::line(page, &parts(text, &mut in_comment), columns);
        page.put(if is_marked { "</b>" } else { "</span>" }, &[]);
    }
    page.put("</pre></figure>\n", &[]);
}

/// The columns of a line without the space around it.
fn whole(line: &str) -> (u32, u32) {
    let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let indent = count(line) - count(line.trim_start());
    (indent, count(line.trim_end()).max(indent))
}

/// Where the difference comes from: the changed lines, the way to the place, and the calls there.
fn origin(page: &mut Markup, f: &CheckFinding) {
    if f.changes.is_empty() && f.path.is_empty() && f.stack.is_empty() {
        return;
    }
    page.put("<h4>Where it comes from</h4>\n", &[]);
    page.put("<div class=\"origin\">\n", &[]);
    let changes: Vec<String> = f.changes.iter().map(ToString::to_string).collect();
    for (class, title, lines) in [
        ("changes", "Changed lines", &changes),
        ("path", "The way there", &f.path),
        ("stack", "Calls, the innermost first", &f.stack),
    ] {
        if lines.is_empty() {
            continue;
        }
        page.put("<div class=\"{}\"><h5>{}</h5><ol>\n", &[&class, &title]);
        for line in lines {
            page.put("<li>{}</li>\n", &[line]);
        }
        page.put("</ol></div>\n", &[]);
    }
    page.put("</div>\n", &[]);
}

/// What further versions do.
fn also(page: &mut Markup, f: &CheckFinding) {
    if f.also.is_empty() {
        return;
    }
    page.put(
        "<h4>Further versions</h4>\n<table class=\"list\"><thead><tr><th scope=\"col\">version</th>\
         <th scope=\"col\">what it does</th><th scope=\"col\">like</th></tr></thead><tbody>\n",
        &[],
    );
    for (name, behaviour) in &f.also {
        let like = match (*behaviour == f.old, *behaviour == f.new) {
            (true, true) => "both",
            (true, false) => "old",
            (false, true) => "new",
            (false, false) => "neither",
        };
        page.put(
            "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td class=\"like-{}\">{}</td></tr>\n",
            &[name, &behaviour.end, &like, &like],
        );
    }
    page.put("</tbody></table>\n", &[]);
}
