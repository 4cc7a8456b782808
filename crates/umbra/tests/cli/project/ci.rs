//! `ci/check`, the script behind action.yml and ci/gitlab.yml, with the variables of their events.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::Project;
use super::check::bars;
use crate::support::UMBRA;

/// The repository of Umbra.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The commit before the first one, as forges have it.
const NOTHING: &str = "0000000000000000000000000000000000000000";

impl Project {
    /// The script in a folder of the project, with these variables and none of a forge that runs these tests.
    fn job(&self, folder: &str, variables: &[(&str, &str)], args: &[&str]) -> Output {
        let mut command = Command::new(format!("{ROOT}/ci/check"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["CI_", "GITHUB_", "UMBRA_EVENT"].iter().any(|start| name.starts_with(start)) {
                command.env_remove(name);
            }
        }
        command.args(args).current_dir(self.dir.path(folder)).env("UMBRA", UMBRA);
        command.env("UMBRA_CACHE", self.dir.path("cache"));
        command.env("UMBRA_ARGS", "--deterministic --max-instructions 150000 --no-sanitize");
        command.envs(variables.iter().copied()).output().unwrap()
    }

    /// The patch that a job is about.
    fn range(&self, variables: &[(&str, &str)]) -> String {
        let output = self.job("repo", variables, &["--print-range"]);
        assert!(output.status.success(), "{variables:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn commit_of(&self, revision: &str) -> String {
        self.git(&format!("rev-parse {revision}")).trim_end().to_owned()
    }
}

/// A project with the commits `first`, `fork`, `main` and, beside the last one, `side` and `top`.
fn branched() -> Project {
    let project = Project::empty();
    for (tag, from) in [("first", ""), ("fork", ""), ("main", ""), ("side", "fork"), ("top", "")] {
        if !from.is_empty() {
            project.git(&format!("checkout --quiet {from}"));
        }
        project.write("file", tag);
        project.git("add --all");
        project.git(&format!("commit --quiet -m {tag}"));
        project.git(&format!("tag at-{tag}"));
        project.git(&format!("tag --force {tag}"));
    }
    project
}

#[test]
fn the_patch_is_that_of_the_event() {
    let project = branched();
    let [first, fork, main, side, top] =
        ["first", "fork", "main", "side", "top"].map(|tag| project.commit_of(&format!("at-{tag}")));
    let check = |variables: &[(&str, &str)], old: &str, new: &str| {
        assert_eq!(project.range(variables), format!("{old}..{new}"), "{variables:?}");
    };
    // A pull request: what it has on top of where it left its base.
    let base = [("GITHUB_EVENT_NAME", "pull_request"), ("UMBRA_EVENT_BASE", &main)];
    check(&[base[0], base[1], ("UMBRA_EVENT_HEAD", &top)], &fork, &top);
    check(&[("CI_MERGE_REQUEST_DIFF_BASE_SHA", &fork), ("CI_COMMIT_SHA", &side)], &fork, &side);
    // A push.
    let push = ("GITHUB_EVENT_NAME", "push");
    let of = |before| [push, ("UMBRA_EVENT_BEFORE", before), ("UMBRA_EVENT_AFTER", &*top)];
    check(&of(&fork), &fork, &top);
    let gitlab = ("CI_PIPELINE_SOURCE", "push");
    let pushed = [gitlab, ("CI_COMMIT_BEFORE_SHA", &fork), ("CI_COMMIT_SHA", &side)];
    check(&pushed, &fork, &side);
    // A new branch, and one whose history was rewritten: with and without a default branch to compare with.
    check(&of(NOTHING), &side, &top);
    let gone = "5".repeat(40);
    check(&of(&gone), &side, &top);
    project.git(&format!("update-ref refs/remotes/origin/trunk {main}"));
    let default = ("UMBRA_DEFAULT_BRANCH", "trunk");
    let mut new = of(NOTHING).to_vec();
    new.push(default);
    check(&new, &fork, &top);
    let first_push = [push, ("UMBRA_EVENT_BEFORE", NOTHING), ("UMBRA_EVENT_AFTER", &main), default];
    check(&first_push, &fork, &main);
    // Anything else: the last commit. The very first one is no patch.
    check(&[("GITHUB_EVENT_NAME", "schedule")], &side, &top);
    check(&[("UMBRA_RANGE", "a..b"), ("GITHUB_EVENT_NAME", "push")], "a", "b");
    let nothing = [push, ("UMBRA_EVENT_BEFORE", NOTHING), ("UMBRA_EVENT_AFTER", &first)];
    assert_eq!(project.range(&nothing), "");
}

#[test]
fn missing_history_is_said_with_the_way_to_get_it() {
    let project = bars();
    let clone =
        format!("git clone --quiet --depth 1 file://{} shallow", project.repository().display());
    project.dir.ok(&clone);
    let (base, head) = (project.commit_of("HEAD~1"), project.commit_of("HEAD"));
    let shallow = |variables: &[(&str, &str)]| {
        let output = project.job("shallow", variables, &[]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let comment = project.dir.path("shallow/umbra-report/comment.md");
        let comment = fs::read_to_string(comment).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        for text in [&comment, &said] {
            assert!(text.contains("fetch-depth: 0") && text.contains("shallow"), "{text}");
        }
        comment
    };
    let pull = [("UMBRA_EVENT_BASE", &*base), ("UMBRA_EVENT_HEAD", &*head)];
    assert!(shallow(&pull).contains(&base));
    shallow(&[]);
    shallow(&[("GITHUB_EVENT_NAME", "push"), ("UMBRA_EVENT_BEFORE", &base)]);

    let none = [("UMBRA_EVENT_BASE", NOTHING), ("UMBRA_EVENT_HEAD", &*head)];
    let output = project.job("repo", &none, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("another repository"));
}

#[test]
fn a_job_leaves_the_report_in_all_forms() {
    let project = bars();
    project.git("checkout --quiet --detach");
    let (base, head) = (project.commit_of("HEAD~1"), project.commit_of("HEAD"));
    let [page, outputs] = ["summary", "outputs"].map(|name| project.dir.path(name));
    let variables = [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("UMBRA_EVENT_BASE", &*base),
        ("UMBRA_EVENT_HEAD", &*head),
        ("GITHUB_STEP_SUMMARY", page.to_str().unwrap()),
        ("GITHUB_OUTPUT", outputs.to_str().unwrap()),
    ];
    let output = project.job("repo", &variables, &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1. regression: bars is killed by SIGFPE"), "{text}");
    let report = project.repository().join("umbra-report");
    let read = |name: &str| fs::read_to_string(report.join(name)).unwrap();
    let comment = read("comment.md");
    assert!(comment.starts_with("### Umbra: ") && comment.contains("| ./bars -w "), "{comment}");
    assert!(!comment.contains(project.repository().to_str().unwrap()), "{comment}");
    assert_eq!(fs::read_to_string(&page).unwrap(), comment);
    let sarif: serde_json::Value = serde_json::from_str(&read("umbra.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "umbra/regression");
    let forms =
        [("junit.xml", "<failure"), ("cobertura.xml", "<coverage"), ("coverage.info", "SF:bars.c")];
    for (name, part) in
        [("report.html", "SIGFPE"), ("check.json", "\"exit\":1")].iter().chain(&forms)
    {
        assert!(read(name).contains(part), "{name}");
    }
    let outputs = fs::read_to_string(&outputs).unwrap();
    for line in ["exit-code=1", &format!("range={base}..{head}"), "sarif=umbra-report/umbra.sarif"]
    {
        assert!(outputs.lines().any(|it| it == line), "{line}: {outputs}");
    }

    // The same job again takes what is there, and may be told not to fail.
    let mut lenient = variables.to_vec();
    lenient.push(("UMBRA_FAIL_ON", "never"));
    assert_eq!(project.job("repo", &lenient, &[]).status.code(), Some(0));

    // What cannot be done is said in the report, too.
    let output = project.job("repo", &[("UMBRA_RANGE", "HEAD~1..nowhere")], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(read("comment.md").contains("nowhere") && !report.join("umbra.sarif").exists());
}

#[test]
fn the_files_for_forges_name_what_is_there() {
    let action = fs::read_to_string(format!("{ROOT}/action.yml")).unwrap();
    let template = fs::read_to_string(format!("{ROOT}/ci/gitlab.yml")).unwrap();
    let script = fs::read_to_string(format!("{ROOT}/ci/check")).unwrap();
    for name in ["junit.xml", "cobertura.xml"] {
        assert!(
            template.contains(&format!("umbra-report/{name}")) && script.contains(name),
            "{name}"
        );
    }
    // Each variable that they set is one that the script or the program reads.
    for (line, _) in action.lines().chain(template.lines()).filter_map(|line| line.split_once(": "))
    {
        let name = line.trim();
        if name.starts_with("UMBRA_") && !["UMBRA_GIVEN", "UMBRA_CHECK"].contains(&name) {
            let is_known = script.contains(name) || name.starts_with("UMBRA_CACHE");
            assert!(is_known, "{name}");
        }
    }
    // Inputs reach the shell as variables only: a branch or title cannot become a command.
    for line in action.lines().skip_while(|line| !line.starts_with("runs:")) {
        assert!(!line.trim_start().starts_with("run:") || !line.contains("${{"), "{line}");
    }
    assert!(Path::new(ROOT).join("scripts/setup").exists());
}
