//! Which files in the tree of a case are programs that were recorded.
//!
//! A program that runs another of the project finds it there. Who runs the case on another version
//! puts that version's own program in its place, so it has to be known which files these are.

use umbra_case::{Case, Origin};
use umbra_tracer::raw::{Node, Recording};
use umbra_tracer::settings::Program;

use super::root::{relative, root};

/// What the origin of a case says of it. A path that is no text in one line is left out.
pub fn origin(recording: &Recording, programs: &[Program]) -> Origin {
    let Ok((root, _)) = root(recording) else { return Origin::new() };
    let files = recording.touched.iter().filter(|touched| matches!(touched.node, Node::File(_)));
    let found = files.filter(|touched| programs.iter().any(|it| it.path == touched.path));
    let paths = found.filter_map(|touched| str::from_utf8(relative(&touched.path, &root)?).ok());
    let mut paths: Vec<&str> = paths.filter(|path| !path.contains('\n')).collect();
    paths.sort_unstable();
    match paths.is_empty() {
        true => Origin::new(),
        false => Origin::from([(Case::PROGRAMS.to_owned(), paths.join("\n"))]),
    }
}

#[cfg(test)]
mod tests {
    use umbra_tracer::raw::{Attributes, Content, Interest, Touched};

    use super::*;

    #[test]
    fn only_recorded_programs_are_listed() {
        let file = |path: &str, node| Touched {
            path: path.into(),
            node,
            attributes: Attributes::default(),
            interest: Interest::Content,
            times: false,
            place: None,
            named: true,
        };
        let content = Node::File(Content::Unread(1));
        let mut recording = Recording::default();
        recording.start.directory = Some(b"/t/tests".to_vec());
        recording.touched = vec![
            file("/t/src/diff", content.clone()),
            file("/t/src/a\nb", content.clone()),
            file("/t/src/gone", Node::Absent),
            file("/t/tests/diff", content.clone()),
            file("/t/src/cmp", content),
        ];
        let program = |path: &str| Program { path: path.into(), ..Program::default() };
        let programs = ["/t/src/diff", "/t/src/cmp", "/t/src/a\nb", "/t/src/gone"].map(program);
        let expected = Origin::from([("programs".to_owned(), "src/cmp\nsrc/diff".to_owned())]);
        assert_eq!(origin(&recording, &programs), expected);
        assert_eq!(origin(&recording, &[]), Origin::new());
    }
}
