//! The report as one page that needs nothing else: no other file, no network.
//!
//! Without scripts all is there. The script adds filters, search, keys, and the buttons that copy and fold. The policy of
//! the page names its style and its script by their hashes, so that nothing else can run, even if something gets through.

mod behaviour;
mod code;
mod finding;
mod head;
mod patch;
mod rest;
mod timeline;

use sha2::{Digest, Sha256};
use umbra_words::Class;

use super::wording::class_label;
use crate::markup::Markup;
use crate::{CheckFinding, CheckReport};

const STYLE: &str = include_str!("html/check.css");
const SCRIPT: &str = include_str!("html/check.js");

impl CheckReport {
    /// The report as a page for a browser: one file, which loads nothing.
    pub fn to_html(&self) -> String {
        let mut page = Markup::default();
        self.start(&mut page);
        self.head(&mut page);
        page.put("<div class=\"columns\">\n", &[]);
        self.side(&mut page);
        page.put("<main id=\"main\" tabindex=\"-1\">\n", &[]);
        self.findings_section(&mut page);
        self.patch_section(&mut page);
        self.timeline_section(&mut page);
        self.effects_section(&mut page);
        self.programs_section(&mut page);
        page.put("</main>\n</div>\n", &[]);
        self.foot(&mut page);
        page.put("<script>", &[]);
        page.put(SCRIPT, &[]);
        page.put("</script>\n</body>\n</html>\n", &[]);
        page.finish()
    }

    fn start(&self, page: &mut Markup) {
        page.put(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'\">\n\
             <title>{}: {} → {} · umbra</title>\n<style>",
            &[&hash(STYLE), &hash(SCRIPT), &self.headline(), &self.old.title(), &self.new.title()],
        );
        page.put(STYLE, &[]);
        page.put(
            "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n",
            &[],
        );
    }

    /// What is on the page, at its side.
    fn side(&self, page: &mut Markup) {
        page.put("<nav class=\"side\" aria-label=\"On this page\">\n<ol>\n", &[]);
        page.put(
            "<li><a href=\"#findings\">Findings <small>{}</small></a>",
            &[&self.findings.len()],
        );
        let shown = self.numbered().filter(|(_, finding)| finding.is_shown());
        let shown: Vec<(usize, &CheckFinding)> = shown.take(SIDE).collect();
        if !shown.is_empty() {
            page.put("\n<ol>\n", &[]);
            for (number, finding) in shown {
                page.put(
                    "<li class=\"tone-{}\"><a href=\"#finding-{}\"><b>{}</b> <span>{}</span></a></li>\n",
                    &[&finding.class.name(), &number, &number, &finding.verdict],
                );
            }
            page.put("</ol>", &[]);
        }
        page.put(
            "</li>\n<li><a href=\"#patch\">The patch <small>{}</small></a></li>\n",
            &[&self.hunks().count()],
        );
        page.put("<li><a href=\"#timeline\">Timeline</a></li>\n", &[]);
        page.put("<li><a href=\"#effects\">What the tests cost</a></li>\n", &[]);
        page.put("<li><a href=\"#programs\">How it was checked</a></li>\n</ol>\n", &[]);
        page.put(
            "<dl class=\"keys\" data-script hidden>\
             <div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next, previous</dd></div>\
             <div><dt><kbd>Enter</kbd></dt><dd>unfold</dd></div>\
             <div><dt><kbd>e</kbd></dt><dd>unfold all, fold all</dd></div>\
             <div><dt><kbd>/</kbd></dt><dd>search</dd></div>\
             <div><dt><kbd>t</kbd></dt><dd>light, dark</dd></div></dl>\n</nav>\n",
            &[],
        );
    }
}

/// Findings that are listed at the side.
const SIDE: usize = 20;

/// A class as a label with its colour.
fn class_badge(page: &mut Markup, class: Class) {
    page.put("<span class=\"badge tone-{}\">{}</span>", &[&class.name(), &class_label(class)]);
}

/// The name of a text in a content security policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits =
            (0..3).fold(0, |bits, at| bits << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            out.push(if at <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests;
