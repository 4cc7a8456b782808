//! Putting the shim into a program.
//!
//! The pages of the shim become one more segment behind all others, and the program is entered there.
//! Nothing else moves: symbols, lines and addresses are those of the program, and so is the file
//! that a debugger, valgrind or the program itself looks at. The table of segments stays in its place
//! and keeps its length: the new segment takes the entry of one that nothing needs to run. It gets
//! a section, too, or `strip` would drop its content.

use object::LittleEndian as LE;
use object::elf::{
    EM_X86_64, ET_DYN, ET_EXEC, FileHeader64, PF_R, PF_X, PT_GNU_EH_FRAME, PT_GNU_PROPERTY,
    PT_GNU_RELRO, PT_LOAD, PT_NOTE, ProgramHeader64, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS,
    SectionHeader64,
};
use object::endian::{U32, U64};
use object::pod::{bytes_of, bytes_of_slice, from_bytes, slice_from_bytes};
use umbra_shim::{PatchError, Slot};

/// The built shim.
const SHIM: &[u8] = include_bytes!(env!("UMBRA_SHIM"));
const PAGE: u64 = 4096;
/// The new section's name.
const SECTION: &[u8] = b".umbra_shim\0";
/// Segments that a program runs without, the least useful first: notes are for people, the rest
/// protects or unwinds.
const DISPENSABLE: [object::elf::ProgramType; 4] =
    [PT_NOTE, PT_GNU_PROPERTY, PT_GNU_RELRO, PT_GNU_EH_FRAME];

type Header = FileHeader64<LE>;
type Segment = ProgramHeader64<LE>;
type Section = SectionHeader64<LE>;

/// A program with the shim in it, and what the slot says of it; `None` if it cannot have one: it is
/// a script, or for another machine.
pub fn graft(program: &[u8], slot: &Slot<'_>) -> Result<Option<Vec<u8>>, PatchError> {
    let Some(parts) = Parts::of(program) else { return Ok(None) };
    let (mut image, entry) = image().ok_or(PatchError::NoSlot)?;
    let block = Slot::position(&image).ok_or(PatchError::NoSlot)? as u64;
    let distance = parts.header.e_entry.get(LE).wrapping_sub(parts.address + block);
    Slot { entry: distance as i64, ..*slot }.write(&mut image)?;
    Ok(parts.assemble(program, &image, entry))
}

/// The shim's pages as they are in memory, without those that only a loader would want, and the place
/// at which it is entered.
fn image() -> Option<(Vec<u8>, u64)> {
    let (header, segments) = headers(SHIM)?;
    let mut image = Vec::new();
    let is_writable = |segment: &&Segment| segment.p_flags.get(LE).0 & object::elf::PF_W.0 != 0;
    let is_loaded = |segment: &&Segment| segment.p_type.get(LE) == PT_LOAD;
    for segment in segments.iter().filter(is_loaded).filter(|segment| !is_writable(segment)) {
        let content = SHIM.get(range(segment.p_offset.get(LE), segment.p_filesz.get(LE))?)?;
        image.resize(usize::try_from(segment.p_vaddr.get(LE)).ok()?, 0);
        image.extend_from_slice(content);
    }
    Some((image, header.e_entry.get(LE)))
}

/// What is to be changed in a program.
struct Parts {
    header: Header,
    segments: Vec<Segment>,
    /// Where the shim comes in memory.
    address: u64,
}

impl Parts {
    fn of(program: &[u8]) -> Option<Self> {
        let (header, segments) = headers(program)?;
        let is_ours = header.e_machine.get(LE) == EM_X86_64
            && matches!(header.e_type.get(LE), ET_EXEC | ET_DYN);
        let loaded = segments.iter().filter(|segment| segment.p_type.get(LE) == PT_LOAD);
        let end = |segment: &Segment| segment.p_vaddr.get(LE).checked_add(segment.p_memsz.get(LE));
        let end = loaded.map(end).collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        let address = end.checked_next_multiple_of(PAGE)?;
        is_ours.then_some(Self { header, segments, address })
    }

    /// The new file.
    fn assemble(mut self, program: &[u8], image: &[u8], entry: u64) -> Option<Vec<u8>> {
        let mut file = program.to_vec();
        file.resize(program.len().next_multiple_of(PAGE as usize), 0);
        let offset = file.len() as u64;
        file.extend_from_slice(image);
        self.add_segment(offset, image.len() as u64)?;
        self.header.e_entry = U64::new(LE, self.address + entry);
        if self.header.e_shnum.get(LE) != 0 {
            self.add_section(&mut file, offset, image.len() as u64)?;
        }
        let table = bytes_of_slice(&self.segments);
        let place = range(self.header.e_phoff.get(LE), table.len() as u64)?;
        file.get_mut(place)?.copy_from_slice(table);
        file.get_mut(..size_of::<Header>())?.copy_from_slice(bytes_of(&self.header));
        Some(file)
    }

