//! Two worlds that are one again.
//!
//! Two versions of a program that ran alone for a while have a kernel each. Often both did the same in
//! another order, or only looked at something. Then one kernel serves both: each is first told what only the
//! other has read from the layer below, which nobody can notice, and what is left must be equal. Bytes that went
//! to the same place of an output need not be: they become pairs.

use umbra_engine::Byte;

use crate::bytes::OutputBytes;
use crate::fs::Fs;
use crate::fs::inode::{InodeId, Place};
use crate::stream::{OutputAction, OutputEvent};
use crate::system::System;

/// Makes a pair of the old version's byte and the new one's.
pub(crate) type Pairing<'a> = &'a mut dyn FnMut(Byte, Byte) -> Byte;

impl System {
    /// The world of both versions, if this, which is the new one's, and the old one's can be one.
    pub(crate) fn joined(&self, old: &System, pair: Pairing<'_>) -> Option<System> {
        let (mut new, mut old) = (self.clone(), old.clone());
        new.fs.read_what_is_known_to(&old.fs);
        old.fs.read_what_is_known_to(&new.fs);
        if !new.is_like(&old) {
            return None;
        }
        let written = new.joined_output(&old, pair)?;
        if let Some((count, events)) = written {
            new.replace_output(count, events);
        }
        Some(new)
    }

    /// Whether all but the output, and what nobody can notice, is the same.
    fn is_like(&self, other: &System) -> bool {
        let referred = self.family.has_parent() || !self.locks.is_empty();
        self.fs.is_like(&other.fs)
            && self.fds.is_like(&other.fds)
            && (!referred || self.fds == other.fds)
            && self.process == other.process
            && self.signals == other.signals
            && self.family == other.family
            && self.clock == other.clock
            && self.random == other.random
            && self.terminal == other.terminal
            && self.mappings == other.mappings
            && self.watch == other.watch
            && self.locks == other.locks
            && self.execution == other.execution
            && self.output_bytes == other.output_bytes
    }

    /// How many events of the output are only this version's, and what is in their place for both;
    /// `None` in it if nothing is to be replaced.
    #[allow(clippy::type_complexity, reason = "said in the line above")]
    fn joined_output(
        &self,
        old: &System,
        pair: Pairing<'_>,
    ) -> Option<Option<(usize, Vec<OutputEvent>)>> {
        let (new, old) = self.output_apart(old);
        let count = new.len();
        if new == old {
            return Some(None);
        }
        let (new, old) = (in_one_piece(&new), in_one_piece(&old));
        if new.len() != old.len() {
            return None;
        }
        let joined = new.iter().zip(&old).map(|(new, old)| joined_event(old, new, pair));
        joined.collect::<Option<Vec<_>>>().map(|events| Some((count, events)))
    }
}

/// Writes behind each other as one.
fn in_one_piece(events: &[&OutputEvent]) -> Vec<OutputEvent> {
    let mut pieces: Vec<OutputEvent> = Vec::new();
    for &event in events {
        if let Some(last) = pieces.last_mut()
            && last.sink == event.sink
            && let (
                OutputAction::Write { offset, bytes },
                OutputAction::Write { offset: next, bytes: more },
            ) = (&mut last.action, &event.action)
            && offset.map(|offset| offset + bytes.len() as u64) == *next
        {
            *bytes = bytes.iter().chain(more.iter()).collect();
            continue;
        }
        pieces.push(event.clone());
    }
    pieces
}

fn joined_event(old: &OutputEvent, new: &OutputEvent, pair: Pairing<'_>) -> Option<OutputEvent> {
    if old == new {
        return Some(new.clone());
    }
    let (
        OutputAction::Write { offset: before, bytes: old_bytes },
        OutputAction::Write { offset, bytes },
    ) = (&old.action, &new.action)
    else {
        return None;
    };
    let fits = old.sink == new.sink && before == offset && old_bytes.len() == bytes.len();
    fits.then(|| {
        let pairs = old_bytes.iter().zip(bytes.iter());
        let bytes: OutputBytes =
            pairs.map(|(old, new)| if old == new { new } else { pair(old, new) }).collect();
        OutputEvent { sink: new.sink, action: OutputAction::Write { offset: *offset, bytes } }
    })
}

impl Fs {
    /// Looks at what another copy has looked at, as far as that came from the layer below.
    fn read_what_is_known_to(&mut self, other: &Fs) {
        let (known, count) = (self.inodes(), other.inodes());
        let mut names: Vec<(u32, InodeId, Vec<u8>)> = Vec::new();
        for (id, directory) in other.directories() {
            let has_listing = directory.listing.is_some();
            if id.0 < known && has_listing {
                // Where it cannot be read, the listings differ, and that is seen.
                let _ = self.load_listing(id);
            }
            if count <= known {
                continue;
            }
            for (name, slot) in directory.slots.iter() {
                if let Some(slot) = slot
                    && slot.inode.0 >= known
                    && slot.place == Place::Lower
                {
                    names.push((slot.inode.0, id, name.to_vec()));
                }
            }
        }
        // In the order in which they were met, so that they get the same numbers.
        names.sort();
        for (number, directory, name) in names {
            let next = self.inodes();
            if number > next || !self.knows(directory) || self.lookup(directory, &name).is_err() {
                return;
            }
            if self.node(directory).directory().is_some_and(|known| known.listing.is_none())
                && other.node(directory).directory().is_some_and(|known| known.listing.is_some())
            {
                let _ = self.load_listing(directory);
            }
        }
    }
}
