//! The order in which folders list their entries.
//!
//! A tree says it by its own order. Engine and native runs both make their file systems by the
//! function here, so that programs see the same.

use std::collections::HashMap;

/// Where each path stands when folders come before their entries, and entries in the order in which
/// `paths` first mention them, themselves or something below them: indices into `paths`.
///
/// All that is in a folder stands together behind it.
pub fn listing_order<'a>(paths: impl IntoIterator<Item = &'a [u8]>) -> Vec<usize> {
    let mut mentions: HashMap<&[u8], usize> = HashMap::new();
    let mut keys: Vec<Vec<usize>> = Vec::new();
    for path in paths {
        let mut key = Vec::new();
        for prefix in prefixes(path) {
            let next = mentions.len();
            key.push(*mentions.entry(prefix).or_insert(next));
        }
        keys.push(key);
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|one, other| keys[*one].cmp(&keys[*other]));
    order
}

/// The folders that lead to a path, from the top, and the path itself; none for the root.
fn prefixes(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let ends = slashes.map(|(end, _)| end).chain([path.len()]);
    ends.map(|end| &path[..end]).filter(|prefix| *prefix != b".")
}

#[cfg(test)]
mod tests {
    use super::listing_order;

    #[test]
    fn entries_follow_their_folder_as_they_were_mentioned() {
        let paths = ["d/b", "z", "d/a", ".", "a", "d", "z/y", "d.x"];
        let order = listing_order(paths.map(str::as_bytes));
        let ordered: Vec<&str> = order.into_iter().map(|index| paths[index]).collect();
        assert_eq!(ordered, [".", "d", "d/b", "d/a", "z", "z/y", "a", "d.x"]);
    }
}
