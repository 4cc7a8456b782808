//! What is symbolic, as a job says it.

use serde::{Deserialize, Serialize};
use umbra_strategy::{BadInput, World};

use crate::Error;

/// The arguments of a program and the inputs that can be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The name of the program and its arguments, which may have KLEE's flags among them.
    pub command: Vec<Vec<u8>>,
    /// More, behind those arguments, in order.
    pub more: Vec<Input>,
}

/// One input that can be anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// In our own form, as `stdin=16`.
    Spec(String),
    /// One of KLEE's flags and its numbers.
    Klee(Vec<Vec<u8>>),
}

impl Input {
    /// An input in our own form, if it is one.
    pub fn parse(
        text: &str,
    ) -> Result<Self, impl std::error::Error + Send + Sync + 'static + use<>> {
        World::default().add(text).map(|()| Self::Spec(text.to_owned()))
    }
}

impl Inputs {
    /// A command line alone.
    pub fn of_command(command: Vec<Vec<u8>>) -> Self {
        Self { command, more: Vec::new() }
    }

    /// Whether a program can have these inputs, and whether any of them can be anything.
    pub fn check(&self) -> Result<bool, Error> {
        Ok(self.world()?.is_symbolic())
    }

    pub(crate) fn world(&self) -> Result<World, BadInput> {
        let mut world = World::from_command(&self.command)?;
        for input in &self.more {
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
        world.check()?;
        Ok(world)
    }
}

#[cfg(test)]
mod tests {
    use umbra_strategy::{Argument, Data};

    use super::*;

    fn words(text: &str) -> Vec<Vec<u8>> {
        text.split(' ').map(|word| word.as_bytes().to_vec()).collect()
    }

    /// A command line and, separated by semicolons, what comes behind it.
    fn world(command: &str, more: &str) -> World {
        let input = |text: &str| match text.starts_with("--") {
            true => Input::Klee(words(text)),
            false => Input::parse(text).unwrap(),
        };
        let more = more.split(';').filter(|text| !text.is_empty()).map(input).collect();
        Inputs { command: words(command), more }.world().unwrap()
    }

    #[test]
    fn inputs_keep_their_order_behind_the_arguments() {
        let symbolic = |minimum, maximum, length| Argument::Symbolic { minimum, maximum, length };
        let given = |text: &str| Argument::Given(text.as_bytes().to_vec());
        let more = "--sym-args 0 2 4;arg=1;--sym-arg 3;--sym-args 1 1 5";
        assert_eq!(
            world("cut -f --sym-arg 9 x", more).arguments,
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
        let klee = world("cat", "--sym-files 2 8;--sym-stdin 4");
        assert_eq!(klee, world("cat --sym-files 2 8 --sym-stdin 4", ""));
        assert_eq!(klee, world("cat", "file:A=8;file:B=8;stdin=4"));
        assert_eq!(klee.stdin, Some(Data { size: 4, shorter: false }));
    }
}
