//! What an exploration predicts for an input: the one path that the input is on.

use std::collections::BTreeMap;

use anyhow::anyhow;
use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Run};
use umbra_words::Version;

use super::explore::{Exploration, Explored};
use super::input::Input;

/// Finds the paths of inputs.
pub(super) struct Predictions<'a> {
    exploration: &'a Exploration,
    names: Names,
    tree: Tree,
    evaluator: Evaluator,
}

impl<'a> Predictions<'a> {
    /// Those of an exploration; `first` is any input, since all have the same parts.
    pub fn of(exploration: &'a Exploration, first: &Input) -> Self {
        Self {
            exploration,
            names: Names::of(exploration, first),
            tree: Tree::of(&exploration.paths),
            evaluator: Evaluator::new(),
        }
    }

    /// The number of the path that an input is on; it must not be on two.
    pub fn path_of(&mut self, input: &Input) -> anyhow::Result<Option<usize>> {
        let assignment = self.names.assignment(input);
        let mut run = self.evaluator.run(&self.exploration.expressions, &assignment);
        let found = self.tree.find(&mut run);
        match found.as_slice() {
            [] => Ok(None),
            [number] => Ok(Some(*number)),
            _ => Err(self.not_on_one(input, &found)),
        }
    }

    fn not_on_one(&self, input: &Input, found: &[usize]) -> anyhow::Error {
        let paths: Vec<_> = found.iter().map(|&at| describe(self.exploration, at)).collect();
        anyhow!("{input:?} is on {} paths: {paths:#?}", found.len())
    }

    /// Looks at the path of an input, with the values of expressions on it. There must be one.
    pub fn on<T>(
        &mut self,
        input: &Input,
        look: impl FnOnce(usize, &'a Explored, &mut Run<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let assignment = self.names.assignment(input);
        let mut run = self.evaluator.run(&self.exploration.expressions, &assignment);
        let found = self.tree.find(&mut run);
        let [number] = found.as_slice() else {
            return Err(self.not_on_one(input, &found));
        };
        look(*number, &self.exploration.paths[*number], &mut run)
    }

    /// The values of expressions on an input.
    pub fn values<T>(&mut self, input: &Input, look: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let assignment = self.names.assignment(input);
        look(&mut self.evaluator.run(&self.exploration.expressions, &assignment))
    }

    /// The values of expressions on an input in the old version.
    pub fn in_old<T>(&mut self, input: &Input, look: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let assignment = self.names.assignment(input);
        let expressions = &self.exploration.expressions;
        look(&mut self.evaluator.run_side(expressions, &assignment, Version::Old))
    }
}

fn describe(exploration: &Exploration, number: usize) -> String {
    let path = &exploration.paths[number];
    format!("path {number}, as {:?}: {:?}", Input::of_case(&path.case), path.termination)
}

/// The arrays of all inputs.
struct Names {
    /// Of what comes from outside, by name.
    outside: BTreeMap<String, ArrayId>,
    /// Of the objects that programs ask for: by name and how many of this name came before.
    objects: BTreeMap<(String, usize), ArrayId>,
}

impl Names {
    fn of(exploration: &Exploration, first: &Input) -> Self {
        let mut objects = BTreeMap::new();
        let pairs = exploration.paths.iter().flat_map(|path| &path.pairs);
        for path in exploration.paths.iter().chain(pairs) {
            let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
            for input in &path.inputs {
                let count = seen.entry(&input.name).or_default();
                objects.insert((input.name.to_string(), *count), input.array);
                *count += 1;
            }
        }
        // The first input has one of each; what nobody looked at has no array.
        let sources = sources(first);
        let outside = sources.into_iter().filter_map(|(name, _)| {
            let array = exploration.expressions.find_input(&name)?;
            Some((name, array))
        });
        Self { outside: outside.collect(), objects }
    }

    fn assignment(&self, input: &Input) -> Assignment {
        let mut assignment = Assignment::new();
        for (name, bytes) in sources(input) {
            if let Some(&array) = self.outside.get(&name) {
                assignment.set_bytes(array, bytes);
            }
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, bytes) in &input.objects {
            let count = seen.entry(name).or_default();
            if let Some(&array) = self.objects.get(&(name.clone(), *count)) {
                assignment.set_bytes(array, bytes);
            }
            *count += 1;
        }
        assignment
    }
}

/// What comes from outside, with the names that the engine gives it.
fn sources(input: &Input) -> Vec<(String, &[u8])> {
    let args = (1..).zip(&input.args).map(|(at, bytes)| (format!("arg{at}"), bytes.as_slice()));
    let files = input.files.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice()));
    let stdin = ("stdin".to_owned(), input.stdin.as_slice());
    args.chain(files).chain([stdin]).collect()
}

/// All path conditions, their common beginnings once.
#[derive(Default)]
struct Tree {
    children: BTreeMap<ExprId, Tree>,
    ends: Vec<usize>,
}

impl Tree {
    fn of(paths: &[Explored]) -> Self {
        let mut root = Self::default();
        for (number, path) in paths.iter().enumerate() {
            let mut node = &mut root;
            for constraint in &path.constraints {
                node = node.children.entry(*constraint).or_default();
            }
            node.ends.push(number);
        }
        root
    }

    /// The paths whose conditions all hold.
    fn find(&self, run: &mut Run<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut nodes = vec![self];
        while let Some(node) = nodes.pop() {
            found.extend(&node.ends);
            for (&condition, child) in &node.children {
                if run.is_true(condition) {
                    nodes.push(child);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
