//! The comparison of two versions, for people.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use umbra_text::Show;

use super::{ChangeLine, DiffSummary, DivergenceLine, NativeLine, PairCounts, place_text};
use crate::{Colour, Undefined};
use umbra_words::{Class, Place};

/// Differences of native runs that are shown for each divergence.
const DIFFERENCES: usize = 3;

/// Tests that are named for each change.
const TESTS: usize = 3;

/// Lines that are named whose result C leaves undefined.
const UNDEFINED: usize = 5;

/// Says of a call that it is what the case is an input of.
const CALL: &str = "on an input of the function, not of the program:";

/// Changes of which all are listed, and files that are named where they are not.
const MANY_CHANGES: usize = 12;
const FILES: usize = 4;

/// A place, whose file others have named.
fn shown_place(place: &Place) -> String {
    place_text(place).shown().to_string()
}

/// How a summary is printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Colours.
    pub colour: Colour,
    /// Columns of the terminal; as many as usual, if it is none.
    pub columns: Option<usize>,
    /// Also the traces of what native runs show.
    pub verbose: bool,
}

impl DiffSummary {
    /// The summary for people.
    pub fn to_text(&self) -> String {
        self.to_text_in(Look::default())
    }

    /// The summary for people who look at it so.
    pub fn to_text_in(&self, look: Look) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text, look);
        text
    }

    fn write(&self, out: &mut String, look: Look) -> Result {
        let numbered = || self.divergences.iter().enumerate();
        for (index, line) in numbered().filter(|(_, line)| !line.is_folded()) {
            match &line.finding {
                Some(finding) => {
                    let Look { colour, columns, verbose } = look;
                    let text = finding.to_text(index + 1, colour, columns, verbose);
                    writeln!(out, "{text}   {}", line.detail.shown())?;
                    if let Some(call) = &line.call {
                        writeln!(out, "   {CALL} {}", call.shown())?;
                    }
                    writeln!(out)?;
                }
                None => line.write(index + 1, out)?,
            }
        }
        if self.divergences.iter().any(DivergenceLine::is_folded) {
            writeln!(out, "without visible effect:")?;
        }
        for (index, line) in numbered().filter(|(_, line)| line.is_folded()) {
            line.write_folded(index + 1, out)?;
        }
        let (same, diff, cut) = (self.same, self.diff, self.cut);
        writeln!(out, "paths: {same} same, {diff} diff, {cut} cut")?;
        let pairs = &self.pairs;
        if *pairs != PairCounts::default() {
            let (same, diff, cut) = (pairs.same, pairs.diff, pairs.cut);
            writeln!(
                out,
                "pairs of paths behind a split: {same} with the same outputs, {diff} with different ones, {cut} cut"
            )?;
        }
        if self.pruned > 0 {
            let pruned = self.pruned;
            writeln!(
                out,
                "pruned: {pruned} (nothing differs there, and no change can be reached)"
            )?;
        }
        self.write_counts(out)?;
        self.write_forgotten(out)?;
        for ignored in self.unification.iter().flat_map(|counts| &counts.ignored) {
            writeln!(out, "ignored: {ignored}")?;
        }
        for (what, count) in &self.left_out {
            writeln!(out, "left out: {} ({count})", what.shown())?;
        }
        self.write_undefined(out)?;
        self.write_changes(out)?;
        let proved = match (self.is_equivalent(), self.has_same_outputs()) {
            (true, _) => "equivalent on all inputs within these bounds:",
            (false, true) => "the same outputs on all inputs within these bounds:",
            (false, false) => return Ok(()),
        };
        writeln!(out, "{proved}")?;
        for bound in &self.bounds {
            writeln!(out, "  {}", bound.shown())?;
        }
        Ok(())
    }

    /// The changes. Of many only those are listed that make a difference; the others are counted by file.
    fn write_changes(&self, out: &mut String) -> Result {
        let is_open = self.is_open();
        let is_listed = |change: &&ChangeLine| {
            self.changes.len() <= MANY_CHANGES || change.paired || change.diverged
        };
        for change in self.changes.iter().filter(is_listed) {
            change.write(is_open, out)?;
        }
        let mut others: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for change in self.changes.iter().filter(|change| !is_listed(change)) {
            let files = others.entry(change.state(is_open)).or_default();
            *files.entry(&change.place.file).or_default() += 1;
        }
        for (state, files) in others {
            let count: usize = files.values().sum();
            let mut files: Vec<(&str, usize)> = files.into_iter().collect();
            files.sort_by_key(|&(_, count)| Reverse(count));
            let named =
                files.iter().take(FILES).map(|(file, count)| format!("{} ({count})", file.shown()));
            let named = named.collect::<Vec<_>>().join(", ");
            let changes = if count == 1 { "change" } else { "changes" };
            write!(out, "{count} {changes}: {state}, in {named}")?;
            match files.len().saturating_sub(FILES) {
                0 => writeln!(out)?,
                1 => writeln!(out, " and another file")?,
                more => writeln!(out, " and {more} more files")?,
            }
        }
        Ok(())
    }

    /// What the program did that another machine may do in another way.
    fn write_undefined(&self, out: &mut String) -> Result {
        for Undefined { kind, place } in self.undefined.iter().take(UNDEFINED) {
            let (kind, place) = (kind.shown(), shown_place(place));
            writeln!(
                out,
                "undefined in C: {kind} at {place}: it depends on where objects are in memory"
            )?;
        }
        match self.undefined.len().saturating_sub(UNDEFINED) {
            0 => Ok(()),
            more => writeln!(out, "undefined in C: {more} more (--json lists them)"),
        }
    }

    /// Different ways from weak places that led to the same strong one.
    fn write_forgotten(&self, out: &mut String) -> Result {
        let forgotten = &self.lockstep.forgotten;
        if self.lockstep.listed {
            for (place, count) in forgotten {
                writeln!(
                    out,
                    "forgotten: different ways to the same place, at {} ({count})",
                    shown_place(place)
                )?;
            }
        } else if !forgotten.is_empty() {
            let count: u64 = forgotten.iter().map(|(_, count)| count).sum();
            writeln!(
                out,
                "forgotten: {count} different ways to the same place (--forgotten lists them)"
            )?;
        }
        Ok(())
    }

    /// Tests and native runs, where there is something to say.
    fn write_counts(&self, out: &mut String) -> Result {
        let seeds = &self.seeds;
        if seeds.given > 1 || seeds.tried > 0 {
            write!(out, "tests: {} of {} followed", seeds.followed, seeds.given)?;
            if !seeds.choice.is_empty() {
                write!(out, " ({})", seeds.choice)?;
            }
            if seeds.tried > 0 {
                let (shapes, tried) = (seeds.shapes, seeds.tried);
                write!(out, ", and {shapes} in another shape; {tried} of these ran natively")?;
            }
            if seeds.out_of_time > 0 {
                write!(out, ", {} not followed because time ran out", seeds.out_of_time)?;
            }
            if seeds.other_programs > 0 {
                write!(out, ", {} are for other programs", seeds.other_programs)?;
            }
            writeln!(out)?;
        }
        let replay = &self.replay;
        if replay.replayed + replay.not_replayed > 0 {
            write!(out, "native runs: {} test cases on both versions", replay.replayed)?;
            if replay.not_replayed > 0 {
                write!(out, ", {} not run", replay.not_replayed)?;
            }
            match &replay.reason {
                Some(reason) => writeln!(out, ": {}", reason.shown())?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }
}

impl DivergenceLine {
    fn write(&self, number: usize, out: &mut String) -> Result {
        let (kind, place) = (&self.kind, shown_place(&self.place));
        writeln!(out, "divergence {number}: {kind} ({}) at {place}", self.classes())?;
        writeln!(out, "  {}", self.detail.shown())?;
        for change in &self.changes {
            writeln!(out, "  from the change at {}", shown_place(change))?;
        }
        for (depth, place) in self.stack.iter().enumerate() {
            writeln!(out, "    #{depth} {}", place.shown())?;
        }
        self.path.write(out)?;
        if let Some(call) = &self.call {
            writeln!(out, "  {CALL} {}", call.shown())?;
        }
        self.write_native(out)?;
        let paths = if self.count == 1 { "path" } else { "paths" };
        write!(out, "  {}, on {} {paths}", self.phase, self.count)?;
        if let Some(case) = &self.case {
            write!(out, ", as {case}")?;
        }
        match self.more_cases.len() {
            0 => writeln!(out),
            1 => writeln!(out, " and 1 other"),
            more => writeln!(out, " and {more} others"),
        }
    }

    /// What native runs say, and what was predicted where that is something else.
    fn classes(&self) -> String {
        let predicted = self.class;
        match &self.native {
            NativeLine::Judged { class, .. } if *class == predicted => {
                format!("{class}, natively confirmed")
            }
            NativeLine::Judged { class, .. } if self.is_confirmed() => {
                format!("{class}, natively")
            }
            NativeLine::Judged { class, .. } => {
                format!("{} predicted, natively {}", in_words(predicted), in_words(*class))
            }
            NativeLine::NotRun | NativeLine::NoAnswer(_) => {
                format!("{} predicted", in_words(predicted))
            }
        }
    }

    fn write_native(&self, out: &mut String) -> Result {
        match &self.native {
            NativeLine::NotRun => Ok(()),
            NativeLine::NoAnswer(reason) => {
                writeln!(out, "  native runs gave no answer: {}", reason.shown())
            }
            NativeLine::Judged { differences, .. } => {
                for difference in differences.iter().take(DIFFERENCES) {
                    writeln!(out, "  {}", difference.place.shown())?;
                    writeln!(out, "    old: {}", difference.old.shown())?;
                    writeln!(out, "    new: {}", difference.new.shown())?;
                }
                match differences.len().saturating_sub(DIFFERENCES) {
                    0 => Ok(()),
                    more => writeln!(out, "  and {more} more differences"),
                }
            }
        }
    }

    fn write_folded(&self, number: usize, out: &mut String) -> Result {
        let (kind, place) = (&self.kind, shown_place(&self.place));
        write!(out, "  divergence {number}: {kind} at {place}")?;
        if self.is_proved_silent() {
            write!(out, ", proved for all inputs of the path")?;
        } else {
            write!(out, ", on this input natively")?;
        }
        if let NativeLine::Judged { class, .. } = &self.native
            && *class == Class::Flaky
        {
            write!(out, ", the old version is flaky")?;
        }
        match &self.case {
            Some(case) => writeln!(out, ", as {case}"),
            None => writeln!(out),
        }
    }
}

/// A class for people.
fn in_words(class: Class) -> &'static str {
    match class {
        Class::Same => "no visible effect",
        class => class.name(),
    }
}

