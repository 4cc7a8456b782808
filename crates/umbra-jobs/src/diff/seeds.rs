//! The tests that a comparison starts from.

use std::path::Path;

use umbra_case::Object;
use umbra_strategy::Seed;

use crate::cases::{Named, find_cases, program_of};
use crate::{Error, Tests};

/// A test and what it is called.
pub struct NamedSeed {
    pub name: String,
    pub seed: Seed,
}

/// All tests that there are.
pub struct Seeds {
    /// Those for this program.
    pub all: Vec<NamedSeed>,
    /// How many there were for others.
    pub other_programs: u64,
}

/// The tests that the user names: cases, folders and stores of cases, or the command line.
pub fn find(program: &Path, tests: &Tests) -> Result<Seeds, Error> {
    let paths = match tests {
        Tests::Cases(paths) => paths,
        Tests::Command { words, stdin, objects } => {
            let all = vec![command_line(words, stdin.as_ref(), objects)];
            return Ok(Seeds { all, other_programs: 0 });
        }
    };
    let (mut all, mut other_programs) = (Vec::new(), 0);
    for path in paths {
        for found in find_cases(std::slice::from_ref(path))? {
            let Named { name, case } = found.read()?;
            // A case that is named itself is meant, whatever its program is called.
            let is_meant = Path::new(&name) == path;
            if is_meant || is_for(program, &program_of(&case)) {
                all.push(NamedSeed { name, seed: Seed::of_case(case) });
            } else {
                other_programs += 1;
            }
        }
    }
    if all.is_empty() {
        let program = program.to_owned();
        return Err(Error::OtherPrograms { program, tests: other_programs });
    }
    Ok(Seeds { all, other_programs })
}

/// Whether a program, as the user calls it, is the one of this name.
fn is_for(program: &Path, name: &str) -> bool {
    let is_source = program.extension().is_some_and(|end| end == "c" || end == "bc");
    let own = if is_source { program.file_stem() } else { program.file_name() };
    own.is_some_and(|own| own == name)
}

/// The command line as a test.
fn command_line(
    words: &[Vec<u8>],
    stdin: Option<&Vec<u8>>,
    objects: &[(String, Vec<u8>)],
) -> NamedSeed {
    let mut words = words.iter().cloned();
    let program = words.next().unwrap_or_default();
    let objects = objects
        .iter()
        .map(|(name, bytes)| Object { name: name.as_bytes().to_vec(), bytes: bytes.clone() });
    let seed =
        Seed::of_words(program, words.collect(), stdin.cloned()).with_objects(objects.collect());
    NamedSeed { name: "command line".to_owned(), seed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_names() {
        for (program, name, is) in [
            ("./src/cut", "cut", true),
            ("cut.c", "cut", true),
            ("x/cut.bc", "cut", true),
            ("cut", "paste", false),
            ("cut-9.1", "cut-9", false),
        ] {
            assert_eq!(is_for(Path::new(program), name), is, "{program} {name}");
        }
    }
}
