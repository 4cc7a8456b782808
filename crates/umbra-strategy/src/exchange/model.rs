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
use meeting::Meeting;

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
        assert_eq!((received, meeting.stopped()), (None, Some(7)));
        assert!(meeting.rest().is_empty());
    });
}

#[test]
fn the_first_of_two_reasons_counts() {
    loom::model(|| {
        let (meeting, ()) = together(|meeting| meeting.stop(7), |meeting| meeting.stop(8));
        assert!(matches!(meeting.stopped(), Some(7 | 8)));
        assert_eq!(meeting.receive(), None);
    });
}

#[test]
fn all_that_wait_end_together() {
    loom::model(|| {
        let wait = |meeting: &Meeting<u8, u8>| assert_eq!(meeting.receive(), None);
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
                while let Some(parcel) = meeting.receive() {
                    meeting.give(parcel);
                    meeting.stop(0);
                }
            },
            |meeting| std::iter::from_fn(|| meeting.receive()).collect::<Vec<u8>>(),
        );
        // What nobody took is there when all is over.
        assert_eq!([received, meeting.rest()].concat(), [1]);
    });
}

#[test]
fn nobody_waits_for_one_that_has_left() {
    loom::model(|| {
        let (_, received) = together(Meeting::leave, Meeting::receive);
        assert_eq!(received, None);
    });
}
