//! Sockets: pairs within a process and its children, and enough of others for a library that asks a
//! name service over a UNIX socket and finds nobody there.

use crate::bytes::Chunk;
use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::Follow;
use crate::fs::permission::WRITE;
use crate::pair::Pair;
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

const TYPE_FLAGS: i32 = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
/// Bytes of `struct sockaddr_un`.
const ADDRESS_MAX: u64 = 110;
/// An address of a UNIX socket without a name.
const UNNAMED: [u8; 2] = (libc::AF_UNIX as u16).to_le_bytes();
/// Flags of a transfer that are modelled.
const TRANSFER: i32 = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
/// `struct msghdr`.
const HEADER: usize = 56;

impl System {
    /// The type of a UNIX socket, checked as `socket` and `socketpair` do.
    fn unix_type(&self, call: &str, family: i32, kind: i32, protocol: i32) -> Result<i32, Stop> {
        let (flags, kind) = (kind & !0xf, kind & 0xf);
        if flags & !TYPE_FLAGS != 0 {
            return Err(Errno::EINVAL.into());
        }
        if family != libc::AF_UNIX {
            return Err(Stop::unsupported(format!("{call} of family {family}")));
        }
        if protocol != 0 && protocol != libc::AF_UNIX {
            return Err(Errno::EPROTONOSUPPORT.into());
        }
        match kind {
            libc::SOCK_STREAM | libc::SOCK_DGRAM | libc::SOCK_SEQPACKET => Ok(kind),
            // Linux takes a raw socket for one of datagrams.
            libc::SOCK_RAW => Ok(libc::SOCK_DGRAM),
            11.. => Err(Errno::EINVAL.into()),
            _ => Err(Errno::ESOCKTNOSUPPORT.into()),
        }
    }

    /// Sockets have no times.
    fn new_socket(&mut self, data: Data) -> InodeId {
        let inode = self.new_anonymous(data, 0o777);
        let node = self.fs.node_mut(inode);
        (node.atime, node.mtime, node.ctime) = Default::default();
        inode
    }

    pub(crate) fn socket(&mut self, family: i32, kind: i32, protocol: i32) -> Reply {
        self.unix_type("socket", family, kind, protocol)?;
        let inode = self.new_socket(Data::Socket);
        let flags = libc::O_RDWR | (kind & libc::SOCK_NONBLOCK);
        let fd = self.install(Description::new(inode, flags, 0), kind & libc::SOCK_CLOEXEC != 0)?;
        Ok(i64::from(fd))
    }

    pub(crate) fn socketpair(
        &mut self,
        memory: &mut dyn UserMemory,
        [family, kind, protocol]: [i32; 3],
        result: u64,
    ) -> Reply {
        let socket_type = self.unix_type("socketpair", family, kind, protocol)?;
        let status = libc::O_RDWR | (kind & libc::SOCK_NONBLOCK);
        let close_on_exec = kind & libc::SOCK_CLOEXEC != 0;
        let first = self.new_socket(Data::Socket);
        let second = self.new_socket(Data::Pair(Pair::new(socket_type, first)));
        self.fs.node_mut(first).data = Data::Pair(Pair::new(socket_type, second));
        let one = self.install(Description::new(first, status, 0), close_on_exec)?;
        let two = match self.install(Description::new(second, status, 0), close_on_exec) {
            Ok(two) => two,
            Err(errno) => {
                self.close_descriptor(one)?;
                return Err(errno.into());
            }
        };
        let bytes = [one.to_le_bytes(), two.to_le_bytes()].concat();
        if let Err(bad) = memory.write(result, &bytes) {
            self.close_descriptor(one)?;
            self.close_descriptor(two)?;
            return Err(bad.into());
        }
        Ok(0)
    }

    /// Whether a write of nothing would be a message. (As a vector it is nothing.)
    pub(crate) fn writes_empty_message(&self, fd: i32) -> Result<bool, Errno> {
        Ok(self.pair(self.file(fd)?.inode).is_some())
    }

    fn pair(&self, inode: InodeId) -> Option<&Pair> {
        match &self.fs.node(inode).data {
            Data::Pair(pair) => Some(pair),
            _ => None,
        }
    }

    fn pair_mut(&mut self, inode: InodeId) -> Option<&mut Pair> {
        match &mut self.fs.node_mut(inode).data {
            Data::Pair(pair) => Some(pair),
            _ => None,
        }
    }

    /// The last descriptor of one end was closed.
    pub(crate) fn abandon_pair(&mut self, inode: InodeId) {
        let Some(pair) = self.pair(inode) else { return };
        let (peer, unread) = (pair.peer, !pair.is_empty());
        if let Some(peer) = self.pair_mut(peer) {
            peer.abandoned = true;
            peer.reset = unread && peer.kind != libc::SOCK_DGRAM;
        }
    }

