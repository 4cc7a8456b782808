//! What scripts cannot say: forks of the kernel, output, signals, limits.

use crate::memory::{BASE, FlatMemory};
use crate::model::User;
use std::sync::Arc;
use umbra_engine::{Answer, Environment, UserMemory};
use umbra_os::{Config, Descriptor, Kernel, MemoryLower, OutputAction, SinkId, StreamKind};

fn call(kernel: &mut Kernel, memory: &mut FlatMemory, number: i64, arguments: &[u64]) -> Answer {
    let mut words = [0; 6];
    words[..arguments.len()].copy_from_slice(arguments);
    kernel.system_call(memory, number as u64, words)
}

fn text(memory: &mut FlatMemory, text: &str) -> u64 {
    memory.write(BASE, text.as_bytes()).unwrap();
    memory.write(BASE + text.len() as u64, &[0]).unwrap();
    BASE
}

fn open(kernel: &mut Kernel, memory: &mut FlatMemory, path: &str, flags: i32) -> Answer {
    let path = text(memory, path);
    call(kernel, memory, libc::SYS_open, &[path, flags as u64, 0o644])
}

fn write(kernel: &mut Kernel, memory: &mut FlatMemory, fd: u64, bytes: &str) -> Answer {
    let at = text(memory, bytes);
    call(kernel, memory, libc::SYS_write, &[fd, at, bytes.len() as u64])
}

fn contents(kernel: &mut Kernel, path: &str) -> Vec<u8> {
    let entries = kernel.walk_tree(std::path::Path::new(path)).unwrap();
    let mut bytes = vec![0; entries[0].stat.size as usize];
    kernel.read_file(entries[0].id, 0, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_clone_goes_its_own_way() {
    let mut memory = FlatMemory::new();
    let mut one = Kernel::new(Config::default()).unwrap();
    let flags = libc::O_CREAT | libc::O_RDWR;
    assert_eq!(open(&mut one, &mut memory, "/tmp/f", flags), Answer::Return(3));
    write(&mut one, &mut memory, 3, "common ");
    let mut two = one.clone();
    write(&mut one, &mut memory, 3, "one");
    write(&mut two, &mut memory, 3, "two!");
    write(&mut two, &mut memory, 1, "out");
    let path = text(&mut memory, "/etc/passwd");
    assert_eq!(call(&mut two, &mut memory, libc::SYS_unlink, &[path]), Answer::Return(0));
    assert_eq!(contents(&mut one, "/tmp/f"), b"common one");
    assert_eq!(contents(&mut two, "/tmp/f"), b"common two!");
    assert!(contents(&mut one, "/etc/passwd").starts_with(b"root"));
    assert!(two.walk_tree(std::path::Path::new("/etc/passwd")).is_err());
    assert_eq!((one.output().len(), two.output().len()), (0, 1));
}

#[test]
fn what_an_executed_program_gets_is_known() {
    let mut memory = FlatMemory::new();
    let mut lower = MemoryLower::minimal();
    lower.file("/bin/other", 0o755, "");
    let config = Config { lower: Arc::new(lower), ..Config::default() };
    let mut kernel = Kernel::new(config).unwrap();
    // The path, a word at 32, the vector with it at 64, and an empty vector at 80.
    memory.write(BASE, b"/bin/other\0").unwrap();
    memory.write(BASE + 32, b"word\0").unwrap();
    for (at, value) in [(64, BASE + 32), (72, 0), (80, 0)] {
        memory.write(BASE + at, &u64::to_le_bytes(value)).unwrap();
    }
    assert_eq!(kernel.execution(), None);
    let vectors = [BASE, BASE + 64, BASE + 80];
    let answer = call(&mut kernel, &mut memory, libc::SYS_execve, &vectors);
    assert!(matches!(answer, Answer::Unsupported(_)), "{answer:?}");
    let execution = kernel.execution().unwrap().clone();
    assert_eq!((execution.arguments, execution.environment), (vec![b"word".to_vec()], vec![]));
    let entries = kernel.walk_tree(std::path::Path::new("/bin/other")).unwrap();
    assert_eq!(entries[0].id, execution.file);
}

#[test]
fn time_passes_with_readings_if_it_is_to() {
    for (clock_step, passed) in [(0, 0), (1000, 2000)] {
        let mut memory = FlatMemory::new();
        let mut kernel = Kernel::new(Config { clock_step, ..Config::default() }).unwrap();
        let before = kernel.now();
        for _ in 0..2 {
            let arguments = [libc::CLOCK_MONOTONIC as u64, BASE];
            call(&mut kernel, &mut memory, libc::SYS_clock_gettime, &arguments);
        }
        let after = kernel.now();
        let nanoseconds = i64::from(after.nanoseconds) - i64::from(before.nanoseconds);
        assert_eq!((after.seconds - before.seconds, nanoseconds), (0, passed));
    }
}

/// States fork by the hundred thousand, and most of the forks never make a system call.
#[test]
fn a_kernel_is_one_reference() {
    assert_eq!(size_of::<Kernel>(), size_of::<usize>());
}

#[test]
fn output_keeps_its_order() {
    let mut memory = FlatMemory::new();
    let config = Config {
        descriptors: vec![
            Descriptor::bytes("in"),
            Descriptor::output(StreamKind::Pipe, SinkId(1)),
            Descriptor::Same(1),
        ],
        ..Config::default()
    };
    let mut kernel = Kernel::new(config).unwrap();
    for (fd, bytes) in [(1, "a"), (2, "b"), (1, "c")] {
        assert_eq!(write(&mut kernel, &mut memory, fd, bytes), Answer::Return(1));
    }
    let all: Vec<u8> = kernel
        .drain_output()
        .into_iter()
        .flat_map(|event| match event.action {
            OutputAction::Write { bytes, .. } => bytes.plain().unwrap().to_vec(),
            OutputAction::Truncate(_) => Vec::new(),
        })
        .collect();
    assert_eq!(all, b"abc");
    assert!(kernel.output().is_empty());
}

#[test]
fn a_closed_sink_raises_sigpipe() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config::default()).unwrap();
    kernel.close_sink(SinkId(1));
    assert_eq!(write(&mut kernel, &mut memory, 1, "x"), Answer::Killed(libc::SIGPIPE));
    let config = Config { ignored_signals: vec![libc::SIGPIPE], ..Config::default() };
    let mut kernel = Kernel::new(config).unwrap();
    kernel.close_sink(SinkId(1));
    assert_eq!(write(&mut kernel, &mut memory, 1, "x"), Answer::Return(-i64::from(libc::EPIPE)));
}

