//! Where objects are: from a slot to an address and back, by arithmetic.
//!
//! A slot is a place for one object at a time, with room around it: a miss by less than
//! [`LEAD`] (128 bytes for tiny objects) hits no other object. Which slot an address is in follows from the address alone, so two
//! versions of a program that use the same slots see the same addresses.
//!
//! Programs compute with addresses: they keep differences in an `int`, compare and hash them, and
//! use the bits above the 47th. So the addresses look like those of a static Linux program:
//!
//! | from | what |
//! |---|---|
//! | 0 | nothing: the null page and what is near it |
//! | 4 MiB | functions |
//! | 256 MiB | banks of 2 GiB: globals and the heap |
//! | 2^45 | objects of more than 64 MiB |
//! | below 2^47 | the stack, which grows downwards |
//!
//! A bank has an area for slots of 512 bytes (tiny objects of the heap), one for slots of 32 KiB (all other
//! small objects), and one for each larger power of two up to 64 MiB. The first bank holds 524,288 tiny
//! and 24,576 small objects, so until a program has more than that, any two of its objects are less than
//! 2 GiB apart; and small ones that are made one after the other are near each other, as on a real heap.
//!
//! A slot is used again after its object has ended. So that a stale pointer misses the successor, the
//! slots of the stack exist once for each of 256 generations, and small objects of the heap have several
//! places in their slot. An object of the stack that is made later has the lower address, as on a real
//! stack: its generation is at least that of the one above it.

use std::ops::Range;

/// Functions have addresses here.
pub const FUNCTIONS: Range<u64> = 0x0040_0000..0x1000_0000;

/// Room before an object, and about as much behind it.
const LEAD: u64 = 8 << 10;

const BANKS: Range<u64> = FUNCTIONS.end..1 << 45;
const BANK: u64 = 1 << 31;
/// The part of a bank for tiny slots, the one for small ones, and the parts for each of the larger ones.
const TINY_AREA: u64 = 1 << 28;
const SMALL_AREA: u64 = 3 << 28;
const LARGE_AREA: u64 = 1 << 26;
const LARGE_AREAS: u64 = TINY_AREA + SMALL_AREA;

/// Slots of tiny objects have 2^9 bytes.
pub const TINY: u8 = 9;
/// Objects of the heap of at most this many bytes have a tiny slot.
const TINY_OBJECT: u64 = 192;
const TINY_LEAD: u64 = 128;
/// Other slots have 2^15 bytes or more.
pub const SMALL: u8 = 15;
/// Objects of at most this many bytes have a small slot.
const SMALL_OBJECT: u64 = 16 << 10;
const LARGEST_IN_BANK: u8 = 26;
const LARGEST: u8 = 33;
const HUGE: Range<u64> = BANKS.end..BANKS.end + HUGE_AREA * (LARGEST - LARGEST_IN_BANK) as u64;
const HUGE_AREA: u64 = 1 << 40;
/// Large objects start at differing distances from the start of their slot, or walking through several
/// of them side by side would meet one entry of the look-aside table.
const STAGGERED: u8 = 20;
const STAGGER: u64 = 1 << SMALL;
const STAGGERS: u64 = 8;

const STACK_TOP: u64 = 0x7fff_0000_0000;
/// An odd multiple of what one entry of the look-aside table stands for.
const STACK_SLOT: u64 = 9 << SMALL;
/// Larger objects of the stack get a slot of the heap.
const STACK_OBJECT: u64 = 256 << 10;
const GENERATION: u64 = 1 << 38;
const STACK: Range<u64> = STACK_TOP - 256 * GENERATION..STACK_TOP;
/// Objects that the stack has slots for.
const STACK_SLOTS: u32 = (GENERATION / STACK_SLOT) as u32;

/// Slots of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Those of the stack.
    Stack,
    /// Those of globals and the heap, by the logarithm of their size.
    Heap(u8),
}

/// A place for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The slots that it belongs to.
    pub class: Class,
    /// Which of them it is.
    pub index: u32,
}

impl Class {
    /// How many classes there are on the heap.
    pub const HEAP: usize = (LARGEST - SMALL + 2) as usize;

    /// Those of the heap.
    pub fn heap() -> impl Iterator<Item = Self> {
        std::iter::once(TINY).chain(SMALL..=LARGEST).map(Self::Heap)
    }

    /// The number of a class of the heap among them.
    #[inline]
    pub fn number(bits: u8) -> usize {
        usize::from((bits + 1).saturating_sub(SMALL))
    }

    /// The slots for an object of the heap; `None` if there are none so large.
    pub fn of_heap(size: u64, align: u64) -> Option<Self> {
        if size <= TINY_OBJECT && align <= 16 {
            return Some(Self::Heap(TINY));
        }
        Self::of_global(size, align)
    }

