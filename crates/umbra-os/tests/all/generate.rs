//! Random scripts over a few names, so that operations meet.

struct Random(fastrand::Rng);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0.u64(..n)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const NAMES: [&str; 14] = [
    "a", "b", "c", "d", "e", "hard", "la", "ld", "dangling", "loop", "lx", "sparse", "fifo", "sub",
];

fn path(random: &mut Random) -> String {
    let mut path = String::new();
    match random.below(12) {
        0..4 => {}
        4..7 => path.push_str("d/"),
        7 => path.push_str("e/"),
        8 => path.push_str("ld/"),
        9 => path.push_str("d/sub/"),
        10 => path.push_str(random.pick(&[
            "./",
            "d/../",
            "d/sub/../",
            "e//",
            "a/",
            "nowhere/",
            "loop/",
            "@/",
            "ld/../",
        ])),
        _ => {
            return random
                .pick(&[".", "d/.", "d/..", "''", "d/sub/..", "..", "@", "ld/.", "d/x", "e/suid"])
                .to_owned();
        }
    }
    path.push_str(random.pick(&NAMES));
    if random.below(10) == 0 {
        path.push('/');
    }
    path
}

fn open_flags(random: &mut Random) -> String {
    let mut flags = vec!["NONBLOCK", random.pick(&["RDONLY", "WRONLY", "RDWR", "RDWR", "RDWR"])];
    for (flag, chance) in [
        ("CREAT", 2),
        ("EXCL", 6),
        ("TRUNC", 6),
        ("APPEND", 6),
        ("DIRECTORY", 12),
        ("NOFOLLOW", 8),
        ("PATH", 20),
        ("TMPFILE", 40),
        ("ACC3", 40),
    ] {
        if random.below(chance) == 0 {
            flags.push(flag);
        }
    }
    flags.join("|")
}

fn line(random: &mut Random) -> String {
    let slot = random.below(4);
    let other = random.below(4);
    let size = match random.below(4) {
        0 => random.below(16),
        1 => random.below(5000),
        2 => random.below(40) * 4096,
        _ => random.below(120_000),
    };
    let text = random.pick(&["x", "hello", "some-longer-text-than-that", "0123456789"]);
    let mode =
        random.pick(&["644", "755", "600", "777", "0", "4755", "2755", "1777", "400", "2644"]);
    let (p, q) = (path(random), path(random));
    match random.below(46) {
        0..8 => format!("open s{slot} {p} {} {mode}", open_flags(random)),
        8 => format!("close s{slot}"),
        9 => format!("read s{slot} {}", size % 3000),
        10 => format!("pread s{slot} {} {size}", random.below(3000)),
        11..13 => format!("write s{slot} {text}"),
        13 => format!("pwrite s{slot} {text} {size}"),
        14 => format!(
            "lseek s{slot} {size} {}",
            random.pick(&["SET", "CUR", "END", "DATA", "HOLE", "DATA", "HOLE"])
        ),
        15 => format!("ftruncate s{slot} {size}"),
        16 => format!(
            "fallocate s{slot} {} {size} {}",
            random.pick(&["0", "1", "3", "16"]),
            random.below(20_000)
        ),
        17..19 => format!("mkdir {p} {mode}"),
        19..21 => format!("rmdir {p}"),
        21..23 => format!("unlink {p}"),
        23..25 => format!("link {p} {q} {}", random.pick(&["-", "follow"])),
        25 => format!("symlink {q} {p}"),
        26..31 => {
            format!("rename {p} {q} {}", random.pick(&["-", "-", "-", "NOREPLACE", "EXCHANGE"]))
        }
        31 => format!("mknod {p} {} {mode}", random.pick(&["fifo", "sock", "chr", "reg", "dir"])),
        32 => format!("stat {p}"),
        33..35 => format!("lstat {p}"),
        35 => format!("fstat s{slot}"),
        36 => format!("access {p} {}", random.below(8)),
        37 => match random.below(2) {
            0 => format!("chmod {p} {mode}"),
            _ => format!("fchmod s{slot} {mode}"),
        },
        38 => {
            let name = random.pick(&["chown", "lchown"]);
            format!(
                "{name} {p} {} {}",
                random.pick(&["-1", "0", "1000", "1001"]),
                random.pick(&["-1", "0", "1000", "1001"])
            )
        }
        39 => format!(
            "utime {p} {} {}",
            random.pick(&["now", "omit", "1000", "2000"]),
            random.pick(&["now", "omit", "1000", "2000"])
        ),
        40 => format!("readlink {p}"),
        41 => format!("list {p}"),
        42 => match random.below(4) {
            0 => format!("chdir {p}"),
            1 => format!("dup s{slot} s{other}"),
            2 => format!("getfl s{slot}"),
            _ => format!(
                "setfl s{slot} {}",
                random.pick(&["APPEND|NONBLOCK", "NONBLOCK", "RDONLY|NONBLOCK"])
            ),
        },
        43 => format!("copy s{slot} s{other} {size}"),
        44 => format!("send-apart s{slot} s{other} {}", size % 9000),
        _ => match random.below(3) {
            0 => format!("pipe s{slot} s{}", (slot + 1) % 4),
            1 => format!("fsync s{slot}"),
            _ => format!("fchown s{slot} 1000 {}", random.pick(&["-1", "1000"])),
        },
    }
}

