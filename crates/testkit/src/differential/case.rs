//! The cases of a program, as text.
//!
//! A `.cases` file is a header and cases. Lines that are empty or begin with `#` mean nothing. A
//! case begins with `== title`; titles are unique in a file. All other lines are `key: value`.
//!
//! In the header: `program:` the executable in the built package; `sources:` its own source files
//! (both default to what the package's layout says); `setup:` and `env:` lines that hold for every
//! case; `partial:` why half of the program's lines cannot be run, which takes the program out of
//! the suite's totals.
//!
//! In a case:
//! - `setup:` a line of POSIX shell, run natively in the fresh tree before either run; any number.
//!   `$BUILD` is the built package,
//!   `$DATA` the folder of the `.cases` file.
//!   What it makes gets a fixed time, unless it has one by `touch -d`. Inode numbers and the times of changes cannot be settled so.
//! - `run:` the command line, if it is not the title itself; the first word is the program's name.
//!   `$BUILD` and `$TREE` (the tree's path) are replaced.
//! - `stdin:` a text in double quotes with C escapes, given through a pipe; or `< FILE`, a file
//!   opened in the tree. Default: `/dev/null`.
//! - `env:` assignments on top of the default environment; `unset:` names to take out of it.
//! - `umask:` an octal number; default 022.
//! - `finding:` the engine stops the program here for an error that the native run may survive;
//!   standard error must
//!   contain this text. The runs are not compared, and the case does not count for the suite's totals.
//! - `undefined:` why what the program does here depends on chance, such as a variable never set.
//!   As `finding:`, but nothing is expected.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

/// The cases of one program.
#[derive(Debug, Default)]
pub struct Program {
    /// The package, named as its source package.
    pub package: String,
    /// Where the cases are.
    pub folder: PathBuf,
    /// The program's name: the first word of every `run:` line.
    pub name: String,
    /// The executable, relative to the built package.
    pub executable: String,
    /// The program's own source files, relative to the built package.
    pub sources: Vec<String>,
    /// Why half of the lines cannot be run.
    pub partial: Option<String>,
    /// The cases, in order.
    pub cases: Vec<Case>,
}

/// A command line and what it starts from.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What the case is about.
    pub title: String,
    /// Lines of shell that make the tree.
    pub setup: Vec<String>,
    /// The command line, not split yet.
    pub run: String,
    /// Standard input.
    pub stdin: Stdin,
    /// Variables to set, on top of the default ones.
    pub env: Vec<(String, String)>,
    /// Variables to take away.
    pub unset: Vec<String>,
    /// The file mode creation mask, if not the default one.
    pub umask: Option<u32>,
    /// What is compared.
    pub expect: Expect,
}

/// What is to be seen of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Both runs are equal.
    #[default]
    Equal,
    /// The engine reports an error with this text.
    Finding(String),
    /// Nothing, for this reason.
    Undefined(String),
}

/// Where standard input comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// The null device.
    #[default]
    Null,
    /// A pipe with this text.
    Text(Vec<u8>),
    /// A file, relative to the tree.
    File(String),
}

/// Reads a `.cases` file of a package; `stem` is the file's name without its ending.
pub fn parse(package: &str, stem: &str, text: &str) -> Result<Program> {
    let mut program = Program {
        package: package.into(),
        folder: PathBuf::new(),
        name: stem.into(),
        executable: format!("src/{stem}"),
        sources: vec![format!("src/{stem}.c")],
        partial: None,
        cases: Vec::new(),
    };
    // What the header says of every case.
    let mut common = Case::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            parse_line(line, &mut program, &mut common)
                .with_context(|| format!("{package}/{stem}.cases:{}", number + 1))?;
        }
    }
    for case in &mut program.cases {
        if case.run.is_empty() {
            case.run.clone_from(&case.title);
        }
    }
    check(&program).with_context(|| format!("{package}/{stem}.cases"))?;
    Ok(program)
}

