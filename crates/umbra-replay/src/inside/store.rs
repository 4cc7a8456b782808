//! The executables that a keeper holds: copies, so that what runs cannot change under it and no path
//! of the host is seen in the sandbox.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_bytes::ByteBuf;

use super::failure::{Doing, Failure};
use crate::wire::ProgramId;

/// One executable.
pub struct Program {
    /// The copy, once it is selected.
    pub executable: PathBuf,
    /// Where a library belongs, and its copy.
    pub libraries: Vec<(PathBuf, PathBuf)>,
}

/// All that were loaded.
pub struct Store {
    folder: PathBuf,
    programs: HashMap<ProgramId, Program>,
    selected: Option<ProgramId>,
}

impl Store {
    /// An empty one in this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, programs: HashMap::new(), selected: None }
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
        write_executable(&folder.join("program"), executable)?;
        let mut program =
            Program { executable: self.folder.join("selected"), libraries: Vec::new() };
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

    /// One that was loaded, under a name that is the same for all: a program can see in
    /// `/proc/self/mountinfo` where it comes from.
    pub fn select(&mut self, id: ProgramId) -> Result<&Program, Failure> {
        let program = self.programs.get(&id);
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let program = program.ok_or_else(missing).doing("find the executable")?;
        if self.selected != Some(id) {
            _ = fs::remove_file(&program.executable);
            fs::hard_link(self.folder_of(id).join("program"), &program.executable)
                .doing("name the executable")?;
            self.selected = Some(id);
        }
        Ok(program)
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
