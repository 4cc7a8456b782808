//! What a descriptor is connected to when the program starts.

/// A descriptor at the start of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Not open.
    Closed,
    /// The null device, for reading and writing.
    Null,
    /// A pipe: these bytes can be read from it, then the end; what is written to 1 or 2 is captured.
    Pipe(Vec<u8>),
    /// A file of the case's tree, or a folder, which is read only.
    File {
        /// Its path in the tree.
        path: Vec<u8>,
        /// Where the next access is.
        offset: u64,
        /// What it was opened for.
        access: Access,
        /// Whether every write goes to the end.
        append: bool,
    },
    /// A terminal.
    Terminal,
    /// Another device that every system has.
    Device {
        /// Which.
        device: Device,
        /// What it was opened for.
        access: Access,
    },
    /// The same open file as that of a lower descriptor, as after `2>&1`.
    Same(u32),
}

/// A device that behaves alike on every system, or, as a source of random bytes, alike in nothing.
///
/// The null device is [`Descriptor::Null`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// Reading gives zeros, writing fails: there is no space.
    Full,
    /// Reading gives zeros, writing drops all.
    Zero,
    /// Reading gives random bytes.
    Random,
}

impl Device {
    /// All of them.
    pub const ALL: [Device; 3] = [Device::Full, Device::Zero, Device::Random];

    /// Where it is found.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Full => "/dev/full",
            Self::Zero => "/dev/zero",
            Self::Random => "/dev/urandom",
        }
    }
}

/// What a file was opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Both.
    Both,
}
