//! What a compiler command line asks for.
//!
//! Only as much is understood as the wrapper must decide on: the kind of work, the
//! inputs and the output. Everything else is handed on as it came.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// No input: `--version`, `-print-prog-name=ld`, `-v`...
    Query,
    /// `-E`, `-M`, `-fsyntax-only`: nothing that is linked.
    Inspect,
    /// `-S`: assembly text.
    Assembly,
    /// `-c`.
    Compile,
    /// An executable.
    Program,
    /// `-shared`.
    Shared,
    /// `-r`: several objects to one.
    Partial,
}

/// A command line, understood.
#[derive(Debug)]
pub(super) struct Invocation {
    pub work: Work,
    /// Argument of `-o`.
    pub output: Option<PathBuf>,
    /// Source, object and library files (not `-l`), in order.
    pub inputs: Vec<PathBuf>,
    /// The last word is an option whose argument is missing.
    pub incomplete: bool,
    /// The first input in C++, if any.
    pub cxx: Option<String>,
    /// The arguments to hand on, response files expanded, without those that
    /// contradict a static, position-dependent program.
    pub args: Vec<OsString>,
}

/// Options whose argument is the next word. Joined forms (`-Idir`) need no entry.
const TAKES_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-l",
    "-B",
    "-T",
    "-u",
    "-z",
    "-e",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-cxx-isystem",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xopenmp-target",
    "-mllvm",
    "-target",
    "-arch",
    "--param",
    "-aux-info",
    "-working-directory",
    "--sysroot",
    "--include-directory",
    "-dumpdir",
    "-G",
    "--config",
    "-F",
    "-rpath",
    "-wrapper",
    "-specs",
];

/// Dropped: programs are position dependent and linked by us, with their debug
/// information in one piece; a profiler has no place in our libc.
fn is_dropped(arg: &str) -> bool {
    matches!(arg, "-pie" | "-static-pie" | "-fpie" | "-fPIE" | "-pg" | "-p" | "-gsplit-dwarf")
        || arg.starts_with("-flto")
        || arg.starts_with("-ffat-lto-objects")
        || arg.starts_with("-fuse-ld=")
}

const CXX_SUFFIXES: &[&str] =
    &["cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "hh", "hpp", "hxx", "H", "ii", "ixx", "cppm"];

/// Reads a command line (without the compiler's name).
pub(super) fn parse(args: &[OsString]) -> Invocation {
    let args = expand_response_files(args, 0);
    let mut invocation = Invocation {
        work: Work::Program,
        output: None,
        inputs: Vec::new(),
        incomplete: false,
        cxx: None,
        args: Vec::with_capacity(args.len()),
    };
    let mut language = None;
    let mut work = None;
    let mut words = args.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        if TAKES_VALUE.contains(&text.as_str()) {
            let value = words.next();
            invocation.incomplete |= value.is_none();
            if let Some(value) = &value {
                match text.as_str() {
                    "-o" => invocation.output = Some(value.into()),
                    "-x" => language = Some(value.to_string_lossy().into_owned()),
                    _ => {}
                }
            }
            invocation.args.push(word);
            invocation.args.extend(value);
            continue;
        }
        if is_dropped(&text) {
            continue;
        }
        match text.as_str() {
            "-E" | "-M" | "-MM" | "-fsyntax-only" | "--analyze" => work = Some(Work::Inspect),
            "-S" => work = work.max_by_reach(Work::Assembly),
            "-c" => work = work.max_by_reach(Work::Compile),
            "-r" | "-Wl,-r" | "-Wl,--relocatable" => work = work.max_by_reach(Work::Partial),
            "-shared" | "--shared" | "-Wl,-shared" | "-Wl,--shared" => {
                work = work.max_by_reach(Work::Shared);
            }
            "-" => invocation.add_input(Path::new("-"), language.as_deref()),
            option if option.starts_with("-o") && !option.starts_with("-obj") => {
                invocation.output = Some(OsStr::from_bytes(&word.as_bytes()[2..]).into());
            }
            option if option.starts_with("-x") => language = Some(option[2..].to_owned()),
            option if option.starts_with('-') => {}
            _ => invocation.add_input(Path::new(&word), language.as_deref()),
        }
        invocation.args.push(word);
    }
    super::sanitize::adapt(&mut invocation.args);
    invocation.work = match work {
        _ if invocation.inputs.is_empty() => Work::Query,
        Some(work) => work,
        None => Work::Program,
    };
    invocation
}

/// Of two kinds asked for, the one whose result comes earlier in the chain wins, as in
/// clang: preprocessing, assembly, object, link.
trait MaxByReach {
    fn max_by_reach(self, other: Work) -> Option<Work>;
}

