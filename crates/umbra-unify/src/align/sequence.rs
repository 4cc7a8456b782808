//! The alignment of two sequences of items (Needleman and Wunsch), cut at items that are surely one.
//!
//! Items that look alike on lines that the textual diff maps to each other, and are the only such
//! ones in both, are certain; the longest rising chain of them cuts the sequences into short pieces, so the time is
//! not quadratic for functions in which little was edited. What is left over because code moved is aligned again, but
//! only where lines or looks say so.

use std::collections::HashMap;

use super::Sides;
use crate::code::ItemId;
use crate::lines::Verdict;
use crate::normal::hash;

/// A piece of more cells than this is not aligned but by certain items.
const MAX_CELLS: usize = 16_000_000;
/// How often what is left over is aligned again.
const ROUNDS: usize = 3;
/// What a line that the diff maps is worth.
const SAME_LINE: i32 = 8;
/// What equal looks are worth.
const SAME_LOOKS: i32 = 5;

/// Pairs of items, in no order.
pub fn align(sides: &Sides<'_>) -> Vec<(ItemId, ItemId)> {
    let mut old: Vec<ItemId> = sides.old.ids().collect();
    let mut new: Vec<ItemId> = sides.new.ids().collect();
    let mut pairs = Vec::new();
    for round in 0..ROUNDS {
        let score: &dyn Fn(ItemId, ItemId) -> Option<i32> = match round {
            0 => &|a, b| score(sides, a, b),
            _ => &|a, b| score(sides, a, b).filter(|_| is_likely(sides, a, b)),
        };
        let found = align_sequences(sides, &old, &new, score);
        if found.is_empty() {
            break;
        }
        let left: std::collections::HashSet<ItemId> = found.iter().map(|(a, _)| *a).collect();
        let right: std::collections::HashSet<ItemId> = found.iter().map(|(_, b)| *b).collect();
        old.retain(|item| !left.contains(item));
        new.retain(|item| !right.contains(item));
        pairs.extend(found);
    }
    pairs
}

/// What it is worth to pair two items; nothing if they cannot be one.
fn score(sides: &Sides<'_>, a: ItemId, b: ItemId) -> Option<i32> {
    let (left, right) = (&sides.old_features[a as usize], &sides.new_features[b as usize]);
    if left.kind != right.kind {
        return None;
    }
    if left.variable.iter().zip(&right.variable).any(|(a, b)| a != b) {
        return None;
    }
    let line = match sides.verdict(a, b) {
        Verdict::Same => SAME_LINE,
        Verdict::Open => 0,
        Verdict::Other => return None,
    };
    let looks = if left.looks == right.looks { SAME_LOOKS } else { 0 };
    Some(left.worth + line + looks)
}

fn is_likely(sides: &Sides<'_>, a: ItemId, b: ItemId) -> bool {
    let same_looks = sides.old_features[a as usize].looks == sides.new_features[b as usize].looks;
    sides.verdict(a, b) == Verdict::Same || same_looks && sides.old_features[a as usize].worth > 2
}

fn align_sequences(
    sides: &Sides<'_>,
    old: &[ItemId],
    new: &[ItemId],
    score: &dyn Fn(ItemId, ItemId) -> Option<i32>,
) -> Vec<(ItemId, ItemId)> {
    let mut pairs = Vec::new();
    let (mut a, mut b) = (0, 0);
    let mut cuts = certain(sides, old, new, score);
    cuts.push((old.len(), new.len()));
    for (to_a, to_b) in cuts {
        let (left, right) = (&old[a..to_a], &new[b..to_b]);
        if left.len().saturating_mul(right.len()) <= MAX_CELLS {
            needleman_wunsch(left, right, score, &mut pairs);
        }
        if to_a < old.len() {
            pairs.push((old[to_a], new[to_b]));
        }
        (a, b) = (to_a + 1, to_b + 1);
    }
    pairs
}

