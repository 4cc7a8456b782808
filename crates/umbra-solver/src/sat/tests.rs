//! The solver against exhaustive enumeration.

use fastrand::Rng;

use super::{Answer, Budget, Dimacs, Exhausted, Literal, Sat, Variable};

/// Numbers that are the same for the same seed.
struct Random(Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }
}

fn random_clauses(random: &mut Random, variables: usize, count: usize) -> Dimacs {
    let mut dimacs = Dimacs { variables, clauses: Vec::new() };
    for _ in 0..count {
        let size = if random.below(12) == 0 { 2 } else { 3 };
        let mut clause: Vec<Literal> = Vec::new();
        while clause.len() < size {
            let variable = Variable::from_index(random.below(variables));
            if clause.iter().all(|literal| literal.variable() != variable) {
                clause.push(variable.literal(random.below(2) == 0));
            }
        }
        dimacs.clauses.push(clause);
    }
    dimacs
}

/// Whether some assignment satisfies the clauses and the assumptions, by trying all.
fn satisfiable(dimacs: &Dimacs, assumptions: &[Literal]) -> bool {
    let holds = |bits: u32, literal: &Literal| {
        (bits >> literal.variable().index() & 1 == 1) == literal.is_positive()
    };
    (0..1u32 << dimacs.variables).any(|bits| {
        assumptions.iter().all(|literal| holds(bits, literal))
            && dimacs.clauses.iter().all(|clause| clause.iter().any(|l| holds(bits, l)))
    })
}

fn ask(sat: &mut Sat, assumptions: &[Literal], budget: &Budget) -> Answer {
    if sat.assume(assumptions) { sat.search_all(budget) } else { Answer::Unsatisfied }
}

/// Asks, and checks the model against the clauses.
fn check(sat: &mut Sat, dimacs: &Dimacs, assumptions: &[Literal]) -> bool {
    match ask(sat, assumptions, &Budget::default()) {
        Answer::Satisfied => {
            let holds = |literal: &Literal| sat.value(*literal) == Some(true);
            assert!(assumptions.iter().all(holds), "an assumption is false in the model");
            assert!(dimacs.clauses.iter().all(|clause| clause.iter().any(holds)), "wrong model");
            true
        }
        Answer::Unsatisfied => false,
        Answer::GaveUp(reason) => panic!("gave up without a limit: {reason:?}"),
    }
}

#[test]
fn agrees_with_enumeration_on_random_clauses() {
    let mut random = Random::new(0x1234_5678_9abc_def1);
    let mut sat = Sat::new();
    let mut satisfied = 0;
    for round in 0..3000 {
        let variables = 3 + random.below(10);
        let count = variables * (35 + random.below(20)) / 10;
        let dimacs = random_clauses(&mut random, variables, count);
        sat.reset();
        dimacs.load(&mut sat);
        let found = check(&mut sat, &dimacs, &[]);
        assert_eq!(found, satisfiable(&dimacs, &[]), "round {round}");
        satisfied += u32::from(found);
    }
    assert!((500..2500).contains(&satisfied), "one-sided sample: {satisfied} of 3000");
}

#[test]
fn answers_follow_the_assumptions_and_cores_are_enough() {
    let mut random = Random::new(77);
    let mut sat = Sat::new();
    for _ in 0..300 {
        let variables = 8 + random.below(5);
        let dimacs = random_clauses(&mut random, variables, variables * 3);
        sat.reset();
        dimacs.load(&mut sat);
        // Many questions to the same solver: what was learnt must not leak from one to the next.
        for _ in 0..20 {
            let mut assumptions: Vec<Literal> = Vec::new();
            for index in 0..variables {
                if random.below(3) == 0 {
                    assumptions.push(Variable::from_index(index).literal(random.below(2) == 0));
                }
            }
            let found = check(&mut sat, &dimacs, &assumptions);
            assert_eq!(found, satisfiable(&dimacs, &assumptions));
            if !found {
                let core = sat.core().to_vec();
                assert!(core.iter().all(|literal| assumptions.contains(literal)));
                assert!(!satisfiable(&dimacs, &core), "the core is satisfiable");
            }
        }
    }
}

#[test]
fn contradicting_assumptions_are_their_own_core() {
    let mut sat = Sat::new();
    Dimacs::parse("1 2 0").unwrap().load(&mut sat);
    let first = Variable::from_index(0).literal(true);
    assert_eq!(ask(&mut sat, &[first, !first], &Budget::default()), Answer::Unsatisfied);
    let mut core = sat.core().to_vec();
    core.sort_unstable();
    assert_eq!(core, [first, !first]);
}

/// `holes + 1` pigeons in `holes` holes, one each.
fn pigeons(holes: usize) -> String {
    let variable = |pigeon: usize, hole: usize| pigeon * holes + hole + 1;
    let mut text = String::new();
    for pigeon in 0..=holes {
        for hole in 0..holes {
            text += &format!("{} ", variable(pigeon, hole));
        }
        text += "0\n";
        for other in 0..pigeon {
            for hole in 0..holes {
                text += &format!("-{} -{} 0\n", variable(pigeon, hole), variable(other, hole));
            }
        }
    }
    text
}

