//! Making a case smaller while it still shows the same thing.
//!
//! First everything that was changed against the seed is changed back, as far as possible, since
//! what is left then is what matters. Then parts are left out: arguments, variables, entries of the
//! tree, descriptors, and bytes of files and of standard input. Each step keeps what still shows the
//! same; the steps are repeated until none helps, or until the budget of runs is spent.

use std::mem;

use umbra_case::{Case, Descriptor, EntryKind, Stdin};

/// A smaller case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimised {
    /// The case.
    pub case: Case,
    /// How many smaller ones were tried.
    pub runs: usize,
    /// Nothing was left to try when it ended; otherwise the budget was spent.
    pub complete: bool,
}

/// Makes a case smaller. `shows` runs a case and says whether it still shows the same; at most
/// `budget` are run.
pub fn minimise<E>(
    case: &Case,
    seed: Option<&Case>,
    budget: usize,
    shows: impl FnMut(&Case) -> Result<bool, E>,
) -> Result<Minimised, E> {
    let mut search = Search { best: case.clone(), budget, runs: 0, shows };
    if let Some(seed) = seed {
        search.towards(seed)?;
    }
    loop {
        let before = search.best.clone();
        search.leave_out()?;
        search.shorten()?;
        if search.best == before || search.is_spent() {
            break;
        }
    }
    let complete = !search.is_spent();
    Ok(Minimised { case: search.best, runs: search.runs, complete })
}

struct Search<F> {
    best: Case,
    budget: usize,
    runs: usize,
    shows: F,
}

impl<E, F: FnMut(&Case) -> Result<bool, E>> Search<F> {
    fn is_spent(&self) -> bool {
        self.runs >= self.budget
    }

    /// Takes a case if it still shows the same.
    fn take(&mut self, candidate: Case) -> Result<bool, E> {
        if self.is_spent() || candidate == self.best || candidate.check().is_err() {
            return Ok(false);
        }
        self.runs += 1;
        let shows = (self.shows)(&candidate)?;
        if shows {
            self.best = candidate;
        }
        Ok(shows)
    }

    /// Changes parts back to what they were in the seed, then single bytes of them.
    fn towards(&mut self, seed: &Case) -> Result<(), E> {
        let mut parts = parts_of(&self.best);
        parts.retain(|part| part.bytes(seed).is_some());
        for part in parts {
            let (Some(original), Some(current)) = (part.bytes(seed), part.bytes(&self.best)) else {
                continue;
            };
            let original = original.to_vec();
            if current == original {
                continue;
            }
            let mut candidate = self.best.clone();
            part.set(&mut candidate, original.clone());
            if self.take(candidate)?
                || part.bytes(&self.best).map(<[u8]>::len) != Some(original.len())
            {
                continue;
            }
            self.bytes_towards(&part, &original)?;
        }
        Ok(())
    }

    /// Changes runs of bytes back, long ones first.
    fn bytes_towards(&mut self, part: &Part, original: &[u8]) -> Result<(), E> {
        let mut length = original.len();
        while length > 0 {
            for start in (0..original.len()).step_by(length) {
                let end = (start + length).min(original.len());
                let mut candidate = self.best.clone();
                let Some(bytes) = part.bytes(&candidate) else { return Ok(()) };
                let mut bytes = bytes.to_vec();
                bytes[start..end].copy_from_slice(&original[start..end]);
                part.set(&mut candidate, bytes);
                self.take(candidate)?;
            }
            length /= 2;
        }
        Ok(())
    }

    /// Leaves out whole parts, the last first: what comes early gives the rest its meaning.
    fn leave_out(&mut self) -> Result<(), E> {
        self.each(|case| case.arguments.len(), |case, index| drop(case.arguments.remove(index)))?;
        self.each(
            |case| case.environment.len(),
            |case, index| {
                drop(case.environment.remove(index));
            },
        )?;
        self.each(|case| case.tree.len(), |case, index| drop(case.tree.remove(index)))?;
        self.each(
            |case| case.descriptors.len(),
            |case, index| {
                let number = case.descriptors.keys().nth(index).copied();
                number.map(|number| case.descriptors.remove(&number));
            },
        )?;
        let mut without = self.best.clone();
        without.stdin = Stdin::Null;
        self.take(without)?;
        Ok(())
    }

    fn each(
        &mut self,
        count: impl Fn(&Case) -> usize,
        remove: impl Fn(&mut Case, usize),
    ) -> Result<(), E> {
        for index in (0..count(&self.best)).rev() {
            let mut candidate = self.best.clone();
            remove(&mut candidate, index);
            self.take(candidate)?;
        }
        Ok(())
    }

    /// Leaves out bytes: halves, quarters, and so on down to single ones.
    fn shorten(&mut self) -> Result<(), E> {
        for part in parts_of(&self.best) {
            let mut length = part.bytes(&self.best).map_or(0, <[u8]>::len).div_ceil(2);
            while length > 0 {
                self.cut(&part, length)?;
                length /= 2;
            }
        }
        Ok(())
    }

