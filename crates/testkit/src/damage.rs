//! Damaged bitcode: whatever a file holds, `umbra run` ends in order.
//!
//! In order is: the program's own end, or exit status 2 with a message; in ten seconds, in a GiB of
//! address space, and never by a signal or a panic.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use fastrand::Rng;

use crate::filetest::check::split_summary;
use crate::filetest::process::{Outcome, run, two_at_a_time};

const TIME: Duration = Duration::from_secs(10);
const ADDRESS_SPACE: u64 = 1 << 30;

/// A damaged program may run for ever or allocate without end, as any program: it is stopped.
const RUN_FLAGS: [&str; 5] = ["--json", "--max-instructions", "20000000", "--max-memory", "128"];

const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { char name[8]; int value; struct item *next; };
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static double half(int n) { return n / 2.0; }
int main(int argc, char **argv) {
  int numbers[] = { 3, 1, 2, argc };
  qsort(numbers, 4, sizeof numbers[0], compare);
  struct item *list = 0;
  for (int i = 0; i < 4; i++) {
    struct item *item = calloc(1, sizeof *item);
    if (!item) abort();
    snprintf(item->name, sizeof item->name, "n%d", numbers[i]);
    item->value = numbers[i];
    item->next = list;
    list = item;
  }
  for (; list; list = list->next) {
    switch (list->value) {
    case 1: puts("one"); break;
    case 2: printf("%g\n", half(list->value)); break;
    default: printf("%s %zu\n", list->name, strlen(list->name));
    }
  }
  return 0;
}
"#;

/// Damages a file in the way that belongs to the number; says how.
fn damage(bytes: &mut Vec<u8>, number: usize) -> String {
    let mut random = Rng::with_seed(number as u64);
    let length = bytes.len();
    match number % 10 {
        0 => {
            bytes.truncate(random.usize(..length));
            format!("cut to {} of {length} bytes", bytes.len())
        }
        1 => {
            let most = 64.min(length);
            bytes.truncate(length - 1 - random.usize(..(most - 1).max(1)));
            format!("cut to {} of {length} bytes", bytes.len())
        }
        2..=5 => flip(bytes, 1, &mut random),
        6 => {
            let count = 2 + random.usize(..30);
            flip(bytes, count, &mut random)
        }
        7 => {
            let start = random.usize(..length);
            let end = (start + 1 + random.usize(..256)).min(length);
            bytes[start..end].fill(0);
            format!("bytes {start} to {end} zeroed")
        }
        8 => {
            // The identification block and the first records: magic, producer, epoch, version.
            let at = random.usize(..64.min(length));
            bytes[at] ^= 1 << random.usize(..8);
            format!("a bit of byte {at} flipped")
        }
        _ => match (number / 10) % 5 {
            0 => {
                bytes.clear();
                "empty".to_owned()
            }
            1 => {
                for byte in bytes.iter_mut().skip(4) {
                    *byte = random.u8(..);
                }
                "garbage behind the magic number".to_owned()
            }
            2 => {
                bytes.drain(..random.usize(..length));
                format!("the last {} bytes", bytes.len())
            }
            3 => {
                bytes[2..4].copy_from_slice(&[random.u8(..), random.u8(..)]);
                "another magic number".to_owned()
            }
            _ => {
                let (from, to) = (random.usize(..length), random.usize(..length));
                let count = random.usize(..length - from.max(to));
                bytes.copy_within(from..from + count, to);
                format!("{count} bytes copied from {from} to {to}")
            }
        },
    }
}

fn flip(bytes: &mut [u8], count: usize, random: &mut Rng) -> String {
    let mut places = Vec::new();
    for _ in 0..count {
        let (at, bit) = (random.usize(..bytes.len()), random.usize(..8));
        bytes[at] ^= 1 << bit;
        places.push(format!("{at}.{bit}"));
    }
    format!("bits flipped: {}", places.join(" "))
}

/// What became of the files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Refused with a message.
    pub refused: usize,
    /// Run to some end.
    pub ran: usize,
}

