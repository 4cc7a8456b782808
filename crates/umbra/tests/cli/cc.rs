//! `umbra cc` as build systems use it.

use crate::support::{Dir, UMBRA};

const HELLO: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    printf("hello %s\n", argc > 1 ? argv[1] : "world");
    return 3;
}
"#;

/// Whether a module leaves the function to others.
fn declares(text: &str, name: &str) -> bool {
    let call = format!("@{name}(");
    text.lines().any(|line| line.starts_with("declare ") && line.contains(&call))
}

#[test]
fn one_file_to_program_and_bitcode() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.cc("hello.c -o hello");
    let output = dir.shell("./hello there");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(output.stdout, b"hello there\n");
    let text = dir.assert_program("hello");
    // The border of the analysis is external, the libc is not.
    assert!(declares(&text, "__umbra_syscall"), "no system call border");
    assert!(text.contains("define internal i32 @vfprintf("), "no libc in the bitcode");
    assert!(text.contains("!DILocation(line: 4"), "no lines");
    assert!(!dir.exists("hello.0.0.preopt.bc"), "temporary file left behind");
}

#[test]
fn programs_count_their_blocks() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.cc("hello.c -o hello");
    assert!(dir.ok("readelf -SW hello").contains(" umbra_counters "), "no counters");
    assert!(!dir.exists("hello.counted.bc"), "temporary file left behind");
    // Machine code that refers to what the module keeps to itself.
    dir.write("f.S", ".globl relay\nrelay: jmp own\n");
    dir.write(
        "m.c",
        "int relay(void);\nint own(void) { return 42; }\nint main(void) { return relay(); }\n",
    );
    let output = dir.shell(&format!("{UMBRA} cc m.c f.S -o prog"));
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("prog does not count its blocks"), "{said}");
    assert_eq!(dir.shell("./prog").status.code(), Some(42));
    dir.assert_program("prog");
}

/// The linker must not see bitcode when the executable is made: it would take in, and compile, all of
/// the libc that generated code might call.
#[test]
fn executables_hold_only_what_they_use() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.cc("hello.c -o hello");
    let symbols = dir.ok("nm hello");
    assert!(symbols.contains(" T main\n") || symbols.contains(" t main\n"), "{symbols}");
    assert!(!symbols.contains(" cbrtl\n"), "{symbols}");
}

#[test]
fn default_output_and_symlink_name() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.ok("./umbra-cc -O2 hello.c");
    dir.assert_program("a.out");
}

#[test]
fn user_optimisation_does_not_count() {
    let dir = Dir::new();
    // At -O2 the overflow check would be gone: it is undefined behaviour.
    dir.write(
        "a.c",
        "int wraps(int x) { return x + 1 < x; }\nint main(int c, char **v) { return wraps(c); }\n",
    );
    dir.cc("-O3 -g0 -flto=thin -fPIE -pie a.c -o a");
    let text = dir.assert_program("a");
    let body = text.split("@wraps(").nth(1).unwrap().split("\n}").next().unwrap();
    assert!(body.contains("add nsw i32") && body.contains("icmp slt i32"), "{body}");
}

#[test]
fn objects_and_archives() {
    let dir = Dir::new();
    dir.write("a.c", "int twice(int x) { return x + x; }\nint unused(void) { return 0; }\n");
    dir.write("b.c", "int twice(int);\nint main(int c, char **v) { return twice(c) + 40; }\n");
    dir.cc("-c a.c");
    dir.cc("-O2 -c b.c -o b.o");
    assert!(dir.is_bitcode("a.o") && dir.is_bitcode("b.o"));
    dir.ok(&format!(
        "$({UMBRA} cc --print-ar) rc liba.a a.o && $({UMBRA} cc --print-ranlib) liba.a"
    ));
    assert!(dir.ok(&format!("$({UMBRA} cc --print-nm) liba.a")).contains("T twice"));
    dir.cc("b.o -L. -la -lm -lpthread -o prog");
    assert_eq!(dir.shell("./prog").status.code(), Some(42));
    let text = dir.assert_program("prog");
    assert!(text.contains("@twice(") && !text.contains("@unused("));
}

#[test]
fn assembly_in_the_program_stays_native() {
    let dir = Dir::new();
    dir.write("f.S", ".globl answer\nanswer: movl $42, %eax\n ret\n");
    dir.write("m.c", "int answer(void);\nint main(void) { return answer(); }\n");
    dir.cc("m.c f.S -o prog");
    assert_eq!(dir.shell("./prog").status.code(), Some(42));
    assert!(declares(&dir.assert_program("prog"), "answer"));
    // And -S yields assembly, not LLVM's text.
    dir.cc("-S m.c");
    assert!(std::fs::read_to_string(dir.path("m.s")).unwrap().contains("callq\tanswer"));
}

