//! What became of two programs, and what a run of them came to, for people.

use std::collections::BTreeSet;
use std::path::Path;

use umbra_ir::{FileId, FunctionId, Program, SourceFile};
use umbra_report::{
    Cell, DiffSummary, DivergenceLine, ExplainReport, FileLine, FunctionReport, LineMark,
    NativeLine, RowLine, RowRun, RunReport, SymbolLine, TypeLine,
};
use umbra_text::Show;
use umbra_unify::{ChangedType, Difference, Explained, Mark, SourceLine};
use umbra_words::Place;

use super::unified::Both;
use super::unify;
use crate::own::is_own;
use crate::program::{self, Tools};
use crate::{Error, Patch, Subject};

/// What became of two programs; `None` if they are the same.
pub fn explain(
    subject: &Subject,
    patch: Option<&Patch>,
    toolchain: Tools<'_>,
) -> Result<Option<ExplainReport>, Error> {
    let Some(path) = &subject.old else {
        return Err(Error::NotTwoPrograms(subject.program.clone()));
    };
    let bitcode = program::find_bitcode(&subject.program, subject.function.as_deref(), toolchain)?;
    let bitcode = program::hooked(bitcode, subject.from.as_ref(), toolchain)?;
    let new = program::load(&bitcode)?;
    let (_, both) = unify(path, subject, new, patch, toolchain)?;
    if both.unified.is_same_program() {
        return Ok(None);
    }
    Ok(Some(report(subject, path, &both)))
}

fn report(
    subject: &Subject,
    path: &Path,
    Both { old, new, unified, texts, .. }: &Both<'_>,
) -> ExplainReport {
    let read = |version, file: &SourceFile| texts.read(version, file);
    let explanation = umbra_unify::explain(old, new, unified, &read);
    let correspondence = &unified.correspondence;
    let name = |program: &Program, file: FileId| program.files[file].name.clone();
    let files = explanation.files.iter().map(|file| {
        let (before, after) = (name(old, file.old), name(new, file.new));
        let last = |name: &str| Path::new(name).file_name().map(ToOwned::to_owned);
        FileLine {
            old_name: (last(&before) != last(&after)).then_some(before),
            name: after,
            hunks: file.hunks,
            removed: file.removed,
            added: file.added,
        }
    });
    let (added, added_library) = symbols(new, &correspondence.added_functions);
    let (removed, removed_library) = symbols(old, &correspondence.removed_functions);
    let globals = correspondence.globals.iter().filter(|pair| !pair.equal).map(|pair| {
        let (before, after) = (&old.globals[pair.old], &new.globals[pair.new]);
        let name = after.identity.as_ref().map_or(&after.name, |identity| &identity.name);
        let detail = match before.size == after.size {
            true => format!("{} bytes, other first contents", after.size),
            false => format!("{} bytes → {}", before.size, after.size),
        };
        SymbolLine { name: name.clone(), detail }
    });
    ExplainReport {
        old: path.shown().to_string(),
        new: subject.program.shown().to_string(),
        files: files.collect(),
        shared: unified.statistics.shared,
        functions: explanation.functions.into_iter().map(|f| function(new, f)).collect(),
        added,
        removed,
        library: added_library + removed_library,
        globals: globals.collect(),
        types: explanation.types.into_iter().map(ty).collect(),
        noise: correspondence.ignored().collect(),
        run: None,
    }
}

/// Functions of the program by name, and how many of libraries there are.
fn symbols(program: &Program, ids: &[FunctionId]) -> (Vec<SymbolLine>, u64) {
    let mut lines = Vec::new();
    let mut library = 0;
    for &id in ids {
        let identity = program.functions[id].identity.as_ref();
        match identity.filter(|identity| is_own(&program.files[identity.file].path())) {
            Some(identity) => lines.push(SymbolLine {
                name: identity.name.clone(),
                detail: format!("{}:{}", program.files[identity.file].name, identity.line),
            }),
            None => library += 1,
        }
    }
    (lines, library)
}

fn ty(ty: ChangedType) -> TypeLine {
    let ((old_size, new_size), (old_fields, new_fields)) = (ty.sizes, ty.fields);
    let fields = match old_fields == new_fields {
        true => String::new(),
        false => format!(", {old_fields} → {new_fields} fields"),
    };
    let detail = format!("{old_size} → {new_size} bytes{fields}");
    TypeLine { name: ty.name, detail, ripples: ty.ripples }
}

