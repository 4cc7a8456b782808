//! A program of which every input is known: what its source says of it, and its bitcode.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use umbra_strategy::World;

use super::command::compile_with;
use super::directives::Directives;
use super::domain::{Domain, ensure_small};
use super::explore::world;
use super::input::Input;

/// Which inputs are run natively; the paths divide all of them in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// About this many, spread over all.
    About(u64),
    /// Every one.
    All,
}

impl Share {
    /// One of so many inputs is in the share.
    pub(super) fn step(self, domain: &Domain) -> u64 {
        match self {
            Self::All => 1,
            // An odd step meets all values of every byte.
            Self::About(count) => (domain.len() / count.max(1)).max(1) | 1,
        }
    }

    /// The inputs in the share.
    pub(crate) fn inputs(self, domain: &Domain) -> Vec<Input> {
        let step = self.step(domain);
        let indices = (0..domain.len()).filter(|index| index.is_multiple_of(step));
        indices.map(|index| domain.get(index)).collect()
    }
}

/// A program that was compiled.
pub(super) struct Enumerated {
    pub directives: Directives,
    pub domain: Domain,
    pub name: String,
    pub bitcode: PathBuf,
    /// The bitcode is there as long as this is.
    _folder: tempfile::TempDir,
}

impl Enumerated {
    /// Reads a source and compiles it with some flags.
    pub fn compile(umbra: &Path, source: &Path, flags: &[&str]) -> anyhow::Result<Self> {
        let directives = Directives::parse(&fs::read_to_string(source)?)?;
        let domain = directives.domain.clone().context("there is no domain")?;
        ensure_small(&domain)?;
        let name = source.file_stem().context("a source has a name")?.to_string_lossy();
        let folder = tempfile::tempdir()?;
        compile_with(umbra, source, folder.path(), flags)?;
        let bitcode = folder.path().join(format!("{name}.bc"));
        Ok(Self { directives, domain, name: name.into_owned(), bitcode, _folder: folder })
    }

    /// The world that its inputs come from.
    pub fn world(&self) -> anyhow::Result<World> {
        world(&self.directives, &self.name)
    }
}
