//! Which test runs a process: told by the command lines of the processes above it.

use libc::pid_t;

use super::process;

/// Processes that are looked at.
const MOST_ANCESTORS: usize = 32;
/// Programs that run scripts.
const INTERPRETERS: &[&str] = &["sh", "bash", "dash", "ksh", "zsh", "perl", "awk", "tclsh"];

/// The name of the test: what automake's driver calls it, else the nearest script above.
pub fn test_of(pid: pid_t) -> Option<Vec<u8>> {
    let mut script = None;
    let mut current = pid;
    for _ in 0..MOST_ANCESTORS {
        match parent(current) {
            Some(parent) if parent > 1 => current = parent,
            _ => break,
        }
        let bytes = process::told(current, "cmdline");
        let words: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        if let Some(at) = words.iter().position(|word| *word == b"--test-name") {
            return words.get(at + 1).map(|name| name.to_vec());
        }
        if is_make(&words) {
            break;
        }
        script = script.or_else(|| script_of(&words));
    }
    script
}

fn parent(pid: pid_t) -> Option<pid_t> {
    let status = process::told(pid, "status");
    String::from_utf8_lossy(&status)
        .lines()
        .find_map(|line| line.strip_prefix("PPid:"))?
        .trim()
        .parse()
        .ok()
}

fn base_name(word: &[u8]) -> &[u8] {
    word.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

fn is_make(words: &[&[u8]]) -> bool {
    words.first().is_some_and(|word| matches!(base_name(word), b"make" | b"gmake" | b"ninja"))
}

/// The script that an interpreter runs. One that was given as text (`sh -c`) has no name.
fn script_of(words: &[&[u8]]) -> Option<Vec<u8>> {
    let (program, arguments) = words.split_first()?;
    let name = String::from_utf8_lossy(base_name(program));
    if !INTERPRETERS.contains(&&*name) && !name.starts_with("python") {
        return None;
    }
    for argument in arguments {
        match argument {
            [b'-', flags @ ..] if is_text_flag(&name, flags) => return None,
            [] | [b'-', ..] => {}
            script => return Some(script.to_vec()),
        }
    }
    None
}

/// Whether flags of an interpreter say that the script itself follows.
fn is_text_flag(interpreter: &str, flags: &[u8]) -> bool {
    match interpreter {
        "perl" => flags == b"E" || (flags.ends_with(b"e") && flags[0].is_ascii_lowercase()),
        _ => flags.first() != Some(&b'-') && flags.contains(&b'c'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_from_other_commands() {
        for (command, script) in [
            ("/bin/sh ./tests/cut.sh", Some("./tests/cut.sh")),
            ("perl -w -I./tests ./cut.pl -x", Some("./cut.pl")),
            ("python3.11 t.py", Some("t.py")),
            ("sh -e ./x", Some("./x")),
            ("sh --posix ./x", Some("./x")),
            ("sh -ec ./x", None),
            ("perl -we print", None),
            ("bash", None),
            ("cat ./x", None),
        ] {
            let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
            assert_eq!(script_of(&words), script.map(|text| text.as_bytes().to_vec()), "{command}");
        }
        assert!(is_make(&[b"/usr/bin/make", b"check"]) && !is_make(&[b"makeinfo"]));
    }
}