    /// The slots for an object that is made before the program starts, with more room around it.
    pub fn of_global(size: u64, align: u64) -> Option<Self> {
        if size <= SMALL_OBJECT && align <= LEAD / 2 {
            return Some(Self::Heap(SMALL));
        }
        let need = size.checked_add(align.max(LEAD / 2))?.checked_add(3 * LEAD)?;
        let mut bits = need.checked_next_power_of_two()?.trailing_zeros().max(SMALL as u32 + 1);
        if bits >= STAGGERED.into() && need + STAGGER * STAGGERS > 1 << bits {
            bits += 1;
        }
        u8::try_from(bits).ok().filter(|&bits| bits <= LARGEST).map(Self::Heap)
    }

    /// Whether the stack has slots for an object, the next of which has this index.
    pub fn fits_stack(size: u64, align: u64, index: u32) -> bool {
        size <= STACK_OBJECT && align <= LEAD / 2 && index < STACK_SLOTS
    }
}

impl Slot {
    /// The slot that an address lies in, and, on the stack, the generation.
    pub fn at(address: u64) -> Option<(Self, u8)> {
        if STACK.contains(&address) {
            let below = STACK_TOP - 1 - address;
            let (generation, index) = (below / GENERATION, below % GENERATION / STACK_SLOT);
            let slot = Self { class: Class::Stack, index: index as u32 };
            return (slot.index < STACK_SLOTS).then_some((slot, generation as u8));
        }
        let heap = |bits: u8, index: u64| {
            Some((Self { class: Class::Heap(bits), index: u32::try_from(index).ok()? }, 0))
        };
        if BANKS.contains(&address) {
            let distance = address - BANKS.start;
            let (bank, rest) = (distance / BANK, distance % BANK);
            let bits = match rest {
                ..TINY_AREA => TINY,
                TINY_AREA..LARGE_AREAS => SMALL,
                _ => SMALL + 1 + ((rest - LARGE_AREAS) / LARGE_AREA) as u8,
            };
            if bits > LARGEST_IN_BANK {
                return None;
            }
            let (start, size) = area_of(bits);
            return heap(bits, bank * (size >> bits) + ((rest - start) >> bits));
        }
        if HUGE.contains(&address) {
            let bits = LARGEST_IN_BANK + 1 + ((address - HUGE.start) / HUGE_AREA) as u8;
            return heap(bits, ((address - HUGE.start) % HUGE_AREA) >> bits);
        }
        None
    }

    /// Its addresses in a generation, the room around the object included.
    pub fn window(self, generation: u8) -> Range<u64> {
        let index = u64::from(self.index);
        let (start, size) = match self.class {
            Class::Stack => {
                let top = STACK_TOP - u64::from(generation) * GENERATION;
                (top - (index + 1) * STACK_SLOT, STACK_SLOT)
            }
            Class::Heap(bits) if bits > LARGEST_IN_BANK => {
                let area = u64::from(bits - LARGEST_IN_BANK - 1) * HUGE_AREA;
                (HUGE.start + area + (index << bits), 1 << bits)
            }
            Class::Heap(bits) => {
                let (start, area) = area_of(bits);
                let (bank, place) = (index / (area >> bits), index % (area >> bits));
                (BANKS.start + bank * BANK + start + (place << bits), 1 << bits)
            }
        };
        start..start + size
    }

    /// Whether it exists: there are so many of a class.
    pub fn exists(self) -> bool {
        let window = self.window(0);
        let room = match self.class {
            Class::Stack => return self.index < STACK_SLOTS,
            Class::Heap(bits) if bits > LARGEST_IN_BANK => {
                HUGE.start + u64::from(bits - LARGEST_IN_BANK) * HUGE_AREA
            }
            Class::Heap(_) => BANKS.end,
        };
        window.end <= room
    }

    /// The address of an object in it.
    pub fn place(self, generation: u8, size: u64, align: u64) -> u64 {
        let index = u64::from(self.index);
        let lead = match self.class {
            Class::Heap(TINY) => TINY_LEAD,
            Class::Heap(STAGGERED..) => LEAD + index % STAGGERS * STAGGER,
            _ => LEAD,
        };
        let moved = match self.moves() {
            // Names of temporary files are made of the address of a local variable.
            None if self.class == Class::Stack => u64::from(generation) * 16,
            Some(moves) if size <= moves.largest && align <= 16 => {
                u64::from(generation) % moves.places * moves.distance
            }
            _ => 0,
        };
        // Bits that hash tables of pointers look at differ.
        let spread = index.wrapping_mul(0x50) & (TINY_LEAD / 2 - 1);
        (self.window(generation).start + lead + moved + spread).next_multiple_of(align.max(16))
    }

