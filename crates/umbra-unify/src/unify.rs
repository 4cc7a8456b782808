//! From two programs to one.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use umbra_ir::{
    BlockId, FileId, Function, FunctionId, GlobalId, Id, Initializer, Operation, Program, Symbol,
    Terminator,
};

use crate::Version;
use crate::align::align;
use crate::check::{Mismatch, check};
use crate::code::Code;
use crate::correspondence::{
    Alignment, Basis, Correspondence, FunctionPair, GlobalPair, Place, Relation, Strength,
};
use crate::files::Files;
use crate::lines::{Lines, ReadSource, line_of};
use crate::merge::{Assembled, Evidence, MergedBody, assemble, merged_positions};
use crate::normal::{hash, normal_form};
use crate::pair::Symbols;
use crate::related::are_related;
use crate::statistics::{FunctionStatistics, Statistics};

/// Why two programs cannot become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A program without `main`.
    #[error("the {0} program has no `main`")]
    NoMain(Version),
    /// A program without debug information in its own code.
    #[error("the {0} program has no debug information: compile it with -g, as `umbra cc` does")]
    NoDebugInfo(Version),
    /// A program that has two versions in itself.
    #[error(
        "the {0} program has changes annotated in it (change(), execute() of umbra.h); \
         such a program is both versions already"
    )]
    Annotated(Version),
    /// Nothing but libc is the same.
    #[error("the programs have nothing in common: no function of one is like one of the other")]
    NothingInCommon,
    /// What runs before `main` or at exit is not the same.
    #[error("the programs have different functions that run before `main` or at exit")]
    Constructors,
    /// The unified program is not one of its originals: our own error.
    #[error("unification went wrong: {0}")]
    Mismatch(#[from] Mismatch),
    /// The unified program is not sound: our own error.
    #[error("unification went wrong: {0}")]
    Unsound(String),
}

/// One program of two.
#[derive(Clone, Debug)]
pub struct Unified {
    /// The two-version program.
    pub program: Program,
    /// What belongs together.
    pub correspondence: Correspondence,
    /// Numbers.
    pub statistics: Statistics,
    /// What the proof needs to know.
    evidence: Arc<Evidence>,
}

impl Unified {
    /// Whether the two programs were the same, but for noise.
    pub fn is_same_program(&self) -> bool {
        self.correspondence.is_identity()
    }

    /// The instructions of the old and of the new function that a block of a merged one passes, in order.
    /// Local variables of fixed size are left out: they are made when the function is entered. `None` if the
    /// function is not merged.
    pub fn passed(&self, function: FunctionId, block: BlockId) -> Option<&[[Option<Place>; 2]]> {
        self.evidence.passed.get(&function)?.get(block.index()).map(Vec::as_slice)
    }

    /// Which symbols belong together.
    pub(crate) fn symbols(&self) -> &Symbols {
        self.evidence.names.symbols()
    }

    /// Proves that the program, resolved to either version, is that version. [`unify`] has done so;
    /// this is for who has changed the program since.
    pub fn prove(&self, old: &Program, new: &Program) -> Result<(), Mismatch> {
        check(old, new, &self.correspondence, &self.program, &self.evidence)
    }
}

/// Makes one program of two versions, and proves that it is both of them.
pub fn unify(old: &Program, new: &Program, read: ReadSource<'_>) -> Result<Unified, Error> {
    let unified = unify_any(old, new, read)?;
    let files = Files::pair(old, new);
    match are_related(old, new, &files, &unified.correspondence) {
        true => Ok(unified),
        false => Err(Error::NothingInCommon),
    }
}

