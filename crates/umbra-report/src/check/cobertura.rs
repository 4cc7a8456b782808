//! The lines of the new version around the patch as Cobertura's XML: how many cases run each.
//!
//! A package is a folder and a class is a file. Branches are not counted. The format asks for a time, and this crate knows
//! none, so it is 0. The type of the document is not named, since some readers would fetch it.

use std::collections::BTreeMap;

use super::runs::{Runs, hit};
use super::xml::Xml;
use crate::CheckReport;

impl CheckReport {
    /// Lines of the new version as Cobertura's XML, by their paths from the root of the repository.
    pub fn to_cobertura(&self) -> String {
        let mut xml = Xml::new();
        let files = self.runs();
        let (covered, valid) = totals(files.values());
        xml.start(
            "coverage",
            &[
                ("line-rate", rate(covered, valid)),
                ("branch-rate", "0".to_owned()),
                ("lines-covered", covered.to_string()),
                ("lines-valid", valid.to_string()),
                ("branches-covered", "0".to_owned()),
                ("branches-valid", "0".to_owned()),
                ("complexity", "0".to_owned()),
                ("version", env!("CARGO_PKG_VERSION").to_owned()),
                ("timestamp", "0".to_owned()),
            ],
        );
        xml.start("sources", &[]);
        xml.lines("source", &[], ".");
        xml.end();
        xml.start("packages", &[]);
        let mut packages: BTreeMap<&str, Vec<(&str, &Runs)>> = BTreeMap::new();
        for (path, lines) in &files {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            packages.entry(folder).or_default().push((path, lines));
        }
        for (folder, files) in packages {
            let (covered, valid) = totals(files.iter().map(|(_, lines)| *lines));
            let name = if folder.is_empty() { "." } else { folder };
            xml.start("package", &rates(name, None, covered, valid));
            xml.start("classes", &[]);
            files.into_iter().for_each(|(path, lines)| class(&mut xml, path, lines));
            xml.end();
            xml.end();
        }
        xml.finish()
    }
}

fn class(xml: &mut Xml, path: &str, lines: &Runs) {
    let name = path.rsplit('/').next().unwrap_or(path);
    xml.start("class", &rates(name, Some(path), hit(lines), lines.len()));
    xml.empty("methods", &[]);
    xml.start("lines", &[]);
    for (line, runs) in lines {
        xml.empty(
            "line",
            &[
                ("number", line.to_string()),
                ("hits", runs.to_string()),
                ("branch", "false".to_owned()),
            ],
        );
    }
    xml.end();
    xml.end();
}

/// The attributes of a package, or of a class if there is a file.
fn rates(
    name: &str,
    file: Option<&str>,
    covered: usize,
    valid: usize,
) -> Vec<(&'static str, String)> {
    let mut attributes = vec![("name", name.to_owned())];
    attributes.extend(file.map(|file| ("filename", file.to_owned())));
    attributes.extend([
        ("line-rate", rate(covered, valid)),
        ("branch-rate", "0".to_owned()),
        ("complexity", "0".to_owned()),
    ]);
    attributes
}

/// Lines that ran, and all of them.
fn totals<'a>(files: impl Iterator<Item = &'a Runs>) -> (usize, usize) {
    files.fold((0, 0), |(covered, valid), lines| (covered + hit(lines), valid + lines.len()))
}

/// A share. Of nothing, all is covered.
fn rate(covered: usize, valid: usize) -> String {
    match valid {
        0 => "1".to_owned(),
        valid => format!("{:.4}", covered as f64 / valid as f64),
    }
}

#[cfg(test)]
mod tests {
    use crate::{CheckReport, sample_check};

    #[test]
    fn files_are_classes_and_folders_packages() {
        let text = sample_check().to_cobertura();
        for part in [
            "<coverage line-rate=\"0.7778\"",
            "lines-covered=\"7\" lines-valid=\"9\"",
            "<package name=\"src\" line-rate=\"0.7778\"",
            "<class name=\"table größe.c\" filename=\"src/table größe.c\" line-rate=\"0.5000\"",
            "<line number=\"45\" hits=\"1\" branch=\"false\"/>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let empty = CheckReport::default().to_cobertura();
        assert!(empty.contains("line-rate=\"1\"") && !empty.contains("<package "));
    }
}
