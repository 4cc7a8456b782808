//! Where the divergences of all tests come together, in the order of their turns and not of time.
//!
//! Each turn of a test has a page. What is written on the first page that is still open gets its place and its
//! test case in the folder of the run at once; what is written on later pages waits until the pages before are
//! closed. So the names of cases do not depend on which worker was faster. Turns
//! are begun in the order of their pages, so there is always somebody at work on the first open page, and who waits for room
//! does not wait for ever.
//!
//! Which test cases are kept is decided for each test by itself ([`Tally`]): more tests lose nothing that one of them has shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_report::{DivergenceLine, PathLines, RunFolder};
use umbra_words::{Class, End, Kind, Place};

/// Bytes of inputs that wait for pages before theirs; then their writers wait, too.
const ROOM: u64 = 256 << 20;

/// What divergences that are one line have in common.
pub type Key = (Place, Kind, Class, String, Vec<Place>);

/// What a divergence has in common with others that are the same line.
pub fn key_of(line: &DivergenceLine) -> Key {
    (line.place.clone(), line.kind, line.class, line.detail.clone(), line.changes.clone())
}

/// Paths on which the versions part in the same place for the same reason.
#[derive(Clone, Serialize, Deserialize)]
pub struct Group {
    pub line: DivergenceLine,
    /// Their test cases, the first that was found first.
    pub cases: Vec<Written>,
    /// How many of them each test has, by its position.
    pub tests: BTreeMap<usize, u64>,
    /// On how many of these there was a test case to look at.
    pub looked_at: BTreeMap<usize, u64>,
}

/// A test case in the folder of the run. Its tree may be large, so it is read again when it runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Written {
    /// Bytes of its inputs.
    pub size: u64,
    /// The position of the test that it was found near.
    pub test: usize,
    /// Where it is in the folder of the run.
    pub name: String,
    /// The path to the divergence on its input.
    pub path: PathLines,
    /// What the new version is predicted to do.
    pub behaviour: Behaviour,
}

/// A test case that may get its place in the folder, and the path to the divergence on its input.
pub type Example = (Case, PathLines);

/// For each line, what a test has shown of it so far.
#[derive(Default)]
pub struct Tally(BTreeMap<Key, Shown>);

/// What a test has shown of one line.
#[derive(Default)]
struct Shown {
    /// Test cases that were looked at.
    looked_at: u64,
    /// Its test cases.
    cases: u64,
    /// What the new version is predicted to do on them.
    behaviours: BTreeSet<Behaviour>,
}

/// What a version is predicted to do, as far as it tells cases apart: how it ends, whether it prints, and its message without
/// numbers.
pub type Behaviour = (Option<End>, bool, Vec<u8>);

fn behaviour(case: &Case) -> Behaviour {
    let prints = case.expected.stdout.as_ref().is_some_and(|bytes| !bytes.is_empty());
    let message = case.expected.stderr.iter().flatten().take_while(|byte| **byte != b'\n');
    let message = message.copied().filter(|byte| !byte.is_ascii_digit()).take(MESSAGE);
    (case.expected.end.clone(), prints, message.collect())
}

impl Shown {
    /// Whether one more test case may be kept: the first ones, then those that show something else.
    fn takes(&self, behaviour: Option<&Behaviour>, most: u64) -> bool {
        let is_new = behaviour.is_none_or(|behaviour| !self.behaviours.contains(behaviour));
        let is_over = self.looked_at >= most.saturating_mul(LOOKS);
        self.cases < most || (is_new && !is_over && self.cases < most.saturating_mul(MORE))
    }
}

/// So many times the first ones may be kept in all, where each shows something else.
const MORE: u64 = 4;

/// So many times the first ones are looked at, to see what they show: a test case takes time to make.
const LOOKS: u64 = 32;

/// Bytes of a message that count.
const MESSAGE: usize = 64;

/// A path on which the versions part.
struct Entry {
    /// The position of the test.
    test: usize,
    line: DivergenceLine,
    /// There was a test case to look at.
    is_looked_at: bool,
    example: Option<Example>,
}

/// How far a ledger is, for a journal.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Mark {
    /// Pages that are closed, one after the other. Of the next one there may be a part in it.
    pub pages: usize,
    /// Test cases in the folder.
    pub cases: usize,
    groups: Vec<Group>,
}

impl Mark {
    /// What is left if only these tests count, because the others are followed again. Their test cases stay.
    pub fn of_tests(mut self, is_done: impl Fn(usize) -> bool) -> Self {
        for group in &mut self.groups {
            group.tests.retain(|test, _| is_done(*test));
            group.looked_at.retain(|test, _| is_done(*test));
            group.line.count = group.tests.values().sum();
        }
        self
    }
}

