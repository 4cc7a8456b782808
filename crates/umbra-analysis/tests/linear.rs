//! The analyses cost in proportion to the program.
//!
//! Programs are made of equal modules: tables of functions, lists on the heap, calls of what all modules
//! share. What the analyses count may grow with the number of modules, and its logarithm. No clock is looked at.

use std::fmt::Write;

use umbra_analysis::{CallGraph, Conditions, Flow, Measure, PointsTo};
use umbra_ir::{BlockId, BlockPlace, Id};

/// Functions that all modules share: an allocator, a container, a caller, and `main`.
const SHARED: usize = 5;

/// Functions of a module.
const OWN: usize = 3;

fn program(modules: usize) -> String {
    let mut globals = String::from("g0 @head: 8 align 8 = zero\ng1 @mode: 4 align 4 = zero\n");
    let mut text = String::from(
        "fn0 @malloc(i64) -> ptr
         fn1 @xmalloc(r0: i64) -> ptr {
         bb0:
           r1: ptr = call fn0@malloc(r0)
           return r1
         }
         fn2 @insert(r0: ptr) {
         bb0:
           r1: ptr = load ptr g0@head
           store r1, r0
           store r0, ptr g0@head
           return
         }
         fn3 @apply(r0: ptr, r1: i32) -> i32 {
         bb0:
           r2: i32 = call r0(r1)
           return r2
         }
        ",
    );
    let mut main = String::from("fn4 @main(r0: i32) {\nbb0:\n");
    for module in 0..modules {
        let (global, first) = (2 + module, SHARED + OWN * module);
        let [run, one, two] = [first, first + 1, first + 2];
        writeln!(
            globals,
            "g{global} @table{module}: 16 align 8 = zero 16 with 0: fn{one}@one{module}, 8: fn{two}@two{module}"
        )
        .unwrap();
        writeln!(main, "call fn{run}@run{module}(r0)").unwrap();
        writeln!(
            text,
            "fn{run} @run{module}(r0: i32) {{
             bb0:
               r1: i64 = zext r0
               r2: ptr = offset ptr g{global}@table{module}, 0, r1 * 8
               r3: ptr = load r2
               r4: i32 = call r3(r0)
               r5: ptr = call fn1@xmalloc(i64 24)
               r6: ptr = offset r5, 8
               store r3, r6
               call fn2@insert(r5)
               r7: ptr = load ptr g0@head
               r8: ptr = offset r7, 8
               r9: ptr = load r8
               r10: i32 = call fn3@apply(r9, r4)
               r11: i32 = load ptr g1@mode
               r12: i1 = icmp eq r11, i32 {module}
               branch r12, bb1(), bb2()
             bb1:
               return
             bb2:
               store r10, ptr g1@mode
               jump bb1()
             }}
             fn{one} @one{module}(r0: i32) -> i32 {{
             bb0:
               r1: i32 = call fn3@apply(ptr fn{two}@two{module}, r0)
               return r1
             }}
             fn{two} @two{module}(r0: i32) -> i32 {{
             bb0:
               return r0
             }}"
        )
        .unwrap();
    }
    main.push_str("return\n}\n");
    // Functions are in the order of their numbers.
    let at = text.find("fn5").unwrap_or(text.len());
    text.insert_str(at, &main);
    globals + &text
}

/// What points-to sets and preconditions cost.
fn costs(modules: usize) -> [u64; 2] {
    let program = umbra_ir::parse(&program(modules)).unwrap_or_else(|error| panic!("{error}"));
    let pointers = PointsTo::new(&program);
    let calls = CallGraph::of_pointers(&program, &pointers);
    let flow = Flow::in_measure(&program, &calls, Measure::Branches);
    let conditions = Conditions::new(&program, &calls, &flow, &pointers);
    // All modules lead there.
    let function = program.function("apply").unwrap();
    let target = BlockPlace { function, block: BlockId::from_index(0) };
    let found = conditions.before(target, program.function("main").unwrap());
    [pointers.work(), found.work()]
}

#[test]
fn work_grows_no_faster_than_the_program() {
    let small = costs(600);
    let large = costs(2400);
    for (small, large) in small.into_iter().zip(large) {
        assert!(small > 1000 && large < 6 * small, "{small} for 600 modules, {large} for 2400");
    }
    println!("{small:?} {large:?}");
}
