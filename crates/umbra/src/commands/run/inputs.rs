//! What is symbolic, as the command line says it.
//!
//! Our own form is `--sym SPEC`; KLEE's flags are taken too, before the program's name and among its
//! arguments. Among the arguments, the place is that of the argument; what stands before the name
//! comes after the arguments, in its order.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use umbra_jobs::{Input, Inputs};

/// The flags before the program's name, in their order.
#[derive(Clone, Debug, Default)]
pub struct SymbolicInputs(Vec<Input>);

/// A flag of KLEE's: its name, its numbers, what it does.
const KLEE_FLAGS: [(&str, &[&str], &str); 4] = [
    ("sym-arg", &["N"], "As KLEE's: one argument of at most N bytes"),
    ("sym-args", &["MIN", "MAX", "N"], "As KLEE's: MIN to MAX arguments of at most N bytes each"),
    ("sym-files", &["COUNT", "SIZE"], "As KLEE's: files A, B, ... of SIZE bytes"),
    ("sym-stdin", &["SIZE"], "As KLEE's: standard input of SIZE bytes"),
];

const SPEC_HELP: &str = "\
An input that can be anything; may be given several times

  args=0..2x4          no, one or two arguments of at most four bytes
  arg=3                one argument of at most three bytes
  stdin=16             sixteen bytes of standard input; stdin=0..16: at most sixteen
  file:A=8             a file A of eight bytes; file:A=0..8: at most eight
  file:A=8+exists+kind+metadata
                       which may be absent, may be a folder, may have any mode and time
  env:NAME=4           a variable of at most four bytes

Arguments come after those that are given.";

impl SymbolicInputs {
    /// The inputs that a command line describes.
    pub fn of(&self, command: &[OsString]) -> Inputs {
        let command = command.iter().map(|word| word.as_bytes().to_vec()).collect();
        Inputs { command, more: self.0.clone() }
    }
}

impl clap::Args for SymbolicInputs {
    fn augment_args(command: Command) -> Command {
        let spec = Arg::new("sym")
            .long("sym")
            .value_name("SPEC")
            .action(ArgAction::Append)
            .value_parser(Input::parse)
            .help("An input that can be anything, as args=0..2x4, stdin=16, file:A=8, env:NAME=4")
            .long_help(SPEC_HELP);
        let klee = KLEE_FLAGS.map(|(name, numbers, help)| {
            Arg::new(name)
                .long(name)
                .value_names(numbers)
                .num_args(numbers.len())
                .action(ArgAction::Append)
                .value_parser(clap::value_parser!(u32))
                .help(help)
        });
        command.next_help_heading("Symbolic inputs").arg(spec).args(klee)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SymbolicInputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut inputs: Vec<(usize, Input)> = Vec::new();
        let indices = |name| matches.indices_of(name).into_iter().flatten();
        let specs = matches.get_many::<Input>("sym").into_iter().flatten();
        inputs.extend(indices("sym").zip(specs.cloned()));
        for (name, numbers, _) in KLEE_FLAGS {
            let uses = matches.get_occurrences::<u32>(name).into_iter().flatten();
            for (index, values) in indices(name).step_by(numbers.len()).zip(uses) {
                let mut words = vec![format!("--{name}").into_bytes()];
                words.extend(values.map(|value| value.to_string().into_bytes()));
                inputs.push((index, Input::Klee(words)));
            }
        }
        inputs.sort_by_key(|(index, _)| *index);
        Ok(Self(inputs.into_iter().map(|(_, input)| input).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(Self::from_arg_matches(matches)?.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        inputs: SymbolicInputs,
        #[arg(trailing_var_arg = true)]
        command: Vec<OsString>,
    }

    fn inputs(line: &str) -> Inputs {
        let cli = Cli::try_parse_from(["umbra"].into_iter().chain(line.split(' '))).expect(line);
        cli.inputs.of(&cli.command)
    }

    #[test]
    fn flags_keep_their_order() {
        let line = "--sym-args 0 2 4 --sym arg=1 --sym-arg 3 --sym-args 1 1 5 cut -f --sym-arg 9 x";
        let words = |text: &str| text.split(' ').map(|word| word.as_bytes().to_vec()).collect();
        let klee = |text: &str| Input::Klee(words(text));
        let expected = Inputs {
            command: words("cut -f --sym-arg 9 x"),
            more: vec![
                klee("--sym-args 0 2 4"),
                Input::Spec("arg=1".to_owned()),
                klee("--sym-arg 3"),
                klee("--sym-args 1 1 5"),
            ],
        };
        assert_eq!(inputs(line), expected);
    }

    #[test]
    fn what_is_too_large_is_refused_at_once() {
        for line in
            ["--sym-args 0 100000 3 cat", "cat --sym-stdin 400000000", "--sym arg=9999999 cat"]
        {
            inputs(line).check().expect_err(line);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_flag() {
        for (line, reason) in [
            ("--sym args=2 cat", "as in `args=0..2x4`"),
            ("--sym stdim=2 cat", "`stdim=2` is not an input"),
            ("--sym-args 1 2 cat", "--sym-args"),
        ] {
            let parsed = Cli::try_parse_from(["umbra"].into_iter().chain(line.split(' ')));
            let message = parsed.err().expect(line).to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}