fn function(new: &Program, explained: Explained) -> FunctionReport {
    let Explained { old_name, place, basis, statistics, kinds, version_blocks, rows } = explained;
    let place =
        place.map_or_else(String::new, |(file, line)| format!("{}:{line}", new.files[file].name));
    let kinds = kinds.into_iter().map(|(kind, count)| (kind.name().to_owned(), count));
    let row = |row: umbra_unify::Row| RowLine {
        old: row.old.map(cell),
        new: row.new.map(cell),
        notes: notes(&row.differences),
        run: None,
    };
    FunctionReport {
        old_name: (old_name != statistics.name).then_some(old_name),
        name: statistics.name,
        place,
        basis: basis.to_string(),
        equal: statistics.strong,
        weak: statistics.weak,
        old_alone: statistics.old_only,
        new_alone: statistics.new_only,
        changes: statistics.changes,
        version_branches: statistics.version_branches,
        version_blocks,
        kinds: kinds.collect(),
        ripples: statistics.ripples,
        two_copies: statistics.two_copies,
        rows: rows.into_iter().map(row).collect(),
    }
}

fn cell(line: SourceLine) -> Cell {
    let mark = match line.mark {
        Mark::None => LineMark::None,
        Mark::Equal => LineMark::Equal,
        Mark::Changed => LineMark::Changed,
        Mark::Alone => LineMark::Alone,
    };
    Cell { line: line.line, text: line.text, mark }
}

/// What differs in a line, each thing once. What follows from something else says nothing new.
fn notes(differences: &[Difference]) -> Vec<String> {
    let said: BTreeSet<String> = differences
        .iter()
        .filter(|difference| difference.sides.is_some())
        .map(ToString::to_string)
        .collect();
    said.into_iter().collect()
}

/// Adds what a run came to.
pub fn add_run(report: &mut ExplainReport, summary: &DiffSummary) {
    let mut rows: Vec<(String, &mut RowLine)> = Vec::new();
    for function in &mut report.functions {
        let path = function.place.rsplit_once(':').map_or("", |(path, _)| path);
        let file = file_name(path);
        rows.extend(function.rows.iter_mut().map(|row| (file.clone(), row)));
    }
    let mut at = |place: &Place, change: &mut dyn FnMut(&mut RowRun)| {
        let file = file_name(&place.file);
        let is_there = |cell: &Option<Cell>| cell.as_ref().is_some_and(|c| c.line == place.line);
        let found = rows.iter_mut().find(|(name, row)| *name == file && is_there(&row.new));
        if let Some((_, row)) = found {
            change(row.run.get_or_insert_default());
        }
    };
    for change in &summary.changes {
        at(&change.place, &mut |run| {
            run.reached |= change.reached;
            run.tests.extend(change.tests.iter().cloned());
        });
    }
    for line in &summary.divergences {
        at(&line.place, &mut |run| {
            let said = said_of(line);
            if !run.parted.contains(&said) {
                run.parted.push(said);
            }
        });
    }
    let tests: BTreeSet<&String> = summary.changes.iter().flat_map(|c| &c.tests).collect();
    let manner = match summary.all_paths {
        true => "all paths",
        false => "near tests",
    };
    report.run = Some(RunReport {
        manner: manner.to_owned(),
        reached: summary.changes.iter().filter(|change| change.reached).count() as u64,
        changes: summary.changes.len() as u64,
        tests: tests.len() as u64,
        followed: summary.seeds.followed,
        lockstep: summary.lockstep.share,
        partings: summary.lockstep.partings,
        forgotten: summary.lockstep.forgotten.iter().map(|(_, count)| count).sum(),
        divergences: summary.divergences.iter().map(divergence).collect(),
    });
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn divergence(line: &DivergenceLine) -> SymbolLine {
    let place = match line.place.line {
        0 => "an unknown place".to_owned(),
        number => format!("{}:{number}", line.place.file),
    };
    SymbolLine { name: place, detail: format!("{}; {}", said_of(line), line.detail) }
}

/// What is said of a place where the versions part.
fn said_of(line: &DivergenceLine) -> String {
    let native = match &line.native {
        NativeLine::Judged { class, .. } => format!("natively {}", class.name()),
        NativeLine::NotRun | NativeLine::NoAnswer(_) => format!("{} predicted", line.class.name()),
    };
    format!("{}, {native}", line.kind.name())
}