fn parse_line(line: &str, program: &mut Program, common: &mut Case) -> Result<()> {
    if let Some(title) = line.strip_prefix("==") {
        let case = Case { title: title.trim().into(), ..common.clone() };
        program.cases.push(case);
        return Ok(());
    }
    let (key, value) = line.split_once(':').context("neither `== title` nor `key: value`")?;
    let value = value.trim();
    if program.cases.is_empty() {
        match key {
            "program" => {
                value.clone_into(&mut program.executable);
                let name = value.rsplit('/').next().unwrap_or(value);
                name.clone_into(&mut program.name);
                return Ok(());
            }
            "sources" => {
                program.sources = value.split_whitespace().map(Into::into).collect();
                return Ok(());
            }
            "partial" => {
                program.partial = Some(value.into());
                return Ok(());
            }
            _ => {}
        }
    }
    let case = program.cases.last_mut().unwrap_or(common);
    match key {
        "setup" => case.setup.push(value.into()),
        "run" => {
            ensure!(case.run.is_empty(), "a second command line in one case");
            value.clone_into(&mut case.run);
        }
        "stdin" => case.stdin = stdin(value)?,
        "env" => {
            for word in super::words::split(value, &[])? {
                let word = String::from_utf8(word)?;
                let (name, value) = word.split_once('=').context("no = in an assignment")?;
                case.env.push((name.into(), value.into()));
            }
        }
        "finding" => case.expect = Expect::Finding(value.into()),
        "undefined" => case.expect = Expect::Undefined(value.into()),
        "unset" => case.unset.extend(value.split_whitespace().map(Into::into)),
        "umask" => case.umask = Some(u32::from_str_radix(value, 8)?),
        _ => bail!("unknown key `{key}`"),
    }
    Ok(())
}

fn stdin(value: &str) -> Result<Stdin> {
    Ok(match value.strip_prefix('<') {
        Some(file) => Stdin::File(file.trim().into()),
        None => Stdin::Text(super::words::unescape(value)?),
    })
}

fn check(program: &Program) -> Result<()> {
    let mut titles = std::collections::HashSet::new();
    for case in &program.cases {
        ensure!(titles.insert(&case.title), "two cases `{}`", case.title);
        let words = super::words::split(&case.run, &[]).with_context(|| case.title.clone())?;
        ensure!(
            words.first().map(Vec::as_slice) == Some(program.name.as_bytes()),
            "case `{}` does not run `{}`",
            case.title,
            program.name
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_cases() {
        let text = "# cut\nsetup: echo a >in\nenv: A=1\n\n== one\nrun: cut -f1 in\n== cut -f2 in\n== two\nsetup: rm in\nstdin: \"x\\n\"\nrun: cut -f1\nenv: B='2 3'\n";
        let program = parse("coreutils", "cut", text).unwrap();
        assert_eq!(program.executable, "src/cut");
        assert_eq!(program.sources, ["src/cut.c"]);
        let [one, bare, two] = &program.cases[..] else { panic!("three cases") };
        assert_eq!(one.setup, ["echo a >in"]);
        assert_eq!(one.stdin, Stdin::Null);
        assert_eq!(bare.run, "cut -f2 in");
        assert_eq!(two.setup, ["echo a >in", "rm in"]);
        assert_eq!(two.stdin, Stdin::Text(b"x\n".into()));
        assert_eq!(two.env, [("A".into(), "1".into()), ("B".into(), "2 3".into())]);
    }

    #[test]
    fn other_places() {
        let text =
            "program: find/find\nsources: find/pred.c find/tree.c\n== a\nrun: find .\nstdin: < f\n";
        let program = parse("findutils", "find", text).unwrap();
        assert_eq!(program.executable, "find/find");
        assert_eq!(program.sources, ["find/pred.c", "find/tree.c"]);
        assert_eq!(program.cases[0].stdin, Stdin::File("f".into()));
    }

    #[test]
    fn mistakes() {
        for text in [
            "x\n",
            "== a\nrun: cut\nrun: cut\n",
            "== a\nrun: cat\n",
            "== a\nrun: cut\n== a\nrun: cut\n",
            "== a\nrun: cut 'x\n",
            "== a\nwhat: cut\n",
            "== cat a\n",
        ] {
            assert!(parse("coreutils", "cut", text).is_err(), "{text}");
        }
    }
}
