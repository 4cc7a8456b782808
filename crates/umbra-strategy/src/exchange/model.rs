//! The meeting under every order in which its threads can take their steps: a wait that nobody ends is a
//! deadlock, and loom reports it.

/// The primitives whose steps loom orders, in place of the host's.
mod sync {
    pub use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    pub use loom::sync::{Condvar, Mutex, MutexGuard};
}

#[allow(clippy::duplicate_mod, reason = "it is the same code, on primitives that are watched")]
#[path = "meeting.rs"]
mod meeting;

use loom::sync::Arc;
use loom::thread;
use meeting::{Meeting, Received};

/// Lets two workers do something at the same time; returns what the second one says.
fn together<T: Send + 'static>(
    first: fn(&Meeting<u8, u8>),
    second: fn(&Meeting<u8, u8>) -> T,
) -> (Arc<Meeting<u8, u8>>, T) {
    let meeting = Arc::new(Meeting::new(2));
    let shared = Arc::clone(&meeting);
    let thread = thread::spawn(move || second(&shared));
    first(&meeting);
    let said = thread.join().expect("it ends");
    (meeting, said)
}

#[test]
fn a_stop_ends_every_wait() {
    loom::model(|| {
        let (meeting, received) = together(|meeting| meeting.stop(7), Meeting::receive);
        assert_eq!((received, meeting.stopped()), (Received::Over, Some(7)));
        assert!(meeting.rest().is_empty());
    });
}

#[test]
fn the_first_of_two_reasons_counts() {
    loom::model(|| {
        let (meeting, ()) = together(|meeting| meeting.stop(7), |meeting| meeting.stop(8));
        assert!(matches!(meeting.stopped(), Some(7 | 8)));
        assert_eq!(meeting.receive(), Received::Over);
    });
}

#[test]
fn all_that_wait_end_together() {
    loom::model(|| {
        let wait = |meeting: &Meeting<u8, u8>| assert_eq!(meeting.receive(), Received::Over);
        let (meeting, ()) = together(wait, wait);
        assert_eq!((meeting.stopped(), meeting.wanted()), (None, 1));
    });
}

#[test]
fn what_is_brought_arrives_once() {
    loom::model(|| {
        let (meeting, received) = together(
            |meeting| {
                meeting.give(1);
                // It may take it back before the other comes, and brings it again.
                while let Received::Parcel(parcel) = meeting.receive() {
                    meeting.give(parcel);
                    meeting.stop(0);
                }
            },
            |meeting| {
                let mut parcels: Vec<u8> = Vec::new();
                while let Received::Parcel(parcel) = meeting.receive() {
                    parcels.push(parcel);
                }
                parcels
            },
        );
        // What nobody took is there when all is over.
        assert_eq!([received, meeting.rest()].concat(), [1]);
    });
}

#[test]
fn nobody_waits_for_one_that_has_left() {
    loom::model(|| {
        let (_, received) = together(Meeting::leave, Meeting::receive);
        assert_eq!(received, Received::Over);
    });
}

/// Stands still if it is called; says what it saw if it was the last one.
fn stand_still(meeting: &Meeting<u8, u8>) -> Option<Vec<u8>> {
    let mut seen = None;
    if meeting.is_called() {
        meeting.stand_still(|parcels| seen = Some(parcels.iter().copied().collect()));
    }
    seen
}

#[test]
fn the_last_one_that_stands_still_sees_everything() {
    loom::model(|| {
        let (meeting, seen) = together(
            |meeting| {
                meeting.give(1);
                meeting.call();
                stand_still(meeting);
                meeting.stop(0);
            },
            |meeting| {
                // Whatever it has, it stands still between two parcels.
                let (mut parcels, mut seen) = (Vec::new(), Vec::new());
                loop {
                    seen.extend(stand_still(meeting).map(|rest| [parcels.clone(), rest].concat()));
                    match meeting.receive() {
                        Received::Parcel(parcel) => parcels.push(parcel),
                        Received::Called => {}
                        Received::Over => return seen,
                    }
                }
            },
        );
        assert!(seen.iter().all(|seen| seen == &[1]), "{seen:?}");
        assert!(!meeting.is_called() || meeting.stopped().is_some());
    });
}

#[test]
fn nobody_stands_still_for_one_that_has_left() {
    loom::model(|| {
        together(Meeting::leave, |meeting| {
            meeting.call();
            stand_still(meeting)
        });
    });
}
