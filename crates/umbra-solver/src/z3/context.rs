//! The part of Z3's C interface that is needed, as safe owned types.
//!
//! A [`Term`] is a number into the context's own list of terms, so that no term outlives its
//! context and a term of another context is at worst the wrong one. A call that Z3 refuses yields
//! the term `true` and is remembered: [`Context::check`] then fails with Z3's message.

#![allow(unsafe_code, reason = "the binding to Z3's C interface")]

mod terms;
mod watchdog;

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use umbra_expr::FloatKind;
use z3_sys::*;

use crate::query::Error;
use watchdog::Watchdog;

/// A term of a [`Context`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term(u32);

/// How a number is made whole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rounding {
    NearestEven,
    NearestAway,
    Up,
    Down,
    ToZero,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Values can be read until the next check.
    Sat,
    Unsat,
    /// In Z3's words.
    Unknown(String),
}

/// Z3's word for a check that took too long.
pub(super) const OUT_OF_TIME: &str = "timeout";

/// What a check may use up; zero stands for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Allowance {
    pub(super) milliseconds: u32,
    pub(super) work: u32,
}

/// A Z3 context with its terms and one incremental solver.
///
/// Invariant: every pointer in it was made by `raw` and is referenced once by this value.
#[derive(Debug)]
pub(super) struct Context {
    raw: Z3_context,
    solver: Z3_solver,
    /// What the solver was last told that it may use.
    allowance: Option<Allowance>,
    model: Option<Z3_model>,
    terms: Vec<Z3_ast>,
    bit_sorts: HashMap<u32, Z3_sort>,
    float_sorts: HashMap<FloatKind, Z3_sort>,
    error: Option<String>,
    /// Started with the first check that has to be ended from outside.
    watchdog: Option<Watchdog>,
    stop: Option<Arc<AtomicBool>>,
    is_spent: bool,
}

impl Context {
    /// An empty context whose solver is meant for bit-vectors. Its checks end when `stop` is set.
    pub(super) fn new(stop: Option<Arc<AtomicBool>>) -> Result<Self, Error> {
        let failed = || Error::Z3 { message: "cannot make a context".to_owned() };
        // SAFETY: the configuration is used before it is deleted and nowhere else; without an error
        // handler a refused call returns, and its result is checked by `keep`.
        let raw = unsafe {
            let config = Z3_mk_config().ok_or_else(failed)?;
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let raw = raw.ok_or_else(failed)?;
            Z3_set_error_handler(raw, None);
            raw
        };
        let solver = new_solver(raw, c"QF_ABV").ok_or_else(failed)?;
        let mut context = Self {
            raw,
            solver,
            allowance: None,
            model: None,
            terms: Vec::new(),
            bit_sorts: HashMap::new(),
            float_sorts: HashMap::new(),
            error: None,
            watchdog: None,
            stop,
            is_spent: false,
        };
        // SAFETY: the context is alive.
        let truth = unsafe { Z3_mk_true(raw) };
        context.terms.push(truth.ok_or_else(failed)?);
        // SAFETY: the term was just made and is alive.
        unsafe { Z3_inc_ref(raw, context.terms[0]) };
        Ok(context)
    }

