//! The blocks of a module: their numbers and their lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use umbra_ir::{Body, FunctionId, Id, Program};
use umbra_strategy::Goal;
use umbra_words::{Place, TargetBlock, Version};

use super::job::Wanted;
use crate::Error;
use crate::patch::{clean, is_code};

/// A program and the numbers of its blocks.
pub struct Module {
    /// The program.
    pub program: Arc<Program>,
    /// Each block, by its number.
    blocks: Vec<Goal>,
    /// The number of the first block of each function.
    first: Vec<u32>,
}

impl Module {
    /// Numbers the blocks of a program.
    pub fn new(program: Arc<Program>) -> Self {
        let (mut blocks, mut first) = (Vec::new(), Vec::new());
        for (id, function) in program.functions.iter() {
            first.push(blocks.len() as u32);
            let Some(body) = &function.body else { continue };
            blocks.extend(body.blocks.ids().map(|block| Goal { function: id, block }));
        }
        Self { program, blocks, first }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The block of this number.
    pub fn goal(&self, block: u32) -> Option<Goal> {
        self.blocks.get(block as usize).copied()
    }

    /// All blocks, in the order of their numbers.
    pub fn goals(&self) -> &[Goal] {
        &self.blocks
    }

    /// The number of a block.
    pub fn number(&self, goal: Goal) -> u32 {
        self.first[goal.function.index()] + goal.block.index() as u32
    }

    fn bodies(&self) -> impl Iterator<Item = (FunctionId, &Body)> {
        let functions = self.program.functions.iter();
        functions.filter_map(|(id, function)| Some((id, function.body.as_ref()?)))
    }

    /// The lines of a block: file as the compiler was given it, line.
    fn lines(&self, goal: Goal) -> BTreeSet<Place> {
        let Some(body) = &self.program.functions[goal.function].body else {
            return BTreeSet::new();
        };
        let block = &body.blocks[goal.block];
        let code = block.instructions.iter().filter(|it| is_code(it)).map(|it| it.location);
        let places = code.chain([block.location]).flatten().map(|id| {
            let location = &self.program.locations[id];
            let file = self.program.files[location.file].name.clone();
            Place { file, line: location.line }
        });
        places.filter(|place| place.line > 0).collect()
    }

    fn name(&self, function: FunctionId) -> &str {
        let function = &self.program.functions[function];
        function.identity.as_ref().map_or(&function.name, |identity| &identity.name)
    }

    fn target(&self, goal: Goal, lines: Vec<Place>) -> TargetBlock {
        TargetBlock {
            block: self.number(goal),
            version: Version::New,
            function: self.name(goal.function).to_owned(),
            lines,
        }
    }

    /// The targets that are wanted in this program.
    pub fn targets(&self, wanted: &Wanted, program: &Path) -> Result<Vec<TargetBlock>, Error> {
        match wanted {
            Wanted::Blocks(blocks) => Ok(blocks.clone()),
            Wanted::Function(name) => {
                let found = self.bodies().filter(|(id, _)| self.name(*id) == name);
                let targets: Vec<TargetBlock> = found
                    .filter_map(|(function, body)| {
                        let goal = Goal { function, block: body.blocks.ids().next()? };
                        Some(self.target(goal, self.lines(goal).into_iter().take(1).collect()))
                    })
                    .collect();
                match targets.is_empty() {
                    false => Ok(targets),
                    true => Err(Error::NoFunction {
                        program: program.to_owned(),
                        name: name.clone(),
                        similar: self.similar(name),
                    }),
                }
            }
            Wanted::Line { file, line } => self.of_line(file, *line, program),
        }
    }

    /// The function that may be meant by a name that is not there, in words.
    fn similar(&self, name: &str) -> String {
        let names = self.bodies().map(|(id, _)| self.name(id));
        let lower = name.to_lowercase();
        let found = names
            .filter(|known| {
                let known = known.to_lowercase();
                known.contains(&lower) || lower.contains(&known) && known.len() > 2
            })
            .min_by_key(|known| known.len().abs_diff(name.len()));
        found.map_or(String::new(), |known| format!(" (there is {known})"))
    }

    /// The first block of a line in each function that has it.
    fn of_line(&self, file: &str, line: u32, program: &Path) -> Result<Vec<TargetBlock>, Error> {
        let wanted = clean(Path::new(file));
        let files: BTreeSet<&str> = self
            .program
            .files
            .values()
            .filter(|known| {
                let path = clean(&known.path());
                path.ends_with(&wanted) || wanted.ends_with(&path) && path.components().count() > 0
            })
            .map(|known| known.name.as_str())
            .collect();
        if files.is_empty() {
            return Err(Error::NoFile { program: program.to_owned(), file: file.to_owned() });
        }
        let mut with_code: BTreeMap<u32, Vec<(Goal, Place)>> = BTreeMap::new();
        for goal in &self.blocks {
            for place in self.lines(*goal) {
                if files.contains(place.file.as_str()) {
                    with_code.entry(place.line).or_default().push((*goal, place));
                }
            }
        }
        let Some(found) = with_code.get(&line) else {
            let below = with_code.range(..line).next_back().map(|(line, _)| line);
            let above = with_code.range(line..).next().map(|(line, _)| line);
            let nearest = match (below, above) {
                (Some(below), Some(above)) => {
                    format!(": the nearest lines that have are {below} and {above}")
                }
                (Some(one), None) | (None, Some(one)) => {
                    format!(": the nearest line that has is {one}")
                }
                (None, None) => String::new(),
            };
            return Err(Error::NoCode { file: file.to_owned(), line, nearest });
        };
        let mut seen = BTreeSet::new();
        let first = found.iter().filter(|(goal, _)| seen.insert(goal.function));
        Ok(first.map(|(goal, place)| self.target(*goal, vec![place.clone()])).collect())
    }
}
