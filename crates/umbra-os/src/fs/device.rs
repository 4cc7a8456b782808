//! The character devices that are modelled.

/// A modelled character device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// `/dev/null`
    Null,
    /// `/dev/zero`
    Zero,
    /// `/dev/full`
    Full,
    /// `/dev/random` and `/dev/urandom`
    Random,
    /// `/dev/tty`: the controlling terminal.
    Terminal,
}

impl Device {
    /// The device with this number; others cannot be opened.
    pub(crate) fn from_rdev(rdev: u64) -> Option<Device> {
        match (libc::major(rdev), libc::minor(rdev)) {
            (1, 3) => Some(Device::Null),
            (1, 5) => Some(Device::Zero),
            (1, 7) => Some(Device::Full),
            (1, 8 | 9) => Some(Device::Random),
            (5, 0) => Some(Device::Terminal),
            _ => None,
        }
    }
}