    /// Whether it should not be asked again: a check was cancelled from outside.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// How many terms were made.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    fn ast(&self, term: Term) -> Z3_ast {
        self.terms[term.0 as usize]
    }

    fn keep(&mut self, ast: Option<Z3_ast>) -> Term {
        let Some(ast) = ast else {
            self.note_error();
            return Term(0);
        };
        // SAFETY: the term is the result of the last call, which keeps it alive until here.
        unsafe { Z3_inc_ref(self.raw, ast) };
        self.terms.push(ast);
        Term(self.terms.len() as u32 - 1)
    }

    fn note_error(&mut self) {
        // SAFETY: the message is copied before another call can change it.
        let message = unsafe {
            let code = Z3_get_error_code(self.raw);
            text(Z3_get_error_msg(self.raw, code))
        };
        self.error.get_or_insert(message);
    }

    fn bit_sort(&mut self, width: u32) -> Option<Z3_sort> {
        if let Some(&sort) = self.bit_sorts.get(&width) {
            return Some(sort);
        }
        // SAFETY: the context is alive; the sort is referenced before another call.
        let sort = unsafe {
            let sort = Z3_mk_bv_sort(self.raw, width)?;
            Z3_inc_ref(self.raw, Z3_sort_to_ast(self.raw, sort)?);
            sort
        };
        self.bit_sorts.insert(width, sort);
        Some(sort)
    }

    fn float_sort(&mut self, kind: FloatKind) -> Option<Z3_sort> {
        if let Some(&sort) = self.float_sorts.get(&kind) {
            return Some(sort);
        }
        // SAFETY: as in `bit_sort`.
        let sort = unsafe {
            let sort = Z3_mk_fpa_sort(self.raw, kind.exponent_bits(), kind.precision())?;
            Z3_inc_ref(self.raw, Z3_sort_to_ast(self.raw, sort)?);
            sort
        };
        self.float_sorts.insert(kind, sort);
        Some(sort)
    }

    /// Opens a scope of the incremental solver in which the term holds.
    pub(super) fn push(&mut self, term: Term) {
        // SAFETY: the context, its solver and the term are alive.
        unsafe {
            Z3_solver_push(self.raw, self.solver);
            Z3_solver_assert(self.raw, self.solver, self.ast(term));
        }
    }

    /// Closes that many scopes, which must be open.
    pub(super) fn pop(&mut self, scopes: u32) {
        // SAFETY: the context and its solver are alive; Z3 refuses too many scopes.
        unsafe { Z3_solver_pop(self.raw, self.solver, scopes) };
    }

    /// Asks the incremental solver about all that holds in the open scopes.
    pub(super) fn check(&mut self, allowance: Allowance) -> Result<Outcome, Error> {
        if self.allowance != Some(allowance) {
            self.set_allowance(self.solver, allowance);
            self.allowance = Some(allowance);
        }
        self.check_with(self.solver, allowance)
    }

    /// Asks a new solver for this logic about the terms.
    pub(super) fn check_alone(
        &mut self,
        logic: &CStr,
        terms: &[Term],
        allowance: Allowance,
    ) -> Result<Outcome, Error> {
        let Some(solver) = new_solver(self.raw, logic) else {
            self.note_error();
            return self.fail();
        };
        for &term in terms {
            // SAFETY: the context, the solver and the term are alive.
            unsafe { Z3_solver_assert(self.raw, solver, self.ast(term)) };
        }
        self.set_allowance(solver, allowance);
        let outcome = self.check_with(solver, allowance);
        // SAFETY: the reference of `new_solver` is given back; the model has its own.
        unsafe { Z3_solver_dec_ref(self.raw, solver) };
        outcome
    }

    fn fail(&mut self) -> Result<Outcome, Error> {
        let message = self.error.take().unwrap_or_default();
        Err(Error::Z3 { message })
    }

    /// Lets the watchdog watch over a check that is limited in time, or that someone may stop.
    fn begin(&mut self, allowance: Allowance) -> Result<(), Error> {
        let time = allowance.milliseconds;
        let time = (time > 0).then(|| Duration::from_millis(time.into()));
        if time.is_none() && self.stop.is_none() {
            return Ok(());
        }
        if self.watchdog.is_none() {
            let failed = |error| Error::Z3 { message: format!("cannot start a thread: {error}") };
            self.watchdog = Some(Watchdog::start(self.raw, self.stop.clone()).map_err(failed)?);
        }
        if let Some(watchdog) = &self.watchdog {
            watchdog.begin(time);
        }
        Ok(())
    }

    fn check_with(&mut self, solver: Z3_solver, allowance: Allowance) -> Result<Outcome, Error> {
        self.forget_model();
        if self.error.is_some() {
            return self.fail();
        }
        self.begin(allowance)?;
        // SAFETY: the context and the solver are alive.
        let answer = unsafe { Z3_solver_check(self.raw, solver) };
        if self.watchdog.as_ref().is_some_and(Watchdog::end) {
            self.is_spent = true;
            return Ok(Outcome::Unknown(OUT_OF_TIME.to_owned()));
        }
        match answer {
            Z3_L_TRUE => {
                // SAFETY: the model is referenced before another call can drop it.
                self.model = unsafe {
                    let model = Z3_solver_get_model(self.raw, solver);
                    if let Some(model) = model {
                        Z3_model_inc_ref(self.raw, model);
                    }
                    model
                };
                Ok(Outcome::Sat)
            }
            Z3_L_FALSE => Ok(Outcome::Unsat),
            _ => {
                // SAFETY: the text is copied at once.
                let reason = unsafe { text(Z3_solver_get_reason_unknown(self.raw, solver)) };
                Ok(Outcome::Unknown(reason))
            }
        }
    }

    fn set_allowance(&self, solver: Z3_solver, allowance: Allowance) {
        let set = |name: &CStr, value: Option<u32>| {
            // SAFETY: the context and the solver are alive, the parameters are referenced while
            // they are used, the name ends in a zero.
            unsafe {
                let params = Z3_mk_params(self.raw)?;
                Z3_params_inc_ref(self.raw, params);
                let key = Z3_mk_string_symbol(self.raw, name.as_ptr())?;
                match value {
                    Some(value) => Z3_params_set_uint(self.raw, params, key, value),
                    None => Z3_params_set_bool(self.raw, params, key, false),
                }
                Z3_solver_set_params(self.raw, solver, params);
                Z3_params_dec_ref(self.raw, params);
            }
            Some(())
        };
        let no_limit = u32::MAX;
        let time = if allowance.milliseconds == 0 { no_limit } else { allowance.milliseconds };
        let _ = set(c"timeout", Some(time));
        let _ = set(c"rlimit", Some(allowance.work));
        // Otherwise each check has a handler of its own for Ctrl-C, in place of the process's.
        let _ = set(c"ctrl_c", None);
    }

    /// The value of a bit-vector of at most 64 bits in the model of the last check.
    pub(super) fn value(&mut self, term: Term) -> Option<u64> {
        let model = self.model?;
        // SAFETY: the context, the model and the term are alive. The value is referenced while it
        // is read; the places written to are our own.
        unsafe {
            let mut value = self.ast(term);
            if !Z3_model_eval(self.raw, model, self.ast(term), true, &mut value) {
                return None;
            }
            Z3_inc_ref(self.raw, value);
            let mut number = 0;
            let read = Z3_get_numeral_uint64(self.raw, value, &mut number);
            Z3_dec_ref(self.raw, value);
            read.then_some(number)
        }
    }

    fn forget_model(&mut self) {
        if let Some(model) = self.model.take() {
            // SAFETY: the reference taken in `check_with` is given back.
            unsafe { Z3_model_dec_ref(self.raw, model) };
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.watchdog = None;
        self.forget_model();
        // SAFETY: the references of the solver and of the terms are given back; deleting the
        // context frees what is left, and nothing of it can be reached any more.
        unsafe {
            Z3_solver_dec_ref(self.raw, self.solver);
            // Terms that are still referenced are freed layer by layer, with a look at all of them
            // for each: minutes for the deep terms of a hash function.
            for &ast in self.terms.iter().rev() {
                Z3_dec_ref(self.raw, ast);
            }
            Z3_del_context(self.raw);
        }
    }
}

/// A referenced solver of a living context.
fn new_solver(raw: Z3_context, logic: &CStr) -> Option<Z3_solver> {
    let logic = CString::from(logic);
    // SAFETY: called with a living context only; the solver is referenced at once.
    unsafe {
        let symbol = Z3_mk_string_symbol(raw, logic.as_ptr())?;
        let solver = Z3_mk_solver_for_logic(raw, symbol)?;
        Z3_solver_inc_ref(raw, solver);
        Some(solver)
    }
}

/// A copy of a text of Z3's.
///
/// # Safety
///
/// The pointer is null or points to bytes that end in a zero.
unsafe fn text(pointer: Z3_string) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of the function.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
