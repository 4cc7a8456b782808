//! From what the user calls a program to the program in memory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;
use umbra_ir::{Limits, LoadError, Loader, Program};
use umbra_project::Toolchain;

use crate::error::Boxed;
use crate::{CallSource, Error, Subject};

/// The argument with which the command that uses this crate is started again, to load bitcode.
pub const LOAD: &str = "__load";

/// Bitcode, with the folder it was made in.
pub struct Bitcode {
    path: PathBuf,
    executable: Option<PathBuf>,
    _scratch: Option<TempDir>,
}

impl Bitcode {
    /// The native executable of this module, if there is one.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }
}

/// Who knows the tools; asked only where something has to be compiled.
pub type Tools<'a> = &'a dyn Fn() -> Result<Toolchain, Boxed>;

/// The bitcode of an executable made by `umbra cc`, which lies beside it.
pub fn bitcode_beside(executable: &Path) -> Result<Bitcode, Error> {
    let path = beside(executable);
    if !path.exists() {
        return Err(Error::NoBitcode { program: executable.to_owned(), bitcode: path });
    }
    Ok(Bitcode { path, executable: Some(executable.to_owned()), _scratch: None })
}

/// The bitcode that stands for `path`: an executable made by `umbra cc`, a bitcode file, or a C
/// file, which is compiled. A C file of which only `function` is to run needs no `main`.
pub fn find_bitcode(
    path: &Path,
    function: Option<&str>,
    toolchain: Tools<'_>,
) -> Result<Bitcode, Error> {
    let mut magic = [0u8; 4];
    let length = File::open(path)
        .and_then(|mut file| file.read(&mut magic))
        .map_err(Error::file("opening", path))?;
    match &magic[..length] {
        b"\x7fELF" => bitcode_beside(path),
        b"BC\xc0\xde" | b"\xde\xc0\x17\x0b" => {
            // The tools that prepare it take code for other machines as it comes, or crash.
            if let Err(error @ (LoadError::WrongTarget { .. } | LoadError::Damaged { .. })) =
                loader(path)?.load(path)
            {
                return Err(error.into());
            }
            let toolchain = toolchain().map_err(Error::Given)?;
            let scratch = scratch(&toolchain)?;
            let out = scratch.path().join("program.bc");
            umbra_project::prepare(&toolchain, path, &out).map_err(building("preparing", path))?;
            Ok(Bitcode { path: out, executable: executable_of(path), _scratch: Some(scratch) })
        }
        _ if path.extension() == Some(OsStr::new("c")) => {
            let toolchain = toolchain().map_err(Error::Given)?;
            let scratch = scratch(&toolchain)?;
            let mut files = vec![path.to_owned()];
            if let Some(function) = function {
                files.push(unit_file(scratch.path(), function)?);
            }
            // Warnings are for whoever builds the program; an error is shown.
            let flags = ["-w".into()];
            let program = umbra_project::compile(&toolchain, &files, &flags, scratch.path())
                .map_err(building("compiling", path))?;
            let executable = Some(program.exe);
            Ok(Bitcode { path: program.bitcode, executable, _scratch: Some(scratch) })
        }
        _ => Err(Error::NotAProgram(path.to_owned())),
    }
}

/// The same program with the calls of some functions hooked, if they are what its inputs are; see
/// [`umbra_project::hook`].
pub fn hooked(
    bitcode: Bitcode,
    from: Option<&CallSource>,
    toolchain: Tools<'_>,
) -> Result<Bitcode, Error> {
    let Some(CallSource { functions, .. }) = from else { return Ok(bitcode) };
    let toolchain = toolchain().map_err(Error::Given)?;
    let scratch = scratch(&toolchain)?;
    let known = bitcode.executable.as_deref().unwrap_or(&bitcode.path);
    let exe = scratch.path().join(known.file_name().unwrap_or("program".as_ref()));
    let hooked = umbra_project::hook(&toolchain, &bitcode.path, functions, &exe)
        .map_err(building("hooking the calls in", known))?;
    let (program, uncounted) = hooked;
    let executable = uncounted.is_none().then_some(program.exe);
    Ok(Bitcode { path: program.bitcode, executable, _scratch: Some(scratch) })
}

fn building(doing: &'static str, path: &Path) -> impl FnOnce(umbra_project::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Build { doing, path, source: Box::new(source) }
}

