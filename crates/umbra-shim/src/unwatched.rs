//! Invocations that nobody watches.

/// Why an invocation was not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unwatched {
    /// Another program, a debugger perhaps, traces or simulates it.
    Traced = 0,
    /// The system does not let it be traced.
    Refused = 1,
    /// No process could be made for the tracer.
    NoProcess = 2,
    /// The tracer's executable cannot be run, as in an address space that is too small for it.
    Limits = 3,
}

impl Unwatched {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Traced, Self::Refused, Self::NoProcess, Self::Limits];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Traced => "traced",
            Self::Refused => "trace-refused",
            Self::NoProcess => "no-process",
            Self::Limits => "limits",
        }
    }

    /// The program's number and the reason, from the name of the file that counts an invocation.
    pub fn of_file(name: &str) -> Option<(u32, Self)> {
        let mut numbers = name.strip_suffix(crate::UNWATCHED)?.split('-').skip(2);
        let program = numbers.next()?.parse().ok()?;
        let code: u8 = numbers.next()?.parse().ok()?;
        let reason = Self::ALL.into_iter().find(|reason| *reason as u8 == code)?;
        numbers.next().is_none().then_some((program, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_program_and_reason() {
        let of = Unwatched::of_file;
        assert_eq!(of("1700-42-7-3.unwatched"), Some((7, Unwatched::Limits)));
        for name in
            ["1700-42-7-9.unwatched", "1700-42-7-3-1.unwatched", "1700-42-7-3", "x.unwatched"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