impl MaxByReach for Option<Work> {
    fn max_by_reach(self, other: Work) -> Option<Work> {
        let rank = |work: Work| match work {
            Work::Query | Work::Inspect => 0,
            Work::Assembly => 1,
            Work::Compile => 2,
            Work::Partial => 3,
            Work::Shared => 4,
            Work::Program => 5,
        };
        match self {
            Some(work) if rank(work) <= rank(other) => Some(work),
            _ => Some(other),
        }
    }
}

impl Invocation {
    fn add_input(&mut self, path: &Path, language: Option<&str>) {
        let is_cxx = match language {
            Some("none") | None => {
                path.extension().is_some_and(|suffix| CXX_SUFFIXES.iter().any(|cxx| suffix == *cxx))
            }
            Some(language) => language.starts_with("c++") || language.starts_with("objective-c++"),
        };
        if is_cxx && self.cxx.is_none() {
            self.cxx = Some(path.to_string_lossy().into_owned());
        }
        self.inputs.push(path.into());
    }

    /// The object that compiling writes.
    pub fn object(&self) -> PathBuf {
        let first = self.inputs.first().and_then(|path| path.file_stem()).unwrap_or_default();
        self.output.clone().unwrap_or_else(|| PathBuf::from(first).with_extension("o"))
    }

    /// The executable that a link writes.
    pub fn executable(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| "a.out".into())
    }

    /// The arguments without those inputs that become part of the merged module, and without the
    /// output; `None` if what the inputs are is not told by their names.
    pub fn without_bitcode(&self) -> Option<Vec<OsString>> {
        let mut left = Vec::with_capacity(self.args.len());
        let mut words = self.args.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text.starts_with("-x") || text == "-" {
                return None;
            }
            if text == "-o" {
                words.next();
            } else if TAKES_VALUE.contains(&&*text) {
                left.push(word.clone());
                left.extend(words.next().cloned());
            } else if !text.starts_with("-o") && !is_merged(Path::new(word), &text) {
                left.push(word.clone());
            }
        }
        Some(left)
    }

    /// The arguments without inputs, output and what is about linking a shared library.
    pub fn without_inputs(&self) -> Vec<OsString> {
        let mut left = Vec::with_capacity(self.args.len());
        let mut words = self.args.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == "-o" {
                words.next();
            } else if TAKES_VALUE.contains(&&*text) {
                left.push(word.clone());
                left.extend(words.next().cloned());
            } else if text.starts_with('-')
                && !matches!(&*text, "-" | "-shared" | "--shared")
                && !text.starts_with("-o")
                && !text.starts_with("-Wl,")
            {
                left.push(word.clone());
            }
        }
        left
    }

    /// Whether this is one of the many small programs that `configure`, CMake and
    /// Meson build to find out about the compiler. They are compiled natively: nobody
    /// analyses them, and a whole-program link takes ten times as long.
    pub fn is_probe(&self) -> bool {
        self.inputs.iter().chain(&self.output).any(|path| {
            path == Path::new("/dev/null")
                || path.components().any(|part| is_probe_name(part.as_os_str()))
        })
    }
}

/// Whether an input becomes part of the merged module: C, or bitcode. Members of archives are not
/// asked for again once the module defines what they define.
fn is_merged(path: &Path, text: &str) -> bool {
    let suffix = path.extension().and_then(OsStr::to_str);
    !text.starts_with('-')
        && (matches!(suffix, Some("c" | "i" | "bc" | "ll")) || super::is_bitcode(path))
}

fn is_probe_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"conftest")
        || name.starts_with(b"cmTC_")
        || name.starts_with(b"CMakeCCompilerId")
        || name.starts_with(b"CMakeCXXCompilerId")
        || name == b"CMakeScratch"
        || name == b"CMakeTmp"
        || name == b"meson-private"
        || name == b"sanitycheckc.c"
        || name == b"sanitycheckcpp.cc"
}

/// Replaces `@file` by the words in the file, as GCC does: an unreadable file stays as
/// the argument it is.
fn expand_response_files(args: &[OsString], depth: usize) -> Vec<OsString> {
    // A response file may name itself.
    const DEEPEST: usize = 16;
    let mut expanded = Vec::with_capacity(args.len());
    for arg in args {
        let file = match arg.as_bytes() {
            [b'@', file @ ..] if depth < DEEPEST => fs::read(OsStr::from_bytes(file)).ok(),
            _ => None,
        };
        match file {
            Some(text) => expanded.extend(expand_response_files(&split_words(&text), depth + 1)),
            None => expanded.push(arg.clone()),
        }
    }
    expanded
}

