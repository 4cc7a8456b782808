//! Damaged bitcode files: 100, or as many as `UMBRA_DAMAGE` says.

use testkit::{damage, filetest::umbra_command};

#[test]
fn damaged_bitcode_is_refused_or_runs() {
    let count = std::env::var("UMBRA_DAMAGE").map_or(100, |value| value.parse().unwrap());
    match damage::check(&umbra_command().unwrap(), count) {
        Ok(counts) => println!("{} refused, {} ran", counts.refused, counts.ran),
        Err(error) => panic!("{error:#}"),
    }
}
