//! The manifest as a file that explains itself.
//!
//! What is as by default is written as a comment: the file shows every key, and says only
//! what is special about the project.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{FlavourSteps, Manifest, Steps, format_size};

/// The whole text.
pub fn text(manifest: &Manifest) -> String {
    let default = Manifest::default();
    let mut page = Page::default();
    page.comment("How Umbra builds and tests this project: see docs/project.md of Umbra.");
    page.comment("Everything is optional; what is commented out shows the default.");

    page.table("project");
    let name = manifest.name.as_deref().unwrap_or("name of the folder");
    page.key("name", &quoted(name), manifest.name.is_some());
    page.comment(
        "The programs to test, as paths in the built tree. Empty: every program that is linked.",
    );
    page.list("programs", &paths(&manifest.programs));
    page.comment(
        "Whether programs in folders of tests count; by default where there are no others.",
    );
    let tests = manifest.tests.unwrap_or_default();
    page.key("tests", &tests.to_string(), manifest.tests.is_some());
    page.comment("Folders with the project's own code, and with code that counts as a library.");
    page.list("source", &paths(&manifest.source));
    page.list("library", &paths(&manifest.library));

    steps(&mut page, &manifest.build, &default.build);

    page.table("test");
    page.key("command", &quoted(&manifest.test), manifest.test != default.test);

    page.table("record");
    page.comment("Variables that recordings keep, besides LANG, LC_*, TZ and the like.");
    page.list("environment", &manifest.record_environment);

    page.table("cache");
    let limit = manifest.cache_limit.unwrap_or(crate::DEFAULT_CACHE_LIMIT);
    page.key("limit", &quoted(&format_size(limit)), manifest.cache_limit.is_some());
    page.text
}

fn steps(page: &mut Page, steps: &Steps, default: &Steps) {
    page.table("build");
    page.comment("Shell commands, run in the root of the tree; an empty one is skipped.");
    page.comment("CC, AR, RANLIB and NM are set for them.");
    page.comment("prepare makes the files that are not under version control.");
    page.key("prepare", &quoted(&steps.prepare), steps.prepare != default.prepare);
    page.key("configure", &quoted(&steps.configure), steps.configure != default.configure);
    page.key("build", &quoted(&steps.build), steps.build != default.build);
    let jobs = steps.jobs.map_or("1".into(), |jobs| jobs.to_string());
    page.comment("How many jobs make may run at a time; by default one a processor.");
    page.key("jobs", &jobs, steps.jobs.is_some());
    page.comment("Whether a revision may be built from what the one before it left.");
    page.key("incremental", &steps.incremental.to_string(), !steps.incremental);
    for (name, flavour, about) in [
        ("analysis", &steps.analysis, "the build for analysis (umbra cc)"),
        ("checking", &steps.checking, "the build for checking (clang with sanitizers)"),
    ] {
        if *flavour == FlavourSteps::default() {
            let _ = write!(page.text, "\n# [build.{name}]  # only in {about}\n# flags = []\n");
        } else {
            page.table(&format!("build.{name}"));
            page.comment(&format!("Only in {about}."));
            page.list("flags", &flavour.flags);
            for (key, command) in [("configure", &flavour.configure), ("build", &flavour.build)] {
                if let Some(command) = command {
                    page.key(key, &quoted(command), true);
                }
            }
        }
    }
}

/// The text so far. Writing to a `String` cannot fail, so results are dropped.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn table(&mut self, name: &str) {
        let _ = write!(self.text, "\n[{name}]\n");
    }

    fn comment(&mut self, text: &str) {
        let _ = writeln!(self.text, "# {text}");
    }

    fn key(&mut self, key: &str, value: &str, set: bool) {
        let mark = if set { "" } else { "# " };
        let _ = writeln!(self.text, "{mark}{key} = {value}");
    }

    fn list(&mut self, key: &str, items: &[String]) {
        let quoted: Vec<String> = items.iter().map(|item| quoted(item)).collect();
        let line = format!("[{}]", quoted.join(", "));
        if key.len() + line.len() <= 96 {
            self.key(key, &line, !items.is_empty());
        } else {
            self.key(key, &format!("[\n    {},\n]", quoted.join(",\n    ")), true);
        }
    }
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path: &PathBuf| Path::display(path).to_string()).collect()
}

/// A text as TOML writes it: literal where that is possible, since commands are full
/// of double quotes.
fn quoted(text: &str) -> String {
    let plain = |c: char| !c.is_control();
    if text.contains('"') && !text.contains('\'') && text.chars().all(plain) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let mut manifest = Manifest::default();
        let file = Path::new("umbra.toml");
        assert_eq!(Manifest::parse(file, &manifest.to_text()).unwrap(), manifest);
        manifest.name = Some("a \"b\" \\ \u{7f} 'c'".into());
        manifest.programs = (0..40).map(|n| PathBuf::from(format!("src/program{n}"))).collect();
        manifest.tests = Some(true);
        manifest.library = vec!["lib".into()];
        manifest.build.prepare = "autoreconf -fi".into();
        manifest.build.configure = "./configure --with-x=\"$PWD\"".into();
        manifest.build.jobs = Some(1);
        manifest.build.incremental = false;
        manifest.build.checking.flags = vec!["-DX".into()];
        manifest.build.analysis.build = Some("make -C src".into());
        manifest.test = "ctest".into();
        manifest.record_environment = vec!["FOO".into()];
        manifest.cache_limit = Some(3 << 30);
        assert_eq!(Manifest::parse(file, &manifest.to_text()).unwrap(), manifest);
    }
}