#[test]
fn standard_input_is_under_dev() {
    let mut memory = FlatMemory::new();
    let config = Config {
        descriptors: vec![Descriptor::bytes("hello"), Descriptor::Closed, Descriptor::Null],
        ..Config::default()
    };
    let mut kernel = Kernel::new(config).unwrap();
    assert_eq!(open(&mut kernel, &mut memory, "/dev/stdin", libc::O_RDONLY), Answer::Return(1));
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_read, &[1, BASE, 3]), Answer::Return(3));
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_read, &[0, BASE, 9]), Answer::Return(2));
    assert_eq!(memory.bytes(BASE, 2), b"lo");
    assert_eq!(open(&mut kernel, &mut memory, "/dev/fd/7", libc::O_RDONLY), Answer::Return(-2));
}

#[test]
fn a_handler_runs_with_its_mask() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config::default()).unwrap();
    let action = [0xabcd_u64, 0x0400_0000, 0, 1 << (libc::SIGINT - 1)];
    let bytes: Vec<u8> = action.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(BASE, &bytes).unwrap();
    let usr1 = libc::SIGUSR1 as u64;
    assert_eq!(
        call(&mut kernel, &mut memory, libc::SYS_rt_sigaction, &[usr1, BASE, 0, 8]),
        Answer::Return(0)
    );
    let pid = match call(&mut kernel, &mut memory, libc::SYS_getpid, &[]) {
        Answer::Return(pid) => pid as u64,
        other => panic!("{other:?}"),
    };
    let Answer::Interrupted { result: 0, deliveries } =
        call(&mut kernel, &mut memory, libc::SYS_kill, &[pid, usr1])
    else {
        panic!("no delivery");
    };
    assert_eq!((deliveries.len(), deliveries[0].handler), (1, 0xabcd));
    // Blocked while the handler runs, delivered when it is over.
    assert_eq!(
        call(&mut kernel, &mut memory, libc::SYS_kill, &[pid, libc::SIGINT as u64]),
        Answer::Return(0)
    );
    assert_eq!(kernel.handler_returned(&deliveries[0]), Answer::Killed(libc::SIGINT));
}

#[test]
fn time_passes_only_in_sleep() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config::default()).unwrap();
    let start = kernel.now();
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_alarm, &[2]), Answer::Return(0));
    memory.write(BASE, &[1i64.to_le_bytes(), 5i64.to_le_bytes()].concat()).unwrap();
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_nanosleep, &[BASE, 0]), Answer::Return(0));
    assert_eq!(
        (kernel.now().seconds, kernel.now().nanoseconds),
        (start.seconds + 1, start.nanoseconds + 5)
    );
    assert_eq!(
        call(&mut kernel, &mut memory, libc::SYS_nanosleep, &[BASE, 0]),
        Answer::Killed(libc::SIGALRM)
    );
}