/// The same for two programs of which it is known that they belong together, as somebody names a
/// function of both.
pub fn unify_any(old: &Program, new: &Program, read: ReadSource<'_>) -> Result<Unified, Error> {
    fit_for_it(old, Version::Old)?;
    fit_for_it(new, Version::New)?;
    let files = Files::pair(old, new);
    let symbols = Symbols::pair(old, new, &files);
    let lists = [(&old.constructors, &new.constructors), (&old.destructors, &new.destructors)];
    for (before, after) in lists {
        let token = |id: &FunctionId| symbols.old_token(Symbol::Function(*id));
        let before: Vec<u64> = before.iter().map(token).collect();
        let after = after.iter().map(|id| symbols.new_token(Symbol::Function(*id)));
        if !after.eq(before) {
            return Err(Error::Constructors);
        }
    }
    let mut correspondence = pair(old, new, &files, &symbols);
    let changed: HashSet<FileId> = correspondence
        .changed()
        .filter_map(|(pair, _)| old.functions[pair.old].identity.as_ref())
        .map(|identity| identity.file)
        .collect();
    let lines = Lines::compare(old, new, &files, &|file| changed.contains(&file), read);
    align_all(old, new, &lines, &symbols, &mut correspondence);
    let Assembled { program, bodies, evidence } = assemble(old, new, symbols, &correspondence);
    if let Err(errors) = program.verify() {
        let first = errors.first().map(ToString::to_string);
        return Err(Error::Unsound(first.unwrap_or_default()));
    }
    let statistics = statistics(old, new, &correspondence, &lines, &bodies);
    let unified = Unified { program, correspondence, statistics, evidence: Arc::new(evidence) };
    unified.prove(old, new)?;
    Ok(unified)
}

/// Whether a program can be one of two versions.
fn fit_for_it(program: &Program, version: Version) -> Result<(), Error> {
    let main = program.function("main").ok_or(Error::NoMain(version))?;
    let has_identity = |function: &Function| function.identity.is_some() && function.body.is_some();
    if !has_identity(&program.functions[main]) {
        return Err(Error::NoDebugInfo(version));
    }
    let blocks = program.functions.values().filter_map(|f| f.body.as_ref());
    let annotated = blocks.flat_map(|body| body.blocks.values()).any(|block| {
        matches!(block.terminator, Terminator::Version { .. })
            || block.instructions.iter().any(|i| matches!(i.operation, Operation::Change { .. }))
    });
    match annotated {
        true => Err(Error::Annotated(version)),
        false => Ok(()),
    }
}

/// Pairs functions and globals; alignments are still empty.
fn pair(old: &Program, new: &Program, files: &Files, symbols: &Symbols) -> Correspondence {
    let mut correspondence = Correspondence {
        noise: symbols.noise.clone(),
        numbers: symbols.numbers.clone(),
        ..Default::default()
    };
    for (a, b) in &files.renamed {
        let names = (old.files[*a].name.clone(), new.files[*b].name.clone());
        correspondence.renamed_files.push(names);
    }
    let mut taken = HashSet::new();
    for (id, function) in old.functions.iter() {
        let Some((other, basis)) = symbols.function(id) else {
            correspondence.removed_functions.push(id);
            continue;
        };
        taken.insert(other);
        let before = normal_form(old, function, &|symbol| symbols.old_token(symbol));
        let after = normal_form(new, &new.functions[other], &|symbol| symbols.new_token(symbol));
        let relation = match before == after {
            true => Relation::Equal,
            false => Relation::Changed(Alignment::default()),
        };
        correspondence.functions.push(FunctionPair { old: id, new: other, basis, relation });
    }
    correspondence.functions.sort_by_key(|pair| pair.new);
    correspondence.added_functions = new.functions.ids().filter(|id| !taken.contains(id)).collect();
    let mut taken = HashSet::new();
    for id in old.globals.ids() {
        let Some((other, basis)) = symbols.global(id) else {
            correspondence.removed_globals.push(id);
            continue;
        };
        taken.insert(other);
        let equal = basis == Basis::Content
            || contents(old, id, &|symbol| symbols.old_token(symbol))
                == contents(new, other, &|symbol| symbols.new_token(symbol));
        correspondence.globals.push(GlobalPair { old: id, new: other, basis, equal });
    }
    correspondence.globals.sort_by_key(|pair| pair.new);
    let is_copy = |id: GlobalId| {
        let class = symbols.new_token(Symbol::Global(id));
        taken.iter().any(|other| symbols.new_token(Symbol::Global(*other)) == class)
    };
    correspondence.added_globals =
        new.globals.ids().filter(|id| !taken.contains(id) && !is_copy(*id)).collect();
    correspondence
}

