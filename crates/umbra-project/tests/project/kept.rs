//! The `umbra.toml` of earlier versions (`tests/kept`) can still be read.

use std::path::Path;

use umbra_project::Manifest;

#[test]
fn an_early_manifest_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kept");
    let manifest = Manifest::load(&folder).unwrap();
    let make = r#"make CC="$CC" AR="$AR" RANLIB="$RANLIB" NM="$NM""#;
    assert!(manifest.to_text().contains(make), "{}", manifest.to_text());
    assert!(manifest.to_text().contains(r#"make check CC="$CC""#), "{}", manifest.to_text());
}