/// The divergences of all tests.
pub struct Ledger {
    tests_per_place: u64,
    room: u64,
    book: Mutex<Book>,
    turned: Condvar,
}

struct Book {
    folder: RunFolder,
    groups: BTreeMap<Key, Group>,
    failure: Option<umbra_report::Error>,
    /// The first page that is still open.
    first: usize,
    /// Pages after it.
    later: BTreeMap<usize, Later>,
    /// Bytes of inputs that wait on them.
    waiting: u64,
}

/// A page whose turn has not come.
#[derive(Default)]
struct Later {
    entries: Vec<Entry>,
    is_closed: bool,
}

impl Ledger {
    /// One that is so far already; at most so many test cases are kept for each line.
    pub fn new(folder: RunFolder, tests_per_place: u64, mark: Mark) -> Self {
        let groups = mark.groups.iter().map(|group| (key_of(&group.line), group.clone()));
        let book = Book {
            folder,
            groups: groups.collect(),
            failure: None,
            first: mark.pages,
            later: BTreeMap::new(),
            waiting: 0,
        };
        Self { tests_per_place, room: ROOM, book: Mutex::new(book), turned: Condvar::new() }
    }

    /// How far it is, where nothing is written meanwhile.
    pub fn mark(&self) -> Mark {
        self.book().mark()
    }

    /// A page for a turn of a test, by the test's position; pages are opened in order. `tally` is what it had at the end of its
    /// last turn.
    pub fn page(&self, number: usize, test: usize, tally: Tally) -> Page<'_> {
        Page { ledger: self, number, test, tally }
    }

    /// What a test has shown, as far as it is in the folder of the run.
    pub fn tally(&self, test: usize) -> Tally {
        let book = self.book();
        let groups = book.groups.values().filter(|group| group.tests.contains_key(&test));
        let shown = groups.map(|group| {
            let cases = group.cases.iter().filter(|case| case.test == test);
            let shown = Shown {
                looked_at: group.looked_at.get(&test).copied().unwrap_or_default(),
                cases: cases.clone().count() as u64,
                behaviours: cases.map(|case| case.behaviour.clone()).collect(),
            };
            (key_of(&group.line), shown)
        });
        Tally(shown.collect())
    }

    /// All divergences, by what they have in common. An error is the first thing that could not be
    /// written.
    pub fn close(self) -> Result<Vec<Group>, umbra_report::Error> {
        let book = self.book.into_inner().unwrap_or_else(PoisonError::into_inner);
        match book.failure {
            Some(failure) => Err(failure),
            None => {
                let groups = book.groups.into_values().map(|mut group| {
                    // A case of a test that was followed again, to another end.
                    group.line.count = group.line.count.max(group.cases.len() as u64);
                    group
                });
                Ok(groups.filter(|group| group.line.count > 0).collect())
            }
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing here is left half done by a panic.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one test has to say in one turn. The page is closed when it is dropped.
pub struct Page<'a> {
    ledger: &'a Ledger,
    number: usize,
    test: usize,
    tally: Tally,
}

impl Page<'_> {
    /// Whether there may be a place for the test case of one more path.
    pub fn wants(&self, line: &DivergenceLine) -> bool {
        let shown = self.tally.0.get(&key_of(line));
        shown.is_none_or(|shown| shown.takes(None, self.ledger.tests_per_place))
    }

    /// Adds a path, with a test case if there is one. Says whether that has got a place.
    pub fn add(&mut self, line: DivergenceLine, example: Option<Example>) -> bool {
        let shown = self.tally.0.entry(key_of(&line)).or_default();
        let is_looked_at = example.is_some();
        let example = example.filter(|(case, _)| {
            let behaviour = behaviour(case);
            shown.looked_at += 1;
            let is_taken = shown.takes(Some(&behaviour), self.ledger.tests_per_place);
            if is_taken {
                shown.cases += 1;
                shown.behaviours.insert(behaviour);
            }
            is_taken
        });
        let is_kept = example.is_some();
        let entry = Entry { test: self.test, line, is_looked_at, example };
        let mut book = self.ledger.book();
        while self.number != book.first && book.waiting >= self.ledger.room {
            book = self.ledger.turned.wait(book).unwrap_or_else(PoisonError::into_inner);
        }
        if self.number == book.first {
            book.enter(entry);
        } else {
            book.waiting += entry.bytes();
            book.later.entry(self.number).or_default().entries.push(entry);
        }
        is_kept
    }

    /// Closes the page, and says what the test has shown so far.
    pub fn close(mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        let mut book = self.ledger.book();
        book.later.entry(self.number).or_default().is_closed = true;
        book.turn();
        drop(book);
        self.ledger.turned.notify_all();
    }
}