    /// Receives from one end of a pair.
    pub(crate) fn receive(
        &mut self,
        inode: InodeId,
        want: usize,
        nonblocking: bool,
    ) -> Result<Chunk, Stop> {
        let Some(pair) = self.pair_mut(inode) else { return Err(Errno::EINVAL.into()) };
        if !pair.is_empty() {
            return Ok(pair.take(want));
        }
        if std::mem::take(&mut pair.reset) {
            return Err(Errno::ECONNRESET.into());
        }
        let (peer, datagrams) = (pair.peer, pair.kind == libc::SOCK_DGRAM);
        let ended = (pair.abandoned && !datagrams) || pair.no_more.0;
        let peer_ended = self.pair(peer).is_some_and(|peer| peer.no_more.1) && !datagrams;
        if ended || peer_ended {
            return Ok(Chunk::default());
        }
        match nonblocking {
            true => Err(Errno::EAGAIN.into()),
            false => Err(Stop::endless("receiving from a socket")),
        }
    }

    /// Sends to the other end of a pair.
    pub(crate) fn send(
        &mut self,
        inode: InodeId,
        bytes: &Chunk,
        no_signal: bool,
    ) -> Result<usize, Stop> {
        let Some(pair) = self.pair(inode) else { return Err(Errno::EINVAL.into()) };
        let (peer, kind) = (pair.peer, pair.kind);
        let peer_ended = self.pair(peer).is_some_and(|peer| peer.no_more.0);
        if pair.alone {
            return Err(Errno::ENOTCONN.into());
        }
        if kind == libc::SOCK_DGRAM && pair.abandoned {
            if let Some(pair) = self.pair_mut(inode) {
                pair.alone = true;
            }
            return Err(Errno::ECONNREFUSED.into());
        }
        if kind == libc::SOCK_SEQPACKET && pair.reset {
            if let Some(pair) = self.pair_mut(inode) {
                pair.reset = false;
            }
            return Err(Errno::ECONNRESET.into());
        }
        if pair.no_more.1 || pair.abandoned || peer_ended {
            // Only streams and packets in order raise it.
            if !no_signal && kind != libc::SOCK_DGRAM {
                self.signals.raise(libc::SIGPIPE);
            }
            return Err(Errno::EPIPE.into());
        }
        if bytes.is_empty() && kind == libc::SOCK_STREAM {
            return Ok(0);
        }
        let Some(peer) = self.pair_mut(peer) else { return Err(Errno::EPIPE.into()) };
        if !peer.has_room(bytes.len()) {
            return Err(Stop::unsupported("a socket pair with more than 64 KiB in it"));
        }
        peer.put(bytes);
        Ok(bytes.len())
    }

    pub(crate) fn connect(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        address: u64,
        length: u64,
    ) -> Reply {
        if self.check_socket(fd)?.is_some() {
            return Err(Stop::unsupported("connect of a socket pair"));
        }
        if !(2..=ADDRESS_MAX).contains(&length) {
            return Err(Errno::EINVAL.into());
        }
        let mut bytes = vec![0; length as usize];
        memory.read(address, &mut bytes)?;
        if i32::from(u16::from_le_bytes([bytes[0], bytes[1]])) != libc::AF_UNIX {
            return Err(Errno::EINVAL.into());
        }
        let path = bytes[2..].split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        if path.is_empty() {
            return Err(Errno::ECONNREFUSED.into());
        }
        let inode = self.resolve(libc::AT_FDCWD, &path, Follow::Yes)?;
        self.fs.permit(&self.process.credentials, inode, WRITE)?;
        // Whoever listens on the host is out of reach.
        Err(Errno::ECONNREFUSED.into())
    }