#[test]
fn failed_link_leaves_no_bitcode() {
    let dir = Dir::new();
    dir.write("a.c", "int missing(void);\nint main(void) { return missing(); }\n");
    dir.write("a.bc", "from an earlier link");
    let output = dir.shell(&format!("{UMBRA} cc a.c -o a"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("undefined symbol: missing"));
    assert!(!dir.exists("a.bc"));
}

/// C++ that needs no library is machine code; what needs one is left out, and the build goes on.
#[test]
fn cxx_does_not_stop_a_build() {
    let dir = Dir::new();
    dir.write("twice.cc", "template <class T> T twice(T n) { return n + n; }\nextern \"C\" int f(int n) { return twice(n); }\n");
    dir.write("main.c", "int f(int);\nint main(int argc, char **argv) { return f(argc); }\n");
    let output = dir.shell(&format!("{UMBRA} cc -c twice.cc && {UMBRA} cc main.c twice.o -o main"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let warning = "umbra cc: warning: twice.cc is C++: it is compiled to machine code";
    assert!(said.contains(warning), "{said}");
    assert_eq!(dir.shell("./main").status.code(), Some(2));
    assert!(dir.is_bitcode("main.bc"));

    dir.write("list.cc", "#include <vector>\nint main() { return std::vector<int>(3).size(); }\n");
    for build in ["-c list.cc && {} cc list.o -o list", "list.cc -o list"] {
        dir.shell("rm -f list list.o");
        let output = dir.shell(&format!("{UMBRA} cc {}", build.replace("{}", UMBRA)));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("warning: list.cc is C++ and is left out"), "{said}");
        let output = dir.shell("./list");
        assert_eq!(output.status.code(), Some(77));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("left out: it needs the C++ library"), "{said}");
    }
}

#[test]
fn help_is_our_own() {
    let dir = Dir::new();
    let text = dir.cc("--help");
    assert!(text.contains("Usage: umbra cc [CLANG'S ARGUMENTS]..."), "{text}");
    assert!(!text.contains("OVERVIEW: clang"), "{text}");
    let text = dir.ok(&format!("{UMBRA} --help"));
    for line in ["umbra init ", "umbra record ", "umbra check ", "umbra replay "] {
        assert!(text.contains(&format!("\n  {line}")), "{text}");
    }
}

#[test]
fn a_library_that_is_nowhere_is_named_with_the_way_to_get_it() {
    let dir = Dir::new();
    dir.write("a.c", "int main(void) { return 0; }\n");
    // A cache with the libc alone.
    dir.ok(&format!("mkdir cache && path=$({UMBRA} libc path) && ln -s $(realpath $path) cache/$(basename $path)"));
    let output = dir.shell(&format!("UMBRA_CACHE=$PWD/cache {UMBRA} cc a.c -lncursesw -o a"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    let expected = "umbra cc: missing: the library ncurses (`umbra deps add ncurses` builds it)\n";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn warnings_are_no_errors() {
    let dir = Dir::new();
    dir.write("a.c", "int main(void) { int unused; return 0; }\n");
    dir.cc("-Wall -Werror -Werror=unused-variable a.c -o a");
    // What configure asks is answered truly.
    dir.write("conftest.c", "int main(void) { int unused; return 0; }\n");
    let output = dir.shell(&format!("{UMBRA} cc -Wall -Werror -c conftest.c"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn programs_link_the_shared_libraries_of_their_project() {
    let dir = Dir::new();
    dir.write("deep.c", "int deep(void) { return 40; }\n");
    dir.write("near.c", "int deep(void);\nint near(void) { return deep() + 1; }\n");
    dir.write("part.c", "int part(void) { return 1; }\n");
    dir.write(
        "main.c",
        "int near(void), part(void);\nint main(void) { return near() + part(); }\n",
    );
    dir.cc("-fPIC -c near.c part.c");
    // From a source; from objects, and from what the library needs in turn.
    dir.cc("-shared -fPIC -Wl,-soname,libdeep.so.1 deep.c -o libdeep.so.1.0");
    dir.ok("ln -s libdeep.so.1.0 libdeep.so && llvm-ar-19 rc libpart.a part.o");
    dir.cc("-shared near.o -Wl,--whole-archive libpart.a -Wl,--no-whole-archive -L. -ldeep -lm -o libnear.so");
    assert!(!dir.exists("libnear.so.bc"));
    for libraries in ["libnear.so", "-L. -lnear", "-L . -l near"] {
        dir.cc(&format!("main.c {libraries} -o prog"));
        dir.assert_program("prog");
        assert_eq!(dir.shell("./prog").status.code(), Some(42), "{libraries}");
        // All of it is analysed.
        let output = dir.shell(&format!("{UMBRA} run prog"));
        assert_eq!(output.status.code(), Some(42), "{libraries}");
        dir.ok("rm prog prog.bc");
    }
    // Done again it holds nothing of the first time.
    dir.write("near.c", "int near(void) { return 6; }\n");
    dir.cc("-shared near.c -o libnear.so");
    dir.cc("main.c libnear.so libpart.a -o prog");
    assert_eq!(dir.shell("./prog").status.code(), Some(7));
    let output = dir.shell(&format!("{UMBRA} cc -shared missing.o -o libnone.so"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.o"));
}

#[test]
fn partial_links_stay_bitcode() {
    let dir = Dir::new();
    dir.write("a.c", "int one(void) { return 1; }\n");
    dir.write("b.c", "int one(void);\nint main(void) { return one(); }\n");
    dir.cc("-c a.c b.c");
    dir.cc("-r a.o b.o -o both.o");
    assert!(dir.is_bitcode("both.o"));
    dir.cc("both.o -o prog");
    assert_eq!(dir.shell("./prog").status.code(), Some(1));
}

#[test]
fn questions_to_the_compiler() {
    let dir = Dir::new();
    assert!(dir.cc("--version").contains("clang version 19"));
    assert!(dir.cc("-dumpmachine").contains("x86_64"));
    assert!(dir.cc("-print-prog-name=ld").contains("ld"));
    let macros = dir.ok(&format!("{UMBRA} cc -E -dM - </dev/null"));
    assert!(macros.contains("#define __x86_64__ 1"));
    assert_eq!(dir.shell(&format!("{UMBRA} cc -v")).status.code(), Some(0));
}

#[test]
fn old_c_and_kernel_headers() {
    let dir = Dir::new();
    dir.write(
        "old.c",
        "#include <linux/fs.h>\n#include <asm/unistd.h>\nf() { return FS_IOC_GETFLAGS != 0; }\n\
         main() { char *p = f(); return g(p); }\nint g(char *p) { return p == 0; }\n",
    );
    dir.cc("-w -std=gnu89 old.c -o old");
    assert_eq!(dir.shell("./old").status.code(), Some(0));
    dir.assert_program("old");
}

#[test]
fn response_files() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.write("args", "hello.c '-DX=a b' -o\nhello\n");
    dir.cc("@args");
    dir.assert_program("hello");
}

#[test]
fn configure_probes_are_native() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.write(
        "configure",
        r#"set -e
            echo 'int main(void) { return 0; }' >conftest.c
            $CC -c conftest.c && ! $NM conftest.o | grep -q 'no symbols'
            $CC -o conftest conftest.c -lm && ./conftest
            echo 'int main(void) { return no_such_function_here(); }' >conftest.c
            if $CC -o conftest conftest.c 2>/dev/null; then exit 1; fi
            echo 'int main(void) { return sizeof(long) == 8 ? 0 : 1; }' >conftest.c
            $CC -o conftest conftest.c && ./conftest
            test ! -e conftest.bc
            head -c 4 conftest.o | grep -q ELF
            rm -f conftest*
            printf 'hello: hello.c\n\t%s -o hello hello.c\n' "$CC" >Makefile
        "#,
    );
    dir.ok(&format!("CC='{UMBRA} cc' NM=llvm-nm-19 sh ./configure && make"));
    dir.assert_program("hello");
}

#[test]
fn cmake_project() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.write("lib.c", "int lib(void) { return 1; }\n");
    dir.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(hello C)\n\
         include(CheckFunctionExists)\ncheck_function_exists(strlcpy HAVE_STRLCPY)\n\
         check_function_exists(no_such_function_here HAVE_NONE)\n\
         if(NOT HAVE_STRLCPY OR HAVE_NONE)\nmessage(FATAL_ERROR \"wrong answers\")\nendif()\n\
         add_library(lib STATIC lib.c)\nadd_executable(hello hello.c)\n\
         target_link_libraries(hello lib)\n",
    );
    dir.ok("cmake -S . -B build -DCMAKE_C_COMPILER=$PWD/umbra-cc -DCMAKE_BUILD_TYPE=Release \
         -DCMAKE_AR=$(command -v llvm-ar-19) -DCMAKE_RANLIB=$(command -v llvm-ranlib-19) \
         && cmake --build build");
    dir.assert_program("build/hello");
    let found = dir.ok("find build/CMakeFiles -name '*.bc'");
    assert_eq!(found, "", "probes of CMake were linked as whole programs");
}

#[test]
fn bitcode_as_input() {
    let dir = Dir::new();
    dir.write("hello.c", HELLO);
    dir.ok("clang-19 -O0 -emit-llvm -c hello.c -o input.bc");
    dir.cc("input.bc -o hello");
    dir.assert_program("hello");
}

/// The prepared bitcode is the program: linked again, it does the same. Memory is
/// allocated, as the allocator is native and shares state with the rest.
#[test]
fn prepared_bitcode_as_input() {
    let dir = Dir::new();
    dir.write(
        "m.c",
        "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) {\n\
         char *a = malloc(100000), *b = malloc((size_t)-1 / 2), *c = calloc(3, 5);\n\
         if (!a || b || errno != ENOMEM || !c) return 1;\n\
         printf(\"%d %s\\n\", c[14], realloc(a, 7) ? \"fine\" : \"bad\");\n\
         return 0; }\n",
    );
    dir.cc("-w m.c -o m");
    dir.cc("m.bc -o again");
    assert_eq!(dir.ok("./m"), "0 fine\n");
    assert_eq!(dir.ok("./again"), "0 fine\n");
    dir.assert_program("again");
}

/// The libc does its work natively, in every part that is not plain C in musl.
#[test]
fn libc_works_natively() {
    let dir = Dir::new();
    dir.write(
        "t.c",
        r#"
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread int local = 7;
static int constructed;
static volatile sig_atomic_t caught;
__attribute__((constructor)) static void construct(void) { constructed = 1; }
static void on_signal(int signal) { caught = signal; }
static void *thread(void *arg) { local = 9; return (char *)arg + local; }

int main(void) {
    assert(constructed);
    jmp_buf env;
    volatile int jumps = 0;
    if (setjmp(env) < 3) longjmp(env, ++jumps);
    assert(jumps == 3);
    sigjmp_buf sigenv;
    if (sigsetjmp(sigenv, 1) == 0) siglongjmp(sigenv, 5);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    assert(caught == SIGUSR1);
    pthread_t id;
    void *result;
    assert(pthread_create(&id, 0, thread, (void *)1) == 0);
    assert(pthread_join(id, &result) == 0);
    assert(result == (void *)10 && local == 7);
    pid_t pid = fork();
    if (pid == 0) _exit(4);
    int status;
    assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
    FILE *pipe = popen("echo piped", "r");
    char line[16];
    assert(fgets(line, sizeof line, pipe) && strcmp(line, "piped\n") == 0);
    assert(pclose(pipe) == 0);
    volatile double x = 2, y = -2.5;
    volatile long double z = 3;
    assert(sqrt(x) == 0x1.6a09e667f3bcdp+0 && fabs(y) == 2.5 && lrint(y) == -2);
    char text[64];
    snprintf(text, sizeof text, "%.10Lf %a %g", sqrtl(z), x, floor(y));
    assert(strcmp(text, "1.7320508076 0x1p+1 -3") == 0);
    void *p = aligned_alloc(64, 128);
    assert(p && (unsigned long)p % 64 == 0);
    free(realloc(p, 4096));
    explicit_bzero(text, sizeof text);
    assert(text[0] == 0);
    puts("all well");
    return 0;
}
"#,
    );
    dir.cc("t.c -o t -lm -lpthread");
    assert_eq!(dir.ok("./t"), "all well\n");
    let text = dir.assert_program("t");
    for gone in ["llvm.fmuladd", "llvm.experimental.constrained"] {
        assert!(!text.contains(gone), "{gone} in the bitcode");
    }
    // The executable is made of this: threads need them.
    for kept in [" cmpxchg ", " atomicrmw "] {
        assert!(text.contains(kept), "no{kept}in the bitcode");
    }
    // The same program as configure would build it.
    dir.cc("t.c -o conftest -lm -lpthread");
    assert_eq!(dir.ok("./conftest"), "all well\n");
}
