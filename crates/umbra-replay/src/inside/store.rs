//! The executables that a keeper holds: copies, so that what runs cannot change under it and no path
//! of the host is seen in the sandbox.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_bytes::ByteBuf;

use super::failure::{Doing, Failure};
use crate::wire::ProgramId;

/// One executable.
pub struct Program {
    /// The copy.
    pub executable: PathBuf,
    /// Where a library belongs, and its copy.
    pub libraries: Vec<(PathBuf, PathBuf)>,
}

/// All that were loaded.
pub struct Store {
    folder: PathBuf,
    programs: HashMap<ProgramId, Program>,
}

impl Store {
    /// An empty one in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, programs: HashMap::new() }
    }

    /// Writes an executable and its libraries.
    pub fn load(
        &mut self,
        id: ProgramId,
        executable: &[u8],
        libraries: &[(ByteBuf, ByteBuf)],
    ) -> Result<(), Failure> {
        let folder = self.folder_of(id);
        fs::create_dir_all(&folder).doing("make a folder for the executable")?;
        let mut program = Program { executable: folder.join("program"), libraries: Vec::new() };
        write_executable(&program.executable, executable)?;
        for (index, (path, content)) in libraries.iter().enumerate() {
            let copy = folder.join(format!("library-{index}"));
            write_executable(&copy, content)?;
            program.libraries.push((std::ffi::OsStr::from_bytes(path).into(), copy));
        }
        self.programs.insert(id, program);
        Ok(())
    }

    /// Forgets one.
    pub fn unload(&mut self, id: ProgramId) -> Result<(), Failure> {
        match self.programs.remove(&id) {
            Some(_) => fs::remove_dir_all(self.folder_of(id)).doing("remove an executable"),
            None => Ok(()),
        }
    }

    /// One that was loaded.
    pub fn get(&self, id: ProgramId) -> Option<&Program> {
        self.programs.get(&id)
    }

    fn folder_of(&self, id: ProgramId) -> PathBuf {
        let name: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name)
    }
}

fn write_executable(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content)
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(0o555)))
        .doing("copy the executable or a library")
}
