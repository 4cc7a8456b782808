//! A line diff for messages: what differs, not what is the same.

/// The lines that only one text has, `-` for the expected and `+` for the actual one, with a line
/// of context around; nothing if the texts are equal.
pub fn lines(expected: &str, actual: &str) -> String {
    let a: Vec<&str> = expected.lines().collect();
    let b: Vec<&str> = actual.lines().collect();
    // Lengths of the longest common subsequences of the tails.
    let mut common = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = match a[i] == b[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::new();
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            all.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            all.push(('-', a[i]));
            i += 1;
        } else {
            all.push(('+', b[j]));
            j += 1;
        }
    }
    let mut text = String::new();
    for (index, (sign, line)) in all.iter().enumerate() {
        let near = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|l| l.0 != ' ');
        if *sign != ' ' || near(index.checked_sub(1)) || near(Some(index + 1)) {
            text += &format!("    {sign}{line}\n");
        }
    }
    if text.is_empty() && expected != actual {
        text += "    (they differ at the end of the last line)\n";
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn shows_what_differs() {
        assert_eq!(super::lines("a\nb\n", "a\nb\n"), "");
        assert_eq!(
            super::lines("a\nb\nc\nd\n", "a\nx\nc\nd\n"),
            "     a\n    -b\n    +x\n     c\n"
        );
        assert!(!super::lines("a", "a\n").is_empty());
    }
}
