//! Commands of a build, run with their output kept.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::Progress;
use crate::Error;
use crate::lock::Lock;

/// How long the output of a command may stay silent after its end before it is taken to
/// be complete: something that it left running may keep the pipe open for ever.
const LINGER: Duration = Duration::from_millis(500);

/// Where and how commands run.
pub struct Runner<'a> {
    /// The folder they run in.
    pub folder: &'a Path,
    /// All of their environment.
    pub environment: &'a [(OsString, OsString)],
    /// Held by the command, too: if we die, the tree stays locked while it lives.
    pub lock: &'a Lock,
    /// The file of the lock.
    pub lock_path: &'a Path,
}

/// A command of the shell that sees exactly the given environment.
pub fn shell(command: &str, folder: &Path, environment: &[(OsString, OsString)]) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(folder).env_clear();
    shell.envs(environment.iter().map(|(name, value)| (name, value)));
    shell
}

impl Runner<'_> {
    /// Runs a command to its end; its output goes to the log and, by lines, to `progress`.
    pub fn run(
        &self,
        command: &str,
        log: &mut Log,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ExitStatus, Error> {
        log.write(format!("$ {command}\n").as_bytes())?;
        let start = || Error::start("/bin/sh");
        let (reader, writer) = std::io::pipe().map_err(start())?;
        let mut shell = shell(command, self.folder, self.environment);
        shell
            .stdin(Stdio::from(self.lock.share(self.lock_path)?))
            .stdout(writer.try_clone().map_err(start())?)
            // A pipe, not the log itself: when we are killed, the next line that
            // the build prints ends it.
            .stderr(writer);
        let child = shell.spawn().map_err(start())?;
        // The command holds our ends of the pipe until it is dropped.
        drop(shell);
        self.follow(child, reader, log, progress)
    }

    fn follow(
        &self,
        mut child: Child,
        reader: PipeReader,
        log: &mut Log,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ExitStatus, Error> {
        let lines = read_lines(reader);
        let mut status = None;
        loop {
            match lines.recv_timeout(LINGER) {
                Ok(line) => {
                    if let Err(error) = log.write(&line) {
                        // The build would go on into a full disk.
                        let _ = child.kill();
                        let _ = child.wait();
                        return Err(error);
                    }
                    let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                    progress(Progress::Output(text));
                }
                Err(RecvTimeoutError::Timeout) if status.is_some() => break,
                Err(RecvTimeoutError::Timeout) => {
                    status = child.try_wait().map_err(Error::start("/bin/sh"))?;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match status {
            Some(status) => Ok(status),
            None => child.wait().map_err(Error::start("/bin/sh")),
        }
    }
}

fn read_lines(reader: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        loop {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                // The end, an error that is as good as one, or nobody listens any more.
                Ok(0) | Err(_) => return,
                Ok(_) if sender.send(line).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    receiver
}

/// The file with all output of a build.
pub struct Log {
    file: File,
    path: std::path::PathBuf,
}

impl Log {
    /// An empty log.
    pub fn create(path: &Path) -> Result<Log, Error> {
        let file = File::create(path).map_err(Error::io("create", path))?;
        Ok(Log { file, path: path.into() })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(Error::io("write", &self.path))
    }
}
