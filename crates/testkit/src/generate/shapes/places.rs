//! The file system and processes beyond plain files: redirected streams, folders and links, mappings,
//! several children, signals that wait, what runs at the end.
//!
//! Everything is made anew and removed, since inputs run one after the other in the same folder.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    redirected,
    listed,
    linked,
    renamed,
    mapped,
    polled,
    waiting,
    line_of_children,
    environment,
    at_the_end,
    buffered,
    truncated,
    anonymous,
];

/// Standard output goes to a file for a while.
fn redirected(w: &mut Writer) -> Statement {
    let (f, k, s) = (w.fresh("f"), w.fresh("kept"), w.fresh("s"));
    let (number, when) = (w.below(12), w.condition());
    let keep = w.keep(&format!("{s}[0] + {s}[1] * 3 + strlen({s}) * 900"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  fflush(stdout);\n  int {k} = dup(1), {f} = open(\"{f}\", O_RDWR | O_CREAT | O_TRUNC, 0600);\n  \
           if ({k} < 0 || {f} < 0 || dup2({f}, 1) != 1) return 50;\n  printf(\"%u\", {number});\n  \
           if ({when}) puts(\"!\");\n  fflush(stdout);\n  dup2({k}, 1);\n  close({k});\n  \
           char {s}[8] = \"\";\n  pread({f}, {s}, sizeof {s} - 1, 0);\n  close({f});\n  unlink(\"{f}\");\n  {keep}\n}}"
    ))
}

/// A folder with entries, of which some are made by the way.
fn listed(w: &mut Writer) -> Statement {
    let (d, n, e) = (w.fresh("d"), w.fresh("n"), w.fresh("entry"));
    let (when, mode) = (w.condition(), w.lots.one(&["0600", "0640"]));
    let keep = w.keep(&n);
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  if (mkdir(\"{d}\", 0700)) return 51;\n  close(open(\"{d}/a\", O_WRONLY | O_CREAT, {mode}));\n  \
           if ({when}) mkdir(\"{d}/bc\", 0700);\n  unsigned {n} = 0;\n  DIR *{d}s = opendir(\"{d}\");\n  if (!{d}s) return 52;\n  \
           for (struct dirent *{e}; ({e} = readdir({d}s));) {n} += (unsigned char){e}->d_name[0] + ({e}->d_type == DT_DIR ? 1000u : 0u);\n  \
           closedir({d}s);\n  {n} += rmdir(\"{d}\") ? (unsigned)errno : 0u;\n  rmdir(\"{d}/bc\");\n  unlink(\"{d}/a\");\n  rmdir(\"{d}\");\n  {keep}\n}}"
    ))
}

/// Links of both kinds, followed and not.
fn linked(w: &mut Writer) -> Statement {
    let (f, s, t) = (w.fresh("f"), w.fresh("s"), w.fresh("status"));
    let (length, hard) = (w.below(4), w.condition());
    let follow = w.lots.one(&["stat", "lstat"]);
    let keep = w.keep(&format!(
        "{t}.st_size * 16 + {t}.st_nlink * 4 + (S_ISLNK({t}.st_mode) ? 2 : 0) + (unsigned char){s}[0]"
    ));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  int {f} = creat(\"{f}\", 0600);\n  if ({f} < 0 || write({f}, \"abcd\", {length}) < 0) return 53;\n  close({f});\n  \
           if ({hard} ? link(\"{f}\", \"{f}l\") : symlink(\"{f}\", \"{f}l\")) return 54;\n  struct stat {t};\n  \
           if ({follow}(\"{f}l\", &{t})) return 55;\n  char {s}[8] = \"-\";\n  {s}[0] += (char)readlink(\"{f}l\", {s} + 1, 3);\n  \
           unlink(\"{f}\");\n  if (access(\"{f}l\", F_OK)) {s}[0] += 9;\n  unlink(\"{f}l\");\n  {keep}\n}}"
    ))
}

