//! The `umbra.toml` of a package.
//!
//! A package with a `configure` needs nothing more than its arguments. How others are built stands in
//! `build/PACKAGE.toml`, the tables about building of an `umbra.toml`.

use std::fs;
use std::path::Path;

use anyhow::bail;
use serde_json::json;

use super::corpus::Package;

/// Make must not try to make its own files anew: all files of a revision are equally old.
const MAKE: &str = "make MAKEINFO=: ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:";

/// The text of `umbra.toml`, for a package of this corpus.
pub fn umbra_toml(package: &Package, corpus: &Path) -> anyhow::Result<String> {
    let name = &package.package;
    let own = corpus.join("build").join(format!("{name}.toml"));
    let build = match (own.is_file(), &package.configure, &package.build) {
        (true, ..) => fs::read_to_string(own)?,
        (false, Some(arguments), None) => configured(arguments),
        (false, ..) => bail!("nothing says how {name} is built: {} is missing", own.display()),
    };
    // A string of JSON is one of TOML, and so is a list of them.
    let (name, programs) = (json!(name), json!(package.programs));
    Ok(format!("[project]\nname = {name}\nprograms = {programs}\n\n{build}"))
}

fn configured(arguments: &[String]) -> String {
    let configure = ["FORCE_UNSAFE_CONFIGURE=1 ./configure"].into_iter();
    let configure: Vec<&str> = configure.chain(arguments.iter().map(String::as_str)).collect();
    let (configure, make) = (json!(configure.join(" ")), json!(MAKE));
    format!("[build]\nconfigure = {configure}\nbuild = {make}\n")
}
