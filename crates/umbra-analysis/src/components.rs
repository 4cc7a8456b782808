//! Strongly connected components, by Tarjan's algorithm (Depth-first search and linear graph
//! algorithms, SIAM Journal on Computing 1, 1972), without recursion.

/// For each node of a graph the number of its component. A component has a higher number than those
/// it leads to.
pub(crate) fn components(successors: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let nodes = successors.len();
    let (mut indices, mut lows) = (vec![NONE; nodes], vec![0u32; nodes]);
    let mut found = vec![NONE; nodes];
    let (mut next, mut count) = (0, 0);
    let (mut open, mut stack): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    for root in 0..nodes as u32 {
        if indices[root as usize] != NONE {
            continue;
        }
        stack.push((root, 0));
        while let Some((node, at)) = stack.last_mut() {
            let (index, position) = (*node as usize, *at);
            if position == 0 {
                indices[index] = next;
                lows[index] = next;
                next += 1;
                open.push(*node);
            }
            if let Some(&to) = successors[index].get(position) {
                *at += 1;
                if indices[to as usize] == NONE {
                    stack.push((to, 0));
                } else if found[to as usize] == NONE {
                    lows[index] = lows[index].min(indices[to as usize]);
                }
                // Never visited as new again: the position has moved on.
                continue;
            }
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                let parent = *parent as usize;
                lows[parent] = lows[parent].min(lows[index]);
            }
            if lows[index] == indices[index] {
                while let Some(member) = open.pop() {
                    found[member as usize] = count;
                    if member as usize == index {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_each_other_is_one_component() {
        let successors = [vec![1], vec![2, 3], vec![0], vec![4], vec![4, 5], vec![]];
        assert_eq!(components(&successors), [3, 3, 3, 2, 1, 0]);
        assert_eq!(components(&[]), Vec::<u32>::new());
    }
}
