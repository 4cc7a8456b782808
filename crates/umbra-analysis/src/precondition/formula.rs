//! What has to hold at a place of the program.

use std::collections::BTreeMap;

use umbra_ir::{GlobalId, RegisterId};

use super::values::{Values, mask};

/// Where an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// A global variable.
    Global(GlobalId),
    /// What a register holds at the place that the formula is about.
    Register(RegisterId),
}

/// Something that has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A register.
    Register(RegisterId),
    /// Some bytes in memory, little endian.
    Memory {
        /// Where the address starts from.
        base: Base,
        /// Bytes from there.
        offset: i64,
        /// How many bytes, at most eight.
        bytes: u32,
    },
}

/// The bits of a value that a formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    /// The value.
    pub source: Source,
    /// Its bits.
    pub bits: u32,
    /// Those that are looked at; the others count as zero.
    pub mask: u64,
}

/// A condition on some variables, each by itself, all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// `None` is false.
    atoms: Option<BTreeMap<Variable, Values>>,
}

/// More variables than this are not looked at.
const MAX_VARIABLES: usize = 16;

impl Formula {
    /// What always holds.
    pub const TRUE: Self = Self { atoms: Some(BTreeMap::new()) };
    /// What never holds.
    pub const FALSE: Self = Self { atoms: None };

    /// Whether it never holds.
    pub fn is_false(&self) -> bool {
        self.atoms.is_none()
    }

    /// Whether it says nothing.
    pub fn is_true(&self) -> bool {
        self.atoms.as_ref().is_some_and(BTreeMap::is_empty)
    }

    /// The variables, with the values that each may have; none for what never holds.
    pub fn atoms(&self) -> impl Iterator<Item = (Variable, &Values)> {
        self.atoms.iter().flatten().map(|(variable, values)| (*variable, values))
    }

    /// Whether it holds where variables have these values; `None` if that depends on others.
    ///
    /// A value is given with all its bits.
    pub fn holds(&self, value: &dyn Fn(Variable) -> Option<u64>) -> Option<bool> {
        let Some(atoms) = &self.atoms else { return Some(false) };
        let mut all = Some(true);
        for (&variable, values) in atoms {
            match value(variable) {
                Some(value) if !values.contains(value & variable.mask) => return Some(false),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }

    /// Also demands that a variable has one of some values.
    pub(crate) fn demand(&mut self, variable: Variable, values: &Values) {
        let Some(atoms) = &mut self.atoms else { return };
        let all = Values::that_are(umbra_ir::Predicate::Ule, variable.mask, 64);
        let values = values.intersection(&all);
        if values == all || (variable.mask == 0 && values.contains(0)) {
            return;
        }
        let values = match atoms.get(&variable) {
            Some(known) => known.intersection(&values),
            None => values,
        };
        if values.is_empty() || contradicts(atoms, variable, &values) {
            self.atoms = None;
        } else if atoms.len() < MAX_VARIABLES || atoms.contains_key(&variable) {
            atoms.insert(variable, values);
        }
    }

    /// What holds if this or another formula does, or something weaker: what both say of a variable.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let (Some(one), Some(two)) = (&self.atoms, &other.atoms) else {
            return if self.is_false() { other.clone() } else { self.clone() };
        };
        let mut both = Self::TRUE;
        for (variable, values) in one {
            if let Some(others) = two.get(variable) {
                both.demand(*variable, &values.union(others));
            }
        }
        both
    }

    /// The formula about other variables: `change` demands of the result what an atom becomes.
    pub(super) fn mapped(&self, change: &mut dyn FnMut(&mut Self, Variable, &Values)) -> Self {
        let Some(atoms) = &self.atoms else { return Self::FALSE };
        let mut result = Self::TRUE;
        for (variable, values) in atoms {
            change(&mut result, *variable, values);
        }
        result
    }
}

/// Whether a variable that has a single value contradicts what is said of other bits of the same.
fn contradicts(atoms: &BTreeMap<Variable, Values>, variable: Variable, values: &Values) -> bool {
    let whole = mask(variable.bits);
    let same = |other: &Variable| other.source == variable.source && other.bits == variable.bits;
    let mut others = atoms.iter().filter(|(other, _)| same(other) && **other != variable);
    match values.only() {
        Some(value) if variable.mask == whole => {
            others.any(|(other, values)| !values.contains(value & other.mask))
        }
        _ => others.any(|(other, known)| {
            let known = known.only().filter(|_| other.mask == whole);
            known.is_some_and(|value| !values.contains(value & variable.mask))
        }),
    }
}

#[cfg(test)]
mod tests {
    use umbra_ir::{Id, Predicate};

    use super::*;

    fn variable(register: usize, mask: u64) -> Variable {
        Variable { source: Source::Register(RegisterId::from_index(register)), bits: 8, mask }
    }

    #[test]
    fn contradictions_are_found() {
        let mut formula = Formula::TRUE;
        formula.demand(variable(1, 0xff), &Values::that_are(Predicate::Sgt, 5, 8));
        assert!(!formula.is_false() && !formula.is_true());
        let mut low = formula.clone();
        low.demand(variable(1, 0xff), &Values::one(3));
        assert!(low.is_false());
        let mut masked = formula.clone();
        masked.demand(variable(1, 0xff), &Values::one(8));
        masked.demand(variable(1, 1), &Values::one(1));
        assert!(masked.is_false());
        let mut masked = formula.clone();
        masked.demand(variable(1, 1), &Values::one(1));
        assert!(!masked.is_false());
        masked.demand(variable(1, 0xff), &Values::one(8));
        assert!(masked.is_false());
        formula.demand(variable(2, 0xff), &Values::all(8));
        assert_eq!(formula.atoms().count(), 1);
    }

    #[test]
    fn a_disjunction_keeps_what_both_say() {
        let mut one = Formula::TRUE;
        one.demand(variable(1, 0xff), &Values::one(3));
        one.demand(variable(2, 0xff), &Values::one(1));
        let mut two = Formula::TRUE;
        two.demand(variable(1, 0xff), &Values::one(5));
        let both = one.or(&two);
        assert_eq!(both.atoms().count(), 1);
        let of = |value: u64| both.holds(&|_| Some(value));
        assert_eq!([of(3), of(4), of(5)], [Some(true), Some(false), Some(true)]);
        assert_eq!(both.holds(&|_| None), None);
        assert_eq!(Formula::FALSE.or(&one), one);
        assert_eq!(one.or(&Formula::FALSE), one);
        assert!(one.or(&Formula::TRUE).is_true());
        assert_eq!(Formula::FALSE.holds(&|_| None), Some(false));
    }
}
