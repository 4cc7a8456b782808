//! What searchers that look ahead know of the program.

use umbra_analysis::{CallGraph, Flow, NodeId};
use umbra_engine::{Coverage, Image};
use umbra_ir::FunctionId;

/// The control flow of a program, and which of its blocks are worth running.
///
/// Made once for all workers.
#[derive(Debug)]
pub struct Terrain {
    flow: Flow,
    /// Blocks of the program's own code: where, and how coverage names them.
    blocks: Vec<(NodeId, u32)>,
}

impl Terrain {
    /// The terrain of a program, of which some functions are its own and others the libraries'.
    pub fn new(image: &Image, is_own: &dyn Fn(FunctionId) -> bool) -> Self {
        let program = &image.program;
        let flow = Flow::new(program, &CallGraph::new(program));
        let mut blocks = Vec::new();
        for (id, function) in program.functions.iter().filter(|(id, _)| is_own(*id)) {
            let Some(body) = &function.body else { continue };
            for block in body.blocks.ids() {
                let node = flow.node(id, block, 0);
                blocks.extend(node.zip(image.block_target(id, block)));
            }
        }
        Self { flow, blocks }
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
