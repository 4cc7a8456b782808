//! What an ELF file tells: its loader, its block counters, its sanitizers, where it says which version
//! of two it is.

use object::elf::{FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};

/// The section that `umbra cc` puts block counters into.
const COUNTERS: &str = "umbra_counters";

/// The section with the number of the version that a program annotated with `umbra.h` is.
const VERSION: &str = "umbra_version";

/// That number in the old version and in the new one.
const OLD: [u8; 4] = 0_u32.to_le_bytes();
const NEW: [u8; 4] = 1_u32.to_le_bytes();

/// A symbol for each sanitizer's run-time library.
const SANITIZERS: &[&str] =
    &["__asan_init", "__ubsan_handle_add_overflow", "__sanitizer_print_stack_trace"];

/// Counters of more blocks than this are a damaged file.
const MOST_COUNTERS: u64 = 1 << 28;

/// What is known of an executable.
pub struct Facts {
    /// Path of the dynamic loader, if it needs one.
    pub loader: Option<String>,
    /// Address and length of the block counters.
    pub counters: Option<(u64, u64)>,
    /// Built with a sanitizer.
    pub sanitizer: bool,
    /// Where in the file it says that it is the new version of two.
    pub version: Option<usize>,
}

/// Reads an ELF file for x86-64.
pub fn inspect(bytes: &[u8]) -> Result<Facts, String> {
    let bad = |error: object::Error| format!("not an ELF file for x86-64: {error}");
    let file = object::File::parse(bytes).map_err(bad)?;
    if file.architecture() != object::Architecture::X86_64 {
        return Err(format!("built for {:?}, not for x86-64", file.architecture()));
    }
    let header = FileHeader64::<Endianness>::parse(bytes).map_err(bad)?;
    let endian = header.endian().map_err(bad)?;
    let mut loader = None;
    for segment in header.program_headers(endian, bytes).map_err(bad)? {
        if segment.p_type(endian) == PT_INTERP {
            let name = segment.data(endian, bytes).map_err(|()| "its loader has no name")?;
            let name = name.strip_suffix(b"\0").unwrap_or(name);
            loader = Some(String::from_utf8_lossy(name).into_owned());
        }
    }
    let counters =
        file.section_by_name(COUNTERS).map(|section| (section.address(), section.size()));
    // In an executable that can be loaded anywhere the address would not be known.
    let is_fixed = file.kind() == object::ObjectKind::Executable;
    let counters = counters.filter(|(_, length)| is_fixed && (1..=MOST_COUNTERS).contains(length));
    let is_sanitizer = |name: &str| SANITIZERS.contains(&name);
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let sanitizer = symbols.any(|symbol| symbol.name().is_ok_and(is_sanitizer));
    let version = new_version(&file, bytes);
    Ok(Facts { loader, counters, sanitizer, version })
}

/// Where the number of the version is, if it is the one number of its section and says new.
fn new_version(file: &object::File<'_>, bytes: &[u8]) -> Option<usize> {
    let (offset, size) = file.section_by_name(VERSION)?.file_range()?;
    let offset = usize::try_from(offset).ok()?;
    let found = bytes.get(offset..)?.get(..usize::try_from(size).ok()?)?;
    (found == NEW).then_some(offset)
}

/// Makes a file the old version, given where it says that it is the new one.
pub fn make_old(bytes: &mut [u8], version: usize) {
    bytes[version..version + OLD.len()].copy_from_slice(&OLD);
}
