//! Tests of the symbolic loop.