#[test]
fn output_that_nobody_takes_is_limited() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config { output_limit: 8, ..Config::default() }).unwrap();
    let mut write = |kernel: &mut Kernel| call(kernel, &mut memory, libc::SYS_write, &[1, BASE, 5]);
    assert_eq!(write(&mut kernel), Answer::Return(5));
    assert_eq!(write(&mut kernel), Answer::Unsupported("more than 8 bytes of output".to_owned()));
    assert_eq!(kernel.drain_output().len(), 1);
    assert_eq!(write(&mut kernel), Answer::Return(5));
}

#[test]
fn hostile_arguments_are_answered() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config { upper_limit: 1 << 16, ..Config::default() }).unwrap();
    let flags = libc::O_CREAT | libc::O_RDWR;
    assert_eq!(open(&mut kernel, &mut memory, "/tmp/f", flags), Answer::Return(3));
    // Every call with every word at its worst must come back.
    let worst = [0, 1, 3, u64::MAX, i64::MAX as u64, 1 << 40, BASE, BASE - 1, 0xffff_ffff];
    for number in 0..470u64 {
        if matches!(
            number as i64,
            libc::SYS_exit | libc::SYS_exit_group | libc::SYS_close | libc::SYS_close_range
        ) {
            continue;
        }
        for &first in &worst {
            for &second in &worst {
                let mut fork = kernel.clone();
                let _ = fork.system_call(
                    &mut memory,
                    number,
                    [first, second, second, first, second, first],
                );
                let _ = fork.system_call(
                    &mut memory,
                    number,
                    [3, first, second, second, first, second],
                );
            }
        }
    }
    memory.write(BASE, &[b'x'; 9000]).unwrap();
    let mut total = 0;
    while let Answer::Return(n @ 1..) =
        call(&mut kernel, &mut memory, libc::SYS_write, &[3, BASE, 9000])
    {
        total += n;
    }
    assert!(total <= 1 << 16);
    assert_eq!(
        call(&mut kernel, &mut memory, libc::SYS_write, &[3, BASE, 9000]),
        Answer::Unsupported("more than 65536 bytes of files in memory".into())
    );
}

#[test]
fn what_is_not_modelled_ends_the_path_and_is_listed() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config::default()).unwrap();
    let enosys = Answer::Return(-i64::from(libc::ENOSYS));
    let ended = Answer::Unsupported("fanotify_init".to_owned());
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_fanotify_init, &[0]), ended);
    assert_eq!(call(&mut kernel, &mut memory, 9999, &[]), enosys);
    assert!(matches!(call(&mut kernel, &mut memory, libc::SYS_clone, &[]), Answer::Unsupported(_)));
    let names: Vec<String> = kernel.unsupported_calls().into_iter().map(|call| call.name).collect();
    assert_eq!(names, ["clone", "fanotify_init"]);
}

#[test]
fn a_synthetic_root_is_a_file_system() {
    let mut lower = MemoryLower::minimal();
    lower.directory("/work", 0o755).file("/work/a", 0o644, "text").symlink("/work/l", "a");
    let config = Config { lower: Arc::new(lower), cwd: "/work".into(), ..Config::default() };
    let mut kernel = Kernel::new(config).unwrap();
    let names: Vec<String> = kernel
        .walk_tree(std::path::Path::new("/work"))
        .unwrap()
        .iter()
        .map(|entry| entry.path.display().to_string())
        .collect();
    assert_eq!(names, ["", "a", "l"]);
}

#[test]
fn a_tree_can_be_copied_out() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config::default()).unwrap();
    let path = text(&mut memory, "/tmp/d");
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_mkdir, &[path, 0o750]), Answer::Return(0));
    open(&mut kernel, &mut memory, "/tmp/d/f", libc::O_CREAT | libc::O_WRONLY);
    write(&mut kernel, &mut memory, 3, "bytes");
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("out");
    umbra_os::export_tree(&mut kernel, std::path::Path::new("/tmp/d"), &target).unwrap();
    assert_eq!(std::fs::read(target.join("f")).unwrap(), b"bytes");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&target).unwrap().permissions());
    assert_eq!(mode & 0o7777, 0o750);
}

/// A kernel over the host's files.
fn on_host() -> (Kernel, FlatMemory) {
    let config = crate::model::config(std::path::Path::new("/"), &User::own());
    (Kernel::new(config).unwrap(), FlatMemory::new())
}

