//! Generated functions and random edits of them: what complete exploration says of each is what the native builds do on
//! all inputs.

use std::path::Path;
use std::sync::Arc;

use super::{Checked, Directives, compile, one};
use crate::generate::edits::pair;

/// Functions of a file: the libraries are unified once for all of them.
const TOGETHER: usize = 20;

const HEAD: &str = "//@ domain: x=i8:-12..12 y=i8:-12..12\n#include \"catalogue.h\"\n\n";

/// Checks the edits of some seeds. What is wrong names its seed, and has both texts.
pub fn check(umbra: &Path, seeds: &[u64]) -> anyhow::Result<Checked> {
    let mut all = Checked::default();
    let directives = Directives::parse(HEAD)?;
    for seeds in seeds.chunks(TOGETHER) {
        let names: Vec<String> = seeds.iter().map(|seed| format!("edit_{seed}")).collect();
        let mut texts = [HEAD.to_owned(), HEAD.to_owned()];
        let mut each = Vec::new();
        for (seed, name) in seeds.iter().zip(&names) {
            let (old, new) = pair(*seed);
            let (old, new) = (old.text(name), new.text(name));
            texts[0] += &old;
            texts[1] += &new;
            each.push((old, new));
        }
        let folder = tempfile::tempdir()?;
        let [old, new] = &texts;
        let pair = compile(umbra, "edited", [old, new], &names, folder.path())?;
        let program = Arc::new(pair.unified.program.clone());
        for (number, name) in names.iter().enumerate() {
            if let Err(error) = one(&program, &directives, &pair, (number, name), &mut all) {
                let (old, new) = &each[number];
                all.wrong.push(format!("{name}: {error:#}\n--- old\n{old}--- new\n{new}"));
            }
        }
    }
    Ok(all)
}
