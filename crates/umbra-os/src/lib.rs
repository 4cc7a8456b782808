//! The Linux x86-64 system call boundary, modelled.
//!
//! A [`Kernel`] is everything that a process has an operating system for: descriptors, an in-memory
//! file system over a read-only [`Lower`] layer, a clock, signals, identity. It answers numbered
//! system calls as Linux would ([`umbra_engine::Environment`]) and is cheap to clone, since
//! symbolic states fork.
//!
//! Data may be expressions: inputs ([`SymbolicInput`]), files with their attributes
//! ([`SymbolicFile`]), paths, whatever the program writes. What is only moved stays an expression;
//! what a call depends on is decided before the call has any effect. [`Kernel::concrete`] gives the
//! kernel under one assignment.
//!
//! **Invariant:** nothing that the program does changes the host. The host is read through
//! [`HostLower`], which cannot write; what the program writes to its inherited descriptors comes
//! out as [`OutputEvent`]s. The one function that writes, [`export_tree`], is called by users of
//! this crate and never by the kernel.

mod bytes;
mod calls;
mod config;
mod content;
mod dispatch;
mod encode;
mod errno;
mod event;
mod export;
mod family;
mod fd;
mod fs;
mod host;
mod identity;
mod kernel;
mod lock;
mod log;
mod lower;
mod mapping;
mod pair;
mod pipe;
mod same;
mod seen;
mod signal;
mod stream;
mod symbolic;
mod symbolic_files;
mod system;
mod table;
mod text;
mod time;
mod tree;
mod tty;
mod unmodelled;
mod user;

pub use bytes::OutputBytes;
pub use calls::Execution;
pub use config::{Config, Descriptor, Error, SystemNames};
pub use errno::Errno;
pub use export::export_tree;
pub use kernel::Kernel;
pub use lower::{HostLower, Lower, LowerEntry, LowerFileSystem, LowerStat, MemoryLower};
pub use stream::{Input, OutputAction, OutputEvent, ReaderInput, SinkId, StreamKind};
pub use symbolic::{SymbolicFile, SymbolicInput, SymbolicKind, SymbolicMetadata, SymbolicTime};
pub use system::UnsupportedCall;
pub use time::Timestamp;
pub use tree::{TreeEntry, TreeId};