/// Makes `count` damaged files and runs each.
pub fn check(umbra: &Path, count: usize) -> anyhow::Result<Counts> {
    let folder = tempfile::tempdir()?;
    let sources = originals(umbra, folder.path())?;
    for source in &sources {
        let outcome = start(umbra, source)?;
        ensure!(
            outcome.code() == 0,
            "the undamaged file does not run: {}",
            String::from_utf8_lossy(&outcome.stderr)
        );
    }
    let results = two_at_a_time(count, |number| {
        let source = &sources[(number / 10) % sources.len()];
        let mut bytes = fs::read(source)?;
        let how = damage(&mut bytes, number);
        let file = folder.path().join(format!("damaged{number}.bc"));
        fs::write(&file, &bytes)?;
        let outcome = start(umbra, &file)?;
        fs::remove_file(&file)?;
        anyhow::Ok((how, source, judge(&outcome)))
    });
    let mut counts = Counts::default();
    let mut failed = Vec::new();
    for (number, result) in results.into_iter().enumerate() {
        let (how, source, judged) = result?;
        match judged {
            Ok(true) => counts.ran += 1,
            Ok(false) => counts.refused += 1,
            Err(what) => {
                let kind = source.file_stem().unwrap_or_default().to_string_lossy();
                failed.push(format!("{number} ({kind}, {how}): {what}"));
            }
        }
    }
    ensure!(
        failed.is_empty(),
        "{} of {count} damaged files did not end in order\n{}",
        failed.len(),
        failed.join("\n")
    );
    Ok(counts)
}

/// A whole program's bitcode, and that of a single file as clang writes it.
fn originals(umbra: &Path, folder: &Path) -> anyhow::Result<[PathBuf; 2]> {
    fs::write(folder.join("p.c"), PROGRAM)?;
    let mut whole = Command::new(umbra);
    whole.args(["cc", "p.c", "-o", "whole"]);
    let mut single = Command::new("clang-19");
    single.args(["-g", "-c", "-emit-llvm", "p.c", "-o", "single.bc"]);
    for mut command in [whole, single] {
        let status = command.current_dir(folder).status();
        let status = status.with_context(|| format!("starting {command:?}"))?;
        ensure!(status.success(), "{command:?} failed");
    }
    Ok([folder.join("whole.bc"), folder.join("single.bc")])
}

fn start(umbra: &Path, file: &Path) -> anyhow::Result<Outcome> {
    let mut command = Command::new(umbra);
    command
        .args(["__limited", "--as", &ADDRESS_SPACE.to_string(), "--"])
        .arg(umbra)
        .arg("run")
        .args(RUN_FLAGS)
        .arg(file)
        .stdin(Stdio::null());
    run(&mut command, TIME)
}

/// Whether the program ran, or was refused; else what is wrong.
fn judge(outcome: &Outcome) -> Result<bool, String> {
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let last = stderr.lines().last().unwrap_or_default();
    if outcome.status.is_none() {
        return Err("more than 10 s".to_owned());
    }
    if let Some(signal) = outcome.signal() {
        return Err(format!("killed by signal {signal}: {last}"));
    }
    if stderr.contains("panicked at") {
        return Err(format!("a panic: {stderr}"));
    }
    if split_summary(outcome).is_ok() {
        return Ok(true);
    }
    let message = stderr.lines().any(|line| line.starts_with("umbra: "));
    match outcome.code() {
        2 if message => Ok(false),
        2 => Err(format!("no message: {stderr}")),
        code => Err(format!("exit status {code}: {last}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_the_same_every_time_and_never_none() {
        let original: Vec<u8> = (0..5000u32).map(|n| n as u8).collect();
        for number in 0..200 {
            let (mut one, mut two) = (original.clone(), original.clone());
            assert_eq!(damage(&mut one, number), damage(&mut two, number));
            assert_eq!(one, two);
            if number % 10 < 6 {
                assert_ne!(one, original, "{number}");
            }
        }
    }
}
