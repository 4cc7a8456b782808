//! Findings as regression tests that run without Umbra.
//!
//! A test is a script of a POSIX shell with its case beside it. It passes on the version that is right: the old one for
//! regressions and differences, the new one for fixes and for what is accepted.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use umbra_case::{Case, shell_word};
use umbra_report::{CheckFinding, CheckReport};
use umbra_words::{Class, Version};

use crate::Error;
use crate::check::keep::write;

/// Where the outputs of both versions are kept, in the folder of a check.
pub const OUTPUTS: &str = "outputs";

/// The lists of the tests for build systems, with the file that says that a project uses one.
const LISTS: [(&str, &str); 2] = [("Makefile.am", "tests.am"), ("CMakeLists.txt", "tests.cmake")];

/// The tests that were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The scripts, and the list of them for the project's build system.
    pub files: Vec<PathBuf>,
    /// Findings that no script can show, and why.
    pub left_out: Vec<(String, &'static str)>,
}

/// The version that is right.
fn right(finding: &CheckFinding) -> Version {
    match finding.class {
        Class::Fix => Version::New,
        _ if finding.accepted => Version::New,
        _ => Version::Old,
    }
}

/// Writes the findings of a report as tests into a folder.
pub fn export(project: &Path, report: &CheckReport, folder: &Path) -> Result<Exported, Error> {
    fs::create_dir_all(folder).map_err(Error::file("making the folder", folder))?;
    let mut exported = Exported::default();
    let mut names = Vec::new();
    for finding in &report.findings {
        if let Some(why) = cannot(finding) {
            exported.left_out.push((finding.id.clone(), why));
            continue;
        }
        let name = format!("umbra-{}.sh", finding.id);
        let path = folder.join(&name);
        one(Path::new(&report.folder), finding, folder, &path)?;
        exported.files.push(path);
        names.push((name, finding.program.clone()));
    }
    for (index, (sign, list)) in LISTS.into_iter().enumerate() {
        if names.is_empty() || !project.join(sign).exists() {
            continue;
        }
        let path = folder.join(list);
        let text = if index == 0 { automake(&names) } else { ctest(&names) };
        write(&path, text.as_bytes())?;
        exported.files.push(path);
    }
    Ok(exported)
}

/// Why no script can show a finding.
fn cannot(finding: &CheckFinding) -> Option<&'static str> {
    let differ = finding.old.status != finding.new.status
        || finding.old.stdout != finding.new.stdout
        || finding.old.stderr != finding.new.stderr;
    match () {
        () if !finding.confirmed => Some("native runs do not show it"),
        () if finding.class.is_silent() => Some("it is not the same each time, or nothing differs"),
        () if finding.case.is_empty() => Some("it has no test case"),
        () if differ => None,
        () if finding.old.error != finding.new.error => {
            Some("it shows only in a build with sanitizers")
        }
        () => Some("it shows only in the files that the program leaves"),
    }
}

fn one(check: &Path, finding: &CheckFinding, folder: &Path, path: &Path) -> Result<(), Error> {
    let case = Case::read(&check.join(&finding.case))?;
    let beside = folder.join(format!("umbra-{}", finding.id));
    if beside.exists() {
        fs::remove_dir_all(&beside).map_err(Error::file("removing", &beside))?;
    }
    case.write(&beside)?;
    let number = finding.case.rsplit('/').next().unwrap_or_default();
    let from = check.join(OUTPUTS).join(number).join(right(finding).name());
    let to = beside.join("right");
    fs::create_dir_all(&to).map_err(Error::file("making the folder", &to))?;
    for stream in ["stdout", "stderr"] {
        let (from, to) = (from.join(stream), to.join(stream));
        fs::copy(&from, &to).map_err(Error::file("copying", &from))?;
    }
    let text = script(finding);
    write(path, text.as_bytes())?;
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, executable).map_err(Error::file("changing the mode of", path))
}

fn script(finding: &CheckFinding) -> String {
    let behaviour = match right(finding) {
        Version::Old => &finding.old,
        Version::New => &finding.new,
    };
    let status = behaviour.status.unwrap_or_default();
    // Messages change; they count where they are what differs.
    let messages = finding.old.stderr != finding.new.stderr
        && finding.old.status == finding.new.status
        && finding.old.stdout == finding.new.stdout;
    let program = shell_word(format!("./{}", finding.program).as_bytes());
    let program = program.unwrap_or_else(|| "./program".to_owned());
    let mut text = format!(
        "#!/bin/sh\n# {}\n# usage: {name}.sh [PROGRAM]   PROGRAM is {program} if it is not given\n",
        umbra_text::Show::shown(&finding.verdict),
        name = format_args!("umbra-{}", finding.id),
    );
    let _ = write!(
        text,
        r#"program=${{1:-{program}}}
test=${{0%.sh}}
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
"$test/run.sh" "$program" >"$out/stdout" 2>"$out/stderr"
status=$?
failed=0
if [ "$status" != {status} ]; then
    echo "$0: exit status $status, where {status} is right"
    failed=1
fi
"#
    );
    for stream in ["stdout", "stderr"] {
        if stream == "stderr" && !messages {
            continue;
        }
        let _ = write!(
            text,
            r#"if ! cmp -s "$test/right/{stream}" "$out/{stream}"; then
    echo "$0: {stream} is not right:"
    diff "$test/right/{stream}" "$out/{stream}"
    failed=1
fi
"#
        );
    }
    text += "exit $failed\n";
    text
}

/// For automake: include it in a Makefile.am.
fn automake(names: &[(String, String)]) -> String {
    let mut text =
        "# Include this in Makefile.am, and put the folder into EXTRA_DIST.\n".to_owned();
    for (name, _) in names {
        let _ = writeln!(text, "TESTS += %D%/{name}");
    }
    text
}

/// For CTest: include it in CMakeLists.txt.
fn ctest(names: &[(String, String)]) -> String {
    let mut text = "# Include this in CMakeLists.txt.\n".to_owned();
    for (name, program) in names {
        let test = name.trim_end_matches(".sh");
        let target = program.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(
            text,
            "add_test(NAME {test} COMMAND ${{CMAKE_CURRENT_LIST_DIR}}/{name} $<TARGET_FILE:{target}>)"
        );
    }
    text
}
