//! Cases for every rewrite rule, from `tests/rules/*.txt`.
//!
//! A file is lines: `rule NAME`, then for this rule `applies TERM => TERM` and `keeps TERM`. A
//! `applies` case counts the rule and builds the second term from the first; a `keeps` case does
//! not count the rule. Names: `a b c d` have W bits, `p q r` are truth values, `f g` half floats,
//! `m` is an array of 16 bytes, `t` a table (read by `(t.at index)`); `kN` is the constant N of W
//! bits, `{W}`, `{W-1}`, `{W/2}` and the like are numbers. Cases are judged at W = 8.
//!
//! Every `applies` case is proved: the first term built without rules and with rules mean the
//! same, at each of the widths 1, 4 and 8 where the text makes sense, by trying all values where
//! these are few, and by z3.

use std::collections::HashMap;
use std::path::Path;

use umbra_expr::{Array, ArrayId, Assignment, Evaluator, ExprId, Expressions, Rule, smt};

struct Case {
    rule: String,
    place: String,
    before: String,
    after: Option<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of rule cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file of rule cases");
        let mut rule = String::new();
        for (number, line) in text.lines().enumerate() {
            let name = file.file_name().expect("a name").to_string_lossy();
            let place = format!("{name}:{}", number + 1);
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            match word {
                "" | "#" => {}
                "rule" => rule = rest.to_owned(),
                "applies" => {
                    let (before, after) = rest.split_once(" => ").expect(&place);
                    let (before, after) = (before.to_owned(), Some(after.to_owned()));
                    cases.push(Case { rule: rule.clone(), place, before, after });
                }
                "keeps" => {
                    let before = rest.to_owned();
                    cases.push(Case { rule: rule.clone(), place, before, after: None });
                }
                _ => panic!("{place}: {line}"),
            }
        }
    }
    cases
}

