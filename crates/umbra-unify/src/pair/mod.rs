//! Functions and globals of two programs that belong together.
//!
//! By key, then by key without the translation unit, then by name alone, then by similarity. Within
//! a key, equal contents go first. Any pairing is sound, since what is merged from it projects to
//! either version; a bad one costs lockstep. What cannot be one function or object (other results, other kinds
//! of storage) is left as two.

mod groups;
mod similarity;

use std::collections::{BTreeMap, HashMap, HashSet};

use umbra_ir::{
    ConstantValue, Function, FunctionId, Global, GlobalId, Id, Initializer, Program, Symbol,
};

use crate::correspondence::{Basis, Noise};
use crate::files::Files;
use crate::keys::{Key, Keys, Noisy, is_anonymous};
use crate::normal::hash;
use crate::number::{Number, common_texts, numbers};
use groups::Pairing;

/// Which symbols of two programs belong together.
#[derive(Debug)]
pub struct Symbols {
    /// By old id.
    functions: Vec<Option<(FunctionId, Basis)>>,
    /// By old id.
    globals: Vec<Option<(GlobalId, Basis)>>,
    /// By new id: the representative of its class of equals.
    function_class: Vec<FunctionId>,
    global_class: Vec<GlobalId>,
    /// Noise in strings.
    pub noise: BTreeMap<Noise, u64>,
    /// The numbers of the versions, if they differ and are noise.
    pub numbers: Option<(String, String)>,
}

impl Symbols {
    /// Pairs the symbols of two programs.
    pub fn pair(old: &Program, new: &Program, files: &Files) -> Self {
        let replacements = replacements(old, new, files);
        let numbers = numbers(old, new);
        let common = &if numbers.is_some() { common_texts(old, new) } else { HashSet::new() };
        let number = |number| Number { number, common };
        let old_number = numbers.as_ref().map(|(old, _)| number(old.as_str()));
        let new_number = numbers.as_ref().map(|(_, new)| number(new.as_str()));
        let noisy = Noisy { replacements: &replacements, number: old_number };
        let old_keys = Keys::new(old, &|file| files.of_old(file), &noisy);
        let noisy = Noisy { replacements: &[], number: new_number };
        let new_keys = Keys::new(new, &|file| files.of_new(file), &noisy);
        let globals = pair_globals(&old_keys, &new_keys);
        let functions = pair_functions(&old_keys, &new_keys);
        let mut noise = BTreeMap::new();
        for (id, kind) in &old_keys.noise {
            if let Some((other, _)) = globals[id.index()]
                && old.globals[*id].initializer != new.globals[other].initializer
            {
                *noise.entry(*kind).or_default() += 1;
            }
        }
        Self {
            functions,
            globals,
            function_class: function_classes(&new_keys),
            global_class: global_classes(&new_keys),
            noise,
            numbers,
        }
    }

    /// The new function that an old one is.
    pub fn function(&self, old: FunctionId) -> Option<(FunctionId, Basis)> {
        self.functions[old.index()]
    }

    /// The new global that an old one is.
    pub fn global(&self, old: GlobalId) -> Option<(GlobalId, Basis)> {
        self.globals[old.index()]
    }

    /// A word for a symbol of the old program: that of the new one it is.
    pub fn old_token(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Function(id) => match self.functions[id.index()] {
                Some((new, _)) => self.new_token(Symbol::Function(new)),
                None => hash(&("old function", id)),
            },
            Symbol::Global(id) => match self.globals[id.index()] {
                Some((new, _)) => self.new_token(Symbol::Global(new)),
                None => hash(&("old global", id)),
            },
        }
    }

    /// A word for a symbol of the new program.
    pub fn new_token(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Function(id) => hash(&("function", self.function_class[id.index()])),
            Symbol::Global(id) => hash(&("global", self.global_class[id.index()])),
        }
    }
}