    /// The inode of a socket if it is one of a pair.
    fn check_socket(&self, fd: i32) -> Result<Option<InodeId>, Errno> {
        let inode = self.file(fd)?.inode;
        match self.fs.node(inode).data {
            Data::Socket => Ok(None),
            Data::Pair(_) => Ok(Some(inode)),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    /// `sendto` and `recvfrom`, without an address.
    pub(crate) fn socket_transfer(
        &mut self,
        memory: &mut dyn UserMemory,
        receive: bool,
        arguments: [u64; 6],
    ) -> Reply {
        let [fd, buffer, length, flags, address, _] = arguments;
        let buffers = [(buffer, length.min(user::MAX_TRANSFER))];
        if self.check_socket(fd as i32)?.is_some() && address != 0 {
            return Err(Stop::unsupported("an address of a socket pair"));
        }
        self.transfer_buffers(memory, receive, fd as i32, &buffers, flags as i32)
    }

    /// `sendmsg` and `recvmsg`, without an address and control data.
    pub(crate) fn transfer_message(
        &mut self,
        memory: &mut dyn UserMemory,
        receive: bool,
        [fd, header, flags]: [u64; 3],
    ) -> Reply {
        self.check_socket(fd as i32)?;
        let bytes: [u8; HEADER] = user::array(memory, header)?;
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        if word(0) != 0 || word(40) != 0 {
            return Err(Stop::unsupported("a message with an address or control data"));
        }
        let buffers = user::iovec(memory, word(16), word(24))?;
        let done = self.transfer_buffers(memory, receive, fd as i32, &buffers, flags as i32)?;
        if receive {
            user::put(memory, header.wrapping_add(48), &0u32.to_le_bytes())?;
        }
        Ok(done)
    }

    pub(crate) fn transfer_buffers(
        &mut self,
        memory: &mut dyn UserMemory,
        receive: bool,
        fd: i32,
        buffers: &[(u64, u64)],
        flags: i32,
    ) -> Reply {
        let Some(inode) = self.check_socket(fd)? else {
            // An unconnected one.
            return match receive {
                true => Err(Stop::unsupported("receiving from a socket that is not connected")),
                false => Err(Errno::ENOTCONN.into()),
            };
        };
        if flags & !TRANSFER != 0 {
            return Err(Stop::unsupported(format!("a transfer with flags {flags:#x}")));
        }
        let length: u64 = buffers.iter().map(|(_, length)| length).sum();
        if !receive {
            let mut message = Chunk::default();
            for &(address, length) in buffers {
                message.append(Chunk::load(memory, address, length as usize)?);
            }
            let sent = self.send(inode, &message, flags & libc::MSG_NOSIGNAL != 0)?;
            return Ok(sent as i64);
        }
        let nonblocking = self.file(fd)?.nonblocking() || flags & libc::MSG_DONTWAIT != 0;
        let bytes = self.receive(inode, length as usize, nonblocking)?;
        let mut done = 0;
        for &(address, length) in buffers {
            let part = bytes.slice(done, length as usize);
            part.store(memory, address)?;
            done += part.len();
        }
        Ok(done as i64)
    }

    pub(crate) fn shutdown(&mut self, fd: i32, how: i32) -> Reply {
        let inode = self.check_socket(fd)?;
        if !(libc::SHUT_RD..=libc::SHUT_RDWR).contains(&how) {
            return Err(Errno::EINVAL.into());
        }
        let Some(inode) = inode else {
            return Err(Stop::unsupported("shutdown of a socket that is not connected"));
        };
        let (read, write) = (how != libc::SHUT_WR, how != libc::SHUT_RD);
        if let Some(pair) = self.pair_mut(inode) {
            if pair.kind == libc::SOCK_DGRAM {
                return Err(Stop::unsupported("shutdown of a pair of datagram sockets"));
            }
            pair.no_more.0 |= read;
            pair.no_more.1 |= write;
        }
        Ok(0)
    }

    /// `getsockname` and `getpeername`: the ends of a pair have no names.
    pub(crate) fn socket_name(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        [address, length]: [u64; 2],
        peer: bool,
    ) -> Reply {
        if self.check_socket(fd)?.is_none() && peer {
            return Err(Errno::ENOTCONN.into());
        }
        let room = user::u32_at(memory, length)? as i32;
        if room < 0 {
            return Err(Errno::EINVAL.into());
        }
        user::put(memory, address, &UNNAMED[..UNNAMED.len().min(room as usize)])?;
        user::put(memory, length, &(UNNAMED.len() as u32).to_le_bytes())?;
        Ok(0)
    }

    pub(crate) fn getsockopt(&mut self, memory: &mut dyn UserMemory, arguments: [u64; 6]) -> Reply {
        let [fd, level, option, value, length, _] = arguments;
        let pair = self.check_socket(fd as i32)?;
        let kind = pair.and_then(|inode| self.pair(inode)).map(|pair| pair.kind);
        let number = match (level as i32, option as i32, kind) {
            (libc::SOL_SOCKET, libc::SO_TYPE, Some(kind)) => kind,
            (libc::SOL_SOCKET, libc::SO_DOMAIN, _) => libc::AF_UNIX,
            (libc::SOL_SOCKET, libc::SO_PROTOCOL | libc::SO_ACCEPTCONN, _) => 0,
            (_, option, _) => {
                return Err(Stop::unsupported(format!("getsockopt of option {option}")));
            }
        };
        let room = user::u32_at(memory, length)? as i32;
        if room < 0 {
            return Err(Errno::EINVAL.into());
        }
        let n = (room as usize).min(4);
        user::put(memory, value, &number.to_le_bytes()[..n])?;
        user::put(memory, length, &(n as u32).to_le_bytes())?;
        Ok(0)
    }
}
