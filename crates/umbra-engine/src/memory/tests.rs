use super::*;

fn memory() -> Memory {
    Memory::new(1 << 30, UninitialisedReads::Error)
}

fn heap(memory: &mut Memory, size: u64) -> u64 {
    let made = Trace::default();
    memory.allocate(ObjectKind::Heap, size, 16, Contents::Uninitialised, made).expect("room")
}

fn local(memory: &mut Memory, size: u64) -> u64 {
    let made = Trace::default();
    memory.allocate(ObjectKind::Local(0), size, 8, Contents::Uninitialised, made).expect("room")
}

fn kind<T: std::fmt::Debug>(result: Result<T, Box<Fault>>) -> FaultKind {
    result.expect_err("a fault").kind
}

#[test]
fn what_is_stored_is_loaded() {
    let mut memory = memory();
    let address = heap(&mut memory, 16);
    memory.store::<8>(address + 8, 0x1122_3344_5566_7788).unwrap();
    assert_eq!(memory.load::<2>(address + 9), Ok(0x6677));
    memory.store::<1>(address + 15, 0xff).unwrap();
    assert_eq!(memory.load::<8>(address + 8), Ok(0xff22_3344_5566_7788));
}

#[test]
fn every_fault_has_its_kind() {
    let mut memory = memory();
    let address = heap(&mut memory, 12);
    assert_eq!(kind(memory.load::<1>(address)), FaultKind::Uninitialised);
    memory.fill(address, 1, 12).unwrap();
    assert_eq!(memory.load::<4>(address + 8), Ok(0x0101_0101));
    assert_eq!(kind(memory.load::<8>(address + 8)), FaultKind::OutOfBounds);
    assert_eq!(kind(memory.load::<1>(address - 1)), FaultKind::OutOfBounds);
    assert_eq!(kind(memory.store::<8>(address - 1, 0)), FaultKind::OutOfBounds);
    assert_eq!(kind(memory.load::<1>(8)), FaultKind::Null);
    assert_eq!(kind(memory.load::<1>(1 << 60)), FaultKind::Wild);
    assert_eq!(kind(memory.load::<1>(FUNCTIONS.start)), FaultKind::Function);
    assert_eq!(kind(memory.free(address + 4, Trace::default())), FaultKind::InvalidFree);
    memory.free(address, Trace::default()).unwrap();
    assert_eq!(kind(memory.load::<1>(address)), FaultKind::UseAfterFree);
    assert_eq!(kind(memory.free(address, Trace::default())), FaultKind::DoubleFree);
    let constant = memory.add_global(ObjectKind::Startup, 1, 4);
    memory.store::<4>(constant, 7).unwrap();
    memory.make_constant(constant);
    assert_eq!(kind(memory.store::<1>(constant, 0)), FaultKind::Constant);
    assert_eq!(memory.load::<4>(constant), Ok(7));
}

#[test]
fn a_local_that_took_an_id_is_not_the_one_before() {
    let mut memory = memory();
    let first = local(&mut memory, 4);
    memory.store::<4>(first, 1).unwrap();
    memory.leave_scope(first);
    assert_eq!(kind(memory.load::<4>(first)), FaultKind::UseAfterScope);
    memory.enter_scope(first);
    assert_eq!(kind(memory.load::<4>(first)), FaultKind::Uninitialised);
    memory.end_local(first);
    let second = local(&mut memory, 4);
    assert_eq!(Slot::at(first).map(|at| at.0), Slot::at(second).map(|at| at.0));
    memory.store::<4>(second, 2).unwrap();
    assert_eq!(kind(memory.load::<4>(first)), FaultKind::UseAfterReturn);
    assert_eq!(memory.load::<4>(second), Ok(2));
}

#[test]
fn a_fork_sees_what_was_and_nothing_after() {
    let mut first = memory();
    let address = heap(&mut first, 4);
    first.store::<4>(address, 1).unwrap();
    let mut second = Memory::new(1 << 20, UninitialisedReads::Zero);
    second.resume(first.fork());
    first.store::<4>(address, 2).unwrap();
    assert_eq!(second.load::<4>(address), Ok(1));
    second.store::<4>(address, 3).unwrap();
    assert_eq!((first.load::<4>(address), second.load::<4>(address)), (Ok(2), Ok(3)));
    second.free(address, Trace::default()).unwrap();
    assert_eq!(first.load::<4>(address), Ok(2));
}

#[test]
fn copies_keep_what_is_not_initialised() {
    let mut memory = memory();
    let from = heap(&mut memory, 8);
    let to = heap(&mut memory, 8);
    memory.store::<4>(from, 5).unwrap();
    memory.copy(to, from, 8).unwrap();
    assert_eq!(memory.load::<4>(to), Ok(5));
    assert_eq!(kind(memory.load::<4>(to + 4)), FaultKind::Uninitialised);
    memory.copy(to + 2, to, 4).unwrap();
    assert_eq!(memory.load::<4>(to + 2), Ok(5));
}

