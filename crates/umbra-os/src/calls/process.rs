//! Other programs and threads: there are none, and this says so in each call's way.

use crate::errno::Errno;
use crate::fs::path::Follow;
use crate::fs::permission::EXECUTE;
use crate::system::{Reply, Stop, System};
use crate::tree::TreeId;
use crate::user;
use std::sync::Arc;
use umbra_engine::UserMemory;

/// Bytes of a vector of strings beyond which it is not looked at: Linux has a limit of that order.
const MOST_BYTES: usize = 1 << 20;

/// What another program was to get, which was to take the place of the running one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The file of that program.
    pub file: TreeId,
    /// Its arguments, the first of which is its name.
    pub arguments: Vec<Vec<u8>>,
    /// Its environment.
    pub environment: Vec<Vec<u8>>,
}

/// Bytes of `struct robust_list_head`.
const ROBUST_LIST: u64 = 24;

impl System {
    /// The checks of `execve` come first: a program that is not there is an ordinary error. The
    /// other program cannot be run, but what it was to get is known.
    pub(crate) fn execve(
        &mut self,
        memory: &mut dyn UserMemory,
        (dirfd, path): (i32, u64),
        [arguments, environment]: [u64; 2],
        flags: i32,
    ) -> Reply {
        const CHECK: i32 = 0x10000;
        if flags & !(libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW | CHECK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let text = self.path(memory, path)?;
        let inode = if text.is_empty() && flags & libc::AT_EMPTY_PATH != 0 {
            self.fds.get(dirfd)?.inode
        } else {
            let follow =
                if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { Follow::No } else { Follow::Yes };
            self.resolve(dirfd, &text, follow)?
        };
        let node = self.fs.node(inode);
        if node.is_symlink() {
            return Err(Errno::ELOOP.into());
        }
        if !node.is_regular() {
            return Err(Errno::EACCES.into());
        }
        self.fs.permit(&self.process.credentials, inode, EXECUTE)?;
        let text = String::from_utf8_lossy(&text);
        if self.family.has_parent() {
            return Err(Stop::unsupported(format!("execve of {text} in a child process")));
        }
        let words = [arguments, environment].map(|vector| plain_words(memory, vector));
        if let [Some(arguments), Some(environment)] = words {
            let execution = Execution { file: TreeId::new(inode), arguments, environment };
            self.execution = Some(Arc::new(execution));
        }
        Err(Stop::unsupported(format!("execve of {text}")))
    }

    pub(crate) fn futex(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        operation: i32,
        arguments: [u64; 4],
    ) -> Reply {
        let [value, timeout, second, last] = arguments;
        let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
        let realtime = operation & libc::FUTEX_CLOCK_REALTIME != 0;
        let timed = [libc::FUTEX_WAIT_BITSET, libc::FUTEX_WAIT_REQUEUE_PI, libc::FUTEX_LOCK_PI2];
        if !(0..=libc::FUTEX_LOCK_PI2).contains(&command) || (realtime && !timed.contains(&command))
        {
            return Err(Errno::ENOSYS.into());
        }
        // What a call waits for at most is read before all else.
        let waits = command == libc::FUTEX_WAIT || timed.contains(&command);
        let wait = match waits && timeout != 0 {
            true => Some(user::duration(memory, timeout)?),
            false => None,
        };
        let has_set = matches!(command, libc::FUTEX_WAIT_BITSET | libc::FUTEX_WAKE_BITSET);
        if has_set && last as u32 == 0 {
            return Err(Errno::EINVAL.into());
        }
        // A lock that is not shared is known by its address alone.
        let shared = operation & libc::FUTEX_PRIVATE_FLAG == 0;
        match command {
            libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
                check_lock(memory, address, true)?;
                if user::u32_at(memory, address)? != value as u32 {
                    return Err(Errno::EAGAIN.into());
                }
                let Some(mut wait) = wait else {
                    // The handler of a timer may end the wait.
                    let Some(due) = self.signals.next_deadline() else {
                        return Err(Stop::endless("futex"));
                    };
                    self.sleep_until(due);
                    return Err(Errno::EINTR.into());
                };
                if command == libc::FUTEX_WAIT_BITSET {
                    let now = if realtime { self.clock.now() } else { self.clock.monotonic() };
                    wait = wait.saturating_sub(user::nanoseconds_of(
                        now.seconds.max(0),
                        i64::from(now.nanoseconds),
                    )?);
                }
                let deadline = self.clock.elapsed.saturating_add(wait);
                let interrupted = self.sleep_until(deadline);
                Err(if interrupted { Errno::EINTR } else { Errno::ETIMEDOUT }.into())
            }
            // Nobody waits.
            libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
                check_lock(memory, address, shared)?;
                Ok(0)
            }
            libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
                // How many are woken, and how many moved.
                if (value as i32) < 0 || (timeout as i32) < 0 {
                    return Err(Errno::EINVAL.into());
                }
                check_lock(memory, address, shared)?;
                check_lock(memory, second, shared)?;
                let compares = command == libc::FUTEX_CMP_REQUEUE;
                if compares && user::u32_at(memory, address)? != last as u32 {
                    return Err(Errno::EAGAIN.into());
                }
                Ok(0)
            }
            other => Err(Stop::unsupported(format!("futex with operation {other}"))),
        }
    }

    pub(crate) fn set_robust_list(&mut self, head: u64, length: u64) -> Reply {
        if length != ROBUST_LIST {
            return Err(Errno::EINVAL.into());
        }
        self.process.robust_list = head;
        Ok(0)
    }

    pub(crate) fn get_robust_list(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        [head, length]: [u64; 2],
    ) -> Reply {
        if pid != 0 && pid != self.process.pid {
            return Err(Stop::unsupported("get_robust_list of another process"));
        }
        user::put(memory, length, &ROBUST_LIST.to_le_bytes())?;
        user::put(memory, head, &self.process.robust_list.to_le_bytes())?;
        Ok(0)
    }

    pub(crate) fn arch_prctl(
        &mut self,
        memory: &mut dyn UserMemory,
        code: i32,
        address: u64,
    ) -> Reply {
        const SET_FS: i32 = 0x1002;
        const GET_FS: i32 = 0x1003;
        match code {
            SET_FS => {
                self.process.thread_pointer = address;
                Ok(0)
            }
            GET_FS => {
                user::put(memory, address, &self.process.thread_pointer.to_le_bytes())?;
                Ok(0)
            }
            ..0x1000 => Err(Errno::EINVAL.into()),
            _ => Err(Stop::unsupported(format!("arch_prctl with code {code:#x}"))),
        }
    }
}

