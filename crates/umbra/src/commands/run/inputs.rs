//! What is symbolic, as the command line says it.
//!
//! Our own form is `--sym SPEC`; KLEE's flags are taken too, before the program's name and among its
//! arguments. Among the arguments, the place is that of the argument; what stands before the name
//! comes after the arguments, in its order.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use umbra_strategy::{BadInput, World};

/// The flags before the program's name, in their order.
#[derive(Clone, Debug, Default)]
pub struct SymbolicInputs(Vec<Input>);

#[derive(Clone, Debug)]
enum Input {
    /// The text after `--sym`.
    Spec(String),
    /// One of KLEE's flags and its numbers.
    Klee(Vec<Vec<u8>>),
}

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
    /// The world that a command line describes.
    pub fn world(&self, command: &[OsString]) -> Result<World, BadInput> {
        let words: Vec<Vec<u8>> = command.iter().map(|word| word.as_bytes().to_vec()).collect();
        let mut world = World::from_command(&words)?;
        for input in &self.0 {
            match input {
                Input::Spec(text) => world.add(text)?,
                Input::Klee(words) => {
                    let more = World::from_command(&[&words[..1], words].concat())?;
                    world.arguments.extend(more.arguments);
                    world.files.extend(more.files);
                    world.stdin = more.stdin.or(world.stdin);
                }
            }
        }
        world.check_size()?;
        Ok(world)
    }
}

impl clap::Args for SymbolicInputs {
    fn augment_args(command: Command) -> Command {
        let spec = Arg::new("sym")
            .long("sym")
            .value_name("SPEC")
            .action(ArgAction::Append)
            .value_parser(|text: &str| World::default().add(text).map(|()| text.to_owned()))
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
        let specs = matches.get_many::<String>("sym").into_iter().flatten();
        inputs.extend(indices("sym").zip(specs.cloned().map(Input::Spec)));
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
    use umbra_strategy::{Argument, Data};

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        inputs: SymbolicInputs,
        #[arg(trailing_var_arg = true)]
        command: Vec<OsString>,
    }

    fn world(line: &str) -> World {
        let cli = Cli::try_parse_from(["umbra"].into_iter().chain(line.split(' '))).expect(line);
        cli.inputs.world(&cli.command).expect(line)
    }

    fn symbolic(minimum: usize, maximum: usize, length: u32) -> Argument {
        Argument::Symbolic { minimum, maximum, length }
    }

    #[test]
    fn flags_keep_their_order_behind_the_arguments() {
        let line = "--sym-args 0 2 4 --sym arg=1 --sym-arg 3 --sym-args 1 1 5 cut -f --sym-arg 9 x";
        let given = |text: &str| Argument::Given(text.as_bytes().to_vec());
        assert_eq!(
            world(line).arguments,
            [
                given("-f"),
                symbolic(1, 1, 9),
                given("x"),
                symbolic(0, 2, 4),
                symbolic(1, 1, 1),
                symbolic(1, 1, 3),
                symbolic(1, 1, 5),
            ]
        );
    }

    #[test]
    fn files_and_standard_input_can_be_said_either_way() {
        let klee = world("--sym-files 2 8 --sym-stdin 4 cat");
        assert_eq!(klee, world("cat --sym-files 2 8 --sym-stdin 4"));
        assert_eq!(klee, world("--sym file:A=8 --sym file:B=8 --sym stdin=4 cat"));
        assert_eq!(klee.stdin, Some(Data { size: 4, shorter: false }));
    }

    #[test]
    fn what_is_too_large_is_refused_at_once() {
        for line in
            ["--sym-args 0 100000 3 cat", "cat --sym-stdin 400000000", "--sym arg=9999999 cat"]
        {
            let words = ["umbra"].into_iter().chain(line.split(' '));
            let cli = Cli::try_parse_from(words).expect(line);
            let error = cli.inputs.world(&cli.command).expect_err(line);
            assert!(matches!(error, BadInput::TooLarge(_)), "{error}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_flag() {
        for (line, reason) in [
            ("--sym args=2 cat", "as in `args=0..2x4`"),
            ("--sym stdim=2 cat", "`stdim=2` is no input"),
            ("--sym-args 1 2 cat", "--sym-args"),
        ] {
            let parsed = Cli::try_parse_from(["umbra"].into_iter().chain(line.split(' ')));
            let message = parsed.err().expect(line).to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}
