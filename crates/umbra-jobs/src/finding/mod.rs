//! What native runs of both versions show, as the finding that every command prints: one line that says what happens, the
//! command to paste, what both versions do, the input beside its test.
//!
//! What a finding is called, whether it is new, and where it comes from is for the command that found it.

mod behaviour;
mod verdict;

use std::path::Path;

use umbra_case::{Case, shell_word};
use umbra_compare::Judgement;
use umbra_report::{CheckFinding, DivergenceLine, Excerpt};
use umbra_words::{Class, Place, Version};

use crate::cases::read_case;
use crate::native::difference_line;

pub use behaviour::behaviour;
pub use verdict::verdict;

/// Lines around the one that an excerpt is about.
const AROUND: u32 = 2;

/// What a judgement shows of a case, for a program that is called so. `line` says where the engine found it.
pub fn finding(
    program: &str,
    class: Class,
    case: &Case,
    judgement: &Judgement,
    line: Option<&DivergenceLine>,
) -> CheckFinding {
    let seed_name = case.origin.get("seed").cloned();
    // A seed that is gone is one that nothing can be compared with.
    let seed = seed_name.as_deref().and_then(seed_case);
    let is_named = program.starts_with(['/', '.']);
    let word = shell_word(format!("{}{program}", if is_named { "" } else { "./" }).as_bytes());
    CheckFinding {
        class,
        verdict: verdict(program, class, judgement, line),
        program: program.to_owned(),
        old: behaviour(&judgement.old),
        new: behaviour(&judgement.new),
        differences: judgement.differences.iter().map(difference_line).collect(),
        input: behaviour::input(case, seed.as_ref()),
        input_bytes: case.input_bytes(),
        seed: seed_name,
        shell: word.and_then(|word| case.shell_line(&word)),
        kind: line.map(|line| line.kind),
        phase: line.map(|line| line.phase),
        stack: line.map(|line| line.stack.clone()).unwrap_or_default(),
        path: line.map(|line| line.path.to_lines()).unwrap_or_default(),
        ..CheckFinding::default()
    }
}

/// The command that runs a case on both versions.
pub fn command(case: &Path, old: &Path, new: &Path) -> Option<String> {
    let words = [case, old, new].map(|path| path.as_os_str().as_encoded_bytes());
    let words: Option<Vec<String>> = words.into_iter().map(shell_word).collect();
    let [case, old, new] = &words?[..] else { return None };
    Some(format!("umbra replay {case} --on {old} --on {new}"))
}

/// The lines of a source around a place.
pub fn excerpt(text: &str, place: &Place, version: Version) -> Option<Excerpt> {
    let first = place.line.saturating_sub(AROUND).max(1);
    let lines = text.lines().skip(first as usize - 1);
    let lines: Vec<String> =
        lines.take((place.line + AROUND + 1 - first) as usize).map(str::to_owned).collect();
    let (file, marked) = (place.file.clone(), place.line);
    let columns = columns(lines.get((marked - first) as usize)?);
    Some(Excerpt { file, version, first, lines, marked, columns })
}

/// The case of a seed. Its name may go on with what was made of it, as in `a/1f00, all but the last byte of x`.
fn seed_case(name: &str) -> Option<Case> {
    let ends = name.match_indices(", ").map(|(at, _)| at).chain([name.len()]);
    ends.map(|end| Path::new(&name[..end])).find_map(|path| read_case(path).ok())
}

/// The columns of a line without the blanks at its ends.
fn columns(line: &str) -> Option<(u32, u32)> {
    let start = line.len() - line.trim_start().len();
    let end = line.trim_end().len();
    (start < end).then_some((start as u32, end as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_marked_without_the_blanks_around_it() {
        assert_eq!(columns("  a b \t"), Some((2, 5)));
        assert_eq!(columns(" \t"), None);
    }

    #[test]
    fn an_excerpt_has_the_lines_around_its_place() {
        let place = |line| Place { file: "a.c".to_owned(), line };
        let text = "one\ntwo\n  three\nfour\n";
        let lines =
            |line| excerpt(text, &place(line), Version::New).map(|it| (it.first, it.lines.len()));
        assert_eq!([1, 3, 4].map(lines), [Some((1, 3)), Some((1, 4)), Some((2, 3))]);
        assert_eq!(lines(9), None, "there is no such line");
    }
}
