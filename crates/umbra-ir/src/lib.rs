//! The executable IR.