impl Entry {
    fn bytes(&self) -> u64 {
        self.example.as_ref().map_or(0, |(case, _)| case.input_bytes())
    }
}

impl Book {
    fn mark(&self) -> Mark {
        let groups = self.groups.values().cloned().collect();
        Mark { pages: self.first, cases: self.folder.cases(), groups }
    }

    /// Enters what has waited for the pages that are closed now.
    fn turn(&mut self) {
        while self.later.get(&self.first).is_some_and(|later| later.is_closed) {
            self.later.remove(&self.first);
            self.first += 1;
            let next = self.later.get_mut(&self.first);
            for entry in next.map(|later| std::mem::take(&mut later.entries)).unwrap_or_default() {
                self.waiting -= entry.bytes();
                self.enter(entry);
            }
        }
    }

    /// Gives a path its place among the others, and writes its test case.
    fn enter(&mut self, entry: Entry) {
        let Entry { test, line, is_looked_at, example } = entry;
        let key = key_of(&line);
        let mut written = None;
        if let Some((case, path)) = example.filter(|_| self.failure.is_none()) {
            match self.folder.write_case(&case) {
                Ok(folder) => {
                    let (size, name) = (case.input_bytes(), folder.name);
                    let behaviour = behaviour(&case);
                    written = Some(Written { size, test, name, path, behaviour });
                }
                Err(error) => self.failure = Some(error),
            }
        }
        let phase = line.phase;
        let empty = || {
            let (tests, looked_at) = (BTreeMap::new(), BTreeMap::new());
            Group { line, cases: Vec::new(), tests, looked_at }
        };
        let group = self.groups.entry(key).or_insert_with(empty);
        group.line.count += 1;
        *group.tests.entry(test).or_default() += 1;
        *group.looked_at.entry(test).or_default() += u64::from(is_looked_at);
        // The first phase that finds it says how it was found; its path may end after later ones.
        if phase < group.line.phase {
            group.line.phase = phase;
        }
        // Paths that part again later may have the same input.
        let is_known = |written: &Written| group.cases.iter().any(|case| case.name == written.name);
        if let Some(written) = written.filter(|written| !is_known(written)) {
            group.cases.push(written);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use umbra_case::Expected;

    use super::*;

    fn ledger(tests_per_place: u64) -> (tempfile::TempDir, Ledger) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = RunFolder::create_at(&scratch.path().join("run")).unwrap();
        (scratch, Ledger::new(folder, tests_per_place, Mark::default()))
    }

    fn line(number: u32) -> DivergenceLine {
        let place = Place { file: "a.c".to_owned(), line: number };
        DivergenceLine { place, ..DivergenceLine::default() }
    }

    /// The page of the only turn of a test.
    fn page(ledger: &Ledger, test: usize) -> Page<'_> {
        ledger.page(test, test, Tally::default())
    }

    fn add(page: &mut Page<'_>, at: u32, argument: &str) {
        add_ended(page, at, argument, 0);
    }

    fn add_ended(page: &mut Page<'_>, at: u32, argument: &str, status: i32) {
        let expected = Expected { end: Some(End::Exited(status)), ..Expected::default() };
        let arguments = vec![argument.as_bytes().to_vec()];
        let case = Case { arguments, expected, ..Case::default() };
        let example = page.wants(&line(at)).then(|| (case, PathLines::default()));
        page.add(line(at), example);
    }

    /// Cases of each line, as the first argument of each, in the order of their names.
    fn shown(scratch: &tempfile::TempDir, ledger: Ledger) -> Vec<(u64, Vec<String>)> {
        let read = |written: &Written| {
            let case = Case::read(&scratch.path().join("run").join(&written.name)).unwrap();
            format!("{} {}", written.name, String::from_utf8_lossy(&case.arguments[0]))
        };
        let groups = ledger.close().unwrap();
        groups
            .iter()
            .map(|group| (group.line.count, group.cases.iter().map(read).collect()))
            .collect()
    }

