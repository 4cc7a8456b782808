//! A call inside of a program, whose arguments are the input.
//!
//! The test program of a library reads nothing: what it gives to the library are literals. So a case
//! can name a call of a function instead, and the objects of the case are the bytes that its pointers
//! lead to. The program must be made for it (`umbra diff --from`, `umbra replay`): its own executable
//! takes no notice.

use serde::{Deserialize, Serialize};

use crate::Case;

/// A call inside of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The function that is called.
    pub function: String,
    /// Which of its calls, counted from 1.
    pub number: u32,
    /// What it was called with in the test that the case comes from; empty if nobody has looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<CallArgument>,
}

/// What a function was called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallArgument {
    /// A pointer to bytes.
    Bytes,
    /// A pointer to something else.
    Pointer,
    /// A null pointer.
    Null,
    /// A number, or what looks like one.
    Number(i64),
}

impl Call {
    /// The variable that tells the program which call it is.
    pub const VARIABLE: &'static str = "UMBRA_CALL";

    /// That variable with its value. Where no call has a number, all of them are listed.
    pub fn variable(&self) -> Vec<u8> {
        let value = match self.number {
            0 => "list".to_owned(),
            number => format!("{}:{number}", self.function),
        };
        format!("{}={value}", Self::VARIABLE).into_bytes()
    }

    /// Whether an entry of an environment is that variable.
    pub fn is_variable(entry: &[u8]) -> bool {
        entry.strip_prefix(Self::VARIABLE.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
    }

    /// Whether the objects of this name are the bytes of an argument, counted from 1.
    fn is_object(&self, name: &[u8], position: usize) -> bool {
        let own = format!("{} argument {position}", self.function);
        name.strip_suffix(own.as_bytes()).is_some_and(|rest| matches!(rest, b"" | b"copy of "))
    }
}

impl Case {
    /// The call that the objects of the case are for, as C: `parse("1,2", 3)`. What is known of an
    /// argument only by its type is a word in a comment.
    pub fn call_text(&self) -> Option<String> {
        let call = self.call.as_ref()?;
        let bytes = |position: usize| {
            let mut objects = self.objects.iter();
            objects.find(|object| call.is_object(&object.name, position))
        };
        let named = self
            .objects
            .iter()
            .filter_map(|object| (1..64).find(|position| call.is_object(&object.name, *position)));
        let count = call.arguments.len().max(named.max().unwrap_or(0));
        let mut words = Vec::new();
        for index in 0..count {
            let next = call.arguments.get(index + 1);
            let is_counted = matches!(next, Some(CallArgument::Number(1..)));
            let word = match (call.arguments.get(index), bytes(index + 1)) {
                (_, Some(object)) => literal(&object.bytes, is_counted),
                (Some(CallArgument::Number(number)), None) => number.to_string(),
                (Some(CallArgument::Null), None) => "NULL".to_owned(),
                (Some(CallArgument::Bytes), None) => "/* as in the test */".to_owned(),
                (Some(CallArgument::Pointer), None) => "/* a pointer */".to_owned(),
                (None, None) => "/* ... */".to_owned(),
            };
            words.push(word);
        }
        Some(format!("{}({})", call.function, words.join(", ")))
    }
}

/// Bytes as a string of C. Those of a text end where it ends; counted ones are all shown.
fn literal(bytes: &[u8], is_counted: bool) -> String {
    let bytes = match is_counted {
        true => bytes,
        false => bytes.split(|byte| *byte == 0).next().unwrap_or_default(),
    };
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            b'\r' => text += "\\r",
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            // Two of them begin a trigraph.
            b'?' => text += "\\?",
            b' '..=b'~' => text.push(char::from(byte)),
            // Three digits always: what follows may be one.
            _ => text += &format!("\\{byte:03o}"),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Object;

    fn case(arguments: Vec<CallArgument>, objects: &[(&str, &[u8])]) -> Case {
        let object = |(name, bytes): &(&str, &[u8])| Object {
            name: name.as_bytes().to_vec(),
            bytes: bytes.to_vec(),
        };
        Case {
            call: Some(Call { function: "parse".to_owned(), number: 2, arguments }),
            objects: objects.iter().map(object).collect(),
            ..Case::default()
        }
    }

    #[test]
    fn a_call_is_shown_as_c() {
        use CallArgument::{Bytes, Null, Number, Pointer};
        let text = ("copy of parse argument 1", &b"a\"\0\0\0"[..]);
        let shown = |arguments, objects: &[_]| case(arguments, objects).call_text().unwrap();
        assert_eq!(shown(vec![Bytes, Number(0)], &[text]), r#"parse("a\"", 0)"#);
        assert_eq!(shown(vec![Bytes, Number(4)], &[text]), r#"parse("a\"\000\000\000", 4)"#);
        assert_eq!(shown(vec![], &[text]), r#"parse("a\"")"#);
        let second = ("parse argument 2", &b"\x01?7\n"[..]);
        let all = [Pointer, Bytes, Null, Number(-3), Bytes];
        assert_eq!(
            shown(all.to_vec(), &[second]),
            r#"parse(/* a pointer */, "\001\?7\n", NULL, -3, /* as in the test */)"#
        );
        assert_eq!(Case::default().call_text(), None);
    }

    #[test]
    fn the_variable_is_known() {
        let call = Call { function: "parse".to_owned(), number: 3, ..Call::default() };
        assert_eq!(call.variable(), b"UMBRA_CALL=parse:3");
        assert!(Call::is_variable(&call.variable()) && !Call::is_variable(b"UMBRA_CALLS=3"));
        assert_eq!(Call::default().variable(), b"UMBRA_CALL=list");
    }
}