#[test]
fn the_limit_holds() {
    let mut memory = Memory::new(100, UninitialisedReads::Zero);
    let address = heap(&mut memory, 60);
    let made = Trace::default();
    assert_eq!(memory.allocate(ObjectKind::Heap, u64::MAX, 16, Contents::Zero, made), None);
    assert_eq!(memory.refused(), None, "nobody can have so much");
    assert_eq!(memory.allocate(ObjectKind::Heap, 3 << 30, 16, Contents::Zero, made), None);
    assert_eq!(memory.refused(), Some(3 << 30));
    assert_eq!(memory.allocate(ObjectKind::Heap, 60, 16, Contents::Zero, made), None);
    assert_eq!(memory.refused(), Some(100));
    memory.free(address, made).unwrap();
    assert!(memory.allocate(ObjectKind::Heap, 60, 16, Contents::Zero, made).is_some());
}

/// Addresses lead back to their slots, and the objects of different slots keep apart.
#[test]
fn every_slot_has_its_addresses() {
    let classes = Class::heap().chain([Class::Stack]);
    let mut windows = Vec::new();
    for class in classes {
        for index in [0, 1, 2, 31, 511, 512, 8191, 32_767, 32_768, 40_000, 800_000] {
            let slot = Slot { class, index };
            if !(class >= Class::Heap(27) && index > 31) && slot.exists() {
                let generations: &[u8] = if class == Class::Stack { &[0, 1, 255] } else { &[0] };
                windows.extend(generations.iter().map(|&generation| (slot, generation)));
            }
        }
    }
    let mut ranges = Vec::new();
    for &(slot, generation) in &windows {
        let window = slot.window(generation);
        assert_eq!(Slot::at(window.start), Some((slot, generation)), "{slot:?}");
        assert_eq!(Slot::at(window.end - 1), Some((slot, generation)), "{slot:?}");
        assert!(window.end <= 1 << 47, "{slot:?}");
        ranges.push((window.start, window.end));
    }
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|two| two[0].1 <= two[1].0));
}

/// There is room on both sides of an object, whatever its size and alignment are.
#[test]
fn objects_fit_their_slots() {
    let sizes = (0..31).flat_map(|bits| [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1]);
    for size in sizes.chain([MAX_OBJECT]) {
        for align in (0..32).map(|bits| 1u64 << bits) {
            let tiny = Class::of_heap(size, align).expect("a class");
            let global = Class::of_global(size, align).expect("a class");
            for (index, generation) in [(0, 0), (7, 1), (13, 7), (13, 200)] {
                for (class, room) in [(tiny, 96), (global, 2 << 10)] {
                    let slot = Slot { class, index };
                    let (window, base) = (slot.window(0), slot.place(generation, size, align));
                    assert!(base.is_multiple_of(align), "{size} {align}");
                    assert!(base - window.start >= room, "{size} {align}");
                    assert!(base + size + room <= window.end, "{size} {align} {slot:?}");
                }
            }
        }
    }
}

/// Code that keeps a difference of addresses in an `int` works, and later locals are lower.
#[test]
fn addresses_are_near_and_ordered() {
    let mut memory = memory();
    let small = heap(&mut memory, 3);
    let large = heap(&mut memory, 4_000_000);
    for count in 0..20_000 {
        let address = heap(&mut memory, count % 300);
        for other in [small, large] {
            assert!(i32::try_from(address.wrapping_sub(other) as i64).is_ok());
        }
    }
    let (first, second) = (heap(&mut memory, 10), heap(&mut memory, 10));
    assert!(second.abs_diff(first) < 1000, "small objects are near each other");
    let mut live = vec![local(&mut memory, 4)];
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..5_000 {
        if random.bool() || live.len() == 1 {
            let address = local(&mut memory, random.u64(..4096));
            assert!(live.last().is_none_or(|&above| address < above));
            live.push(address);
        } else {
            memory.end_local(live.pop().expect("one is left"));
        }
    }
}

/// A slot is used again, and what pointed to the object before misses the present one.
#[test]
fn a_freed_object_stays_freed_for_long() {
    let mut memory = memory();
    let stale = heap(&mut memory, 16);
    memory.free(stale, Trace::default()).unwrap();
    for _ in 0..2_000 {
        let address = heap(&mut memory, 16);
        memory.fill(address, 1, 16).unwrap();
        assert_eq!(kind(memory.load::<1>(stale)), FaultKind::UseAfterFree);
        assert_eq!(kind(memory.free(stale, Trace::default())), FaultKind::DoubleFree);
        memory.free(address, Trace::default()).unwrap();
    }
    assert!(memory.objects.small[0].len() < 1_100, "slots are used again");
}

/// The span around a bad address holds it, and no object but the one it belongs to.
#[test]
fn spans_hold_their_address() {
    let mut memory = memory();
    let objects = [heap(&mut memory, 10), heap(&mut memory, 1 << 20), local(&mut memory, 10)];
    let addresses =
        objects.iter().flat_map(|&base| [base - 1, base + (2 << 20), base.wrapping_sub(1 << 30)]);
    let fixed = (0..64).map(|bits| 1u64 << bits).chain([0, u64::MAX, 0x9fff_ffff, 0x8fff_ffff]);
    for address in addresses.chain(fixed) {
        let span = memory.span(address);
        assert!(address.wrapping_sub(span.start) < span.length, "{address:#x} {span:x?}");
        let inside = objects.iter().filter(|&base| base.wrapping_sub(span.start) < span.length);
        let own = memory.origin(address).is_some();
        assert!(inside.count() <= usize::from(own), "{address:#x} {span:x?}");
    }
}