/// What stands for what in strings: the folders of files that were built in two places, and the
/// names of files that have two.
fn replacements(old: &Program, new: &Program, files: &Files) -> Vec<(String, String)> {
    let mut found = HashSet::new();
    for (old_id, new_id) in files.pairs() {
        let (old_file, new_file) = (&old.files[old_id], &new.files[new_id]);
        if old_file.name != new_file.name {
            found.insert((old_file.name.clone(), new_file.name.clone()));
        }
        if old_file.directory != new_file.directory {
            found.insert((old_file.directory.clone(), new_file.directory.clone()));
        }
        let (old_path, new_path) = (old_file.path(), new_file.path());
        let common = old_path
            .components()
            .rev()
            .zip(new_path.components().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let root = |path: &std::path::Path| {
            let length = path.components().count() - common;
            let root: std::path::PathBuf = path.components().take(length).collect();
            root.to_string_lossy().into_owned()
        };
        let (old_root, new_root) = (root(&old_path), root(&new_path));
        if old_root != new_root && !old_root.is_empty() && !new_root.is_empty() {
            found.insert((old_root, new_root));
        }
    }
    let says_something = |text: &str| text.bytes().any(|byte| byte != b'/' && byte != b'.');
    let mut found: Vec<_> = found.into_iter().filter(|(from, _)| says_something(from)).collect();
    // The longest first: it says most.
    found.sort_by_key(|(from, to)| (std::cmp::Reverse(from.len()), from.clone(), to.clone()));
    found
}

fn pair_functions(old: &Keys<'_>, new: &Keys<'_>) -> Vec<Option<(FunctionId, Basis)>> {
    let (old_taken, new_taken) = (address_taken(old.program), address_taken(new.program));
    let fits = |a: FunctionId, b: FunctionId| {
        let (f, g) = (&old.program.functions[a], &new.program.functions[b]);
        let fixed = old_taken.contains(&a) || new_taken.contains(&b);
        fit(f, g, fixed)
    };
    let mut hashes = (HashMap::new(), HashMap::new());
    let mut same = |a: FunctionId, b: FunctionId| {
        let left = *hashes.0.entry(a).or_insert_with(|| old.function_hash(a));
        let right = *hashes.1.entry(b).or_insert_with(|| new.function_hash(b));
        left == right
    };
    let mut pairing = Pairing::new(old.program.functions.len(), new.program.functions.len());
    let key = |keys: &Keys<'_>, id: FunctionId| keys.functions[id.index()].clone();
    let name = |keys: &Keys<'_>, id: FunctionId| {
        let defined = keys.program.functions[id].body.is_some();
        keys.functions[id.index()].name().map(|(_, name)| (name.to_owned(), defined))
    };
    pairing.stage(|id| Some(key(old, id)), |id| Some(key(new, id)), &fits, &mut same);
    pairing.stage(
        |id| Some(key(old, id).without_unit()),
        |id| Some(key(new, id).without_unit()),
        &fits,
        &mut same,
    );
    pairing.stage(|id| name(old, id), |id| name(new, id), &fits, &mut same);
    let mut pairs = pairing.finish(Basis::Identity);
    by_content(old, new, &mut pairs, &fits);
    similarity::pair_rest(old, new, &mut pairs, &fits);
    pairs
}

/// Pairs functions that have no partner yet and do exactly the same: they were renamed.
fn by_content(
    old: &Keys<'_>,
    new: &Keys<'_>,
    pairs: &mut [Option<(FunctionId, Basis)>],
    fits: &dyn Fn(FunctionId, FunctionId) -> bool,
) {
    let taken: HashSet<FunctionId> = pairs.iter().flatten().map(|(new, _)| *new).collect();
    let defined = |keys: &Keys<'_>, id: FunctionId| keys.program.functions[id].body.is_some();
    let mut free: HashMap<u64, Vec<FunctionId>> = HashMap::new();
    let added = new.program.functions.ids().filter(|id| !taken.contains(id) && defined(new, *id));
    for id in added {
        free.entry(new.function_hash(id)).or_default().push(id);
    }
    let removed = old.program.functions.ids().filter(|id| defined(old, *id));
    for id in removed.filter(|id| pairs[id.index()].is_none()).collect::<Vec<_>>() {
        let Some(others) = free.get_mut(&old.function_hash(id)) else { continue };
        if let Some(at) = others.iter().position(|other| fits(id, *other)) {
            pairs[id.index()] = Some((others.remove(at), Basis::Content));
        }
    }
}

