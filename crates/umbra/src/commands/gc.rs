//! `umbra gc`: makes the cache smaller.

use std::process::ExitCode;

use umbra_project::{Collection, DEFAULT_CACHE_LIMIT, Manifest, collect, format_size, parse_size};
use umbra_text::Show;

use crate::out::{say, tell};
use crate::{environment, project};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Remove everything that can be built again, except the libc and what is in use
    #[arg(long, conflicts_with = "max_size")]
    all: bool,
    /// Remove the least recently used until this much is left, for example `5GiB`
    /// [default: UMBRA_CACHE_LIMIT, else `limit` of umbra.toml, else 20 GiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).ok_or_else(|| "expected a size such as `5GiB`".into())
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    let collection = match (args.all, args.max_size) {
        (true, _) => Collection::All,
        (false, Some(size)) => Collection::ToSize(size),
        (false, None) => Collection::ToSize(limit()?),
    };
    let collected = collect(&toolchain.cache, collection)?;
    for removed in &collected.removed {
        say!("{:>10}  {}", format_size(removed.bytes), removed.path.shown())?;
    }
    for path in &collected.in_use {
        tell!("keeping {}: it is in use", path.shown());
    }
    say!(
        "freed {}, {} left in {}",
        format_size(collected.freed()),
        format_size(collected.left),
        toolchain.cache.root().shown()
    )?;
    if let Collection::ToSize(limit) = collection
        && collected.left > limit
    {
        tell!(
            "still above {}: the rest is in use, or was not made by builds (`umbra gc --all` also removes the libc of another version)",
            format_size(limit)
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn limit() -> anyhow::Result<u64> {
    if let Some(limit) = environment::cache_limit()? {
        return Ok(limit);
    }
    // Outside a project there is no manifest to ask.
    let manifest = Manifest::load(&project::folder()?).ok();
    Ok(manifest.and_then(|manifest| manifest.cache_limit).unwrap_or(DEFAULT_CACHE_LIMIT))
}