/// An operation on memory, counters, sockets or several buffers.
fn other_line(random: &mut Random) -> String {
    let (slot, other, region) = (random.below(4), random.below(4), random.below(3));
    let text = random.pick(&["x", "hello", "some-longer-text-than-that", "0123456789"]);
    let more = random.pick(&["", "yz", "and-more"]);
    let (page, pages) = (random.below(4), 1 + random.below(3));
    let offset = page * 4096 + random.below(4060);
    let protection = random.pick(&["3", "3", "3", "1", "1", "0", "2"]);
    match random.below(24) {
        0..4 => {
            let file = random.pick(&["-", "s0", "s1", "s2", "s3", "s0", "s1"]);
            let sharing = random.pick(&["shared", "shared", "private"]);
            let start = random.pick(&["0", "0", "0", "4096", "16384", "100"]);
            format!("map m{region} {file} {} {start} {protection} {sharing}", pages * 4096 - page)
        }
        4 => format!("unmap m{region} {page} {pages}"),
        5..7 => format!("protect m{region} {page} {pages} {protection}"),
        7 => format!("msync m{region} {page} {pages} {}", random.pick(&["4", "1", "2", "5", "0"])),
        8..12 => format!("store m{region} {offset} {text}"),
        12..15 => format!("load m{region} {offset} {}", 1 + random.below(30)),
        15 => format!("event s{slot} {} {}", random.below(3), random.below(2)),
        16 => format!("add s{slot} {}", random.pick(&["1", "0", "7", "-1", "-2"])),
        17 => match random.below(2) {
            0 => format!("timer s{slot}"),
            _ => format!("arm s{slot} {}", random.pick(&["0", "1000000"])),
        },
        18 => format!("memfd s{slot}"),
        19 => {
            let kind = random.pick(&["stream", "dgram", "seqpacket"]);
            format!("pair s{slot} s{} {kind}", (slot + 1) % 4)
        }
        20 => format!("readv s{slot} {} {}", random.below(12), random.below(12)),
        21 => format!("preadv s{slot} {} {} {offset}", random.below(12), random.below(12)),
        22 => format!("writev s{slot} {text} {more}"),
        _ => format!("pwritev s{other} {text} {more} {offset}"),
    }
}

/// A script of a few dozen operations; every third one as a normal user.
pub(crate) fn script(seed: u64) -> Vec<String> {
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let mut lines = Vec::new();
    if seed % 3 == 2 {
        lines.push("user 1000".to_owned());
        for owned in [
            "chown . 1000 1000",
            "chown d 1000 1000",
            "chown d/x 1000 1000",
            "chown a 1000 0",
            "chmod e 1777",
        ] {
            lines.push(format!("setup {owned}"));
        }
        if seed.is_multiple_of(2) {
            lines.push("setup chmod d 2755".to_owned());
        }
    }
    // Half of them have other things than names and files too.
    let others = seed % 2;
    for _ in 0..60 {
        lines.push(match random.below(2) < others {
            true => other_line(&mut random),
            false => line(&mut random),
        });
    }
    lines
}
