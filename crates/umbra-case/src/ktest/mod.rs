//! KLEE's test cases.
//!
//! A `.ktest` is the command line that KLEE was given and a list of named objects, in the order in
//! which `klee_make_symbolic` made them. `format.rs` has the bytes of the file; `posix.rs` the way
//! from and to a [`Case`] through the objects that KLEE's model of POSIX makes.

mod format;
mod posix;

use crate::{Case, Object};

pub use format::KTestError;

/// The content of a `.ktest` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KTest {
    /// The command line, the program's name first.
    pub arguments: Vec<Vec<u8>>,
    /// A count that old versions of KLEE wrote; 0 today.
    pub symbolic_arguments: u32,
    /// The length of those; 0 today.
    pub symbolic_argument_length: u32,
    /// The symbolic objects, in order.
    pub objects: Vec<Object>,
}

impl KTest {
    /// The objects that the program of a case made symbolic itself: what `KTEST_FILE` is to name
    /// when the program is linked with KLEE's replay library.
    ///
    /// KLEE's reader refuses files with an empty argument, so if there is one only the program's name
    /// is given; the library does not look at them.
    pub fn of_objects(case: &Case) -> Self {
        let mut arguments = vec![case.program.clone()];
        if case.arguments.iter().all(|argument| !argument.is_empty()) {
            arguments.extend_from_slice(&case.arguments);
        }
        arguments.retain(|argument| !argument.is_empty());
        Self { arguments, objects: case.objects.clone(), ..Self::default() }
    }
}