/// Positions of items that are surely one, rising on both sides.
fn certain(
    sides: &Sides<'_>,
    old: &[ItemId],
    new: &[ItemId],
    score: &dyn Fn(ItemId, ItemId) -> Option<i32>,
) -> Vec<(usize, usize)> {
    let mut seen: HashMap<u64, [Vec<usize>; 2]> = HashMap::new();
    for (at, &item) in old.iter().enumerate() {
        let line = sides.old.line(item).and_then(|line| sides.lines.forth(line));
        let features = &sides.old_features[item as usize];
        let word = hash(&(features.kind, features.looks, line));
        seen.entry(word).or_default()[0].push(at);
    }
    for (at, &item) in new.iter().enumerate() {
        let line = sides.new.line(item);
        let line = line.filter(|&line| sides.lines.back(line).is_some());
        let line = line.map(|line| sides.lines.in_new(line));
        let features = &sides.new_features[item as usize];
        let word = hash(&(features.kind, features.looks, line));
        seen.entry(word).or_default()[1].push(at);
    }
    let mut found: Vec<(usize, usize)> = seen
        .into_values()
        .filter_map(|[left, right]| match (left.as_slice(), right.as_slice()) {
            (&[a], &[b]) => score(old[a], new[b]).map(|_| (a, b)),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    longest_rising(&found)
}

/// The longest subsequence whose second components rise; the first ones do already.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[k]` is the pair with the least second component that ends a chain of length k + 1.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, &(_, b)) in pairs.iter().enumerate() {
        let position = ends.partition_point(|&end| pairs[end].1 < b);
        before.push(position.checked_sub(1).map(|previous| ends[previous]));
        match ends.get_mut(position) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain = Vec::new();
    let mut at = ends.last().copied();
    while let Some(index) = at {
        chain.push(pairs[index]);
        at = before[index];
    }
    chain.reverse();
    chain
}

/// The alignment of the greatest total worth.
fn needleman_wunsch(
    old: &[ItemId],
    new: &[ItemId],
    score: &dyn Fn(ItemId, ItemId) -> Option<i32>,
    pairs: &mut Vec<(ItemId, ItemId)>,
) {
    const UP: u8 = 0;
    const LEFT: u8 = 1;
    const PAIR: u8 = 2;
    if old.is_empty() || new.is_empty() {
        return;
    }
    let width = new.len() + 1;
    let mut choice = vec![UP; (old.len() + 1) * width];
    let mut above = vec![0i32; width];
    for (i, &a) in old.iter().enumerate() {
        let mut row = vec![0i32; width];
        for (j, &b) in new.iter().enumerate() {
            let (mut best, mut how) = (above[j + 1], UP);
            if row[j] > best {
                (best, how) = (row[j], LEFT);
            }
            if let Some(worth) = score(a, b)
                && above[j] + worth >= best
            {
                (best, how) = (above[j] + worth, PAIR);
            }
            row[j + 1] = best;
            choice[(i + 1) * width + j + 1] = how;
        }
        above = row;
    }
    let (mut i, mut j) = (old.len(), new.len());
    while i > 0 && j > 0 {
        match choice[i * width + j] {
            PAIR => {
                pairs.push((old[i - 1], new[j - 1]));
                (i, j) = (i - 1, j - 1);
            }
            LEFT => j -= 1,
            _ => i -= 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rising_chain_is_found() {
        let pairs = [(0, 4), (1, 0), (2, 1), (3, 3), (4, 2), (5, 5)];
        let chain = longest_rising(&pairs);
        assert_eq!(chain.len(), 4);
        assert!(chain.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        assert_eq!(longest_rising(&[]), []);
    }

    #[test]
    fn the_worthiest_alignment_is_taken() {
        let score =
            |a: ItemId, b: ItemId| (a % 10 == b % 10).then_some(if a == 13 { 5 } else { 1 });
        let mut pairs = Vec::new();
        needleman_wunsch(&[1, 2, 13, 4], &[3, 1, 2, 4], &score, &mut pairs);
        pairs.sort_unstable();
        assert_eq!(pairs, [(4, 4), (13, 3)], "one pair of 5 beats two of 1");
    }
}