/// Files that take each other's place; what fails says why.
fn renamed(w: &mut Writer) -> Statement {
    let (f, s) = (w.fresh("f"), w.fresh("s"));
    let (there, moved) = (w.condition(), w.condition());
    let keep = w.keep(&format!("{s} * 64u + (unsigned)errno"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  errno = 0;\n  unsigned {s} = 0;\n  if ({there}) close(creat(\"{f}\", 0600));\n  mkdir(\"{f}d\", 0700);\n  \
           {s} += rename(\"{f}\", {moved} ? \"{f}d/x\" : \"{f}d\") ? 1u : 2u;\n  {s} += unlink(\"{f}d/x\") ? 4u : 8u;\n  \
           {s} += access(\"{f}\", R_OK | W_OK) ? 16u : 32u;\n  unlink(\"{f}\");\n  rmdir(\"{f}d\");\n  {keep}\n}}"
    ))
}

/// A file in memory, shared or of our own.
fn mapped(w: &mut Writer) -> Statement {
    let (f, p, c) = (w.fresh("f"), w.fresh("p"), w.fresh("c"));
    let (at, byte, from) = (w.below(8), w.number(), w.below(8));
    // Whether a mapping of our own shows what is written to its file later is not said anywhere.
    let (kind, later) =
        w.lots.one(&[("MAP_SHARED", "pwrite({f}, \"Y\", 1, 3);"), ("MAP_PRIVATE", "")]);
    let later = later.replace("{f}", &f);
    let keep = w.keep(&format!("{c} * 3u + (unsigned char){p}[{from}]"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  int {f} = open(\"{f}\", O_RDWR | O_CREAT | O_TRUNC, 0600);\n  if ({f} < 0 || write({f}, \"abcdefgh\", 8) != 8) return 56;\n  \
           char *{p} = mmap(NULL, 8, PROT_READ | PROT_WRITE, {kind}, {f}, 0);\n  if ({p} == MAP_FAILED) return 57;\n  \
           {p}[{at}] = (char)({byte});\n  unsigned char {c} = 0;\n  pread({f}, &{c}, 1, {from});\n  {later}\n  close({f});\n  unlink(\"{f}\");\n  {keep}\n  munmap({p}, 8);\n}}"
    ))
}

/// Pipes that are asked what there is to read.
fn polled(w: &mut Writer) -> Statement {
    let (p, s, n) = (w.fresh("p"), w.fresh("set"), w.fresh("n"));
    let (written, closed) = (w.condition(), w.condition());
    let keep = w.keep(&format!("{n} + {s}[0].revents * 8 + {s}[1].revents * 64"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  int {p}[2], {n} = 0;\n  if (pipe({p})) return 58;\n  if ({written}) {n} += (int)write({p}[1], \"ab\", 2);\n  \
           if ({closed}) close({p}[1]), {p}[1] = -1;\n  struct pollfd {s}[] = {{{{{p}[0], POLLIN, 0}}, {{{p}[1], POLLOUT, 0}}}};\n  \
           {n} += poll({s}, 2, 0);\n  int {p}w = 0;\n  if (!ioctl({p}[0], FIONREAD, &{p}w)) {n} += {p}w * 5;\n  \
           close({p}[0]);\n  if ({p}[1] >= 0) close({p}[1]);\n  {keep}\n}}"
    ))
}

/// Signals that wait until they are let in, and what their handler is told.
fn waiting(w: &mut Writer) -> Statement {
    let (h, g, s) = (w.fresh("handler"), w.fresh("g"), w.fresh("set"));
    let (first, second) = (w.condition(), w.condition());
    let keep = w.keep(&format!("(unsigned){g}"));
    let flags = w.lots.one(&["SA_SIGINFO", "SA_SIGINFO | SA_RESETHAND", "SA_SIGINFO | SA_NODEFER"]);
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  struct sigaction {s}a = {{.sa_sigaction = {h}, .sa_flags = {flags}}};\n  sigaction(SIGRTMIN + 1, &{s}a, NULL);\n  \
           {s}a.sa_flags = SA_SIGINFO;\n  sigaction(SIGUSR1, &{s}a, NULL);\n  \
           sigset_t {s}, {s}old;\n  sigemptyset(&{s});\n  sigaddset(&{s}, SIGUSR1);\n  sigaddset(&{s}, SIGRTMIN + 1);\n  \
           sigprocmask(SIG_BLOCK, &{s}, &{s}old);\n  {g} = 1;\n  if ({first}) kill(getpid(), SIGUSR1), kill(getpid(), SIGUSR1);\n  \
           if ({second}) raise(SIGRTMIN + 1);\n  sigpending(&{s});\n  {g} += sigismember(&{s}, SIGUSR1) * 1000;\n  \
           sigprocmask(SIG_SETMASK, &{s}old, NULL);\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static volatile sig_atomic_t {g};\n\
         static void {h}(int number, siginfo_t *info, void *context) {{\n  {g} = {g} * 3 + (number == SIGUSR1) + (info->si_signo != number) * 50;\n}}"
    ))
}

/// Two children, of which one writes what the other reads.
fn line_of_children(w: &mut Writer) -> Statement {
    let (p, c, d, n) = (w.fresh("p"), w.fresh("c"), w.fresh("d"), w.fresh("n"));
    let (byte, status, when) = (w.number(), w.below(4), w.condition());
    let keep = w.keep(&format!("WEXITSTATUS({n}) * 16 + (WIFEXITED({n}d) ? 3 : 5) + v2 % 7u"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  int {p}[2], {n} = 0, {n}d = 0;\n  if (pipe({p})) return 59;\n  pid_t {c} = fork();\n  if (!{c}) {{\n    \
           unsigned char out = (unsigned char)({byte});\n    if (write({p}[1], &out, 1) != 1) _exit(9);\n    _exit((int)({status}));\n  }}\n  \
           waitpid({c}, &{n}d, 0);\n  pid_t {d} = fork();\n  if (!{d}) {{\n    v2 = 1;\n    unsigned char in = 0;\n    \
             if (dup2({p}[0], 9) != 9 || read(9, &in, 1) != 1) _exit(8);\n    if ({when}) _exit(in & 7);\n    _exit((in >> 4) + 1);\n  }}\n  \
           close({p}[0]);\n  close({p}[1]);\n  while (waitpid(-1, &{n}, 0) != {d});\n  {keep}\n}}"
    ))
}

