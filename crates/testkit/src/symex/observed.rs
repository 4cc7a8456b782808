//! What a program does natively on its inputs, as far as it was asked: without sanitizers, with
//! the libc that is explored, and with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::command::compile;
use super::domain::Domain;
use super::enumerate::Enumerator;
use super::input::Input;
use super::native::{Sanitizer, run_on};
use super::sanitized;
use crate::filetest::process::Outcome;

/// The native builds of a program, or of several.
pub struct Natives {
    /// The one with the libc that is explored.
    pub plain: Enumerator,
    /// The one with sanitizers.
    pub checking: Enumerator,
    /// The program itself, where each input needs a process that holds nothing else.
    pub fresh: Option<Fresh>,
}

/// A program that is started for each input.
pub struct Fresh {
    exe: PathBuf,
    /// The program is there as long as this is.
    _folder: tempfile::TempDir,
}

impl Fresh {
    /// Compiles the program in `source`.
    pub fn of(umbra: &Path, source: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self { exe: compile(umbra, source, folder.path())?, _folder: folder })
    }
}

impl Natives {
    /// Compiles the program in `source`, which is called `name`.
    pub fn of(
        umbra: &Path,
        sanitizer: &Sanitizer,
        source: &Path,
        name: &str,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let object = folder.path().join("program.o");
        sanitizer.compile_object(source, "program_main", &object)?;
        let checking = sanitizer.enumerator(&[object], name)?;
        Ok(Self { plain: Enumerator::new(umbra, source, name)?, checking, fresh: None })
    }
}

/// What was seen of one program.
pub struct Observed<'a> {
    natives: &'a Natives,
    name: &'a str,
    args: &'a [String],
    domain: &'a Domain,
    plain: BTreeMap<u64, Outcome>,
    checked: BTreeMap<u64, Outcome>,
}

impl<'a> Observed<'a> {
    /// Nothing yet of the program that is called `name`.
    pub fn new(
        natives: &'a Natives,
        name: &'a str,
        args: &'a [String],
        domain: &'a Domain,
    ) -> Self {
        Self { natives, name, args, domain, plain: BTreeMap::new(), checked: BTreeMap::new() }
    }

    /// Runs the program on inputs of these numbers, where it did not yet.
    pub fn run_plain(&mut self, numbers: impl Iterator<Item = u64>) -> anyhow::Result<()> {
        let numbers: Vec<u64> = numbers.filter(|at| !self.plain.contains_key(at)).collect();
        let inputs: Vec<Input> = numbers.iter().map(|&at| self.domain.get(at)).collect();
        self.plain.extend(numbers.into_iter().zip(self.plain_on(&inputs)?));
        Ok(())
    }

    /// The same with sanitizers.
    pub fn run_checked(&mut self, numbers: impl Iterator<Item = u64>) -> anyhow::Result<()> {
        let numbers: Vec<u64> = numbers.filter(|at| !self.checked.contains_key(at)).collect();
        let inputs: Vec<Input> = numbers.iter().map(|&at| self.domain.get(at)).collect();
        self.checked.extend(numbers.into_iter().zip(self.checked_on(&inputs)?));
        Ok(())
    }

    /// Runs the program on inputs that have no number.
    pub fn plain_on(&self, inputs: &[Input]) -> anyhow::Result<Vec<Outcome>> {
        match &self.natives.fresh {
            Some(Fresh { exe, .. }) => {
                inputs.iter().map(|input| run_on(exe, self.args, &[], input)).collect()
            }
            None => self.natives.plain.run_as(self.name, self.args, inputs),
        }
    }

    /// The same with sanitizers.
    pub fn checked_on(&self, inputs: &[Input]) -> anyhow::Result<Vec<Outcome>> {
        sanitized::run(&self.natives.checking, self.name, self.args, inputs)
    }

    /// What was seen of an input.
    pub fn on(&self, number: u64) -> Native<'_> {
        Native { plain: self.plain.get(&number), checked: self.checked.get(&number) }
    }
}

/// What the native builds do on one input, as far as they ran.
#[derive(Clone, Copy)]
pub struct Native<'a> {
    /// Without sanitizers.
    pub plain: Option<&'a Outcome>,
    /// With them; standard error is their report.
    pub checked: Option<&'a Outcome>,
}
