//! Is the module for the machine whose rules `layout` knows?

use crate::llvm::Module;

/// Refuses a module that is not for x86-64 with the System V layout; the error names its target.
pub(super) fn check(module: &Module) -> Result<(), String> {
    let triple = module.triple();
    if triple.split('-').next() != Some("x86_64") {
        return Err(triple);
    }
    let layout = module.data_layout();
    let mut parts = layout.split('-');
    // Little endian first; the default pointer stays at 64 bits; then what the ABI adds to LLVM's
    // defaults. The reader upgrades layouts of old files to have `i128:128`.
    let little_endian = parts.next() == Some("e");
    let default_pointer = !parts.clone().any(|part| part.starts_with("p:"));
    let has = |wanted: &str| parts.clone().any(|part| part == wanted);
    if little_endian && default_pointer && ["i64:64", "i128:128", "f80:128"].iter().all(|p| has(p))
    {
        Ok(())
    } else {
        Err(format!("{triple} with data layout {layout}"))
    }
}
