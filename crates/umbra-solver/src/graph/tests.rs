//! The builders against the host's arithmetic.

use super::{Edge, Gate, Graph};

/// Values of 64 assignments at once, by node.
fn evaluate(graph: &Graph, inputs: &[u64]) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::with_capacity(graph.len());
    for node in 0..graph.len() {
        let of = |edge: Edge| values[edge.node()] ^ if edge.is_complement() { u64::MAX } else { 0 };
        let value = match graph.gate(node) {
            Gate::False => 0,
            Gate::Input(number) => inputs[number as usize],
            Gate::And(a, b) => of(a) & of(b),
            Gate::Xor(a, b) => of(a) ^ of(b),
            Gate::Mux(c, a, b) => of(c) & of(a) | !of(c) & of(b),
        };
        values.push(value);
    }
    values
}

fn read(values: &[u64], edges: &[Edge], lane: u32) -> u128 {
    edges.iter().enumerate().fold(0, |number, (position, edge)| {
        let bit = (values[edge.node()] >> lane & 1 == 1) != edge.is_complement();
        number | u128::from(bit) << position
    })
}

fn mask(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(value: u128, width: u32) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

type Build = fn(&mut Graph, &[Edge], &[Edge]) -> Vec<Edge>;
type Compute = fn(u128, u128, u32) -> u128;

const OPERATIONS: &[(&str, Build, Compute)] = &[
    ("add", |g, a, b| g.add(a, b), |a, b, _| a.wrapping_add(b)),
    ("subtract", |g, a, b| g.subtract(a, b), |a, b, _| a.wrapping_sub(b)),
    ("negate", |g, a, _| g.negate(a), |a, _, _| a.wrapping_neg()),
    ("multiply", |g, a, b| g.multiply(a, b), |a, b, _| a.wrapping_mul(b)),
    (
        "quotient",
        |g, a, b| g.unsigned_divide(a, b).0,
        |a, b, _| a.checked_div(b).unwrap_or(u128::MAX),
    ),
    ("remainder", |g, a, b| g.unsigned_divide(a, b).1, |a, b, _| a.checked_rem(b).unwrap_or(a)),
    (
        "signed quotient",
        |g, a, b| g.signed_divide(a, b).0,
        |a, b, w| {
            let (a, b) = (signed(a, w), signed(b, w));
            let by_zero = if a < 0 { 1 } else { -1 };
            (if b == 0 { by_zero } else { a.wrapping_div(b) }) as u128
        },
    ),
    (
        "signed remainder",
        |g, a, b| g.signed_divide(a, b).1,
        |a, b, w| {
            let (a, b) = (signed(a, w), signed(b, w));
            (if b == 0 { a } else { a.wrapping_rem(b) }) as u128
        },
    ),
    (
        "shift left",
        |g, a, b| g.shift_left(a, b),
        |a, b, w| {
            if b >= u128::from(w) { 0 } else { a << b }
        },
    ),
    (
        "shift right",
        |g, a, b| g.shift_right(a, b, Edge::FALSE),
        |a, b, w| {
            if b >= u128::from(w) { 0 } else { a >> b }
        },
    ),
    (
        "signed shift",
        |g, a, b| g.shift_right(a, b, a[a.len() - 1]),
        |a, b, w| (signed(a, w) >> b.min(u128::from(w - 1))) as u128,
    ),
    ("equal", |g, a, b| vec![g.equal(a, b)], |a, b, _| u128::from(a == b)),
    ("less", |g, a, b| vec![g.unsigned_less(a, b)], |a, b, _| u128::from(a < b)),
    ("less or equal", |g, a, b| vec![g.unsigned_less_equal(a, b)], |a, b, _| u128::from(a <= b)),
    (
        "signed less",
        |g, a, b| vec![g.signed_less(a, b)],
        |a, b, w| u128::from(signed(a, w) < signed(b, w)),
    ),
    (
        "signed less or equal",
        |g, a, b| vec![g.signed_less_equal(a, b)],
        |a, b, w| u128::from(signed(a, w) <= signed(b, w)),
    ),
];

fn word(graph: &mut Graph, width: u32, first: u32) -> Vec<Edge> {
    (0..width).map(|position| graph.input(first + position)).collect()
}

fn constant(width: u32, value: u128) -> Vec<Edge> {
    (0..width).map(|position| Edge::constant(value >> position & 1 == 1)).collect()
}

/// Every operation on every pair of operands, three ways: both unknown, the first one constant,
/// the second one constant.
fn check(width: u32, pairs: &[(u128, u128)]) {
    for (name, build, compute) in OPERATIONS {
        let mut graph = Graph::default();
        let (a, b) = (word(&mut graph, width, 0), word(&mut graph, width, width));
        let result = build(&mut graph, &a, &b);
        for chunk in pairs.chunks(64) {
            let mut inputs = vec![0u64; 2 * width as usize];
            for (lane, &(x, y)) in chunk.iter().enumerate() {
                for position in 0..width {
                    inputs[position as usize] |= (x >> position & 1) as u64 * (1 << lane);
                    inputs[(width + position) as usize] |= (y >> position & 1) as u64 * (1 << lane);
                }
            }
            let values = evaluate(&graph, &inputs);
            for (lane, &(x, y)) in chunk.iter().enumerate() {
                let mask = mask(result.len() as u32);
                let expected = compute(x, y, width) & mask;
                assert_eq!(read(&values, &result, lane as u32), expected, "{name} {width} {x} {y}");
            }
        }
        for &(x, y) in pairs.iter().take(64) {
            for fixed in 0..2 {
                let mut graph = Graph::default();
                let (mut a, mut b) = (word(&mut graph, width, 0), word(&mut graph, width, width));
                if fixed == 0 {
                    a = constant(width, x);
                } else {
                    b = constant(width, y);
                }
                let result = build(&mut graph, &a, &b);
                let inputs: Vec<u64> = (0..2 * width)
                    .map(|i| if i < width { x >> i & 1 } else { y >> (i - width) & 1 } as u64)
                    .collect();
                let values = evaluate(&graph, &inputs);
                let expected = compute(x, y, width) & mask(result.len() as u32);
                assert_eq!(read(&values, &result, 0), expected, "{name} {width} {x} {y} {fixed}");
            }
        }
    }
}

#[test]
fn every_operation_is_right_on_all_small_operands() {
    for width in 1..=5 {
        let all = 0..1u128 << width;
        let pairs: Vec<(u128, u128)> =
            all.clone().flat_map(|a| all.clone().map(move |b| (a, b))).collect();
        check(width, &pairs);
    }
}

#[test]
fn every_operation_is_right_on_sampled_large_operands() {
    let mut state = 0x9876_5432_10fe_dcbau128;
    let mut next = || {
        state ^= state << 45;
        state ^= state >> 17;
        state ^= state << 26;
        state
    };
    for width in [8, 13, 16, 31, 32, 64, 65, 128] {
        let special = [0, 1, 2, mask(width), mask(width) >> 1, 1 << (width - 1), u128::from(width)];
        let mut pairs: Vec<(u128, u128)> = Vec::new();
        for a in special {
            for b in special {
                pairs.push((a & mask(width), b & mask(width)));
            }
        }
        for round in 0..143 {
            // Small second operands make shifts and divisions worth looking at.
            let narrow = if round % 2 == 0 { width } else { 1 + round % width.min(8) };
            pairs.push((next() & mask(width), next() & mask(narrow)));
        }
        pairs.rotate_left(20);
        check(width, &pairs);
    }
}

#[test]
fn look_up_finds_every_byte_and_zero_beyond() {
    for size in [0, 1, 2, 3, 7, 8, 13, 200, 256] {
        let mut graph = Graph::default();
        let index = word(&mut graph, 10, 0);
        let bytes: Vec<[Edge; 8]> = (0..size)
            .map(|position| {
                std::array::from_fn(|bit| Edge::constant((position * 7) >> bit & 1 == 1))
            })
            .collect();
        let byte = graph.look_up(&bytes, &index);
        for at in 0..1024u64 {
            let inputs: Vec<u64> = (0..10).map(|bit| at >> bit & 1).collect();
            let values = evaluate(&graph, &inputs);
            let expected = if at < size as u64 { (u128::from(at) * 7) & 255 } else { 0 };
            assert_eq!(read(&values, &byte, 0), expected, "{at} of {size}");
        }
    }
}

/// All functions of three inputs that two levels of nodes can build are what they should be, so
/// no simplification is wrong.
#[test]
fn simplification_keeps_the_function() {
    let mut graph = Graph::default();
    let inputs = [0x0f0f, 0x3333, 0x5555];
    let mut edges = vec![Edge::FALSE];
    edges.extend((0..3).map(|number| graph.input(number)));
    for _ in 0..2 {
        let mut next = edges.clone();
        let signed: Vec<Edge> = edges.iter().flat_map(|&edge| [edge, !edge]).collect();
        for &a in &signed {
            for &b in &signed {
                for c in [edges[1], !edges[2], edges[edges.len() - 1], a] {
                    let nodes = [graph.and(a, b), graph.xor(a, b), graph.mux(c, a, b)];
                    let values = evaluate(&graph, &inputs);
                    let of = |edge: Edge| {
                        (values[edge.node()] ^ if edge.is_complement() { u64::MAX } else { 0 })
                            as u16
                    };
                    let (x, y, z) = (of(a), of(b), of(c));
                    assert_eq!(nodes.map(of), [x & y, x ^ y, z & x | !z & y]);
                    next.extend(nodes);
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        edges = next.into_iter().take(24).collect();
    }
}
