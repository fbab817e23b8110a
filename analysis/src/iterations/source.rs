//! The statement of a line and the loops around it, from the text of a Python program.

use rustc_hash::FxHashMap;
use weft_model::{StringIndex, Trace};

/// The loops around a line, within its function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nest {
    /// The lines of their statements, the innermost first.
    pub(crate) loops: Vec<u32>,
    /// Whether each iteration of the innermost loop that does not end early reaches the line: no
    /// branch is between them.
    pub(crate) is_direct: bool,
}

/// A statement.
#[derive(Clone, Debug)]
struct Statement {
    first: u32,
    indent: usize,
    kind: StatementKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StatementKind {
    Loop,
    Branch,
    Function,
    /// Any other statement, including blocks that are always entered.
    Plain,
}

impl StatementKind {
    fn classify(text: &str) -> StatementKind {
        let text = text.strip_prefix("async ").unwrap_or(text);
        let word = text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .next();
        match word.unwrap_or_default() {
            "for" | "while" => StatementKind::Loop,
            "if" | "elif" | "else" | "except" | "finally" | "match" | "case" => {
                StatementKind::Branch
            }
            "def" | "class" => StatementKind::Function,
            _ => StatementKind::Plain,
        }
    }
}

/// The statements of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    statements: Vec<Statement>,
}

impl Outline {
    /// Finds the statements in the text of a program.
    pub(crate) fn parse(text: &str) -> Outline {
        let mut statements: Vec<Statement> = Vec::new();
        let mut scan = Scan::default();
        for (number, row) in (1..).zip(text.lines()) {
            let words = row.trim_start();
            let is_new = scan.is_between() && !words.is_empty() && !words.starts_with('#');
            if is_new {
                statements.push(Statement {
                    first: number,
                    indent: row.len() - words.len(),
                    kind: StatementKind::classify(words),
                });
            }
            scan.read(row);
        }
        Outline { statements }
    }

    fn at(&self, line: u32) -> Option<usize> {
        let after = self
            .statements
            .partition_point(|statement| statement.first <= line);
        after.checked_sub(1)
    }

    /// Returns the line on which the statement of a line begins.
    pub(crate) fn statement(&self, line: u32) -> u32 {
        let found = self.at(line).and_then(|at| self.statements.get(at));
        found.map_or(line, |statement| statement.first)
    }

    /// Returns the loops around a line.
    pub(crate) fn nest(&self, line: u32) -> Nest {
        let mut nest = Nest::default();
        let Some((at, own)) = self
            .at(line)
            .and_then(|at| Some((at, self.statements.get(at)?)))
        else {
            return nest;
        };
        // The test of `while` is executed once more than the body.
        let mut is_direct = own.kind == StatementKind::Plain;
        if own.kind == StatementKind::Loop {
            nest.loops.push(own.first);
        }
        let mut indent = own.indent;
        for statement in self.statements.get(..at).unwrap_or_default().iter().rev() {
            if statement.indent >= indent {
                continue;
            }
            indent = statement.indent;
            match statement.kind {
                StatementKind::Function => break,
                StatementKind::Branch if nest.loops.is_empty() => is_direct = false,
                StatementKind::Loop => nest.loops.push(statement.first),
                StatementKind::Branch | StatementKind::Plain => {}
            }
        }
        nest.is_direct = is_direct && !nest.loops.is_empty();
        nest
    }
}

/// The state of a scan: brackets, quotes and continued lines at a position.
#[derive(Default)]
struct Scan {
    depth: i32,
    quote: Option<&'static str>,
    continues: bool,
}

impl Scan {
    const QUOTES: [&str; 4] = ["\"\"\"", "'''", "\"", "'"];

    /// Returns whether a statement can begin here.
    fn is_between(&self) -> bool {
        self.depth <= 0 && self.quote.is_none() && !self.continues
    }

    fn read(&mut self, row: &str) {
        let mut rest = row;
        self.continues = row.ends_with('\\');
        while !rest.is_empty() {
            if let Some(quote) = self.quote {
                match (rest.starts_with('\\'), rest.strip_prefix(quote)) {
                    (true, _) => rest = after(rest, 2),
                    (_, Some(next)) => {
                        self.quote = None;
                        rest = next;
                    }
                    _ => rest = after(rest, 1),
                }
                continue;
            }
            if let Some(quote) = Self::QUOTES
                .into_iter()
                .find(|quote| rest.starts_with(quote))
            {
                self.quote = Some(quote);
                rest = after(rest, quote.len());
                continue;
            }
            match rest.chars().next() {
                Some('#') => {
                    // A backslash in a comment does not continue the line.
                    self.continues = false;
                    break;
                }
                Some('(' | '[' | '{') => self.depth += 1,
                Some(')' | ']' | '}') => self.depth -= 1,
                _ => {}
            }
            rest = after(rest, 1);
        }
        // Only triple-quoted texts extend over the end of a line.
        self.quote = self.quote.filter(|quote| quote.len() > 1);
    }
}

/// Returns the rest of a text after its first `characters` characters.
fn after(text: &str, characters: usize) -> &str {
    let mut rest = text.chars();
    for _ in 0..characters {
        rest.next();
    }
    rest.as_str()
}

/// The outlines of the files whose text is in a trace.
#[derive(Debug, Default)]
pub(crate) struct Outlines(FxHashMap<StringIndex, Outline>);

impl Outlines {
    /// Computes the outlines of the files of a trace.
    pub(crate) fn new(trace: &Trace) -> Outlines {
        let texts = trace.program.source_texts.iter().filter(|text| !text.newer);
        let python = texts.filter(|text| !trace.strings.get(text.file).ends_with(".rs"));
        Outlines(
            python
                .map(|text| (text.file, Outline::parse(&text.text)))
                .collect(),
        )
    }

    /// Returns the outline of a file, if its text was recorded.
    pub(crate) fn get(&self, file: StringIndex) -> Option<&Outline> {
        self.0.get(&file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_span_brackets_and_strings() {
        let text = "x = 1\ny = (x +\n     2 * # (\n     3)\nz = f(\")\\\"\", [\n    1])\n\"\"\"(\n\"\"\"\nw = 2\n";
        let outline = Outline::parse(text);
        let firsts: Vec<u32> = (1..=9).map(|line| outline.statement(line)).collect();
        assert_eq!(firsts, [1, 2, 2, 2, 5, 5, 7, 7, 9]);
    }

    #[test]
    fn backslash_in_a_comment_continues_no_line() {
        let text = "# see C:\\data\\\nfor t in range(3):\n    a = 1\nb = \\\n    2\n";
        let outline = Outline::parse(text);
        assert_eq!(outline.nest(3).loops, [2]);
        assert_eq!(outline.statement(5), 4);
    }

    #[test]
    fn enclosing_loops_belong_to_the_same_function() {
        let text = "\
for t in range(9):
    a = 1
    with scope:
        b = 2
    for k in range(3):
        # for comment
        c = (1 +
    2)
        if c:
            d = 3
    def f():
        while True:
            e = 4
g = 5
";
        let outline = Outline::parse(text);
        let nest = |line| {
            let nest = outline.nest(line);
            (nest.loops, nest.is_direct)
        };
        assert_eq!(nest(2), (vec![1], true));
        assert_eq!(nest(4), (vec![1], true));
        assert_eq!(nest(8), (vec![5, 1], true));
        assert_eq!(nest(10), (vec![5, 1], false));
        assert_eq!(nest(12), (vec![12], false));
        assert_eq!(nest(13), (vec![12], true));
        assert_eq!(nest(14), (vec![], false));
    }
}
