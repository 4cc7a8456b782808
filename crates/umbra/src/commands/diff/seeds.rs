//! The tests that a comparison starts from.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use umbra_case::Object;
use umbra_strategy::Seed;
use umbra_text::Show;

use super::options::Args;
use crate::cases::{self, Named};
use crate::commands::replay::program_of;

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
pub fn find(args: &Args) -> anyhow::Result<Seeds> {
    if args.cases.is_empty() {
        return Ok(Seeds { all: vec![command_line(args)?], other_programs: 0 });
    }
    if args.command.len() > 1 {
        bail!("--case: the arguments are those of the test case, so give none after the program");
    }
    let (mut all, mut other_programs) = (Vec::new(), 0);
    for path in &args.cases {
        for found in cases::find(std::slice::from_ref(path))? {
            let Named { name, case } = found.read()?;
            // A case that is named itself is meant, whatever its program is called.
            let is_meant = Path::new(&name) == path;
            if is_meant || is_for(args.program(), &program_of(&case)) {
                all.push(NamedSeed { name, seed: Seed::of_case(case) });
            } else {
                other_programs += 1;
            }
        }
    }
    if all.is_empty() {
        bail!(
            "--case: none of the {other_programs} cases is for {}; a case that is named itself is \
             taken for any program",
            args.program().shown()
        );
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
fn command_line(args: &Args) -> anyhow::Result<NamedSeed> {
    let read =
        |file: &PathBuf| std::fs::read(file).with_context(|| format!("reading {}", file.shown()));
    let mut words = args.command.iter().map(|word| word.as_bytes().to_vec());
    let program = words.next().unwrap_or_default();
    let stdin = args.stdin.as_ref().map(read).transpose()?;
    let objects = args
        .object
        .iter()
        .map(|(name, bytes)| Object { name: name.as_bytes().to_vec(), bytes: bytes.clone() });
    let seed = Seed::of_words(program, words.collect(), stdin).with_objects(objects.collect());
    Ok(NamedSeed { name: "command line".to_owned(), seed })
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