/// A hash of size and first contents of a global.
fn contents(program: &Program, id: GlobalId, token: &dyn Fn(Symbol) -> u64) -> u64 {
    let global = &program.globals[id];
    let data = match &global.initializer {
        Initializer::Data { bytes, relocations } => {
            let targets: Vec<_> =
                relocations.iter().map(|r| (r.offset, token(r.symbol), r.addend)).collect();
            hash(&(bytes, targets))
        }
        Initializer::Zero => hash("zero"),
        Initializer::External => hash("external"),
        Initializer::Unsupported(reason) => hash(reason),
    };
    hash(&(global.size, global.align, global.constant, data))
}

fn align_all(
    old: &Program,
    new: &Program,
    lines: &Lines,
    symbols: &Symbols,
    correspondence: &mut Correspondence,
) {
    let Correspondence { functions, noise, .. } = correspondence;
    for pair in functions {
        let Relation::Changed(alignment) = &mut pair.relation else { continue };
        let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
        let (Some(left), Some(right)) = (&f.body, &g.body) else { continue };
        let signature = merged_positions(&f.parameters, &g.parameters);
        let (left, right) = (Code::new(old, left), Code::new(new, right));
        *alignment = align(&left, &right, lines, symbols, signature, noise);
    }
}

fn statistics(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    lines: &Lines,
    bodies: &BTreeMap<FunctionId, MergedBody>,
) -> Statistics {
    let edits = &lines.edits;
    let mut statistics = Statistics {
        shared: correspondence.functions.len() as u64,
        added: correspondence.added_functions.len() as u64,
        removed: correspondence.removed_functions.len() as u64,
        changed_globals: correspondence.globals.iter().filter(|pair| !pair.equal).count() as u64,
        files: edits.len() as u64,
        hunks: edits.iter().map(|file| file.hunks).sum(),
        lines_removed: edits.iter().map(|file| file.removed).sum(),
        lines_added: edits.iter().map(|file| file.added).sum(),
        ..Default::default()
    };
    for (pair, alignment) in correspondence.changed() {
        statistics.shared -= 1;
        let Some(body) = bodies.get(&pair.new) else { continue };
        let strong = |strength| {
            alignment.pairs.iter().filter(|pair| pair.strength == strength).count() as u64
        };
        let paired = alignment.pairs.len() as u64;
        let function = &new.functions[pair.new];
        let name = function.identity.as_ref().map_or(&function.name, |identity| &identity.name);
        statistics.changed.push(FunctionStatistics {
            function: pair.new,
            name: name.clone(),
            strong: strong(Strength::Strong),
            weak: strong(Strength::Weak),
            old_only: u64::from(alignment.old_count) - paired,
            new_only: u64::from(alignment.new_count) - paired,
            changes: body.changes,
            version_branches: body.version_branches,
            ripples: !lines.edits.is_empty()
                && is_untouched(old, &old.functions[pair.old], &|line| lines.forth(line).is_some())
                && is_untouched(new, function, &|line| lines.back(line).is_some()),
            two_copies: alignment.two_copies,
        });
    }
    statistics
}

/// Whether all lines of a function are in the other text, too.
fn is_untouched(
    program: &Program,
    function: &Function,
    is_there: &dyn Fn(crate::lines::Line) -> bool,
) -> bool {
    let blocks = function.body.iter().flat_map(|body| body.blocks.values());
    let mut locations = blocks
        .flat_map(|block| block.instructions.iter().map(|i| i.location).chain([block.location]));
    locations.all(|at| line_of(program, at).is_none_or(is_there))
}
