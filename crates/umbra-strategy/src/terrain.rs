//! What searchers that look ahead know of the program.

use std::path::Path;

use umbra_analysis::{CallGraph, Flow, NodeId};
use umbra_engine::{Coverage, Image};
use umbra_ir::{FunctionId, Id};

/// The control flow of a program, and which of its blocks are worth running.
///
/// Made once for all workers.
#[derive(Debug)]
pub struct Terrain {
    flow: Flow,
    /// Blocks of the program's own code: where, and how coverage names them.
    blocks: Vec<(NodeId, u32)>,
    /// By function, whether it is the program's own.
    own: Vec<bool>,
}

impl Terrain {
    /// The terrain of a program, of which some functions are its own and others the libraries'.
    pub fn new(image: &Image, is_own: &dyn Fn(FunctionId) -> bool) -> Self {
        let program = &image.program;
        let flow = Flow::new(program, &CallGraph::new(program));
        let own: Vec<bool> = program.functions.ids().map(is_own).collect();
        let mut blocks = Vec::new();
        for (id, function) in program.functions.iter().filter(|(id, _)| own[id.index()]) {
            let Some(body) = &function.body else { continue };
            for block in body.blocks.ids() {
                let node = flow.node(id, block, 0);
                blocks.extend(node.zip(image.block_target(id, block)));
            }
        }
        Self { flow, blocks, own }
    }

    /// The terrain of a program in which only some blocks are worth running, as coverage names them.
    pub fn to_blocks(image: &Image, targets: &[u32]) -> Self {
        let program = &image.program;
        let flow = Flow::new(program, &CallGraph::new(program));
        let node = |target: u32| {
            let (function, block) = image.target_block(target)?;
            Some((flow.node(function, block, 0)?, target))
        };
        let blocks = targets.iter().filter_map(|target| node(*target)).collect();
        Self { flow, blocks, own: vec![true; program.functions.len()] }
    }

    /// The terrain of a program whose own functions are those from some source files; what has no
    /// debug information is not its own.
    pub fn of_files(image: &Image, is_own: &dyn Fn(&Path) -> bool) -> Self {
        let program = &image.program;
        let files: Vec<bool> = program.files.values().map(|file| is_own(&file.path())).collect();
        Self::new(image, &|function| {
            let identity = program.functions[function].identity.as_ref();
            identity.is_some_and(|identity| files[identity.file.index()])
        })
    }

    /// Whether a function is the program's own.
    pub fn is_own(&self, function: FunctionId) -> bool {
        self.own[function.index()]
    }

    /// How control goes through the program.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The blocks of the program's own code that have not run.
    pub fn uncovered<'a>(&'a self, coverage: &'a Coverage) -> impl Iterator<Item = NodeId> + 'a {
        let blocks = self.blocks.iter();
        blocks.filter(|(_, target)| !coverage.is_covered(*target)).map(|(node, _)| *node)
    }
}
