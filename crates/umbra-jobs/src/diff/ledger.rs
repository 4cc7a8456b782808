//! Where the divergences of all tests come together, in the order of the tests and not of time.
//!
//! Each test that is followed has a page. What is written on the first page that is still open gets its place and its
//! test case in the folder of the run at once; what is written on later pages waits until the pages before are
//! closed. So the names of cases, and which of many are kept, do not depend on which worker was faster. Tests
//! are begun in their order, so there is always somebody at work on the first open page, and who waits for room
//! does not wait for ever.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_report::{DivergenceLine, PathLines, RunFolder};
use umbra_words::{Class, Kind, Place};

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
}

/// A test case in the folder of the run. Its tree may be large, so it is read again when it runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Written {
    /// Bytes of its inputs.
    pub size: u64,
    /// Where it is in the folder of the run.
    pub name: String,
    /// The path to the divergence on its input.
    pub path: PathLines,
}

/// A test case that may get its place in the folder, and the path to the divergence on its input.
pub type Example = (Case, PathLines);

/// A path on which the versions part.
struct Entry {
    line: DivergenceLine,
    example: Option<Example>,
}

/// How far a ledger is, for a journal.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Mark {
    /// Pages that are closed, one after the other.
    pub pages: usize,
    /// Test cases in the folder.
    pub cases: usize,
    groups: Vec<Group>,
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
    /// How it was when the last page was closed.
    turned: Mark,
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
            turned: mark,
            later: BTreeMap::new(),
            waiting: 0,
        };
        Self { tests_per_place, room: ROOM, book: Mutex::new(book), turned: Condvar::new() }
    }

    /// How far it is, where nothing is written meanwhile.
    pub fn mark(&self) -> Mark {
        self.book().mark()
    }

    /// How far it was when the last page was closed. What is written on the next one is not in it.
    pub fn last_turn(&self) -> Mark {
        self.book().turned.clone()
    }

    /// The page of a test, by its position; pages are opened in order.
    pub fn page(&self, position: usize) -> Page<'_> {
        Page { ledger: self, position, counts: BTreeMap::new() }
    }

    /// All divergences, by what they have in common. An error is the first thing that could not be
    /// written.
    pub fn close(self) -> Result<Vec<Group>, umbra_report::Error> {
        let book = self.book.into_inner().unwrap_or_else(PoisonError::into_inner);
        match book.failure {
            Some(failure) => Err(failure),
            None => Ok(book.groups.into_values().collect()),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing here is left half done by a panic.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one test has to say. The page is closed when it is dropped.
pub struct Page<'a> {
    ledger: &'a Ledger,
    position: usize,
    /// Paths on this page by what they have in common.
    counts: BTreeMap<Key, u64>,
}

impl Page<'_> {
    /// Whether there may be a place for the test case of one more path.
    pub fn wants(&self, line: &DivergenceLine) -> bool {
        let (key, most) = (key_of(line), self.ledger.tests_per_place);
        let known = self.counts.get(&key).copied().unwrap_or(0);
        known < most && self.ledger.book().wants(&key, most)
    }

    /// Adds a path, with a test case if there is one.
    pub fn add(&mut self, line: DivergenceLine, example: Option<Example>) {
        *self.counts.entry(key_of(&line)).or_default() += 1;
        let entry = Entry { line, example };
        let mut book = self.ledger.book();
        while self.position != book.first && book.waiting >= self.ledger.room {
            book = self.ledger.turned.wait(book).unwrap_or_else(PoisonError::into_inner);
        }
        if self.position == book.first {
            book.enter(entry, self.ledger.tests_per_place);
        } else {
            book.waiting += entry.bytes();
            book.later.entry(self.position).or_default().entries.push(entry);
        }
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        let mut book = self.ledger.book();
        book.later.entry(self.position).or_default().is_closed = true;
        book.turn(self.ledger.tests_per_place);
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

    /// Whether there may be a place for one more test case.
    fn wants(&self, key: &Key, most: u64) -> bool {
        let known = self.groups.get(key).map_or(0, |group| group.line.count);
        known < most && self.failure.is_none()
    }

    /// Enters what has waited for the pages that are closed now.
    fn turn(&mut self, most: u64) {
        while self.later.get(&self.first).is_some_and(|later| later.is_closed) {
            self.later.remove(&self.first);
            self.first += 1;
            self.turned = self.mark();
            let next = self.later.get_mut(&self.first);
            for entry in next.map(|later| std::mem::take(&mut later.entries)).unwrap_or_default() {
                self.waiting -= entry.bytes();
                self.enter(entry, most);
            }
        }
    }

    /// Gives a path its place among the others, and writes its test case.
    fn enter(&mut self, entry: Entry, most: u64) {
        let Entry { line, example } = entry;
        let key = key_of(&line);
        let mut written = None;
        if let Some((case, path)) = example.filter(|_| self.wants(&key, most)) {
            match self.folder.write_case(&case) {
                Ok(folder) => {
                    written = Some(Written { size: case.input_bytes(), name: folder.name, path });
                }
                Err(error) => self.failure = Some(error),
            }
        }
        let phase = line.phase;
        let empty = || Group { line, cases: Vec::new() };
        let group = self.groups.entry(key).or_insert_with(empty);
        group.line.count += 1;
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

    fn add(page: &mut Page<'_>, at: u32, argument: &str) {
        let case = Case { arguments: vec![argument.as_bytes().to_vec()], ..Case::default() };
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
        let mut page = one.page(0);
        add(&mut page, 7, "a");
        add(&mut page, 3, "b");
        drop(page);
        let mut page = one.page(1);
        for argument in ["c", "d", "a"] {
            add(&mut page, 7, argument);
        }
        drop(page);
        let in_order = shown(&scratch, one);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected: [(u64, Vec<String>); 2] =
            [(1, names(&["cases/000002 b"])), (4, names(&["cases/000001 a", "cases/000003 c"]))];
        assert_eq!(in_order, expected);

        let (scratch, two) = ledger(2);
        let (mut first, mut second) = (two.page(0), two.page(1));
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
        let (mut first, mut second) = (ledger.page(0), ledger.page(1));
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
    fn a_case_that_cannot_get_a_place_is_not_wanted() {
        let (_scratch, ledger) = ledger(1);
        let (mut first, mut second) = (ledger.page(0), ledger.page(1));
        add(&mut first, 1, "a");
        assert!(!second.wants(&line(1)), "the place is taken by the page before");
        assert!(second.wants(&line(2)));
        add(&mut second, 2, "b");
        assert!(!second.wants(&line(2)), "the place is taken on this page");
        assert!(first.wants(&line(2)), "the page before goes first");
    }

    #[test]
    fn who_finds_no_room_waits_for_the_pages_before() {
        let (scratch, mut ledger) = ledger(8);
        ledger.room = 1;
        let first = ledger.page(0);
        std::thread::scope(|scope| {
            let (told, hears) = channel();
            let ledger = &ledger;
            scope.spawn(move || {
                let mut second = ledger.page(1);
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
