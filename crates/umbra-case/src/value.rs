//! A case as one value, its contents included: for journals, which keep cases that have no folder yet.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use umbra_text::{from_hex, to_hex};

use crate::Case;
use crate::json::{CaseFile, is_known};
use crate::store::{contents_of, key};

#[derive(Serialize, Deserialize)]
struct Whole {
    case: CaseFile,
    /// The contents in hexadecimal digits, by their paths in the folder of a case.
    contents: BTreeMap<String, String>,
}

impl Serialize for Case {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let contents = contents_of(self).into_iter();
        let contents = contents.map(|(path, bytes)| (path, to_hex(bytes))).collect();
        Whole { case: CaseFile::of(self), contents }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Whole { case, contents } = Whole::deserialize(from)?;
        if !is_known(&case.schema) {
            return Err(D::Error::custom(format!("a case of the schema {}", case.schema)));
        }
        let case = case.into_case(|wanted| {
            let content = contents.get(&key(wanted)).and_then(|digits| from_hex(digits));
            content.ok_or_else(|| D::Error::custom("a case without its contents"))
        })?;
        case.check().map_err(D::Error::custom)?;
        Ok(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, EntryKind, Stdin};

    #[test]
    fn a_case_comes_back_as_it_was() {
        let mut case = Case {
            program: b"x".to_vec(),
            arguments: vec![vec![0xff, b'a'], Vec::new()],
            stdin: Stdin::Pipe(vec![0, 1, 2]),
            ..Case::default()
        };
        case.tree.push(Entry::new("A", EntryKind::File(vec![9; 5])));
        case.expected.stdout = Some(b"out\n".to_vec());
        let text = serde_json::to_string(&case).unwrap();
        assert_eq!(serde_json::from_str::<Case>(&text).unwrap(), case);
        let (case, _) = text.split_once("\"contents\":").unwrap();
        let lost = format!("{case}\"contents\":{{}}}}");
        assert!(serde_json::from_str::<Case>(&lost).is_err(), "{lost}");
    }
}
