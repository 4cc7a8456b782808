//! The binary that the tests start as the sandbox's process.

fn main() -> std::process::ExitCode {
    umbra_replay::sandbox_main()
}
