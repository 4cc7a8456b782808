//! x
/// The shim.
pub const SHIM: &[u8] = include_bytes!(env!("UMBRA_SHIM"));
