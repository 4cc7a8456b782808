//! The last steps of the process that becomes the program.

use std::borrow::Cow;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use nix::sys::prctl;
use nix::sys::signal::Signal;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::ioctl_tiocsctty;
use rustix::termios::isatty;

use super::bounds::Bound;
use super::failure::{Doing, Failure};
use super::filter::{Counting, Filters, Surroundings};
use super::init::HANDED_OVER;
use super::restrict::{self, Allowed};
use super::{descriptors, process};
use crate::wire::Job;

/// Everything that the child needs; made before the fork.
pub struct Start<'a> {
    pub job: &'a Job,
    /// Where the executable is, as the program sees it.
    pub executable: CString,
    /// Working directory.
    pub directory: OwnedFd,
    pub descriptors: Vec<(u32, OwnedFd)>,
    /// Blocks until the tracer is ready.
    pub go: OwnedFd,
    /// Takes the message when something fails; closed by exec.
    pub complain: OwnedFd,
    pub bounds: Vec<Bound>,
    /// Landlock's version and what may be touched; `None` in namespaces.
    pub landlock: Option<(i32, Allowed<'a>)>,
    pub filters: &'a Filters,
    pub counting: Counting,
    pub surroundings: Surroundings,
    /// Variables beside those of the case: for sanitizers, and where its objects are.
    pub variables: Vec<Vec<u8>>,
}

impl Start<'_> {
    /// Becomes the program, or complains and ends.
    pub fn run(self) -> ! {
        let mut complain = match self.complain.try_clone() {
            Ok(complain) => File::from(complain),
            Err(_) => process::exit(127),
        };
        let failure = self.become_program(&mut complain);
        // The last zero byte is the end: who is traced stops before its descriptors are closed.
        _ = write!(complain, "{}\0{}\0", failure.what, failure.error);
        process::exit(127)
    }

    fn become_program(self, complain: &mut File) -> Failure {
        match self.prepare(complain) {
            Err(failure) => failure,
            Ok((arguments, environment)) => Failure {
                what: "execute the program".to_owned(),
                error: process::execute(&self.executable, &arguments, &environment),
            },
        }
    }

    fn prepare(&self, complain: &mut File) -> Result<(Vec<CString>, Vec<CString>), Failure> {
        let arguments = strings(self.job.arguments.iter().map(|bytes| &***bytes))?;
        let variables = self.variables.iter().map(Vec::as_slice);
        let environment = self.job.environment.iter().map(|bytes| &***bytes);
        let environment = strings(environment.chain(variables))?;
        self.wait().doing("wait for the tracer")?;
        // If memory runs out, it is the runs that go first.
        _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        // A terminal of the caller must not be the program's, nor its process group.
        nix::unistd::setsid().doing("start a session")?;
        // Only a terminal of the case can be one; the first is the controlling one, as in the engine.
        let mut terminals = self.descriptors.iter().filter(|(_, descriptor)| isatty(descriptor));
        if let Some((_, terminal)) = terminals.next() {
            ioctl_tiocsctty(terminal).doing("take the terminal")?;
        }
        rustix::process::fchdir(&self.directory).doing("enter the working directory")?;
        process::set_umask(self.job.umask);
        process::reset_signals(&self.job.ignored_signals);
        let complain_at = descriptors::arrange(&self.descriptors, &self.complain);
        let complain_at = complain_at.doing("arrange the descriptors")?;
        *complain = process::adopt(complain_at);
        prctl::set_no_new_privs().doing("give up new privileges")?;
        if let Some((abi, allowed)) = &self.landlock {
            prctl::set_pdeathsig(Signal::SIGKILL).doing("tie the program to its init")?;
            restrict::confine(*abi, allowed).doing("confine by Landlock")?;
        }
        restrict::drop_capabilities().doing("give up capabilities")?;
        let filters = self.filters().doing("make the filter of system calls")?;
        if self.counting == Counting::Ourselves
            && let Some(listener) =
                Filters::ask_for_shared_mappings().doing("set a filter that asks")?
        {
            hand_over(complain, &listener).doing("hand over the filter's questions")?;
        }
        // Last of all, since they hold for us too.
        for Bound { resource, soft, hard } in &self.bounds {
            process::set_limit(*resource, *soft, *hard)
                .doing(format_args!("set resource limit {resource} to {soft}"))?;
        }
        filters.apply().doing("set the filter of system calls")?;
        Ok((arguments, environment))
    }

    fn filters(&self) -> io::Result<Cow<'_, Filters>> {
        Ok(match self.surroundings {
            // This one knows the id of the process.
            Surroundings::HostWithoutSignals => {
                Cow::Owned(Filters::new(self.surroundings, self.counting, std::process::id())?)
            }
            _ => Cow::Borrowed(self.filters),
        })
    }

    fn wait(&self) -> io::Result<()> {
        let mut byte = [0];
        File::from(self.go.try_clone()?).read_exact(&mut byte)
    }
}

/// Passes a descriptor to init, with a byte, since nothing at all would be the end.
fn hand_over(to: &File, descriptor: &OwnedFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no room for a descriptor"));
    }
    sendmsg(to, &[IoSlice::new(&[HANDED_OVER])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn strings<'a>(all: impl Iterator<Item = &'a [u8]>) -> Result<Vec<CString>, Failure> {
    all.map(|bytes| CString::new(bytes).map_err(io::Error::other))
        .collect::<io::Result<_>>()
        .doing("pass a string with a NUL inside")
}