fn read(kernel: &mut Kernel, memory: &mut FlatMemory, fd: u64, count: u64) -> Vec<u8> {
    match call(kernel, memory, libc::SYS_read, &[fd, BASE, count]) {
        Answer::Return(n @ 0..) => memory.bytes(BASE, n as usize).to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_mount_table_is_the_hosts() {
    let (mut kernel, mut memory) = on_host();
    for path in ["/proc/self/mountinfo", "/proc/mounts"] {
        let host = std::fs::read(path).unwrap();
        assert_eq!(
            open(&mut kernel, &mut memory, path, libc::O_RDONLY),
            Answer::Return(3),
            "{path}"
        );
        let mut bytes = Vec::new();
        loop {
            let more = read(&mut kernel, &mut memory, 3, 1000);
            if more.is_empty() {
                break;
            }
            bytes.extend(more);
        }
        assert_eq!(bytes, host, "{path}");
        call(&mut kernel, &mut memory, libc::SYS_close, &[3]);
    }
}

#[test]
fn descriptors_are_listed_in_proc() {
    let (mut kernel, mut memory) = on_host();
    let flags = libc::O_RDONLY | libc::O_DIRECTORY;
    assert_eq!(open(&mut kernel, &mut memory, "/dev/fd/", flags), Answer::Return(3));
    let Answer::Return(n) = call(&mut kernel, &mut memory, libc::SYS_getdents64, &[3, BASE, 1000])
    else {
        panic!("not a directory");
    };
    let text = String::from_utf8_lossy(memory.bytes(BASE, n as usize)).into_owned();
    for name in ["0", "1", "2", "3"] {
        assert!(text.contains(&format!("{name}\0")), "{name} in {text:?}");
    }
    let path = self::text(&mut memory, "/proc/self/fd/3");
    let Answer::Return(n) =
        call(&mut kernel, &mut memory, libc::SYS_readlink, &[path, BASE + 0x1000, 100])
    else {
        panic!("not a link");
    };
    let link = String::from_utf8_lossy(memory.bytes(BASE + 0x1000, n as usize)).into_owned();
    assert!(link.starts_with("/proc/") && link.ends_with("/fd"), "{link}");
}

#[test]
fn devices_are_modelled() {
    let (mut kernel, mut memory) = on_host();
    assert_eq!(open(&mut kernel, &mut memory, "/dev/full", libc::O_RDWR), Answer::Return(3));
    let enospc = Answer::Return(-i64::from(libc::ENOSPC));
    assert_eq!(write(&mut kernel, &mut memory, 3, "x"), enospc);
    assert_eq!(read(&mut kernel, &mut memory, 3, 4), [0; 4]);
    assert_eq!(
        open(&mut kernel, &mut memory, "/dev/null", libc::O_RDWR | libc::O_TRUNC),
        Answer::Return(4)
    );
    assert_eq!(write(&mut kernel, &mut memory, 4, "xyz"), Answer::Return(3));
    assert!(read(&mut kernel, &mut memory, 4, 4).is_empty());
    let enxio = Answer::Return(-i64::from(libc::ENXIO));
    assert_eq!(open(&mut kernel, &mut memory, "/dev/tty", libc::O_RDWR), enxio);
}

/// What the host shows of an untouched file is what the program sees.
#[test]
fn stat_of_host_files_is_the_hosts() {
    let (mut kernel, mut memory) = on_host();
    for path in ["/", "/etc/passwd", "/tmp", "/dev/null", "/proc", "/usr/bin"] {
        let at = text(&mut memory, path);
        let buffer = BASE + 0x1000;
        assert_eq!(
            call(&mut kernel, &mut memory, libc::SYS_stat, &[at, buffer]),
            Answer::Return(0)
        );
        let word =
            |n: usize| u64::from_le_bytes(memory.bytes(buffer + n as u64, 8).try_into().unwrap());
        let host = rustix::fs::stat(path).unwrap();
        let seen = (word(0), word(8), word(16), word(40), word(48), word(64), word(88));
        let real = (host.st_dev, host.st_ino, host.st_nlink, host.st_rdev, host.st_size as u64);
        assert_eq!(
            seen,
            (real.0, real.1, real.2, real.3, real.4, host.st_blocks as u64, host.st_mtime as u64),
            "{path}"
        );
    }
}

/// The order of a directory is the host's, new names at its end.
#[test]
fn directories_keep_the_order_of_the_host() {
    let place = tempfile::tempdir().unwrap();
    for n in 0..40 {
        std::fs::write(place.path().join(format!("file{n}")), "").unwrap();
    }
    let host: Vec<String> = rustix::fs::Dir::new(std::fs::File::open(place.path()).unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let config = crate::model::config(place.path(), &User::own());
    let mut kernel = Kernel::new(config).unwrap();
    let mut memory = FlatMemory::new();
    let gone = text(&mut memory, "file7");
    assert_eq!(call(&mut kernel, &mut memory, libc::SYS_unlink, &[gone]), Answer::Return(0));
    open(&mut kernel, &mut memory, "added", libc::O_CREAT | libc::O_RDWR);
    let mut expected: Vec<String> = host.into_iter().filter(|name| name != "file7").collect();
    expected.push("added".into());
    assert_eq!(open(&mut kernel, &mut memory, ".", libc::O_RDONLY), Answer::Return(4));
    assert_eq!(names(&mut kernel, &mut memory, 4), expected);
}

/// The names that a folder still has to list, a few at a time.
fn names(kernel: &mut Kernel, memory: &mut FlatMemory, fd: u64) -> Vec<String> {
    let mut names = Vec::new();
    while let Answer::Return(n @ 1..) = call(kernel, memory, libc::SYS_getdents64, &[fd, BASE, 128])
    {
        let bytes = memory.bytes(BASE, n as usize);
        let mut at = 0;
        while at < bytes.len() {
            let name = bytes[at + 19..].split(|byte| *byte == 0).next().unwrap();
            names.push(String::from_utf8_lossy(name).into_owned());
            at += usize::from(bytes[at + 16]);
        }
    }
    names
}

/// As the file system in memory in which cases run natively.
#[test]
fn a_made_folder_lists_what_is_new_before_its_places() {
    let mut lower = MemoryLower::minimal();
    for (name, place) in [("a", 3), ("b", 1), ("c", 2)] {
        let path = std::path::Path::new("/home").join(name);
        lower.file(&path, 0o644, "").place(&path, place);
    }
    let config = Config { lower: Arc::new(lower), uid: 0, ..Config::default() };
    let mut kernel = Kernel::new(config).unwrap();
    let mut memory = FlatMemory::new();
    let create = libc::O_CREAT | libc::O_WRONLY;
    for name in ["/home/first", "/home/second"] {
        let opened = open(&mut kernel, &mut memory, name, create);
        assert!(matches!(opened, Answer::Return(3..)), "{name}: {opened:?}");
    }
    assert_eq!(open(&mut kernel, &mut memory, "/home", libc::O_RDONLY), Answer::Return(5));
    let expected = [".", "..", "second", "first", "b", "c", "a"];
    assert_eq!(names(&mut kernel, &mut memory, 5), expected);
    // What is made before the position is not seen any more.
    open(&mut kernel, &mut memory, "/home/third", create);
    assert_eq!(names(&mut kernel, &mut memory, 5), [""; 0]);
}

/// States move between the threads of a pool, and their kernels with them.
#[test]
fn kernels_can_change_threads() {
    fn movable<T: Send + Sync + Clone>() {}
    movable::<Kernel>();
    let kernel = Kernel::new(Config::of_host()).unwrap();
    std::thread::spawn(move || drop(kernel)).join().unwrap();
}

#[test]
fn a_watch_is_accepted_and_stays_silent() {
    let mut memory = FlatMemory::new();
    let mut kernel = Kernel::new(Config::default()).unwrap();
    memory.write(BASE, b"/dev\0/none\0").unwrap();
    let watcher = call(&mut kernel, &mut memory, libc::SYS_inotify_init1, &[0]);
    let Answer::Return(fd @ 0..) = watcher else { panic!("{watcher:?}") };
    let mask = u64::from(libc::IN_MODIFY);
    let mut watch = |path| {
        call(&mut kernel, &mut memory, libc::SYS_inotify_add_watch, &[fd as u64, path, mask])
    };
    assert!(matches!(watch(BASE), Answer::Return(1..)));
    assert_eq!(watch(BASE), watch(BASE));
    assert_eq!(watch(BASE + 5), Answer::Return(-i64::from(libc::ENOENT)));
    let mut poll = [0u8; 8];
    poll[..4].copy_from_slice(&(fd as i32).to_le_bytes());
    poll[4..6].copy_from_slice(&libc::POLLIN.to_le_bytes());
    memory.write(BASE + 64, &poll).unwrap();
    let polled = call(&mut kernel, &mut memory, libc::SYS_poll, &[BASE + 64, 1, 10]);
    assert_eq!(polled, Answer::Return(0));
}
