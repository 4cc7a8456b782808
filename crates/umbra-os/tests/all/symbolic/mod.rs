//! Expressions in the kernel: data that is moved, inputs and files with open ends, paths.

mod data;
mod files;
mod metadata;
mod paths;
mod streams;
mod world;
