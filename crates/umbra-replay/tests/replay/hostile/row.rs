//! The table of attacks.

use umbra_case::Descriptor;
use umbra_compare::{Note, Outcome};
use umbra_replay::Confinement;
use umbra_words::{End, LimitKind};

/// One attack.
pub struct Row {
    pub name: String,
    /// Without a sandbox it succeeds on a decoy.
    pub bites: bool,
    /// What must hold in namespaces and under Landlock.
    expected: [String; 2],
    pub program: String,
    pub arguments: Vec<String>,
}

/// All attacks.
pub fn rows() -> Vec<Row> {
    let table = include_str!("../../hostile/table.txt");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse(line).unwrap_or_else(|| panic!("not a row: {line}"))).collect()
}

fn parse(line: &str) -> Option<Row> {
    let mut columns = line.split('|').map(str::trim);
    let (name, expected, command) = (columns.next()?, columns.next()?, columns.next()?);
    let bites = expected.starts_with('*');
    let expected = expected.trim_start_matches('*');
    let (usual, landlock) = expected.split_once("; landlock: ").unwrap_or((expected, expected));
    let mut words = command.split(' ').map(str::to_owned);
    Some(Row {
        name: name.to_owned(),
        bites,
        expected: [usual.to_owned(), landlock.to_owned()],
        program: words.next()?,
        arguments: words.collect(),
    })
}

impl Row {
    /// The terminal that the attack is on.
    pub fn terminal(&self) -> impl Iterator<Item = (u32, Descriptor)> {
        let has_one = self.name.starts_with("terminal-");
        has_one.then_some((3, Descriptor::Terminal)).into_iter()
    }

    fn expected(&self, confinement: Confinement) -> &str {
        match confinement {
            Confinement::Namespaces => &self.expected[0],
            Confinement::Landlock => &self.expected[1],
        }
    }

    /// Whether the attack may take all the time it is given, and nothing depends on how much it is.
    pub fn is_patient(&self, confinement: Confinement) -> bool {
        matches!(self.expected(confinement), "hung" | "contained")
    }

    /// Whether an outcome is as it must be; the error says what it was instead.
    pub fn check(&self, confinement: Confinement, outcome: &Outcome) -> Result<(), String> {
        let expected = self.expected(confinement);
        if expected.split('/').any(|word| holds(word, outcome)) {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&outcome.stdout.bytes);
        let text: String = text.chars().take(200).collect();
        Err(format!("{} instead of {expected}; {text:?} {:?}", outcome.end, outcome.notes))
    }
}

fn holds(word: &str, outcome: &Outcome) -> bool {
    let refused = outcome.end == End::Exited(0);
    let answer = |text: &str| refused && outcome.stdout.bytes == text.as_bytes();
    let over = |limit| outcome.end == End::OverLimit(limit);
    match word {
        "refused" => refused,
        "eperm" => answer("refused: Operation not permitted\n"),
        "enosys" => answer("refused: Function not implemented\n"),
        "hung" => outcome.end == End::Hung,
        "over-output" => over(LimitKind::Output),
        "over-memory" => over(LimitKind::Memory),
        "over-file-size" => over(LimitKind::FileSize),
        "over-disk" => over(LimitKind::Disk),
        "survivors" => {
            let survived = |note: &Note| matches!(note, Note::Survivors { .. });
            refused && outcome.notes.iter().any(survived)
        }
        // Status 99 is of a program that does not know the attack.
        "contained" => outcome.end != End::Exited(99),
        _ => match word.strip_prefix("killed-").map(str::parse) {
            Some(Ok(signal)) => outcome.end == End::Killed(signal),
            _ => panic!("unknown expectation {word}"),
        },
    }
}
