//! Umask, user, limits and signals of a case.

use std::collections::BTreeMap;

use umbra_case::{Resource, Settings};
use umbra_tracer::raw::Start;

/// What processes have when a test has changed nothing: the recorder's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
    /// Soft limits.
    pub limits: BTreeMap<Resource, Option<u64>>,
}

/// The kernel's numbers of resources on x86-64.
const RESOURCES: &[(u32, Resource, rustix::process::Resource)] = &[
    (0, Resource::Cpu, rustix::process::Resource::Cpu),
    (1, Resource::FileSize, rustix::process::Resource::Fsize),
    (2, Resource::Data, rustix::process::Resource::Data),
    (3, Resource::Stack, rustix::process::Resource::Stack),
    (4, Resource::Core, rustix::process::Resource::Core),
    (6, Resource::Processes, rustix::process::Resource::Nproc),
    (7, Resource::OpenFiles, rustix::process::Resource::Nofile),
    (8, Resource::LockedMemory, rustix::process::Resource::Memlock),
    (9, Resource::AddressSpace, rustix::process::Resource::As),
];

impl Baseline {
    /// That of this process.
    pub fn of_this_process() -> Self {
        let limit = |(_, resource, number): &(u32, Resource, rustix::process::Resource)| {
            (*resource, rustix::process::getrlimit(*number).current)
        };
        Self {
            user: rustix::process::geteuid().as_raw(),
            group: rustix::process::getegid().as_raw(),
            limits: RESOURCES.iter().map(limit).collect(),
        }
    }
}

/// The settings of a case: what is as everywhere is not said. Root is, since it may do more.
pub fn settings(start: &Start, baseline: &Baseline) -> Settings {
    let is_usual = (start.user, start.group) == (baseline.user, baseline.group) && start.user != 0;
    let limits = start.limits.iter().filter_map(|(number, limit)| {
        let (_, resource, _) = RESOURCES.iter().find(|(other, ..)| other == number)?;
        (baseline.limits.get(resource) != Some(limit)).then_some((*resource, *limit))
    });
    // 32 and 33 belong to the C library's threads.
    let is_ignored = |signal: &i32| start.ignored & (1 << (signal - 1)) != 0;
    let signals = (1..=64).filter(|signal| !matches!(signal, 9 | 19 | 32 | 33));
    Settings {
        umask: start.umask & 0o777,
        user: (!is_usual).then_some(start.user),
        group: (!is_usual).then_some(start.group),
        limits: limits.collect(),
        ignored_signals: signals.filter(is_ignored).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_everywhere_is_not_said() {
        let baseline = Baseline {
            user: 1000,
            group: 1000,
            limits: BTreeMap::from([(Resource::Cpu, None), (Resource::OpenFiles, Some(1024))]),
        };
        let mut start = Start {
            user: 1000,
            group: 1000,
            umask: 0o022,
            limits: vec![(0, None), (7, Some(1024))],
            ..Start::default()
        };
        assert_eq!(settings(&start, &baseline), Settings::default());
        start.limits[1].1 = Some(6);
        start.user = 0;
        start.ignored = 1 << 12;
        let settings = settings(&start, &baseline);
        assert_eq!(settings.limits, BTreeMap::from([(Resource::OpenFiles, Some(6))]));
        assert_eq!((settings.user, settings.group), (Some(0), Some(1000)));
        assert_eq!(settings.ignored_signals.into_iter().collect::<Vec<_>>(), [13]);
    }
}