/// Whether two functions can be one. `fixed`: their addresses are used, so callers that nobody
/// knows pass the arguments of either.
fn fit(old: &Function, new: &Function, fixed: bool) -> bool {
    let is_main = |function: &Function| function.name == "main";
    // The start-up code calls `main` by its address with all arguments there are.
    let prefix = |a: &Function, b: &Function| b.parameters.starts_with(&a.parameters);
    let same_signature = old.parameters == new.parameters
        || is_main(old) && is_main(new) && (prefix(old, new) || prefix(new, old));
    let mergeable = !fixed && !old.variadic && old.body.is_some() && new.body.is_some();
    old.body.is_some() == new.body.is_some()
        && old.weak == new.weak
        && old.results == new.results
        && old.variadic == new.variadic
        && old.by_value == new.by_value
        && (same_signature || mergeable)
}

/// The functions whose address is used.
fn address_taken(program: &Program) -> HashSet<FunctionId> {
    let constants = program.constants.values().filter_map(|constant| match constant.value {
        ConstantValue::Address { symbol, .. } => Some(symbol),
        _ => None,
    });
    let stored = program.globals.values().flat_map(|global| match &global.initializer {
        Initializer::Data { relocations, .. } => relocations.as_slice(),
        _ => &[],
    });
    constants
        .chain(stored.map(|relocation| relocation.symbol))
        .filter_map(|symbol| match symbol {
            Symbol::Function(id) => Some(id),
            Symbol::Global(_) => None,
        })
        .collect()
}

fn pair_globals(old: &Keys<'_>, new: &Keys<'_>) -> Vec<Option<(GlobalId, Basis)>> {
    let fits =
        |a: GlobalId, b: GlobalId| fit_global(&old.program.globals[a], &new.program.globals[b]);
    let contents = |keys: &Keys<'_>, id: GlobalId| contents(keys, id);
    let mut same = |a: GlobalId, b: GlobalId| contents(old, a) == contents(new, b);
    let named = |keys: &Keys<'_>, id: GlobalId| {
        Some(keys.globals[id.index()].clone()).filter(|key| !matches!(key, Key::Content(_)))
    };
    let without_unit = |keys: &Keys<'_>, id: GlobalId| named(keys, id).map(|k| k.without_unit());
    let name = |keys: &Keys<'_>, id: GlobalId| {
        let key = named(keys, id)?;
        key.name().map(|(scope, name)| (scope.to_owned(), name.to_owned()))
    };
    let mut pairing = Pairing::new(old.program.globals.len(), new.program.globals.len());
    pairing.stage(|id| named(old, id), |id| named(new, id), &fits, &mut same);
    pairing.stage(|id| without_unit(old, id), |id| without_unit(new, id), &fits, &mut same);
    pairing.stage(|id| name(old, id), |id| name(new, id), &fits, &mut same);
    // What is left was renamed, perhaps: the same file, the same function, the same contents.
    let like = |keys: &Keys<'_>, id: GlobalId| match named(keys, id)? {
        Key::Local { file, scope, .. } => Some((file, scope, contents(keys, id))),
        _ => None,
    };
    pairing.stage(|id| like(old, id), |id| like(new, id), &fits, &mut |_, _| true);
    let mut pairs = pairing.finish(Basis::Identity);
    let mut by_content: HashMap<&Key, GlobalId> = HashMap::new();
    for (id, _) in new.program.globals.iter().filter(|(_, global)| is_anonymous(global)) {
        by_content.entry(&new.globals[id.index()]).or_insert(id);
    }
    for (id, _) in old.program.globals.iter().filter(|(_, global)| is_anonymous(global)) {
        let found = by_content.get(&old.globals[id.index()]);
        pairs[id.index()] = found.map(|new| (*new, Basis::Content));
    }
    pairs
}

