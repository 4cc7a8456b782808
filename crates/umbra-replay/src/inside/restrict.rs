//! Giving up rights: capabilities, and Landlock where there are no namespaces.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};
use rustix::thread::{CapabilitySet, CapabilitySets, remove_capability_from_bounding_set};

/// The oldest Landlock that is of use: it knows truncation (Linux 6.2).
pub const OLDEST: i32 = 3;

/// The first that keeps signals inside (Linux 6.12).
pub const SIGNALS: i32 = 6;

/// Gives up all capabilities, for good: also those that user 0 gets back at exec.
pub fn drop_capabilities() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // One that this kernel does not know, or the bounding set is not ours to change. The
            // latter is so for an ordinary user without namespaces, who has none to begin with.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none)?;
    Ok(())
}

/// What a program may touch of the host.
pub struct Allowed<'a> {
    /// The private copy of the tree: everything.
    pub tree: &'a Path,
    /// Files that may be read and executed: the program and its libraries.
    pub executables: Vec<&'a Path>,
    /// Devices that may be read and written.
    pub devices: Vec<PathBuf>,
    /// A folder for the reports of sanitizers, and the view of the own process that they need.
    pub reports: Option<&'a Path>,
    /// A file that may be read: what the program makes symbolic itself.
    pub objects: Option<&'a Path>,
}

/// Confines the calling process by Landlock, for good.
pub fn confine(abi: i32, allowed: &Allowed) -> io::Result<()> {
    let rules = || -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let version = match abi {
            ..=3 => ABI::V3,
            4 => ABI::V4,
            5 => ABI::V5,
            _ => ABI::V6,
        };
        let all = AccessFs::from_all(version);
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(all)?;
        if abi >= SIGNALS {
            ruleset = ruleset.scope(Scope::Signal)?.scope(Scope::AbstractUnixSocket)?;
        }
        let mut created = ruleset.create()?;
        let mut allow = |path: &Path, access: BitFlags<AccessFs>| {
            let beneath = PathBeneath::new(PathFd::new(path)?, access);
            (&mut created).add_rule(beneath)?;
            Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
        };
        allow(allowed.tree, all)?;
        for path in &allowed.executables {
            allow(path, AccessFs::ReadFile | AccessFs::Execute)?;
        }
        for path in &allowed.devices {
            allow(path, AccessFs::ReadFile | AccessFs::WriteFile)?;
        }
        if let Some(objects) = allowed.objects {
            allow(objects, AccessFs::ReadFile.into())?;
        }
        if let Some(reports) = allowed.reports {
            allow(reports, all)?;
            allow(Path::new("/proc/self"), AccessFs::ReadFile | AccessFs::ReadDir)?;
        }
        created.restrict_self()?;
        Ok(())
    };
    rules().map_err(io::Error::other)
}
