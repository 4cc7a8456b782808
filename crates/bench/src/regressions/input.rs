//! An input as the files of the corpus write it, and as a test case.

use std::collections::BTreeMap;

use anyhow::Context;
use serde::Deserialize;
use umbra_case::{Case, Entry, Stdin};
use umbra_text::from_hex;

/// What a program is given. Bytes that are no text are in hexadecimal.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Input {
    args: Vec<String>,
    stdin: Option<String>,
    stdin_hex: Option<String>,
    files: BTreeMap<String, String>,
    files_hex: BTreeMap<String, String>,
    env: BTreeMap<String, String>,
}

impl Input {
    /// The test case for a program, a path in the built tree. Standard input is a pipe, or empty.
    pub fn case(&self, program: &str) -> anyhow::Result<Case> {
        let bytes =
            |hex: &String| from_hex(hex).with_context(|| format!("{hex} is no hexadecimal"));
        let stdin = match (&self.stdin, &self.stdin_hex) {
            (None, None) => Stdin::Null,
            (Some(text), None) => Stdin::Pipe(text.clone().into_bytes()),
            (None, Some(hex)) => Stdin::Pipe(bytes(hex)?),
            (Some(_), Some(_)) => anyhow::bail!("both stdin and stdin_hex"),
        };
        let mut tree: Vec<Entry> =
            self.files.iter().map(|(path, text)| Entry::file(&**path, &**text)).collect();
        for (path, hex) in &self.files_hex {
            tree.push(Entry::file(&**path, bytes(hex)?));
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        Ok(Case {
            program: name.as_bytes().to_vec(),
            arguments: self.args.iter().map(|word| word.clone().into_bytes()).collect(),
            environment: self
                .env
                .iter()
                .map(|(key, value)| format!("{key}={value}").into())
                .collect(),
            stdin,
            tree,
            ..Case::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_becomes_a_case() {
        let text = r#"args = ["-x"]
            stdin_hex = "00ff"
            files = { "d/a" = "text" }
            env = { A = "1" }"#;
        let input: Input = toml::from_str(text).unwrap();
        let case = input.case("src/tool").unwrap();
        assert_eq!(case.program, b"tool");
        assert_eq!(case.arguments, [b"-x"]);
        assert_eq!(case.environment, [b"A=1"]);
        assert_eq!(case.stdin, Stdin::Pipe(vec![0, 255]));
        assert_eq!(case.tree, [Entry::file("d/a", "text")]);
    }

    #[test]
    fn what_is_misspelt_is_refused() {
        assert!(toml::from_str::<Input>("arg = []").is_err());
        let input: Input = toml::from_str("files_hex = { a = \"0g\" }").unwrap();
        assert!(input.case("tool").is_err());
    }
}
