//! Random programs from csmith: 40, or as many as `UMBRA_CSMITH` says.

use testkit::{csmith, filetest::umbra_command};

#[test]
fn random_programs_run_as_natively() {
    let count = std::env::var("UMBRA_CSMITH").map_or(40, |value| value.parse().unwrap());
    match csmith::check(&umbra_command().unwrap(), count) {
        Ok(seed) => println!("{count} programs agree, the last of seed {seed}"),
        Err(error) => panic!("{error:#}"),
    }
}