/// Insists that a lock is where one can be.
fn check_lock(memory: &mut dyn UserMemory, address: u64, mapped: bool) -> Result<(), Errno> {
    if !address.is_multiple_of(4) {
        return Err(Errno::EINVAL);
    }
    if mapped {
        memory.read_bytes(address, 4)?;
    }
    Ok(())
}

/// The strings of a vector that ends with a null pointer; `None` if they are not all numbers.
fn plain_words(memory: &mut dyn UserMemory, vector: u64) -> Option<Vec<Vec<u8>>> {
    let mut left = MOST_BYTES;
    let mut words = Vec::new();
    // Linux takes a missing vector for an empty one.
    let mut at = vector;
    while at != 0 {
        let mut address = [0; 8];
        memory.read_plain(at, &mut address).ok().filter(|plain| *plain)?;
        let mut address = u64::from_le_bytes(address);
        if address == 0 {
            break;
        }
        let mut word = Vec::new();
        loop {
            left = left.checked_sub(1)?;
            let mut byte = [0];
            memory.read_plain(address, &mut byte).ok().filter(|plain| *plain)?;
            match byte {
                [0] => break,
                [byte] => word.push(byte),
            }
            address = address.wrapping_add(1);
        }
        words.push(word);
        at = at.wrapping_add(8);
    }
    Some(words)
}
