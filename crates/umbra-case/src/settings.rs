//! What a process inherits besides arguments, variables, descriptors and files.

use std::collections::{BTreeMap, BTreeSet};

/// Umask, user, limits, ignored signals. What has its default is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The file mode creation mask; 022 by default.
    pub umask: u32,
    /// The user that runs the program, if it matters.
    pub user: Option<u32>,
    /// The user's group, if it matters.
    pub group: Option<u32>,
    /// Resource limits that are set, soft and hard at once, in the kernel's unit (bytes, seconds or
    /// a count); `None` is unlimited.
    pub limits: BTreeMap<Resource, Option<u64>>,
    /// Numbers of signals that are ignored at the start.
    pub ignored_signals: BTreeSet<i32>,
}

impl Settings {
    /// The umask of a case that does not say.
    pub const DEFAULT_UMASK: u32 = 0o022;

    /// User and group of a case that does not say: an ordinary user.
    pub const DEFAULT_USER: u32 = 1000;

    /// The user and the group that the program runs as.
    pub fn identity(&self) -> (u32, u32) {
        let user = self.user.unwrap_or(Self::DEFAULT_USER);
        (user, self.group.unwrap_or(user))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            umask: Self::DEFAULT_UMASK,
            user: None,
            group: None,
            limits: BTreeMap::new(),
            ignored_signals: BTreeSet::new(),
        }
    }
}

macro_rules! define_resources {
    ($($(#[$doc:meta])* $name:ident $text:literal $number:literal;)*) => {
        /// A resource that setrlimit(2) knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Resource {
            $($(#[$doc])* $name,)*
        }

        impl Resource {
            /// Every resource.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable name, which is also the flag of prlimit(1).
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Linux's number of it, the same on all machines that Umbra runs on.
            pub const fn number(self) -> u32 {
                match self {
                    $(Self::$name => $number,)*
                }
            }
        }
    };
}

define_resources! {
    /// Bytes of address space.
    AddressSpace "as" 9;
    /// Bytes of a core file.
    Core "core" 4;
    /// Seconds of CPU time.
    Cpu "cpu" 0;
    /// Bytes of data segment.
    Data "data" 2;
    /// Bytes of a file that is written.
    FileSize "fsize" 1;
    /// Bytes of locked memory.
    LockedMemory "memlock" 8;
    /// Open descriptors.
    OpenFiles "nofile" 7;
    /// Processes of the user.
    Processes "nproc" 6;
    /// Bytes of stack.
    Stack "stack" 3;
}

impl Resource {
    /// The resource of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|resource| resource.name() == name)
    }
}