/// Variables of the environment.
fn environment(w: &mut Writer) -> Statement {
    let (s, p) = (w.fresh("s"), w.fresh("p"));
    let (when, letter, over) = (w.condition(), w.below(3), w.condition());
    let keep = w.keep(&format!("({p} ? strlen({p}) * 8u + (unsigned char)*{p} : 3u)"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  char {s}[] = {{'x', 0}};\n  {s}[0] += (char)({letter});\n  setenv(\"{p}\", \"first\", 1);\n  setenv({s}, \"second\", 1);\n  \
           setenv(\"{p}\", {s}, ({over}) ? 1 : 0);\n  if ({when}) unsetenv(\"y\");\n  char *{p} = getenv(\"y\");\n  {keep}\n  \
           {p} = getenv(\"{p}\");\n  {keep}\n  unsetenv(\"x\");\n  unsetenv(\"y\");\n  unsetenv(\"z\");\n}}"
    ))
}

/// Functions that run when the program ends, and see what it has become.
fn at_the_end(w: &mut Writer) -> Statement {
    let (f, g) = (w.fresh("f"), w.fresh("g"));
    let (when, x) = (w.condition(), w.number());
    w.spend(2);
    Statement::plain(&format!("{g} = {x};\natexit({f}one);\nif ({when}) atexit({f}two);"))
        .with_global(&format!(
            "static unsigned {g};\nstatic void {f}one(void) {{ show({g}); }}\n\
             static void {f}two(void) {{ {g} = {g} * 3u + 1u; fputs(\"two\\n\", stdout); }}"
        ))
}

/// Streams with a buffer of another size or none, and how often they write.
fn buffered(w: &mut Writer) -> Statement {
    let (f, s, n) = (w.fresh("f"), w.fresh("s"), w.fresh("n"));
    let (mode, count) = (w.lots.one(&["_IOFBF", "_IOLBF", "_IONBF"]), w.below(4));
    let keep = w.keep(&format!("{n} + (unsigned char){s}[0] + ftell({f}) * 100"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  FILE *{f} = fopen(\"{f}\", \"w+\");\n  if (!{f}) return 63;\n  static char {f}b[16];\n  \
           setvbuf({f}, {mode} == _IONBF ? NULL : {f}b, {mode}, sizeof {f}b);\n  \
           for (unsigned i = 0; i <= {count}; i++) fputs(i & 1u ? \"line\\n\" : \"abc\", {f});\n  \
           struct stat {n}s;\n  fstat(fileno({f}), &{n}s);\n  unsigned {n} = (unsigned){n}s.st_size;\n  fseek({f}, 2, SEEK_SET);\n  \
           char {s}[4] = \"\";\n  {n} += (unsigned)fread({s}, 1, 3, {f});\n  {keep}\n  fclose({f});\n  remove(\"{f}\");\n}}"
    ))
}

/// Files that shrink and grow, with holes.
fn truncated(w: &mut Writer) -> Statement {
    let (f, s, n) = (w.fresh("f"), w.fresh("s"), w.fresh("n"));
    let (length, at) = (w.below(8), w.below(8));
    let append = w.lots.one(&["", " | O_APPEND"]);
    let keep = w.keep(&format!("{n} * 16u + {s}[0] + {s}[2] * 3u + {s}[5] * 5u"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  int {f} = open(\"{f}\", O_RDWR | O_CREAT | O_TRUNC{append}, 0600);\n  if ({f} < 0 || write({f}, \"abcd\", 4) != 4) return 64;\n  \
           ftruncate({f}, {length});\n  lseek({f}, {at}, SEEK_SET);\n  if (write({f}, \"xy\", 2) != 2) return 65;\n  \
           unsigned char {s}[12] = {{0}};\n  lseek({f}, 0, SEEK_SET);\n  unsigned {n} = (unsigned)read({f}, {s}, sizeof {s});\n  \
           {n} += (unsigned)lseek({f}, 0, SEEK_END);\n  close({f});\n  unlink(\"{f}\");\n  {keep}\n}}"
    ))
}

/// Pages without a file, some of which are given back; a child does not change its parent's, unless they are shared.
fn anonymous(w: &mut Writer) -> Statement {
    let (p, c) = (w.fresh("p"), w.fresh("c"));
    let (x, when) = (w.number(), w.condition());
    let kind = w.lots.one(&["MAP_SHARED", "MAP_PRIVATE"]);
    let keep = w.keep(&format!("*(unsigned *){p} + (unsigned char){p}[4096]"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  char *{p} = mmap(NULL, 12288, PROT_READ | PROT_WRITE, {kind} | MAP_ANONYMOUS, -1, 0);\n  if ({p} == MAP_FAILED) return 66;\n  \
           {p}[4096] = 5;\n  pid_t {c} = fork();\n  if (!{c}) {{\n    *(unsigned *){p} = {x};\n    _exit(0);\n  }}\n  waitpid({c}, NULL, 0);\n  \
           if ({when}) {{\n    *(unsigned *){p} += 3u;\n    munmap({p} + 8192, 4096);\n    mprotect({p} + 4096, 4096, PROT_READ);\n  }}\n  {keep}\n  munmap({p}, 8192);\n}}"
    ))
}
