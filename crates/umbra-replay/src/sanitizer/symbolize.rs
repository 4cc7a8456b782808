//! Turns the addresses of a report into functions and places, outside of the sandbox.
//!
//! `llvm-symbolizer` reads the debug information of the executable; it runs none of its code. One
//! process of it is kept, since reading takes longer than asking.

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::{Error, Program};
use umbra_compare::{Frame, SanitizerReport};
use umbra_words::Position;

/// Functions of the run-time libraries, in which nobody looks for an error.
const RUNTIME: &[&str] =
    &["__interceptor_", "___interceptor_", "__asan_", "__ubsan_", "__sanitizer_"];

/// Folders of the run-time library's own source.
const RUNTIME_SOURCE: &str = "/compiler-rt/";

/// Finds functions and places.
pub struct Symbolizer {
    tool: PathBuf,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Symbolizer {
    /// Starts `tool`, an `llvm-symbolizer`.
    pub fn start(tool: impl Into<PathBuf>) -> Result<Self, Error> {
        let tool = tool.into();
        let failed = |error| Error::Symbolizer { tool: tool.clone(), error };
        let mut process = Command::new(&tool)
            .args(["--output-style=JSON", "--inlines", "--demangle"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let questions = process.stdin.take().ok_or_else(|| failed(missing()))?;
        let answers = process.stdout.take().ok_or_else(|| failed(missing()))?;
        Ok(Self { tool, process, questions, answers: BufReader::new(answers) })
    }

    /// Fills in what is known of the stack of a report, and the place if it has none.
    pub fn symbolize(
        &mut self,
        program: &Program,
        report: &mut SanitizerReport,
    ) -> Result<(), Error> {
        let mut stack = Vec::new();
        for frame in std::mem::take(&mut report.stack) {
            let found = self.frames(program, &frame);
            let failed = |error| Error::Symbolizer { tool: self.tool.clone(), error };
            stack.extend(found.map_err(failed)?);
        }
        report.stack = stack;
        if report.place.is_none() {
            let own = report.stack.iter().find(|frame| !is_runtime(frame) && frame.place.is_some());
            report.place = own.and_then(|frame| frame.place.clone());
        }
        Ok(())
    }

    /// The calls at one address: several if functions were inlined.
    fn frames(&mut self, program: &Program, frame: &Frame) -> io::Result<Vec<Frame>> {
        let is_program = frame.module.starts_with("/bin/") && !program.has_library(&frame.module);
        let path = match is_program {
            true => program.path().to_string_lossy().into_owned(),
            false => frame.module.clone(),
        };
        // A name that the question cannot hold stays without an answer.
        if path.contains(['"', '\n']) {
            return Ok(vec![frame.clone()]);
        }
        writeln!(self.questions, "CODE \"{path}\" {:#x}", frame.offset)?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let answer: Value = serde_json::from_str(&line).map_err(io::Error::other)?;
        let symbols = answer.get("Symbol").and_then(Value::as_array);
        let found: Vec<Frame> = symbols
            .into_iter()
            .flatten()
            .map(|symbol| Frame {
                function: function(symbol),
                place: place(symbol),
                ..frame.clone()
            })
            .collect();
        Ok(if found.is_empty() { vec![frame.clone()] } else { found })
    }
}

impl Drop for Symbolizer {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn is_runtime(frame: &Frame) -> bool {
    let by_name = |name: &String| RUNTIME.iter().any(|prefix| name.starts_with(prefix));
    let by_place = |place: &Position| place.file.contains(RUNTIME_SOURCE);
    frame.function.as_ref().is_some_and(by_name) || frame.place.as_ref().is_some_and(by_place)
}

fn text(symbol: &Value, key: &str) -> Option<String> {
    symbol.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn function(symbol: &Value) -> Option<String> {
    text(symbol, "FunctionName")
}

fn place(symbol: &Value) -> Option<Position> {
    let number = |key: &str| u32::try_from(symbol.get(key)?.as_u64()?).ok();
    let line = number("Line").filter(|line| *line > 0)?;
    Some(Position { file: text(symbol, "FileName")?, line, column: number("Column").unwrap_or(0) })
}