    fn add_segment(&mut self, offset: u64, size: u64) -> Option<()> {
        let place = |wanted| self.segments.iter().position(|other| other.p_type.get(LE) == wanted);
        let given_up = DISPENSABLE.into_iter().find_map(place)?;
        self.segments.remove(given_up);
        let is_loaded = |segment: &Segment| segment.p_type.get(LE) == PT_LOAD;
        // In the order of their addresses, as the kernel wants them.
        let place = self.segments.iter().rposition(is_loaded)? + 1;
        let segment = Segment {
            p_type: U32::new(LE, PT_LOAD),
            p_flags: U32::new(LE, PF_R | PF_X),
            p_offset: U64::new(LE, offset),
            p_vaddr: U64::new(LE, self.address),
            p_paddr: U64::new(LE, self.address),
            p_filesz: U64::new(LE, size),
            p_memsz: U64::new(LE, size),
            p_align: U64::new(LE, PAGE),
        };
        self.segments.insert(place, segment);
        Some(())
    }

    /// The table of sections and their names, each longer by one, at the end of the file.
    fn add_section(&mut self, file: &mut Vec<u8>, offset: u64, size: u64) -> Option<()> {
        let count = usize::from(self.header.e_shnum.get(LE));
        let table = file.get(usize::try_from(self.header.e_shoff.get(LE)).ok()?..)?;
        let mut sections = slice_from_bytes::<Section>(table, count).ok()?.0.to_vec();
        let names = sections.get_mut(usize::from(self.header.e_shstrndx.get(LE).0))?;
        let old = range(names.sh_offset.get(LE), names.sh_size.get(LE))?;
        let mut text = file.get(old)?.to_vec();
        let name = u32::try_from(text.len()).ok()?;
        text.extend_from_slice(SECTION);
        names.sh_offset = U64::new(LE, file.len() as u64);
        names.sh_size = U64::new(LE, text.len() as u64);
        sections.push(Section {
            sh_name: U32::new(LE, name),
            sh_type: U32::new(LE, SHT_PROGBITS),
            sh_flags: U64::new(LE, SHF_ALLOC | SHF_EXECINSTR),
            sh_addr: U64::new(LE, self.address),
            sh_offset: U64::new(LE, offset),
            sh_size: U64::new(LE, size),
            sh_link: U32::new(LE, 0),
            sh_info: U32::new(LE, 0),
            sh_addralign: U64::new(LE, PAGE),
            sh_entsize: U64::new(LE, 0),
        });
        file.extend_from_slice(&text);
        file.resize(file.len().next_multiple_of(8), 0);
        self.header.e_shoff = U64::new(LE, file.len() as u64);
        self.header.e_shnum.set(LE, u16::try_from(sections.len()).ok()?);
        file.extend_from_slice(bytes_of_slice(&sections));
        Some(())
    }
}

/// Both headers of a 64-bit file for little-endian machines.
fn headers(file: &[u8]) -> Option<(Header, Vec<Segment>)> {
    let is_elf = file.starts_with(b"\x7fELF\x02\x01");
    let (header, _) = from_bytes::<Header>(file).ok().filter(|_| is_elf)?;
    let is_usual = usize::from(header.e_phentsize.get(LE)) == size_of::<Segment>();
    let table = file.get(usize::try_from(header.e_phoff.get(LE)).ok()?..)?;
    let (segments, _) = slice_from_bytes(table, header.e_phnum.get(LE).into()).ok()?;
    is_usual.then(|| (*header, segments.to_vec()))
}

fn range(start: u64, length: u64) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(start).ok()?;
    Some(start..start.checked_add(usize::try_from(length).ok()?)?)
}

#[cfg(test)]
mod tests {
    use object::read::elf::{FileHeader, SectionHeader};

    use super::*;

    const SLOT: Slot<'_> =
        Slot { run: b"/run", number: 1, real: b"/real", entry: 0, filters: [&[], &[]] };

    /// It is loaded into programs at addresses that nobody tells it.
    #[test]
    fn the_shim_has_no_relocations_and_is_small() {
        let header = Header::parse(SHIM).unwrap();
        for section in header.sections(LE, SHIM).unwrap().iter() {
            let kind = section.sh_type(LE);
            assert!(![object::elf::SHT_RELA, object::elf::SHT_REL].contains(&kind));
        }
        let (image, entry) = image().unwrap();
        assert!(image.len() < 64 << 10 && (entry as usize) < image.len());
        assert!(Slot::position(&image).is_some());
    }

    #[test]
    fn what_is_no_program_gets_no_shim() {
        let mut object = SHIM.to_vec();
        object[16] = 1;
        for file in [&b"#!/bin/sh\n"[..], b"\x7fELF\x02\x01", &object, &SHIM[..100]] {
            assert_eq!(graft(file, &SLOT), Ok(None));
        }
    }
}