/// Whether two globals can be one object.
fn fit_global(old: &Global, new: &Global) -> bool {
    let kind = |global: &Global| match &global.initializer {
        Initializer::External => 0,
        Initializer::Zero | Initializer::Data { .. } => 1,
        Initializer::Unsupported(_) => 2,
    };
    old.thread_local == new.thread_local && old.weak == new.weak && kind(old) == kind(new)
}

/// A hash of size and first contents of a global.
fn contents(keys: &Keys<'_>, id: GlobalId) -> u64 {
    let global = &keys.program.globals[id];
    let data = match &global.initializer {
        Initializer::Data { bytes, relocations } => {
            let targets: Vec<_> = relocations
                .iter()
                .map(|relocation| {
                    (relocation.offset, keys.token(relocation.symbol), relocation.addend)
                })
                .collect();
            hash(&(bytes, targets))
        }
        Initializer::Zero => hash("zero"),
        other => hash(&format!("{other:?}")),
    };
    hash(&(global.size, global.align, global.constant, data))
}

/// Copies of a header's function that do the same are one: the first of them stands for all.
///
/// Not those that refer to a variable of their own unit, or call a copy that does: each has its own.
fn function_classes(keys: &Keys<'_>) -> Vec<FunctionId> {
    let mut groups: HashMap<Key, Vec<FunctionId>> = HashMap::new();
    for (id, function) in keys.program.functions.iter() {
        let key = &keys.functions[id.index()];
        if function.body.is_some() && matches!(key, Key::Local { unit, file, .. } if unit != file) {
            groups.entry(key.without_unit()).or_default().push(id);
        }
    }
    groups.retain(|_, copies| copies.len() > 1);
    let mut excluded: HashSet<FunctionId> = HashSet::new();
    let copies: HashSet<FunctionId> = groups.values().flatten().copied().collect();
    loop {
        let before = excluded.len();
        for &id in &copies {
            if !excluded.contains(&id) && has_own_state(keys, id, &excluded) {
                excluded.insert(id);
            }
        }
        if excluded.len() == before {
            break;
        }
    }
    let mut classes: Vec<FunctionId> = keys.program.functions.ids().collect();
    for copies in groups.values() {
        let mut first: HashMap<u64, FunctionId> = HashMap::new();
        for &id in copies.iter().filter(|id| !excluded.contains(id)) {
            classes[id.index()] = *first.entry(keys.function_hash(id)).or_insert(id);
        }
    }
    classes
}

/// Whether a function names a variable of its unit, or a function that does.
fn has_own_state(keys: &Keys<'_>, id: FunctionId, with_state: &HashSet<FunctionId>) -> bool {
    let mut found = false;
    let program = keys.program;
    let mut look = |symbol: Symbol| match symbol {
        Symbol::Global(id) => {
            found |= !program.globals[id].constant
                && matches!(keys.globals[id.index()], Key::Local { .. });
        }
        Symbol::Function(id) => found |= with_state.contains(&id),
    };
    let blocks = program.functions[id].body.iter().flat_map(|body| body.blocks.values());
    for block in blocks {
        let mut operand = |operand| {
            if let umbra_ir::Operand::Constant(constant) = operand
                && let ConstantValue::Address { symbol, .. } = program.constants[constant].value
            {
                look(symbol);
            }
        };
        for instruction in &block.instructions {
            instruction.operation.visit_operands(&mut operand);
        }
        block.terminator.visit_operands(&mut operand);
        for instruction in &block.instructions {
            if let umbra_ir::Operation::Call { callee: umbra_ir::Callee::Direct(callee), .. } =
                &instruction.operation
            {
                look(Symbol::Function(*callee));
            }
        }
    }
    found
}

/// Anonymous constants with equal contents are one.
fn global_classes(keys: &Keys<'_>) -> Vec<GlobalId> {
    let mut first: HashMap<&Key, GlobalId> = HashMap::new();
    let globals = keys.program.globals.iter();
    globals
        .map(|(id, global)| match is_anonymous(global) {
            true => *first.entry(&keys.globals[id.index()]).or_insert(id),
            false => id,
        })
        .collect()
}
