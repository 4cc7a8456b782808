//! How a family of flags is tried: a few system calls with a gap for the flag.

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    Number(i64),
    /// What is tried, on top of this.
    Tried(i64),
    /// The result of an earlier call.
    Result(usize),
    Text(&'static str),
    /// Zeroed memory.
    Buffer,
    /// The same, of which so many bytes are compared after the call.
    Out(usize),
    /// Numbers of 32 bits in memory.
    Ints(&'static [Word]),
    /// Numbers of 64 bits in memory.
    Longs(&'static [Word]),
    /// The same, which are compared after the call.
    Changed(&'static [Word]),
    /// What `poll` takes for a descriptor, with the events that are tried; what it finds is compared.
    Polled(&'static Word),
    /// A number of 16 bits with another one above it.
    Shifted(&'static Word, &'static Word),
    /// The number of the process.
    Own,
    /// The number of a child that has ended.
    Child,
    /// `file`, open for reading and writing.
    File,
    /// `file`, open for reading.
    Reader,
    /// The directory with `file`, `dir` and `link`.
    Directory,
    /// Where a pipe is read.
    PipeOut,
    /// Where it is written.
    PipeIn,
    /// One end of a pair of connected sockets.
    PairOne,
    PairTwo,
    /// A socket that is not connected.
    Socket,
    Event,
    Watcher,
    MemoryFile,
    /// Two pages of its own.
    Page,
    /// A page that shows `file`.
    FilePage,
}

impl Word {
    /// The number of things that are made for a try.
    pub(super) const KINDS: usize = 14;

    /// Which of them this is.
    pub(super) fn kind(&self) -> usize {
        match self {
            Word::Own => 0,
            Word::Child => 1,
            Word::File => 2,
            Word::Reader => 3,
            Word::Directory => 4,
            Word::PipeOut => 5,
            Word::PipeIn => 6,
            Word::PairOne => 7,
            Word::PairTwo => 8,
            Word::Socket => 9,
            Word::Event => 10,
            Word::Watcher => 11,
            Word::MemoryFile => 12,
            _ => 13,
        }
    }
}

/// A call of a row.
pub(super) struct Step {
    pub(super) call: i64,
    pub(super) words: &'static [Word],
    /// Whether its result is compared, not only that it has one.
    pub(super) value: bool,
}

/// A call that succeeds or fails as it does on the host.
pub(super) const fn call(call: i64, words: &'static [Word]) -> Step {
    Step { call, words, value: false }
}

/// A call with the result that it has on the host.
pub(super) const fn value(call: i64, words: &'static [Word]) -> Step {
    Step { call, words, value: true }
}

/// What is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The family's constants, each two of them together, and every single bit.
    Bits,
    /// The family's constants, and small numbers.
    Numbers,
}

/// What the model has to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// What the host does, or end the path; not all paths.
    Answers,
    /// End the path each time. The host is not asked.
    Cuts,
}

/// Some calls with a gap in them.
pub(super) struct Row {
    pub(super) steps: &'static [Step],
    pub(super) kind: Kind,
    pub(super) expected: Expected,
    /// Values that are not tried, with the reason.
    pub(super) except: &'static [(i64, &'static str)],
    /// Bits that are not tried together with others.
    pub(super) alone: i64,
}

pub(super) const fn bits(steps: &'static [Step]) -> Row {
    Row { steps, kind: Kind::Bits, expected: Expected::Answers, except: &[], alone: 0 }
}

pub(super) const fn numbers(steps: &'static [Step]) -> Row {
    Row { steps, kind: Kind::Numbers, expected: Expected::Answers, except: &[], alone: 0 }
}

/// A call that ends the path, whatever it is given.
pub(super) const fn cut(steps: &'static [Step]) -> Row {
    Row { steps, kind: Kind::Numbers, expected: Expected::Cuts, except: &[], alone: 0 }
}

impl Row {
    /// What messages call it: its calls.
    pub(super) fn name(&self) -> String {
        let name = |step: &Step| match syscalls::Sysno::new(step.call as usize) {
            Some(call) => format!("{}{:?}", call.name(), step.words),
            None => step.call.to_string(),
        };
        self.steps.iter().map(name).collect::<Vec<_>>().join("; ")
    }

    /// Whether it makes one of these calls.
    pub(super) fn has_one_of(&self, calls: &[i64]) -> bool {
        self.steps.iter().any(|step| calls.contains(&step.call))
    }

    pub(super) const fn except(self, except: &'static [(i64, &'static str)]) -> Row {
        Row { except, ..self }
    }

    pub(super) const fn alone(self, alone: i64) -> Row {
        Row { alone, ..self }
    }
}