/// The text with numbers for `W`, and constants spelled out.
fn at_width(text: &str, width: u32) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let end = start + rest[start..].find('}').expect("a closing brace");
        out.push_str(&rest[..start]);
        let inner = rest[start + 1..end].trim_start_matches('W');
        let number = |text: &str| text.parse::<i64>().expect("a number");
        let width = i64::from(width);
        out.push_str(&match inner.split_at(inner.len().min(1)) {
            ("", _) => width.to_string(),
            ("-", by) => (width - number(by)).to_string(),
            ("+", by) => (width + number(by)).to_string(),
            ("*", by) => (width * number(by)).to_string(),
            ("/", by) => match by.split_once('-') {
                Some((by, less)) => (width / number(by) - number(less)).to_string(),
                None => (width / number(by)).to_string(),
            },
            _ => panic!("{text}"),
        });
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    let words = out.split(' ').map(|word| {
        let (open, word) = word.split_at(word.len() - word.trim_start_matches('(').len());
        let (word, close) = word.split_at(word.trim_end_matches(')').len());
        match word.strip_prefix('k').and_then(|number| number.parse::<i64>().ok()) {
            Some(value) => {
                let value = value.rem_euclid(1 << width);
                format!("{open}(_ bv{value} {width}){close}")
            }
            None => format!("{open}{word}{close}"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The term in a table; nothing where it makes no sense at this width.
fn build(exprs: &mut Expressions, term: &str, width: u32) -> Result<ExprId, smt::SmtError> {
    let mut text = String::from(
        "(declare-const p Bool) (declare-const q Bool) (declare-const r Bool)\n\
         (declare-const f Float16) (declare-const g Float16)\n\
         (set-info :umbra-input \"16 m\") (declare-const m (Array (_ BitVec 64) (_ BitVec 8)))\n\
         (set-info :umbra-table \"000102030405060708090a0b0c0d0e0f t\")\n",
    );
    for name in ["a", "b", "c", "d"] {
        text += &format!("(declare-const {name} (_ BitVec {width}))\n");
    }
    text += &format!("(get-value ({}))", at_width(term, width));
    Ok(smt::parse(exprs, &text)?.values[0])
}

fn hits(exprs: &Expressions, name: &str) -> u64 {
    let found = exprs.rule_hits().find(|(rule, _)| rule.name() == name);
    found.unwrap_or_else(|| panic!("no rule is called {name}")).1
}

#[test]
fn rules_apply_and_do_not_apply() {
    let mut seen: HashMap<String, (bool, bool)> = HashMap::new();
    let mut failures = Vec::new();
    for case in cases() {
        let Case { rule, place, before, after } = &case;
        let mut exprs = Expressions::new();
        let built = match build(&mut exprs, before, 8) {
            Ok(built) => built,
            Err(error) => {
                failures.push(format!("{place}: {before}: {error}"));
                continue;
            }
        };
        let applied = hits(&exprs, rule) > 0;
        let seen = seen.entry(rule.clone()).or_default();
        match after {
            Some(after) => {
                seen.0 = true;
                if !applied {
                    failures.push(format!("{place}: {rule} does not apply to {before}"));
                }
                match build(&mut exprs, after, 8) {
                    Ok(expected) if expected == built => {}
                    Ok(expected) => failures.push(format!(
                        "{place}: {before}\n  is {}\n  not {}",
                        smt::term_text(&exprs, built),
                        smt::term_text(&exprs, expected)
                    )),
                    Err(error) => failures.push(format!("{place}: {after}: {error}")),
                }
            }
            None => {
                seen.1 = true;
                if applied {
                    failures.push(format!("{place}: {rule} applies to {before}"));
                }
            }
        }
    }
    for rule in Rule::ALL {
        // Pairs have no text; their rules are tested where they are written.
        if matches!(rule, Rule::PairSide | Rule::PairEqual) {
            continue;
        }
        match seen.get(rule.name()) {
            Some((true, true)) => {}
            Some((false, _)) | None => failures.push(format!("{rule}: no case where it applies")),
            Some((_, false)) => failures.push(format!("{rule}: no case where it does not")),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// A term built without rules, and the result of the rules in the same table.
struct Proof {
    place: String,
    exprs: Expressions,
    before: ExprId,
    after: ExprId,
}

fn proofs() -> Vec<Proof> {
    let mut proofs = Vec::new();
    for case in cases() {
        for width in [1, 4, 8] {
            let (mut exprs, mut simple) = (Expressions::without_rules(), Expressions::new());
            let Ok(before) = build(&mut exprs, &case.before, width) else { continue };
            let Ok(after) = build(&mut simple, &case.before, width) else { continue };
            let after = exprs.import(&simple, after);
            let place = format!("{} at {width}: {}", case.place, case.before);
            proofs.push(Proof { place, exprs, before, after });
        }
    }
    proofs
}

/// All values of few bits.
#[test]
fn rules_hold_for_all_values() {
    let mut evaluator = Evaluator::new();
    for Proof { place, mut exprs, before, after } in proofs() {
        // Bytes that matter, with how many values of each to try: variables are narrower.
        let width = place.split(" at ").nth(1).and_then(|text| text.split(':').next());
        let width: u32 = width.and_then(|text| text.parse().ok()).expect("a width");
        let mut bytes: Vec<(ArrayId, u32, u32)> = Vec::new();
        for e in [before, after] {
            for range in exprs.support(e).to_vec() {
                let Array::Input { name, .. } = exprs.array(range.array) else { continue };
                let bits = match name.as_str() {
                    "p" | "q" | "r" => 1,
                    "m" | "f" | "g" => 8,
                    _ => width,
                };
                for offset in range.start..range.end {
                    if !bytes.contains(&(range.array, offset, bits)) {
                        bytes.push((range.array, offset, bits));
                    }
                }
            }
        }
        let total: u32 = bytes.iter().map(|byte| byte.2).sum();
        if total > 12 {
            continue;
        }
        for values in 0..1u32 << total {
            let (mut assignment, mut rest) = (Assignment::new(), values);
            for &(array, offset, bits) in &bytes {
                assignment.set(array, offset, (rest & ((1 << bits) - 1)) as u8);
                rest >>= bits;
            }
            let mut run = evaluator.run(&exprs, &assignment);
            assert_eq!(run.value(before), run.value(after), "{place} under {assignment:?}");
        }
    }
}

/// All values, by the solver.
#[test]
fn rules_are_proved_by_z3() {
    let mut script = String::new();
    let mut places = Vec::new();
    for Proof { place, mut exprs, before, after } in proofs() {
        if before == after {
            continue;
        }
        let different = exprs.ne(before, after);
        let query = smt::Script { assertions: vec![different], values: Vec::new() };
        script += &smt::print(&exprs, &query);
        script += "(reset)\n";
        places.push(place);
    }
    let Some(answers) = crate::z3::answers(&script) else { return };
    assert_eq!(answers.len(), places.len(), "{answers:?}");
    for (place, answer) in places.iter().zip(&answers) {
        assert_eq!(answer, "unsat", "{place}");
    }
}
