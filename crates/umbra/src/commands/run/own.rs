//! Which source files are the program's own.

use std::path::Path;

use umbra_engine::Image;
use umbra_ir::{Function, Id};
use umbra_strategy::Terrain;

/// Whether a file belongs to the program, and not to libc or the system's headers.
pub fn is_own(file: &Path) -> bool {
    // The libc is compiled under this name, wherever its source lies.
    !file.starts_with("musl") && !file.starts_with("/usr/include") && !file.starts_with("/usr/lib")
}

/// The terrain of a program, of which its own functions are worth running.
pub fn terrain(image: &Image) -> Terrain {
    let program = &image.program;
    let own: Vec<bool> = program.files.values().map(|file| is_own(&file.path())).collect();
    let is_own = |function: &Function| {
        let body = function.body.as_ref()?;
        let blocks = body.blocks.values();
        let locations = blocks.flat_map(|block| {
            block.instructions.iter().map(|code| code.location).chain([block.location])
        });
        let location = locations.flatten().next()?;
        Some(own[program.locations[location].file.index()])
    };
    Terrain::new(image, &|id| is_own(&program.functions[id]).unwrap_or(false))
}