    #[test]
    fn the_order_of_time_does_not_matter() {
        let (scratch, one) = ledger(2);
        let mut first = page(&one, 0);
        add(&mut first, 7, "a");
        add(&mut first, 3, "b");
        drop(first);
        let mut second = page(&one, 1);
        for argument in ["c", "d", "a"] {
            add(&mut second, 7, argument);
        }
        drop(second);
        let in_order = shown(&scratch, one);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let of_seven = ["cases/000001 a", "cases/000003 c", "cases/000004 d"];
        let expected: [(u64, Vec<String>); 2] =
            [(1, names(&["cases/000002 b"])), (4, names(&of_seven))];
        assert_eq!(in_order, expected);

        let (scratch, two) = ledger(2);
        let (mut first, mut second) = (page(&two, 0), page(&two, 1));
        add(&mut second, 7, "c");
        add(&mut first, 7, "a");
        add(&mut second, 7, "d");
        add(&mut second, 7, "a");
        drop(second);
        add(&mut first, 3, "b");
        drop(first);
        assert_eq!(shown(&scratch, two), expected);
    }

    #[test]
    fn what_is_on_the_first_page_is_written_at_once() {
        let (scratch, ledger) = ledger(8);
        let case = |name: &str| scratch.path().join("run/cases").join(name).exists();
        let (mut first, mut second) = (page(&ledger, 0), page(&ledger, 1));
        add(&mut second, 1, "later");
        assert!(!case("000001"));
        add(&mut first, 1, "now");
        assert!(case("000001") && !case("000002"));
        drop(first);
        assert!(case("000002"));
        add(&mut second, 1, "now it is the first");
        assert!(case("000003"));
    }

    #[test]
    fn each_test_has_places_of_its_own() {
        let (scratch, ledger) = ledger(1);
        let (mut first, mut second) = (page(&ledger, 0), page(&ledger, 1));
        add(&mut first, 1, "a");
        add(&mut first, 1, "b");
        add(&mut second, 1, "c");
        assert_eq!(first.close().0.len(), 1);
        let tally = second.close();
        // Its next turn.
        let mut second = ledger.page(2, 1, tally);
        add(&mut second, 1, "d");
        drop(second);
        let kept = vec!["cases/000001 a".to_owned(), "cases/000002 c".to_owned()];
        assert_eq!(shown(&scratch, ledger), [(4, kept)]);
    }

    #[test]
    fn a_case_that_shows_something_else_is_kept() {
        let (scratch, ledger) = ledger(2);
        let mut first = page(&ledger, 0);
        for (argument, status) in [("a", 0), ("b", 0), ("c", 0), ("d", 1), ("e", 1), ("f", 2)] {
            add_ended(&mut first, 1, argument, status);
        }
        for number in 0..100 {
            add_ended(&mut first, 1, &format!("more {number}"), 3 + number);
        }
        drop(first);
        let (count, kept) = shown(&scratch, ledger).remove(0);
        let arguments: Vec<&str> = kept.iter().map(|name| &name["cases/000001 ".len()..]).collect();
        assert_eq!(arguments[..4], ["a", "b", "d", "f"]);
        assert_eq!((count, arguments.len()), (106, 8));
    }

    #[test]
    fn a_test_that_is_followed_again_is_not_counted_twice() {
        let (scratch, one) = ledger(8);
        let (mut first, mut second) = (page(&one, 0), page(&one, 1));
        add(&mut first, 1, "a");
        drop(first);
        add(&mut second, 1, "b");
        add(&mut second, 2, "c");
        let mark = one.mark();
        assert_eq!((mark.pages, mark.cases), (1, 3));
        drop(second);
        let mark = mark.of_tests(|test| test == 0);
        let counts: Vec<u64> = mark.groups.iter().map(|group| group.line.count).collect();
        assert_eq!(counts, [1, 0]);
        drop(one);
        let folder = RunFolder::create_at(&scratch.path().join("other")).unwrap();
        let two = Ledger::new(folder, 8, mark);
        let groups = two.close().unwrap();
        // Both have test cases, which are there.
        assert_eq!(groups.iter().map(|group| group.line.count).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn who_finds_no_room_waits_for_the_pages_before() {
        let (scratch, mut ledger) = ledger(8);
        ledger.room = 1;
        let first = page(&ledger, 0);
        std::thread::scope(|scope| {
            let (told, hears) = channel();
            let ledger = &ledger;
            scope.spawn(move || {
                let mut second = page(ledger, 1);
                add(&mut second, 1, "fits");
                told.send(()).unwrap();
                add(&mut second, 1, "waits");
            });
            hears.recv().unwrap();
            drop(first);
        });
        assert_eq!(shown(&scratch, ledger)[0].0, 2);
    }
}
