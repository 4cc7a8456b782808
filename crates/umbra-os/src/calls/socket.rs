//! Sockets: enough for a library that asks a name service over a UNIX socket and finds nobody
//! there.

use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::inode::Data;
use crate::fs::path::Follow;
use crate::fs::permission::WRITE;
use crate::system::{Reply, System};
use umbra_engine::UserMemory;

const TYPE_FLAGS: i32 = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
/// Bytes of `struct sockaddr_un`.
const ADDRESS_MAX: u64 = 110;

impl System {
    pub(crate) fn socket(&mut self, family: i32, kind: i32) -> Reply {
        if family != libc::AF_UNIX {
            self.note(&format!("of family {family}"));
            return Err(Errno::EAFNOSUPPORT.into());
        }
        if !(libc::SOCK_STREAM..=libc::SOCK_SEQPACKET).contains(&(kind & !TYPE_FLAGS)) {
            return Err(Errno::EINVAL.into());
        }
        let inode = self.new_anonymous(Data::Socket, 0o777);
        let flags = libc::O_RDWR | (kind & libc::SOCK_NONBLOCK);
        let fd = self.install(Description::new(inode, flags, 0), kind & libc::SOCK_CLOEXEC != 0)?;
        Ok(i64::from(fd))
    }

    pub(crate) fn connect(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        address: u64,
        length: u64,
    ) -> Reply {
        self.check_socket(fd)?;
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

    fn check_socket(&self, fd: i32) -> Result<(), Errno> {
        let inode = self.file(fd)?.inode;
        match self.fs.node(inode).data {
            Data::Socket => Ok(()),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    /// Every other call on a socket: it is not connected and never will be.
    pub(crate) fn socket_call(&mut self, fd: i32) -> Reply {
        self.check_socket(fd)?;
        self.note("");
        Err(Errno::ENOTCONN.into())
    }

    /// `bind`, `listen`, `socketpair` and what else would need a peer.
    pub(crate) fn refuse_socket(&mut self) -> Reply {
        self.note("");
        Err(Errno::EOPNOTSUPP.into())
    }
}
