//! The calls of functions in tests, each of which is an input.
//!
//! A test program whose calls are hooked says natively what it calls the functions with, if it is asked for a
//! list (`umbra-project/libc/call/call.c`). Of calls with equal arguments one is enough; of many, as
//! many as are wanted are taken from all over the test.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use umbra_case::{Call, CallArgument, Case};
use umbra_replay::{Program, Run};
use umbra_strategy::Seed;

use crate::cases::read_case;
use crate::diff::NamedSeed;
use crate::native::{Native, Sandboxes, native_limits};
use crate::{CallChoice, CallSource, Error};

/// What a line begins with that tells of a call.
const LINE: &str = "umbra-call ";

/// MiB of memory of one run, as for other native runs.
const MEMORY: u64 = 1024;

/// A call as the program tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    call: Call,
    /// All that it is called with, as text.
    arguments: String,
}

/// Chooses among the calls that a test makes, if the source does not name them: a test case, or the
/// command line of a program whose calls are hooked.
pub fn choose_calls(
    source: &CallSource,
    executable: Option<&Path>,
    words: Vec<Vec<u8>>,
    test: Option<&Path>,
    time: Duration,
    sandboxes: &Sandboxes,
) -> Result<CallSource, Error> {
    let CallChoice::Most(most) = source.choice else { return Ok(source.clone()) };
    let executable = executable.ok_or(Error::CallsWithoutNative)?;
    let program = Program::open(executable).map_err(Error::Calls)?;
    let limits = native_limits(time, MEMORY);
    let native = Native::start(limits, None, sandboxes).map_err(Error::Calls)?;
    let mut words = words.into_iter();
    let seed = match test {
        Some(test) => Seed::of_case(read_case(test)?),
        None => Seed::of_words(words.next().unwrap_or_default(), words.collect(), None),
    };
    let calls = told_by(seed.case(), &program, &native)?;
    let (calls, _) = chosen(calls, most);
    if calls.is_empty() {
        return Err(Error::NoCall { functions: source.functions.join(", ") });
    }
    let calls = calls.into_iter().map(|told| told.call).collect();
    Ok(CallSource { choice: CallChoice::These(calls), ..source.clone() })
}

/// Makes of tests their calls: each that is chosen is a test of its own. Also says how many there were
/// that are not among them, though their arguments are others.
pub(crate) fn calls_of(
    source: &CallSource,
    tests: Vec<NamedSeed>,
    program: &Program,
    native: &Native,
) -> Result<(Vec<NamedSeed>, u64), Error> {
    let (mut found, mut left_out) = (Vec::new(), 0);
    let each = match source.choice {
        CallChoice::Most(most) => most.div_ceil(tests.len().max(1)),
        CallChoice::Number(_) | CallChoice::These(_) => usize::MAX,
    };
    for test in tests {
        // One that is a call already, as the cases that were found, is meant.
        if test.seed.case().call.is_some() {
            found.push(test);
            continue;
        }
        let told = told_by(test.seed.case(), program, native)?;
        let (calls, others) = match &source.choice {
            CallChoice::Most(_) => chosen(told, each),
            CallChoice::Number(number) => {
                (told.into_iter().filter(|told| told.call.number == *number).collect(), 0)
            }
            CallChoice::These(calls) => {
                let is_one = |told: &Told| {
                    let same = |call: &Call| {
                        (&call.function, call.number) == (&told.call.function, told.call.number)
                    };
                    calls.iter().any(same)
                };
                (told.into_iter().filter(is_one).collect(), 0)
            }
        };
        left_out += others;
        found.extend(calls.into_iter().map(|told| {
            let name =
                format!("{}, call {} of {}", test.name, told.call.number, told.call.function);
            let case = Case { call: Some(told.call), ..test.seed.case().clone() };
            NamedSeed { name, seed: Seed::of_case(case) }
        }));
    }
    if found.is_empty() {
        return Err(Error::NoCall { functions: source.functions.join(", ") });
    }
    Ok((found, left_out))
}

/// What a test calls the functions with.
fn told_by(test: &Case, program: &Program, native: &Native) -> Result<Vec<Told>, Error> {
    let case = Case { call: Some(Call::default()), ..test.clone() };
    let mut outcomes = native.run_all(&[Run { case: &case, program }]).into_iter();
    let outcome = outcomes.next().ok_or(Error::NoTest)?.map_err(Error::Calls)?;
    Ok(parse(&outcome.stdout.bytes))
}

/// Reads what a program tells of its calls, between what it writes itself.
fn parse(output: &[u8]) -> Vec<Told> {
    let text = String::from_utf8_lossy(output);
    let told = text.lines().filter_map(|line| {
        let mut words = line.strip_prefix(LINE)?.trim().split(' ');
        let function = words.next()?.to_owned();
        let number = words.next()?.parse().ok()?;
        let words: Vec<&str> = words.collect();
        let arguments = words.iter().map(|word| match word.split_once(':') {
            Some(("bytes", _)) => Some(CallArgument::Bytes),
            Some(("number", number)) => Some(CallArgument::Number(number.parse().ok()?)),
            None if *word == "null" => Some(CallArgument::Null),
            None if *word == "pointer" => Some(CallArgument::Pointer),
            _ => None,
        });
        let call = Call {
            function: function.to_owned(),
            number,
            arguments: arguments.collect::<Option<_>>()?,
        };
        // Without any bytes there is nothing that could be another.
        let is_input = call.arguments.contains(&CallArgument::Bytes);
        let arguments = format!("{} {}", call.function, words.join(" "));
        is_input.then_some(Told { call, arguments })
    });
    told.collect()
}

/// So many calls at most with different arguments, and how many there are beside them.
fn chosen(told: Vec<Told>, most: usize) -> (Vec<Told>, u64) {
    let mut known = BTreeSet::new();
    let different: Vec<Told> =
        told.into_iter().filter(|told| known.insert(told.arguments.clone())).collect();
    let (count, most) = (different.len(), most.max(1));
    if count <= most {
        return (different, 0);
    }
    // As far apart as they can be: a test mostly begins with what is simple.
    let is_chosen = |index: usize| index * most / count != (index + 1) * most / count;
    let chosen = different.into_iter().enumerate().filter(|(index, _)| is_chosen(*index));
    (chosen.map(|(_, told)| told).collect(), (count - most) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_between_what_the_program_writes() {
        let output = b"ok 1\n\numbra-call parse 1 bytes:2:6162 number:-2 null pointer\nok 2 - \n\
            umbra-call parse 2 null\n\
            umbra-call parse x bytes:1:61\n";
        let told = parse(output);
        assert_eq!(told.len(), 1, "{told:?}");
        use CallArgument::{Bytes, Null, Number, Pointer};
        assert_eq!(told[0].call.number, 1);
        assert_eq!(told[0].call.arguments, [Bytes, Number(-2), Null, Pointer]);
    }

    #[test]
    fn equal_calls_count_once_and_many_are_taken_from_all_over() {
        let told = |number: u32, bytes: u32| Told {
            call: Call { number, ..Call::default() },
            arguments: format!("bytes:1:{bytes:02x}"),
        };
        let all: Vec<Told> = (1..=20).map(|number| told(number, number / 2)).collect();
        let numbers = |most| {
            let (calls, left_out) = chosen(all.clone(), most);
            (calls.iter().map(|told| told.call.number).collect::<Vec<u32>>(), left_out)
        };
        assert_eq!(numbers(100).0, [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
        let (few, left_out) = numbers(3);
        assert_eq!((few.len(), left_out), (3, 8));
        assert!(few[2] - few[0] > 10, "{few:?}");
    }
}
