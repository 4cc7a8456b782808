//! Things of the host that attacks must not reach, and whether they did.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A folder with neighbours, a process and sockets, all open to everybody.
pub struct Sentinel {
    base: tempfile::TempDir,
    process: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    abstract_name: String,
    abstract_socket: UnixListener,
    before: BTreeMap<PathBuf, String>,
}

impl Sentinel {
    pub fn new() -> Self {
        let base = tempfile::Builder::new().prefix("umbra-sentinel-").tempdir_in("/tmp");
        let base = base.expect("a folder");
        let folder = base.path().join("in");
        fs::create_dir_all(folder.join("d")).expect("folders");
        fs::create_dir_all(base.path().join("neighbour")).expect("a neighbour");
        for file in ["in/f", "neighbour/f", "beside"] {
            fs::write(base.path().join(file), "precious\n").expect("a file");
        }
        let unix = UnixListener::bind(folder.join("s")).expect("a socket");
        for path in ["", "in", "in/d", "in/f", "in/s", "neighbour", "neighbour/f", "beside"] {
            let mode = fs::Permissions::from_mode(0o777);
            fs::set_permissions(base.path().join(path), mode).expect("an open mode");
        }
        // The signal that some attacks send to everybody stays pending, where it can be seen.
        let process = Command::new("env")
            .args(["--block-signal=WINCH", "sleep", "3600"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("a process");
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let port = tcp.local_addr().expect("its address");
        let udp = UdpSocket::bind(port).expect("the same port");
        let abstract_name = format!("umbra-sentinel-{}", process.id());
        let address = SocketAddr::from_abstract_name(&abstract_name).expect("a name");
        let abstract_socket = UnixListener::bind_addr(&address).expect("an abstract socket");
        tcp.set_nonblocking(true).expect("a socket that does not block");
        udp.set_nonblocking(true).expect("a socket that does not block");
        unix.set_nonblocking(true).expect("a socket that does not block");
        abstract_socket.set_nonblocking(true).expect("a socket that does not block");
        let before = checksum(base.path());
        Self { base, process, tcp, udp, unix, abstract_name, abstract_socket, before }
    }

    /// The folder that attacks are aimed at.
    pub fn folder(&self) -> PathBuf {
        self.base.path().join("in")
    }

    /// Puts the real names into an argument of the table.
    pub fn fill_in(&self, argument: &str) -> String {
        let port = self.tcp.local_addr().expect("an address").port();
        argument
            .replace("@SENTINEL@", &self.folder().to_string_lossy())
            .replace("@PID@", &self.process.id().to_string())
            .replace("@PORT@", &port.to_string())
            .replace("@ABSTRACT@", &self.abstract_name)
    }

    /// Everything that is not as it was.
    pub fn changes(mut self) -> Vec<String> {
        let mut changes = Vec::new();
        let after = checksum(self.base.path());
        if after != self.before {
            changes.push(format!("the sentinel changed from {:#?} to {after:#?}", self.before));
        }
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap_or_default();
        if !status.contains("State:\tS") {
            changes.push(format!("the host's process does not sleep any more: {status}"));
        }
        let is_quiet = |name: &str| status.contains(&format!("{name}:\t0000000000000000"));
        if !is_quiet("SigPnd") || !is_quiet("ShdPnd") {
            changes.push(format!("the host's process got a signal: {status}"));
        }
        let nice = nix_nice(self.process.id());
        if nice != Some(0) {
            changes.push(format!("the host's process has priority {nice:?}"));
        }
        let visits = [
            ("tcp", self.tcp.accept().err().map(|error| error.kind())),
            ("udp", self.udp.recv_from(&mut [0]).err().map(|error| error.kind())),
            ("unix", self.unix.accept().err().map(|error| error.kind())),
            ("abstract", self.abstract_socket.accept().err().map(|error| error.kind())),
        ];
        for (name, answer) in visits {
            if answer != Some(ErrorKind::WouldBlock) {
                changes.push(format!("somebody came to the {name} socket"));
            }
        }
        changes.extend(left_processes());
        _ = self.process.kill();
        _ = self.process.wait();
        changes
    }
}

/// The nice value of a process, from its `stat`.
fn nix_nice(pid: u32) -> Option<i64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(16)?.parse().ok()
}

/// Content, mode, owner, links and times of everything in a folder.
fn checksum(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut next = vec![folder.to_owned()];
    while let Some(path) = next.pop() {
        let metadata = fs::symlink_metadata(&path).expect("metadata");
        let content = match metadata.is_file() {
            true => fs::read_to_string(&path).expect("content"),
            false => String::new(),
        };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            next.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
        let line = format!(
            "{:o} {}:{} links {} modified {}.{} {content:?}",
            metadata.mode(),
            metadata.uid(),
            metadata.gid(),
            metadata.nlink(),
            metadata.mtime(),
            metadata.mtime_nsec(),
        );
        found.insert(path, line);
    }
    found
}

/// Processes of the corpus that this test has started and that still run.
fn left_processes() -> Vec<String> {
    let own = super::outer_test();
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").expect("processes").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        let is_attack = ["files", "calls", "resources", "suid"].contains(&name.trim());
        // Tests side by side have attacks of their own: those have a keeper above them, which is
        // below this process. What got away has not.
        if is_attack && has_ancestor(pid, own) == Some(false) {
            left.push(format!("process {pid} ({}) is left", name.trim()));
        }
    }
    left
}

/// Whether one process is above another; `None` if that cannot be said since one on the way has
/// ended meanwhile.
fn has_ancestor(mut pid: u32, ancestor: u32) -> Option<bool> {
    while pid > 1 {
        if pid == ancestor {
            return Some(true);
        }
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        pid = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
    }
    Some(false)
}