impl ChangeLine {
    /// What came of it. `is_open`: paths were not followed to their ends, so that what was not seen may still be.
    fn state(&self, is_open: bool) -> &'static str {
        match (self.reached, self.paired, self.diverged) {
            (false, ..) => "not reached",
            (true, _, true) => "reached, diverges",
            (true, true, false) if is_open => "reached, values differ, no divergence found so far",
            (true, true, false) => "reached, values differ, no divergence",
            (true, false, false) if is_open => "reached, no difference found so far",
            (true, false, false) => "reached, no value differs",
        }
    }

    fn write(&self, is_open: bool, out: &mut String) -> Result {
        write!(out, "change at {}: {}", shown_place(&self.place), self.state(is_open))?;
        match &*self.tests {
            [] => writeln!(out),
            tests => {
                write!(out, "; by {}", tests[..tests.len().min(TESTS)].join(", ").shown())?;
                match tests.len().saturating_sub(TESTS) {
                    0 => writeln!(out),
                    more => writeln!(out, " and {more} more"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_changes_are_counted_by_file() {
        let change = |file: &str, line, reached, diverged| ChangeLine {
            place: Place { file: file.to_owned(), line },
            reached,
            diverged,
            ..ChangeLine::default()
        };
        let mut changes = vec![change("a.c", 1, true, true), change("a.c", 2, true, false)];
        for file in ["b.c", "c.c", "d.c", "e.c", "f.c", "b.c"] {
            changes.extend((1..3).map(|line| change(file, line, false, false)));
        }
        let text = |count: usize| {
            let summary = DiffSummary { changes: changes[..count].to_vec(), ..Default::default() };
            let text = summary.to_text();
            let lines: Vec<&str> = text.lines().filter(|line| line.contains("change")).collect();
            lines.join("\n")
        };
        assert_eq!(text(12).lines().count(), 12);
        assert_eq!(
            text(14),
            "change at a.c:1: reached, diverges\n\
             12 changes: not reached, in b.c (4), c.c (2), d.c (2), e.c (2) and another file\n\
             1 change: reached, no value differs, in a.c (1)"
        );
    }
}