/// Words of a response file: separated by white space, with quotes and backslashes.
fn split_words(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (byte, None) if byte.is_ascii_whitespace() => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (byte, None) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Invocation {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        parse(&args)
    }

    #[test]
    fn kinds_of_work() {
        let cases = [
            ("--version", Work::Query),
            ("-v", Work::Query),
            ("-print-prog-name=ld", Work::Query),
            ("-dumpmachine", Work::Query),
            ("-Wl,--version", Work::Query),
            ("-o out", Work::Query),
            ("-E a.c", Work::Inspect),
            ("-E -", Work::Inspect),
            ("-MM a.c", Work::Inspect),
            ("-MD -MF a.d -c a.c -o a.o", Work::Compile),
            ("-c -E a.c", Work::Inspect),
            ("-E -c a.c", Work::Inspect),
            ("-S a.c", Work::Assembly),
            ("-c a.c", Work::Compile),
            ("-shared -c a.c", Work::Compile),
            ("a.c", Work::Program),
            ("a.o b.a -lm -o prog", Work::Program),
            ("-shared a.o -o liba.so", Work::Shared),
            ("-r a.o b.o -o c.o", Work::Partial),
            ("-nostdlib -Wl,-r a.o -o c.o", Work::Partial),
        ];
        for (line, work) in cases {
            assert_eq!(parsed(line).work, work, "{line}");
        }
    }

    #[test]
    fn inputs_and_outputs() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("a.c", &["a.c"], "a.out"),
            ("-o prog a.c -I dir b.o", &["a.c", "b.o"], "prog"),
            ("-oprog a.c", &["a.c"], "prog"),
            ("-include config.h -Xlinker -Map -MF x.d a.c -o p", &["a.c"], "p"),
            ("-x c - -o p", &["-"], "p"),
            ("-L lib -l m a.o", &["a.o"], "a.out"),
        ];
        for (line, inputs, exe) in cases {
            let invocation = parsed(line);
            let expected: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
            assert_eq!(invocation.inputs, expected, "{line}");
            assert_eq!(invocation.executable(), Path::new(exe), "{line}");
        }
    }

    #[test]
    fn probes() {
        let cases = [
            ("conftest.c -o conftest", true),
            ("-c conftest.c", true),
            ("-o conftest.exe -g dummy.c", true),
            ("-c sub/conftest2.c", true),
            ("-o CMakeFiles/cmTC_1f2e.dir/testCCompiler.c.o -c testCCompiler.c", true),
            ("CMakeFiles/cmTC_1f2e.dir/x.c.o -o cmTC_1f2e", true),
            ("CMakeCCompilerId.c", true),
            ("-c /b/meson-private/tmpx/testfile.c -o /b/out.obj", true),
            ("-c a.c -o /dev/null", true),
            ("-o CMakeFiles/prog.dir/main.c.o -c main.c", false),
            ("-c test.c -o contest.o", false),
        ];
        for (line, probe) in cases {
            assert_eq!(parsed(line).is_probe(), probe, "{line}");
        }
    }

    #[test]
    fn cxx_is_seen() {
        let cases = [
            ("-c a.cc", Some("a.cc")),
            ("a.c b.cpp", Some("b.cpp")),
            ("-x c++ a.c", Some("a.c")),
            ("-xc++ -", Some("-")),
            ("-x c a.cc", None),
            ("-x c++ -E -x c a.c", None),
            ("a.c -o a.cc", None),
            ("-c a.C", Some("a.C")),
        ];
        for (line, cxx) in cases {
            assert_eq!(parsed(line).cxx.as_deref(), cxx, "{line}");
        }
    }

    #[test]
    fn contradicting_flags_are_dropped() {
        let invocation =
            parsed("-flto=thin -pie -fPIE -fPIC -O2 -gsplit-dwarf a.c -o a -fuse-ld=gold");
        assert_eq!(invocation.args, ["-fPIC", "-O2", "a.c", "-o", "a"]);
    }

    #[test]
    fn what_is_merged_is_left_out() {
        let left = |line: &str| parsed(line).without_bitcode();
        assert_eq!(
            left("-O2 a.c b.i missing.o start.S -L lib -lm c.bc -o prog").unwrap(),
            ["-O2", "missing.o", "start.S", "-L", "lib", "-lm"]
        );
        assert_eq!(left("-oprog a.c").unwrap(), Vec::<OsString>::new());
        assert!(left("-x c text -o prog").is_none());
    }

    #[test]
    fn response_file_words() {
        let words = split_words(b"-c  'a b.c' \"-DX=\\\"y\\\"\"\n-o a\\ b.o ''");
        assert_eq!(words, ["-c", "a b.c", "-DX=\"y\"", "-o", "a b.o", ""]);
    }

    #[test]
    fn response_files_are_expanded() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("args");
        fs::write(&file, format!("-c a.c @{}", file.display())).unwrap();
        let args = [OsString::from(format!("@{}", file.display())), "@missing".into()];
        let invocation = parse(&args);
        // A file that names itself ends somewhere; one that is missing is an input.
        assert_eq!(invocation.work, Work::Compile);
        assert!(invocation.inputs.contains(&PathBuf::from("@missing")));
    }
}
