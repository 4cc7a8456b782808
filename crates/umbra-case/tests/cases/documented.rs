//! Every key of `case.json` is documented in docs/cases.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use umbra_case::Resource;

use crate::generator;

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                // Numbers of descriptors.
                if key.parse::<u32>().is_err() {
                    found.insert(key.clone());
                }
                if key != "origin" {
                    keys(value, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_case_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = BTreeSet::new();
    for seed in 0..100 {
        let path = folder.path().join(seed.to_string());
        generator::case(seed).write(&path).unwrap();
        let text = fs::read(path.join("case.json")).unwrap();
        keys(&serde_json::from_slice(&text).unwrap(), &mut found);
    }
    // Their names are those of prlimit, which the page says.
    Resource::ALL.iter().for_each(|resource| {
        found.remove(resource.name());
    });
    assert!(found.contains("reason") && found.contains("modified"), "{found:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cases.md");
    let page = fs::read_to_string(page).unwrap();
    let missing: Vec<_> = found.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "not in docs/cases.md: {missing:?}");
}
