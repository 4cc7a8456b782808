//! Sets of expressions that can be searched for subsets and supersets of a set.
//!
//! A tree whose edges are labelled with the elements in ascending order (Hoffmann and Koehler, "A
//! New Method to Index and Query Sets", 1999). Searches for supersets can visit much of the tree, so
//! they give up after a number of steps; a miss costs an answer, never its truth.

use umbra_expr::ExprId;

/// Nodes that a search may visit.
const STEPS: usize = 300;

#[derive(Debug)]
struct Node<V> {
    /// Ascending by element.
    children: Vec<(ExprId, u32)>,
    value: Option<V>,
}

impl<V> Default for Node<V> {
    fn default() -> Self {
        Self { children: Vec::new(), value: None }
    }
}

/// Values filed under sets of expressions; sets are sorted slices without repetition.
#[derive(Debug)]
pub(super) struct SetTrie<V> {
    nodes: Vec<Node<V>>,
}

impl<V> Default for SetTrie<V> {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl<V> SetTrie<V> {
    /// How many nodes the tree has.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn insert(&mut self, set: &[ExprId], value: V) {
        let mut at = 0;
        for &element in set {
            let children = &self.nodes[at].children;
            at = match children.binary_search_by_key(&element, |child| child.0) {
                Ok(position) => children[position].1 as usize,
                Err(position) => {
                    let new = self.nodes.len();
                    self.nodes[at].children.insert(position, (element, new as u32));
                    self.nodes.push(Node::default());
                    new
                }
            };
        }
        self.nodes[at].value = Some(value);
    }

    /// A value filed under a subset of the set.
    pub(super) fn subset(&self, set: &[ExprId]) -> Option<&V> {
        let mut open: Vec<(usize, &[ExprId])> = vec![(0, set)];
        for _ in 0..STEPS {
            let (at, rest) = open.pop()?;
            let node = &self.nodes[at];
            if node.value.is_some() {
                return node.value.as_ref();
            }
            for &(element, child) in &node.children {
                if let Ok(position) = rest.binary_search(&element) {
                    open.push((child as usize, &rest[position + 1..]));
                }
            }
        }
        None
    }

    /// A value filed under a superset of the set.
    pub(super) fn superset(&self, set: &[ExprId]) -> Option<&V> {
        let mut open: Vec<(usize, &[ExprId])> = vec![(0, set)];
        for _ in 0..STEPS {
            let (at, rest) = open.pop()?;
            let node = &self.nodes[at];
            let Some((&wanted, after)) = rest.split_first() else {
                if node.value.is_some() {
                    return node.value.as_ref();
                }
                open.extend(node.children.iter().map(|&(_, child)| (child as usize, rest)));
                continue;
            };
            // A larger element can only be followed by larger ones.
            for &(element, child) in node.children.iter().take_while(|child| child.0 <= wanted) {
                let rest = if element == wanted { after } else { rest };
                open.push((child as usize, rest));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_expr::Expressions;

    #[test]
    fn finds_subsets_and_supersets() {
        let mut exprs = Expressions::new();
        let e: Vec<ExprId> = (0..6).map(|value| exprs.constant(8, value)).collect();
        let pick = |mask: usize| -> Vec<ExprId> {
            (0..6).filter(|bit| mask >> bit & 1 == 1).map(|bit| e[bit]).collect()
        };
        let stored = [0b011, 0b110100, 0b101001, 0b010010];
        let mut trie = SetTrie::default();
        for mask in stored {
            trie.insert(&pick(mask), mask);
        }
        for mask in 0..64 {
            let subset = trie.subset(&pick(mask));
            assert_eq!(subset.is_some(), stored.iter().any(|s| s & mask == *s), "{mask:b}");
            assert!(subset.is_none_or(|s| s & mask == *s));
            let superset = trie.superset(&pick(mask));
            assert_eq!(superset.is_some(), stored.iter().any(|s| s & mask == mask), "{mask:b}");
            assert!(superset.is_none_or(|s| s & mask == mask));
        }
    }
}
