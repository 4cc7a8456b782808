//! Which source lines ran.

use std::collections::BTreeMap;
use std::path::PathBuf;

use umbra_ir::{Id, LocationId};

use crate::code::{Image, Target};
use crate::state::State;

/// For each source file, its lines that have code, and whether that code ran.
pub type LineCoverage = BTreeMap<PathBuf, BTreeMap<u32, bool>>;

impl Image {
    /// The lines of the program that `state` ran; a line ran when any block with code of it did.
    pub fn line_coverage(&self, state: &State) -> LineCoverage {
        let mut lines = LineCoverage::new();
        let paths: Vec<PathBuf> =
            self.program.files.values().map(umbra_ir::SourceFile::path).collect();
        for (id, function) in self.program.functions.iter() {
            let (Some(entry), Some(body)) = (self.functions[id.index()].entry, &function.body)
            else {
                continue;
            };
            for (block, code) in body.blocks.iter() {
                let ran = state.is_covered(entry + block.index() as Target);
                let instructions = code.instructions.iter().map(|code| code.location);
                for location in instructions.chain([code.location]).flatten() {
                    self.mark(&mut lines, &paths, location, ran);
                }
            }
        }
        lines
    }

    fn mark(&self, lines: &mut LineCoverage, paths: &[PathBuf], location: LocationId, ran: bool) {
        let location = &self.program.locations[location];
        if location.line == 0 {
            return;
        }
        let path = &paths[location.file.index()];
        let file = match lines.get_mut(path) {
            Some(file) => file,
            None => lines.entry(path.clone()).or_default(),
        };
        *file.entry(location.line).or_default() |= ran;
    }
}
