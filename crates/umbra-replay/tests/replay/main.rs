//! Runs on the real kernel, in every kind of sandbox that is to be had.

mod hostile;
mod seen;
mod support;
