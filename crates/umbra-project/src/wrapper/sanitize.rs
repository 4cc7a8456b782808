//! `-fsanitize=...` on a compiler's command line.
//!
//! The checks of `undefined` and its parts become part of the program: they call functions of our libc, which the engine knows,
//! so that a check that fails is a finding. What else a sanitizer does (to watch memory, threads, control flow) needs a runtime library and a
//! layout of memory that our programs do not have; the engine checks every access by itself.

use std::ffi::OsString;

/// The checks that need nothing but a function to call.
const CHECKS: &[&str] = &[
    "undefined",
    "alignment",
    "array-bounds",
    "bool",
    "bounds",
    "builtin",
    "enum",
    "float-cast-overflow",
    "float-divide-by-zero",
    "implicit-bitfield-conversion",
    "implicit-conversion",
    "implicit-integer-arithmetic-value-change",
    "implicit-integer-conversion",
    "implicit-integer-sign-change",
    "implicit-integer-truncation",
    "implicit-signed-integer-truncation",
    "implicit-unsigned-integer-truncation",
    "integer",
    "integer-divide-by-zero",
    "local-bounds",
    "nonnull-attribute",
    "null",
    "nullability",
    "nullability-arg",
    "nullability-assign",
    "nullability-return",
    "object-size",
    "pointer-overflow",
    "return",
    "returns-nonnull-attribute",
    "shift",
    "shift-base",
    "shift-exponent",
    "signed-integer-overflow",
    "unreachable",
    "unsigned-integer-overflow",
    "unsigned-shift-base",
    "vla-bound",
];

/// Behind the user's flags if any check is left: a check that fails is the end, nothing is linked for it, and nothing is
/// looked up in front of a function's code.
const ALWAYS: [&str; 3] =
    ["-fno-sanitize-recover=all", "-fno-sanitize-link-runtime", "-fno-sanitize=function,vptr"];

/// Takes out of a command line what our programs cannot have, and adds what their checks need.
pub(super) fn adapt(args: &mut Vec<OsString>) {
    let mut checks = false;
    args.retain_mut(|arg| {
        let Some(list) = arg.to_str().and_then(|text| text.strip_prefix("-fsanitize=")) else {
            return true;
        };
        let known: Vec<&str> = list.split(',').filter(|name| CHECKS.contains(name)).collect();
        if known.is_empty() {
            return false;
        }
        checks = true;
        *arg = format!("-fsanitize={}", known.join(",")).into();
        true
    });
    if checks {
        args.extend(ALWAYS.map(OsString::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checks_of_values_are_left() {
        let adapted = |text: &str| {
            let mut args = text.split(' ').map(OsString::from).collect();
            adapt(&mut args);
            args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        let always = ALWAYS.join(" ");
        assert_eq!(adapted("-g -fsanitize=address -c a.c"), "-g -c a.c");
        assert_eq!(
            adapted("-fsanitize=address,undefined,leak a.c"),
            format!("-fsanitize=undefined a.c {always}")
        );
        assert_eq!(adapted("-fsanitize=shift a.c"), format!("-fsanitize=shift a.c {always}"));
        assert_eq!(adapted("-fsanitize-coverage=trace-pc a.c"), "-fsanitize-coverage=trace-pc a.c");
    }
}