    /// Leaves out runs of `length` bytes, from the end on.
    fn cut(&mut self, part: &Part, length: usize) -> Result<(), E> {
        let mut end = part.bytes(&self.best).map_or(0, <[u8]>::len);
        while end > 0 && !self.is_spent() {
            let start = end.saturating_sub(length);
            let mut candidate = self.best.clone();
            let Some(bytes) = part.bytes(&candidate) else { return Ok(()) };
            let bytes = [&bytes[..start], &bytes[end..]].concat();
            part.set(&mut candidate, bytes);
            self.take(candidate)?;
            end = start;
        }
        Ok(())
    }
}

/// Bytes of a case that can be changed.
enum Part {
    Argument(usize),
    Stdin,
    File(Vec<u8>),
    Pipe(u32),
}

fn parts_of(case: &Case) -> Vec<Part> {
    let files = case.tree.iter().filter(|entry| matches!(entry.kind, EntryKind::File(_)));
    let mut parts: Vec<Part> = files.map(|entry| Part::File(entry.path.clone())).collect();
    parts.push(Part::Stdin);
    parts.extend(case.descriptors.keys().copied().map(Part::Pipe));
    parts.extend((0..case.arguments.len()).map(Part::Argument));
    parts
}

impl Part {
    fn bytes<'a>(&self, case: &'a Case) -> Option<&'a [u8]> {
        match self {
            Self::Argument(index) => case.arguments.get(*index).map(Vec::as_slice),
            Self::Stdin => case.stdin.bytes(),
            Self::File(path) => {
                let entry = case.tree.iter().find(|entry| entry.path == *path)?;
                match &entry.kind {
                    EntryKind::File(bytes) => Some(bytes),
                    _ => None,
                }
            }
            Self::Pipe(number) => match case.descriptors.get(number)? {
                Descriptor::Pipe(bytes) => Some(bytes),
                _ => None,
            },
        }
    }

    fn set(&self, case: &mut Case, new: Vec<u8>) {
        let place = match self {
            Self::Argument(index) => case.arguments.get_mut(*index),
            Self::Stdin => match &mut case.stdin {
                Stdin::Pipe(bytes) | Stdin::File(bytes) => Some(bytes),
                _ => None,
            },
            Self::File(path) => {
                let entry = case.tree.iter_mut().find(|entry| entry.path == *path);
                entry.and_then(|entry| match &mut entry.kind {
                    EntryKind::File(bytes) => Some(bytes),
                    _ => None,
                })
            }
            Self::Pipe(number) => {
                case.descriptors.get_mut(number).and_then(|descriptor| match descriptor {
                    Descriptor::Pipe(bytes) => Some(bytes),
                    _ => None,
                })
            }
        };
        if let Some(bytes) = place {
            let _ = mem::replace(bytes, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::Entry;

    use super::*;

    fn run(case: &Case, seed: Option<&Case>, shows: impl Fn(&Case) -> bool) -> Minimised {
        minimise(case, seed, 10_000, |case| Ok::<_, ()>(shows(case))).unwrap()
    }

    #[test]
    fn what_does_not_matter_goes() {
        let case = Case {
            arguments: ["-a", "-b", "-c", "long argument"].map(Into::into).to_vec(),
            environment: vec![b"A=1".to_vec()],
            stdin: Stdin::Pipe(b"input".to_vec()),
            tree: vec![Entry::file("x", "0123456789"), Entry::file("y", "-")],
            ..Case::default()
        };
        let small = run(&case, None, |case| {
            let has = |byte: u8| {
                case.tree.iter().any(
                    |entry| matches!(&entry.kind, EntryKind::File(bytes) if bytes.contains(&byte)),
                )
            };
            case.arguments.first().is_some_and(|word| word.starts_with(b"-a"))
                && has(b'3')
                && has(b'7')
        });
        assert_eq!(
            small.case,
            Case {
                arguments: vec![b"-a".to_vec()],
                tree: vec![Entry::file("x", "37")],
                ..Case::default()
            }
        );
        assert!(small.complete && small.runs > 0);
    }

    #[test]
    fn what_was_changed_is_changed_back() {
        let with = |word: &str, content: &str| Case {
            arguments: vec![word.into()],
            tree: vec![Entry::file("x", content)],
            ..Case::default()
        };
        let seed = with("-f1", "hello world");
        let case = with("-g2", "hQlloZworQd");
        let is_kept = |case: &Case| {
            case.arguments.len() == 1
                && case.tree.first().is_some_and(|entry| {
                    matches!(&entry.kind, EntryKind::File(bytes)
                        if bytes.len() == 11 && bytes[5] == b'Z')
                })
                && case.arguments[0].len() == 3
        };
        let small = run(&case, Some(&seed), is_kept);
        assert_eq!(small.case, with("-f1", "helloZworld"));
    }

    #[test]
    fn a_spent_budget_is_said() {
        let case = Case { stdin: Stdin::Pipe(vec![b'x'; 1000]), ..Case::default() };
        let small = minimise(&case, None, 3, |_| Ok::<_, ()>(false)).unwrap();
        assert_eq!((small.runs, small.complete, small.case == case), (3, false, true));
        let failed = minimise(&case, None, 3, |_| Err::<bool, _>("no sandbox"));
        assert_eq!(failed, Err("no sandbox"));
    }
}
