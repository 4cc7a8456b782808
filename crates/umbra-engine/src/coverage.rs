//! Which source lines ran.

use std::collections::BTreeMap;
use std::path::PathBuf;

use umbra_ir::{Id, LocationId};

use crate::code::{Image, Target};

/// Which blocks (and edges) of a program ran.
#[derive(Clone, Debug)]
pub struct Coverage {
    covered: Vec<bool>,
    count: usize,
    /// What has run since it was last asked for, if that is wanted. Then nothing counts as covered, so that
    /// everything comes here each time it runs.
    record: Option<Vec<Target>>,
    /// Blocks of which it is wanted whether they run between two moments.
    watch: Option<Watch>,
}

/// Some blocks, and which of them ran lately.
#[derive(Clone, Debug)]
struct Watch {
    blocks: Vec<bool>,
    /// Those that ran since the last moment; until then they count as covered.
    lately: Vec<Target>,
    /// For each block whether it ran before.
    before: Vec<bool>,
}

impl Coverage {
    /// Nothing ran.
    pub fn new(image: &Image) -> Self {
        Self { covered: vec![false; image.headers.len()], count: 0, record: None, watch: None }
    }

    /// Nothing ran; of some blocks it can be asked again and again whether they ran lately.
    pub fn watching(image: &Image, blocks: Vec<bool>) -> Self {
        let before = vec![false; blocks.len()];
        let watch = Watch { blocks, lately: Vec::new(), before };
        Self { watch: Some(watch), ..Self::new(image) }
    }

    /// Whether any of the watched blocks ran since this was asked last.
    pub fn take_watched(&mut self) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        for &target in &watch.lately {
            self.covered[target as usize] = false;
            watch.before[target as usize] = true;
        }
        self.count -= watch.lately.len();
        let ran = !watch.lately.is_empty();
        watch.lately.clear();
        ran
    }

    /// Everything that ran, whatever was watched.
    pub fn all(&self) -> Vec<bool> {
        let mut all = self.covered.clone();
        for (ran, before) in all.iter_mut().zip(self.watch.iter().flat_map(|watch| &watch.before)) {
            *ran |= before;
        }
        all
    }

    /// Whether each side of a switch is to be offered by itself, and not only those that have not run.
    pub(crate) fn is_watching(&self) -> bool {
        self.watch.is_some()
    }

    /// Nothing ran; each block and edge that does is written down, as often as it does.
    pub fn recording(image: &Image) -> Self {
        Self { record: Some(Vec::new()), ..Self::new(image) }
    }

    /// What has run since the last time, in order.
    pub fn take_record(&mut self) -> Vec<Target> {
        self.record.as_mut().map_or(Vec::new(), std::mem::take)
    }

    /// Whether a block or edge ran.
    #[inline(always)]
    pub fn is_covered(&self, target: Target) -> bool {
        self.covered[target as usize]
    }

    /// How many blocks and edges ran: rises whenever something runs for the first time.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A block or edge runs.
    #[cold]
    #[inline(never)]
    pub(crate) fn cover(&mut self, target: Target) {
        if let Some(record) = &mut self.record {
            return record.push(target);
        }
        if let Some(watch) = &mut self.watch
            && watch.blocks[target as usize]
            && !self.covered[target as usize]
        {
            watch.lately.push(target);
        }
        self.count += usize::from(!self.covered[target as usize]);
        self.covered[target as usize] = true;
    }

    /// For each block and edge whether it ran.
    pub fn covered(&self) -> &[bool] {
        &self.covered
    }

    /// Something ran elsewhere, in another worker of the same program.
    pub fn add(&mut self, target: Target) {
        self.cover(target);
    }

    /// Adds what ran elsewhere, in another worker of the same program.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.covered.iter_mut().zip(&other.covered) {
            *mine |= theirs;
        }
        self.count = self.covered.iter().filter(|&&covered| covered).count();
    }
}

/// For each source file, its lines that have code, and whether that code ran.
pub type LineCoverage = BTreeMap<PathBuf, BTreeMap<u32, bool>>;

impl Image {
    /// The lines of the program that ran; a line ran when any block with code of it did.
    pub fn line_coverage(&self, coverage: &Coverage) -> LineCoverage {
        // By file first: there are many more instructions than files, and paths are slow to compare.
        let mut files = vec![BTreeMap::new(); self.program.files.len()];
        for (id, function) in self.program.functions.iter() {
            let (Some(entry), Some(body)) = (self.functions[id.index()].entry, &function.body)
            else {
                continue;
            };
            for (block, code) in body.blocks.iter() {
                let ran = coverage.is_covered(entry + block.index() as Target);
                let instructions = code.instructions.iter().map(|code| code.location);
                let mut last = None;
                for location in instructions.chain([code.location]).flatten() {
                    // Instructions of one line often follow each other.
                    if last != Some(location) {
                        self.mark(&mut files, location, ran);
                        last = Some(location);
                    }
                }
            }
        }
        let mut lines = LineCoverage::new();
        for (file, marked) in self.program.files.values().zip(files) {
            if marked.is_empty() {
                continue;
            }
            // Two entries of the program can be one file.
            let all = lines.entry(file.path()).or_default();
            for (line, ran) in marked {
                *all.entry(line).or_default() |= ran;
            }
        }
        lines
    }

    /// For every block of the program, in order, whether it ran: 1 or 0, as native executables
    /// count their blocks.
    pub fn covered_blocks(&self, coverage: &Coverage) -> Vec<u8> {
        let mut covered = Vec::new();
        for (id, function) in self.program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let entry = self.functions[id.index()].entry;
            covered.extend(body.blocks.ids().map(|block| {
                let ran = |entry| coverage.is_covered(entry + block.index() as Target);
                u8::from(entry.is_some_and(ran))
            }));
        }
        covered
    }

    fn mark(&self, files: &mut [BTreeMap<u32, bool>], location: LocationId, ran: bool) {
        let location = &self.program.locations[location];
        if location.line != 0 {
            *files[location.file.index()].entry(location.line).or_default() |= ran;
        }
    }
}