#[test]
fn more_pigeons_than_holes_do_not_fit() {
    let mut sat = Sat::new();
    for holes in 1..8 {
        let dimacs = Dimacs::parse(&pigeons(holes)).unwrap();
        sat.reset();
        dimacs.load(&mut sat);
        assert!(!check(&mut sat, &dimacs, &[]), "{holes} holes");
    }
    assert!(sat.statistics().conflicts > 0);
}

#[test]
fn limits_end_a_search_and_leave_the_solver_usable() {
    let dimacs = Dimacs::parse(&pigeons(9)).unwrap();
    let mut sat = Sat::new();
    dimacs.load(&mut sat);
    let budget = Budget { conflicts: Some(100), ..Budget::default() };
    assert_eq!(ask(&mut sat, &[], &budget), Answer::GaveUp(Exhausted::Conflicts));
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let budget = Budget { stop: Some(stop), ..Budget::default() };
    assert_eq!(ask(&mut sat, &[], &budget), Answer::GaveUp(Exhausted::Stopped));
    let budget = Budget { deadline: Some(std::time::Instant::now()), ..Budget::default() };
    assert_eq!(ask(&mut sat, &[], &budget), Answer::GaveUp(Exhausted::Time));
    // A pigeon without any hole is refused before a search starts.
    let missing: Vec<Literal> =
        (0..9).map(|index| Variable::from_index(index).literal(false)).collect();
    assert_eq!(ask(&mut sat, &missing, &budget), Answer::Unsatisfied);
}

#[test]
fn long_searches_remove_clauses_and_stay_right() {
    // Hard enough for several removals: random clauses near the threshold.
    let mut random = Random::new(5);
    let mut sat = Sat::new();
    for round in 0..4 {
        let dimacs = random_clauses(&mut random, 150, 600 + 15 * round);
        sat.reset();
        dimacs.load(&mut sat);
        if check(&mut sat, &dimacs, &[]) {
            continue;
        }
        // A second opinion on the same clauses, started from the other side.
        let mut second = Sat::new();
        for _ in 0..dimacs.variables {
            second.variable(true);
        }
        for clause in dimacs.clauses.iter().rev() {
            second.add_clause(clause);
        }
        second.begin();
        second.activate_all();
        assert!(!check(&mut second, &dimacs, &[]));
    }
    let dimacs = Dimacs::parse(&pigeons(8)).unwrap();
    sat.reset();
    dimacs.load(&mut sat);
    assert!(!check(&mut sat, &dimacs, &[]));
    assert!(sat.statistics().removed > 0, "no clause was ever removed");
}

/// Random circuits of and-gates: a question on a part of the gates is answered as if the others
/// did not exist, and its values extend to them.
#[test]
fn restriction_to_a_cone_changes_no_answer() {
    let mut random = Random::new(99);
    for _ in 0..200 {
        let (inputs, gates) = (4, 14);
        let mut sat = Sat::new();
        let mut fanin: Vec<[Literal; 2]> = Vec::new();
        for index in 0..inputs + gates {
            let output = sat.variable(false).literal(true);
            if index < inputs {
                continue;
            }
            let mut pick =
                || Variable::from_index(random.below(index)).literal(random.below(2) == 0);
            let (a, mut b) = (pick(), pick());
            while b.variable() == a.variable() {
                b = pick();
            }
            fanin.push([a, b]);
            sat.add_clause(&[!output, a]);
            sat.add_clause(&[!output, b]);
            sat.add_clause(&[output, !a, !b]);
        }
        let evaluate = |bits: usize, target: Literal| {
            let mut values: Vec<bool> = (0..inputs).map(|index| bits >> index & 1 == 1).collect();
            for &[a, b] in &fanin {
                let of =
                    |literal: Literal| values[literal.variable().index()] == literal.is_positive();
                values.push(of(a) && of(b));
            }
            values[target.variable().index()] == target.is_positive()
        };
        for _ in 0..30 {
            let mut target =
                || Variable::from_index(random.below(inputs + gates)).literal(random.below(2) == 0);
            let goals = [target(), target()];
            sat.begin();
            let mut open: Vec<Variable> = goals.iter().map(|goal| goal.variable()).collect();
            while let Some(variable) = open.pop() {
                if sat.activate(variable) && variable.index() >= inputs {
                    open.extend(fanin[variable.index() - inputs].iter().map(|l| l.variable()));
                }
            }
            let expected =
                (0..1 << inputs).any(|bits| goals.iter().all(|&goal| evaluate(bits, goal)));
            let answer = ask(&mut sat, &goals, &Budget::default());
            assert_eq!(answer == Answer::Satisfied, expected);
            if expected {
                let bits = (0..inputs)
                    .filter(|&index| {
                        sat.value(Variable::from_index(index).literal(true)) == Some(true)
                    })
                    .fold(0, |bits, index| bits | 1 << index);
                assert!(goals.iter().all(|&goal| evaluate(bits, goal)), "wrong model");
            }
        }
    }
}

#[test]
fn dimacs_errors_name_the_line() {
    assert_eq!(
        Dimacs::parse("c comment\n1 x 0").unwrap_err().to_string(),
        "line 2: \"x\" is not a literal"
    );
    assert_eq!(Dimacs::parse("1 2").unwrap_err(), super::DimacsError::Unfinished);
    // A clause that always holds says nothing.
    assert_eq!(Dimacs::parse("p cnf 2 1\n1 -1 2 0").unwrap().clauses.len(), 0);
}
