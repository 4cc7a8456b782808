//! Things of the host that attacks must not reach, and whether they did.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::PathBuf;

use super::guards::{self, Guards};
use crate::snapshot::{self, Snapshot, snapshot};

/// A folder with neighbours, processes and sockets, all open to everybody; and what belongs to the
/// system and must stay as it is.
pub struct Sentinel {
    base: tempfile::TempDir,
    guards: Guards,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    datagram: UnixDatagram,
    abstract_datagram: UnixDatagram,
    abstract_name: String,
    abstract_socket: UnixListener,
    before: Snapshot,
    system: BTreeMap<PathBuf, String>,
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
        let datagram = UnixDatagram::bind(folder.join("g")).expect("a datagram socket");
        for path in ["", "in", "in/d", "in/f", "in/s", "in/g", "neighbour", "neighbour/f", "beside"]
        {
            let mode = fs::Permissions::from_mode(0o777);
            fs::set_permissions(base.path().join(path), mode).expect("an open mode");
        }
        let guards = Guards::start(&folder);
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let port = tcp.local_addr().expect("its address");
        let udp = UdpSocket::bind(port).expect("the same port");
        let abstract_name = format!("umbra-sentinel-{}", guards.first());
        let address = SocketAddr::from_abstract_name(&abstract_name).expect("a name");
        let abstract_socket = UnixListener::bind_addr(&address).expect("an abstract socket");
        let address = SocketAddr::from_abstract_name(format!("{abstract_name}-g")).expect("a name");
        let abstract_datagram = UnixDatagram::bind_addr(&address).expect("an abstract socket");
        datagram.set_nonblocking(true).expect("a socket that does not block");
        abstract_datagram.set_nonblocking(true).expect("a socket that does not block");
        tcp.set_nonblocking(true).expect("a socket that does not block");
        udp.set_nonblocking(true).expect("a socket that does not block");
        unix.set_nonblocking(true).expect("a socket that does not block");
        abstract_socket.set_nonblocking(true).expect("a socket that does not block");
        let (before, system) = (snapshot(base.path()).expect("the sentinel"), system());
        Self {
            base,
            guards,
            tcp,
            udp,
            unix,
            datagram,
            abstract_datagram,
            abstract_name,
            abstract_socket,
            before,
            system,
        }
    }

    /// The folder that attacks are aimed at.
    pub fn folder(&self) -> PathBuf {
        self.base.path().join("in")
    }

    /// The variable that every attack on it has in its environment.
    pub fn mark(&self) -> String {
        guards::mark(self.guards.first())
    }

    /// Puts the real names into an argument of the table.
    pub fn fill_in(&self, argument: &str) -> String {
        let port = self.tcp.local_addr().expect("an address").port();
        argument
            .replace("@SENTINEL@", &self.folder().to_string_lossy())
            .replace("@PID@", &self.guards.first().to_string())
            .replace("@PORT@", &port.to_string())
            .replace("@ABSTRACT@", &self.abstract_name)
    }

    /// Everything that is not as it was.
    pub fn changes(self) -> Vec<String> {
        let mut changes = Vec::new();
        let after = snapshot(self.base.path()).expect("the sentinel");
        changes.extend(snapshot::changes(&self.before, &after));
        let now = system();
        let paths =
            self.system.keys().chain(now.keys().filter(|path| !self.system.contains_key(*path)));
        for path in paths.filter(|path| self.system.get(*path) != now.get(*path)) {
            let (before, after) = (self.system.get(path), now.get(path));
            changes.push(format!("{} was {before:?}, is {after:?}", path.display()));
        }
        changes.extend(self.guards.changes());
        let visits = [
            ("tcp", self.tcp.accept().err().map(|error| error.kind())),
            ("udp", self.udp.recv_from(&mut [0]).err().map(|error| error.kind())),
            ("datagram", self.datagram.recv(&mut [0]).err().map(|error| error.kind())),
            (
                "abstract datagram",
                self.abstract_datagram.recv(&mut [0]).err().map(|error| error.kind()),
            ),
            ("unix", self.unix.accept().err().map(|error| error.kind())),
            ("abstract", self.abstract_socket.accept().err().map(|error| error.kind())),
        ];
        for (name, answer) in visits {
            if answer != Some(ErrorKind::WouldBlock) {
                changes.push(format!("somebody came to the {name} socket"));
            }
        }
        changes.extend(guards::left(&self.mark()));
        changes
    }
}

/// What the host has in its root and among its devices, and all of its settings: kind, mode, owner,
/// size and time of each. (Not what others may be at work on, as /tmp.)
fn system() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut next = vec![PathBuf::from("/etc")];
    for folder in ["/", "/dev", "/home", "/root"] {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        for path in paths.filter(|path| !path.starts_with("/root/.")) {
            let mode = fs::symlink_metadata(&path).map(|metadata| metadata.mode());
            found.insert(path, format!("{mode:?}"));
        }
    }
    while let Some(path) = next.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            next.extend(entries.map(|entry| entry.path()));
        }
        found.insert(path, attributes(&metadata));
    }
    found
}

fn attributes(metadata: &fs::Metadata) -> String {
    format!(
        "{:o} {}:{} links {} size {} modified {}.{}",
        metadata.mode(),
        metadata.uid(),
        metadata.gid(),
        metadata.nlink(),
        metadata.size(),
        metadata.mtime(),
        metadata.mtime_nsec(),
    )
}
