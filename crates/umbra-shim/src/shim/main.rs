//! The shim: code without any library that runs before a recorded program.
#![no_std]
#![no_main]
#![no_builtins]
#![allow(unsafe_code)]

mod entry;
mod observe;
mod system;
mod text;

use umbra_shim::{SIZE, empty};

/// The slot, at an address that the numbers in it can be read from.
#[repr(C, align(16))]
struct Block([u8; SIZE]);

/// What this shim stands for; filled in the copies of the binary.
#[used]
static SLOT: Block = Block(empty());

/// There is nothing here that panics; if there were, the program could not go on.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    system::exit(127)
}