    /// How small objects move within their slot from one generation to the next.
    fn moves(self) -> Option<Moves> {
        match self.class {
            Class::Heap(TINY) => {
                Some(Moves { largest: 64, lead: TINY_LEAD, distance: 112, places: 2 })
            }
            Class::Heap(SMALL) => {
                Some(Moves { largest: 1 << 10, lead: LEAD, distance: 2 << 10, places: 8 })
            }
            _ => None,
        }
    }

    /// Whether an address in its window was made from an object that had the slot before the one of
    /// `generation` and `size`.
    pub fn is_past(self, address: u64, generation: u8, size: u64) -> bool {
        if self.class == Class::Stack {
            return Self::at(address).is_some_and(|(_, of_address)| of_address != generation);
        }
        let Some(moves) = self.moves().filter(|moves| size <= moves.largest) else {
            return false;
        };
        let offset = address - self.window(0).start;
        let place = offset.saturating_sub(moves.lead) / moves.distance;
        let used = place < moves.places.min(generation.into());
        offset >= moves.lead && used && place != u64::from(generation) % moves.places
    }
}

/// Places for small objects in a slot.
struct Moves {
    /// Larger objects do not move.
    largest: u64,
    /// The first place.
    lead: u64,
    /// From one place to the next.
    distance: u64,
    places: u64,
}

/// Where in a bank the slots of a class are, and how many bytes they have together.
fn area_of(bits: u8) -> (u64, u64) {
    match bits {
        TINY => (0, TINY_AREA),
        SMALL => (TINY_AREA, SMALL_AREA),
        _ => (LARGE_AREAS + u64::from(bits - SMALL - 1) * LARGE_AREA, LARGE_AREA),
    }
}

/// The room of the object that an address lies in: its slot.
pub fn room(address: u64) -> Option<Span> {
    Slot::at(address).map(|(slot, generation)| slot.window(generation).into())
}

/// Whether an address is that of a tiny slot.
#[inline]
pub fn is_tiny(address: u64) -> bool {
    BANKS.contains(&address) && (address - BANKS.start) % BANK < TINY_AREA
}

/// Addresses from `start` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first one.
    pub start: u64,
    /// How many.
    pub length: u64,
}

impl Span {
    /// Whether an address is among them.
    #[inline(always)]
    pub fn contains(self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.length
    }
}

impl From<Range<u64>> for Span {
    fn from(range: Range<u64>) -> Self {
        Self { start: range.start, length: range.end - range.start }
    }
}

/// The addresses around one at which there is nothing for the same reason: all of a slot that was used,
/// else what is empty up to the next border.
///
/// `used` says how many slots of a class have been used.
pub fn span(address: u64, used: impl Fn(Class) -> u32) -> Span {
    if let Some((slot, generation)) = Slot::at(address) {
        let first = Slot { index: used(slot.class), ..slot };
        return match slot.class {
            _ if slot.index < first.index => slot.window(generation),
            Class::Stack => bottom_of(generation)..first.window(generation).end,
            Class::Heap(_) => {
                let area = slot.area();
                first.window(0).start.max(area.start)..area.end
            }
        }
        .into();
    }
    let range = match address {
        // Behind the areas of a bank.
        _ if BANKS.contains(&address) => {
            let bank = BANKS.start + (address - BANKS.start) / BANK * BANK;
            let areas = LARGE_AREAS + u64::from(LARGEST_IN_BANK - SMALL) * LARGE_AREA;
            bank + areas..(bank + BANK).min(BANKS.end)
        }
        // Below the last slot of a generation.
        _ if STACK.contains(&address) => {
            let bottom = bottom_of(((STACK_TOP - 1 - address) / GENERATION) as u8);
            bottom..bottom + GENERATION % STACK_SLOT
        }
        _ if address >= STACK.end => {
            return Span { start: STACK.end, length: STACK.end.wrapping_neg() };
        }
        _ if address >= HUGE.end => HUGE.end..STACK.start,
        _ if FUNCTIONS.contains(&address) => FUNCTIONS,
        _ => 0..FUNCTIONS.start,
    };
    range.into()
}

fn bottom_of(generation: u8) -> u64 {
    STACK_TOP - (u64::from(generation) + 1) * GENERATION
}

impl Slot {
    /// The area with slots of one class that it lies in.
    fn area(self) -> Range<u64> {
        let start = self.window(0).start;
        match self.class {
            Class::Stack => STACK,
            Class::Heap(bits) if bits <= LARGEST_IN_BANK => {
                let bank = BANKS.start + (start - BANKS.start) / BANK * BANK;
                let (area, size) = area_of(bits);
                bank + area..bank + area + size
            }
            Class::Heap(_) => {
                let area = HUGE.start + (start - HUGE.start) / HUGE_AREA * HUGE_AREA;
                area..area + HUGE_AREA
            }
        }
    }
}
