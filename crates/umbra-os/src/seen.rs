//! Whether somebody outside can tell two worlds apart.
//!
//! Two versions of a program that ran alone for a while have a kernel each. What they have put out, and the files
//! with names, others see; what is in the kernel besides only the program itself can ask for.

use std::collections::{BTreeMap, BTreeSet};

use umbra_engine::Byte;

use crate::bytes::OutputBytes;
use crate::fs::Fs;
use crate::fs::inode::{Data, Directory, Inode, Place};
use crate::stream::{OutputAction, OutputEvent, SinkId};
use crate::system::System;

/// Whether a byte of the old version is the same as one of the new one.
pub(crate) type Sameness<'a> = &'a mut dyn FnMut(Byte, Byte) -> bool;

/// Bytes of a file that are looked at.
const COMPARED: usize = 1 << 20;

impl System {
    /// Whether the old version's world and this, which is the new one's, differ to the outside.
    pub(crate) fn differs_outside(&self, old: &System, same: Sameness<'_>) -> bool {
        let (mine, theirs) = self.output_apart(old);
        let (new, old_output) = (by_sink(&mine), by_sink(&theirs));
        let sinks: BTreeSet<_> = new.keys().chain(old_output.keys()).collect();
        let put_out = sinks.into_iter().any(|sink| {
            let (new, old) = (new.get(sink), old_output.get(sink));
            !same_output(old.map_or(&[], Vec::as_slice), new.map_or(&[], Vec::as_slice), same)
        });
        put_out || self.fs.differs_outside(&old.fs, same)
    }
}

/// What was done to each sink, writes behind each other as one.
fn by_sink(events: &[&OutputEvent]) -> BTreeMap<SinkId, Vec<OutputAction>> {
    let mut sinks: BTreeMap<SinkId, Vec<OutputAction>> = BTreeMap::new();
    for event in events {
        let actions = sinks.entry(event.sink).or_default();
        if let (
            Some(OutputAction::Write { offset, bytes }),
            OutputAction::Write { offset: next, bytes: more },
        ) = (actions.last_mut(), &event.action)
            && offset.map(|offset| offset + bytes.len() as u64) == *next
        {
            *bytes = bytes.iter().chain(more.iter()).collect();
            continue;
        }
        actions.push(event.action.clone());
    }
    sinks
}

fn same_output(old: &[OutputAction], new: &[OutputAction], same: Sameness<'_>) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| match (old, new) {
            (
                OutputAction::Write { offset: before, bytes: old },
                OutputAction::Write { offset, bytes },
            ) => before == offset && same_bytes(old, bytes, same),
            (old, new) => old == new,
        })
}

fn same_bytes(old: &OutputBytes, new: &OutputBytes, same: Sameness<'_>) -> bool {
    old.len() == new.len()
        && old.iter().zip(new.iter()).all(|(old, new)| old == new || same(old, new))
}

impl Fs {
    /// Whether files that have names differ.
    fn differs_outside(&self, old: &Fs, same: Sameness<'_>) -> bool {
        let mut known: BTreeMap<u32, [Option<&Directory>; 2]> = BTreeMap::new();
        for (fs, side) in [(old, 0), (self, 1)] {
            for (id, directory) in fs.directories() {
                known.entry(id.0).or_default()[side] = Some(directory);
            }
        }
        known.into_values().any(|[before, after]| match (before, after) {
            (Some(before), Some(after)) => self.names_differ(after, old, before, same),
            // What only one has looked at is as it was.
            _ => false,
        })
    }

    fn names_differ(
        &self,
        after: &Directory,
        old: &Fs,
        before: &Directory,
        same: Sameness<'_>,
    ) -> bool {
        let names: BTreeSet<_> = before.slots.keys().chain(after.slots.keys()).collect();
        names.into_iter().any(|name| {
            let (before, after) = (before.slots.get(name), after.slots.get(name));
            if made(before) != made(after) {
                return true;
            }
            match (before, after) {
                (Some(Some(before)), Some(Some(after))) => {
                    let (before, after) = (old.node(before.inode), self.node(after.inode));
                    self.file_differs(after, old, before, same)
                }
                _ => false,
            }
        })
    }

    fn file_differs(&self, after: &Inode, old: &Fs, before: &Inode, same: Sameness<'_>) -> bool {
        if (before.permissions, before.uid, before.gid) != (after.permissions, after.uid, after.gid)
        {
            return true;
        }
        match (&before.data, &after.data) {
            (Data::Regular(one), Data::Regular(two)) if one != two => {
                let one_bytes = one.load(&*old.lower, 0, COMPARED);
                let two_bytes = two.load(&*self.lower, 0, COMPARED);
                match (one_bytes, two_bytes) {
                    (Ok(old), Ok(new)) => {
                        one.size() != two.size()
                            || !same_bytes(&OutputBytes::from(&old), &OutputBytes::from(&new), same)
                    }
                    _ => false,
                }
            }
            (Data::Symlink(one), Data::Symlink(two)) => one != two,
            _ => before.type_bits() != after.type_bits(),
        }
    }
}

/// What has become of a name: `None` if it is as the layer below has it, else whether there is something under it.
fn made(slot: Option<&Option<crate::fs::inode::Slot>>) -> Option<bool> {
    match slot {
        None => None,
        Some(None) => Some(false),
        Some(Some(slot)) if slot.place == Place::Lower => None,
        Some(Some(_)) => Some(true),
    }
}
