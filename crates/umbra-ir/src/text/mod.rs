//! The text form: prints every program, and reads back exactly what it printed.
//!
//! The text is a sequence of items; line breaks are spaces, and `;` starts a comment that ends
//! with the line. An excerpt:
//!
//! ```text
//! g0 @.str: 3 align 1 constant = "hi\00"
//! fn0 @main(r0: i32, r1: ptr) -> i32 from file0:3 @main {
//! bb0 weight 2:
//!   r2: i1 = icmp sgt r0, i32 1 !0
//!   branch r2, bb1(), bb2(i32 0) !1
//! bb1 weight 2:
//!   r3: i32 = call fn1@puts(ptr g0@.str) !2
//!   jump bb2(r3) !3
//! bb2(r4: i32) weight 1:
//!   return r4 !4
//! }
//! fn1 @puts(ptr) -> i32
//! ```
//!
//! Grammar (`[x]` is optional, `x*` repeats, `x,*` repeats with commas between):
//!
//! ```text
//! item      = file | location | constant | global | alias | function | struct
//!           | "constructors" FN,* | "destructors" FN,*
//!           | "merged" ("old" | "new") "(" (FN BB | "none"),* ")"
//! file      = FILE string string                              directory and name
//! location  = LOC FILE ":" number ":" number NAME ["inlined" LOC]
//! constant  = CONST value                                     fixes the order of the table
//! struct    = STRUCT NAME ":" number "(" number,* ")"         size and offsets of the fields
//! global    = G NAME ":" number "align" number ["constant"] ["thread_local"] ["weak"] [from] "="
//!             contents ["old" NAME ":" number "align" number ["constant"] [from] "=" contents]
//! contents  = "external" | "zero" | data | "unsupported" string
//! data      = (string | "zero" number)* ["with" (number ":" symbol),*]
//! alias     = "alias" NAME "=" symbol
//! function  = FN NAME "(" (parameter | "..."),* ")" ["->" TYPE,*] ["weak"] [from]
//!             ["new" number "old" NAME "(" number,* ")" [from]] [body]
//! parameter = [R ":"] TYPE [byval]                            registers if it has a body
//! byval     = "byval" number "align" number
//! from      = "from" FILE ":" number NAME ["unit" FILE] ["in" NAME] ["local"]
//! body      = "{" ["registers" (R ":" TYPE),*] block* "}"     registers that nothing assigns
//! block     = BB ["(" (R ":" TYPE),* ")"] ["weak" | "old" | "new"] ["weight" number] ":"
//!             instruction* terminator
//! instruction = [(R ":" TYPE),* "="] operation [place]
//! terminator  = ("jump" edge | "branch" operand "," edge "," edge
//!             | "switch" operand "{" (value ":" edge ",")* "else" ":" edge "}"
//!             | "version" edge "," edge                       the old one's and the new one's
//!             | "return" operand,* | "unreachable" | "unsupported" string) [place]
//! place     = "!" [number] ["/" number]                       in the new and in the old version
//! operation = BINARY operand "," operand | FLOAT operand "," operand | "fneg" operand
//!           | "icmp" PREDICATE operand "," operand | "fcmp" PREDICATE operand "," operand
//!           | CAST operand | "select" operand "," operand "," operand | "copy" operand
//!           | "change" operand "," operand                    the old one's and the new one's
//!           | "offset" operand "," number ("," operand "*" number)* ["field" STRUCT number]
//!           | "load" operand | "store" operand "," operand
//!           | "alloca" number ["x" operand] "align" number [NAME]
//!           | "call" (FN [NAME] | operand) "(" (operand [byval]),* ")"
//!           | "intrinsic" INTRINSIC "(" operand,* ")"
//! edge      = BB "(" operand,* ")"
//! operand   = R | value
//! value     = TYPE (number | symbol | "undef")
//! symbol    = (FN | G) [NAME] ["+" number | "-" number]
//! ```
//!
//! Ids (`fn0`, `g0`, `bb0`, `r0`, `c0`, `loc0`, `file0`, `struct0`) are written out and must come in order.
//! The `NAME` in a symbol or call is for the reader; it is not read. A name is `@` and letters,
//! digits, `_`, `.`, `$`, or `@` and a string; a string is quoted, with `\` and two hexadecimal
//! digits for bytes that cannot stand for themselves. Numbers are decimal with an optional sign or
//! hexadecimal after `0x`. Constants that are not listed are added in order of use, and a block
//! without weight has the number of its instructions: both are for texts written by hand.
//!
//! Printing is defined for programs that [`Program::verify`](crate::Program::verify) accepts.

mod lexer;
mod names;
mod operation;
mod parser;
mod print;

pub use parser::{ParseError, parse};
