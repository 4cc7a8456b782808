//! The language of the scripts.
//!
//! Words are separated by blanks; `''` is the empty word and `@` at the start of a path stands for
//! the absolute path of the tree. Lines that start with `setup` run natively in both trees before
//! anything else; `user UID` as the first line runs the script as that user. Slots (`s0`, `s1`,
//! ...) name descriptors, others (`m0`, ...) mappings. `send-apart` leaves out a transfer from a file to itself: Linux moves
//! pages then, and what arrives depends on which were shared.

/// One operation: a name and its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) name: String,
    words: Vec<String>,
}

impl Op {
    pub(crate) fn parse(line: &str) -> Op {
        let mut words = line
            .split_whitespace()
            .map(|word| if word == "''" { String::new() } else { word.to_owned() });
        Op { name: words.next().unwrap_or_default(), words: words.collect() }
    }

    pub(crate) fn word(&self, n: usize) -> &str {
        self.words.get(n).map_or("", String::as_str)
    }

    /// A path, with `@` replaced.
    pub(crate) fn path(&self, n: usize, root: &str) -> String {
        let word = self.word(n);
        match word.strip_prefix('@') {
            Some(rest) => format!("{root}{rest}"),
            None => match word.strip_prefix("long:") {
                Some(length) => "n".repeat(length.parse().unwrap()),
                None => word.to_owned(),
            },
        }
    }

    pub(crate) fn number(&self, n: usize) -> i64 {
        self.word(n).parse().unwrap_or(0)
    }

    pub(crate) fn octal(&self, n: usize) -> u32 {
        u32::from_str_radix(self.word(n), 8).unwrap_or(0)
    }

    pub(crate) fn slot(&self, n: usize) -> usize {
        self.word(n).trim_start_matches(['s', 'm']).parse().unwrap_or(0)
    }

    /// Flags of `open`, joined by `|`.
    pub(crate) fn flags(&self, n: usize) -> i32 {
        self.word(n)
            .split('|')
            .map(|flag| match flag {
                "RDONLY" => libc::O_RDONLY,
                "WRONLY" => libc::O_WRONLY,
                "RDWR" => libc::O_RDWR,
                "ACC3" => 3,
                "CREAT" => libc::O_CREAT,
                "EXCL" => libc::O_EXCL,
                "TRUNC" => libc::O_TRUNC,
                "APPEND" => libc::O_APPEND,
                "NONBLOCK" => libc::O_NONBLOCK,
                "DIRECTORY" => libc::O_DIRECTORY,
                "NOFOLLOW" => libc::O_NOFOLLOW,
                "PATH" => libc::O_PATH,
                "TMPFILE" => libc::O_TMPFILE,
                "NOATIME" => libc::O_NOATIME,
                other => panic!("unknown flag {other}"),
            })
            .fold(0, |all, flag| all | flag)
    }
}

/// What `stat` shows, without what differs between two trees.
pub(crate) struct Shown {
    pub(crate) mode: u32,
    pub(crate) nlink: u64,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) rdev: u64,
    pub(crate) size: u64,
    pub(crate) blocks: u64,
    pub(crate) blksize: u64,
    pub(crate) atime: i64,
    pub(crate) mtime: i64,
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A time that a script set is small; all others are those of the run.
        let time = |time: i64| {
            if time < 1_000_000 { time.to_string() } else { "recent".into() }
        };
        write!(
            f,
            "{:o} links {} owner {}:{} rdev {:x} size {} blocks {} of {} times {} {}",
            self.mode,
            self.nlink,
            self.uid,
            self.gid,
            self.rdev,
            self.size,
            self.blocks,
            self.blksize,
            time(self.atime),
            time(self.mtime)
        )
    }
}