/// A C file that brings a `main` if there is none, and keeps the linker from dropping the function.
fn unit_file(folder: &Path, function: &str) -> Result<PathBuf, Error> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if function.is_empty() || !function.chars().all(is_name) {
        return Err(Error::FunctionName(function.to_owned()));
    }
    let path = folder.join("umbra-unit.c");
    let main = "__attribute__((weak)) int main(void) { return 0; }\n";
    // A program that runs its own `main` needs nothing else of this file.
    let keep = match function {
        "main" => String::new(),
        _ => format!(
            "__attribute__((weak)) void {function}(void);\n\
             __attribute__((used)) static void *const umbra_unit = (void *)&{function};\n"
        ),
    };
    std::fs::write(&path, format!("{main}{keep}")).map_err(Error::file("writing", &path))?;
    Ok(path)
}

/// A folder that is removed with the value. It is in the cache, not where `TMPDIR` says: that is
/// for the program.
pub(crate) fn scratch(toolchain: &Toolchain) -> Result<TempDir, Error> {
    let root = toolchain.cache.root();
    std::fs::create_dir_all(root)
        .and_then(|()| tempfile::Builder::new().prefix("scratch-").tempdir_in(root))
        .map_err(Error::file("making a temporary folder in", root))
}

/// Where `umbra cc` puts the bitcode of an executable.
fn beside(executable: &Path) -> PathBuf {
    let mut name = executable.as_os_str().to_owned();
    name.push(".bc");
    PathBuf::from(name)
}

/// The executable that a bitcode file was put beside, if it is there.
fn executable_of(bitcode: &Path) -> Option<PathBuf> {
    let executable = bitcode.with_extension("");
    let is_bitcode = bitcode.extension() == Some(OsStr::new("bc"));
    (is_bitcode && executable.is_file()).then_some(executable)
}

/// A program in memory.
pub struct Loaded {
    pub(crate) program: Arc<Program>,
    /// What it was read from, with the folder that it was made in.
    bitcode: Bitcode,
}

/// Functions that make an input; a program that contains one is explored.
const INPUT_FUNCTIONS: [&str; 5] =
    ["klee_make_symbolic", "umbra_symbolic", "klee_int", "klee_range", "__umbra_call_pointer"];

impl Loaded {
    /// Finds or makes the bitcode of a program, and reads it. If there is a function, it runs in place
    /// of the program.
    pub fn new(subject: &Subject, toolchain: Tools<'_>) -> Result<Self, Error> {
        let function = subject.function.as_deref();
        let bitcode = find_bitcode(&subject.program, function, toolchain)?;
        let bitcode = hooked(bitcode, subject.from.as_ref(), toolchain)?;
        let mut program = load(&bitcode)?;
        if let Some(function) = function {
            umbra_strategy::run_function(&mut program, function)
                .map_err(|source| Error::Function { name: function.to_owned(), source })?;
        }
        Ok(Self { program: Arc::new(program), bitcode })
    }

    /// The native executable of this module, if there is one.
    pub fn executable(&self) -> Option<&Path> {
        self.bitcode.executable()
    }

    /// What it is known by, to whoever goes on with it later.
    pub fn identity(&self) -> Identity {
        Identity::of(&self.program)
    }

    /// Whether the program makes inputs itself.
    pub fn makes_inputs(&self) -> bool {
        let mut functions = self.program.functions.values();
        functions.any(|function| INPUT_FUNCTIONS.contains(&function.name.as_str()))
    }
}

/// Loads prepared bitcode, in a child process.
pub fn load(bitcode: &Bitcode) -> Result<Program, Error> {
    Ok(loader(&bitcode.path)?.load(&bitcode.path)?)
}

/// What reads a file of this size.
fn loader(path: &Path) -> Result<Loader, Error> {
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    Ok(Loader {
        program: std::env::current_exe().map_err(Error::OwnProgram)?,
        arguments: vec![LOAD.into()],
        limits: Limits::for_file(size),
    })
}

/// What a program is known by. That is found when somebody asks: most runs are over before their journal has
/// anything to say.
pub struct Identity {
    program: Arc<Program>,
    digest: OnceLock<String>,
}

impl Identity {
    pub(crate) fn of(program: &Arc<Program>) -> Self {
        Self { program: Arc::clone(program), digest: OnceLock::new() }
    }

    /// The same for the same program, and for no other one.
    pub(crate) fn digest(&self) -> &str {
        self.digest.get_or_init(|| format!("{:016x}", umbra_ir::digest(&self.program)))
    }
}
