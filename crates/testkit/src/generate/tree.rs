//! A program as a tree of statements, from which any statement can be taken out: variables are declared
//! on top, and what a statement needs beside them comes and goes with it.

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it needs outside of functions.
    pub globals: Vec<String>,
    /// Its lines, or those before the first block.
    pub lines: Vec<String>,
    /// Blocks with the lines behind each.
    pub blocks: Vec<(Vec<Statement>, String)>,
}

impl Statement {
    /// One without blocks, as text of several lines.
    pub fn plain(text: &str) -> Self {
        Self { globals: Vec::new(), lines: lines(text), blocks: Vec::new() }
    }

    /// The same with something outside of functions.
    pub fn with_global(mut self, text: &str) -> Self {
        self.globals.extend(lines(text));
        self
    }

    /// `HEAD {` and a block.
    pub fn block(head: &str, body: Vec<Statement>) -> Self {
        let blocks = vec![(body, "}".to_owned())];
        Self { globals: Vec::new(), lines: vec![format!("{head} {{")], blocks }
    }

    /// Adds `else` and a block.
    pub fn otherwise(mut self, body: Vec<Statement>) -> Self {
        if let Some((_, close)) = self.blocks.last_mut() {
            "} else {".clone_into(close);
        }
        self.blocks.push((body, "}".to_owned()));
        self
    }

    fn write(&self, depth: usize, out: &mut Vec<String>) {
        let indented = |line: &String| format!("{}{line}", "  ".repeat(depth));
        out.extend(self.lines.iter().map(indented));
        for (body, close) in &self.blocks {
            write_all(body, depth + 1, out);
            out.push(indented(close));
        }
    }

    fn write_globals(&self, out: &mut Vec<String>) {
        out.extend(self.globals.iter().cloned());
        for (body, _) in &self.blocks {
            body.iter().for_each(|statement| statement.write_globals(out));
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

fn write_all(statements: &[Statement], depth: usize, out: &mut Vec<String>) {
    statements.iter().for_each(|statement| statement.write(depth, out));
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// The lines up to the first function.
    pub head: Vec<String>,
    /// The head of `main`, with the inputs and variables.
    pub begin: Vec<String>,
    /// What it does.
    pub body: Vec<Statement>,
    /// What it shows of its variables at its end.
    pub end: Vec<String>,
}

impl Program {
    /// The text of its source.
    pub fn text(&self) -> String {
        let mut out = self.head.clone();
        self.body.iter().for_each(|statement| statement.write_globals(&mut out));
        out.extend(self.begin.iter().cloned());
        write_all(&self.body, 1, &mut out);
        out.extend(self.end.iter().cloned());
        out.push(String::new());
        out.join("\n")
    }

    /// Programs that do a little less: without a statement, or with its blocks instead of it.
    pub fn smaller(&self) -> Vec<Self> {
        let with = |body| Self { body, ..self.clone() };
        smaller(&self.body).into_iter().map(with).collect()
    }
}

fn smaller(statements: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let replaced = |by: Vec<Statement>| {
            let mut changed = statements.to_vec();
            changed.splice(at..=at, by);
            changed
        };
        all.push(replaced(Vec::new()));
        for (number, (body, _)) in statement.blocks.iter().enumerate() {
            all.push(replaced(body.clone()));
            for body in smaller(body) {
                let mut changed = statement.clone();
                changed.blocks[number].0 = body;
                all.push(replaced(vec![changed]));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_can_be_taken_out() {
        let leaf = |text: &str| Statement::plain(text);
        let branch = Statement::block("if (a)", vec![leaf("b;")]).otherwise(vec![leaf("c;")]);
        let program = Program {
            seed: 0,
            head: Vec::new(),
            begin: vec!["{".to_owned()],
            body: vec![leaf("d;").with_global("int d;"), branch],
            end: vec!["}".to_owned()],
        };
        assert_eq!(
            program.text(),
            "int d;\n{\n  d;\n  if (a) {\n    b;\n  } else {\n    c;\n  }\n}\n"
        );
        let texts: Vec<String> = program
            .smaller()
            .iter()
            .map(|program| program.text().replace(['\n', ' '], ""))
            .collect();
        let expected = [
            "{if(a){b;}else{c;}}",
            "intd;{d;}",
            "intd;{d;b;}",
            "intd;{d;if(a){}else{c;}}",
            "intd;{d;c;}",
            "intd;{d;if(a){b;}else{}}",
        ];
        assert_eq!(texts, expected);
    }
}
