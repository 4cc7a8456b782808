//! A folder to work in, and commands run there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The `umbra` command under test.
pub const UMBRA: &str = env!("CARGO_BIN_EXE_umbra");

/// A temporary folder with a program `umbra-cc` in it.
pub struct Dir {
    dir: tempfile::TempDir,
}

impl Dir {
    pub fn new() -> Dir {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(UMBRA, dir.path().join("umbra-cc")).unwrap();
        Dir { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Runs a command line in the folder, through the shell.
    pub fn shell(&self, line: &str) -> Output {
        Command::new("sh").arg("-c").arg(line).current_dir(self.dir.path()).output().unwrap()
    }

    /// Runs a command line that must succeed; its standard output.
    pub fn ok(&self, line: &str) -> String {
        let output = self.shell(line);
        assert!(
            output.status.success(),
            "`{line}` failed: {}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// `umbra cc ARGS`, which must succeed.
    pub fn cc(&self, args: &str) -> String {
        self.ok(&format!("{UMBRA} cc {args}"))
    }

    /// The text of a bitcode file.
    pub fn disassemble(&self, name: &str) -> String {
        self.ok(&format!("llvm-dis-19 {name} -o -"))
    }

    /// Whether a file is bitcode, not machine code.
    pub fn is_bitcode(&self, name: &str) -> bool {
        starts_with(&self.path(name), b"BC\xc0\xde")
    }

    /// Whether a file is machine code.
    pub fn is_elf(&self, name: &str) -> bool {
        starts_with(&self.path(name), b"\x7fELF")
    }

    /// Checks what every program linked has: an executable that is static, and bitcode of
    /// the whole program beside it, without assembly. Returns its text.
    pub fn assert_program(&self, name: &str) -> String {
        assert!(self.is_elf(name), "{name} is no executable");
        let headers = self.ok(&format!("llvm-readelf-19 -l {name}"));
        assert!(!headers.contains("INTERP"), "{name} is not static");
        let text = self.disassemble(&format!("{name}.bc"));
        for entry in ["@_start_c(", "@main("] {
            assert!(
                text.lines().any(|line| line.starts_with("define") && line.contains(entry)),
                "{name}.bc does not define {entry}"
            );
        }
        for line in text.lines() {
            assert!(
                !line.contains(" asm ") && !line.starts_with("module asm"),
                "assembly in {name}.bc: {line}"
            );
        }
        text
    }
}

fn starts_with(path: &Path, magic: &[u8]) -> bool {
    fs::read(path).unwrap().starts_with(magic)
}
