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
    assert_eq!(kind(memory.load::<1>(FUNCTION_WINDOW << 32)), FaultKind::Function);
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
    assert_eq!(first >> 32, second >> 32);
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
