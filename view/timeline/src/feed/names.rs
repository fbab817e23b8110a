//! Lines in place of names, in traces without tasks.
//!
//! Slices are coloured, summed and found by their line. A trace of Nsight Systems alone has no
//! lines, so that all of it would be one colour. There the name of a kernel or of a range takes the
//! place of the line: a line without a file, whose function is that name.

use super::{Builder, Database};
use crate::format::Line;
use rustc_hash::FxHashMap;

/// The largest number of names with a line.
const MOST: usize = 4096;

/// The most letters of a name: those of templates are long, and differ at their end.
const LONGEST: usize = 4096;

/// The lines in place of names, if the trace has no tasks.
#[derive(Debug, Default)]
pub(super) struct NameLines {
    /// Whether the trace has no tasks or copies that work could belong to.
    is_alone: bool,
    lines: FxHashMap<String, u32>,
}

impl NameLines {
    pub(super) fn new(database: &Database) -> Self {
        let is_filled = |table: &str| {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
            let filled = database.connection().query_row(&sql, [], |row| row.get(0));
            filled.unwrap_or(false)
        };
        NameLines {
            is_alone: !is_filled("WEFT_TASK") && !is_filled("WEFT_COPY"),
            lines: FxHashMap::default(),
        }
    }

    /// Whether the trace has no tasks.
    pub(super) fn are_used(&self) -> bool {
        self.is_alone
    }

    /// Returns the line in place of the name of a range, like [`of_kernel`](Self::of_kernel).
    pub(super) fn of_range(&mut self, to: &mut Builder, name: &str) -> u32 {
        self.of_kernel(to, common(name))
    }

    /// Returns the line in place of a name; 0 if the trace has its own lines, or too many names.
    pub(super) fn of_kernel(&mut self, to: &mut Builder, name: &str) -> u32 {
        let name: String = name.trim().chars().take(LONGEST).collect();
        if !self.is_alone || name.is_empty() {
            return 0;
        }
        if let Some(known) = self.lines.get(&name) {
            return *known;
        }
        if self.lines.len() == MOST {
            return 0;
        }
        let line = to.line(Line {
            file: String::new(),
            line: 0,
            function: Some(name.clone()),
        });
        self.lines.insert(name, line);
        line
    }
}

/// The common part of names of one thing: messages of frameworks end in fields such as `, op_id =
/// 990346`.
fn common(name: &str) -> &str {
    let fields = name.find(',').filter(|at| {
        let rest = name.get(at + 1..).unwrap_or_default();
        rest.contains(['=', ':']) && !name.get(..*at).unwrap_or_default().contains(['<', '('])
    });
    let name = fields.and_then(|at| name.get(..at)).unwrap_or(name);
    name.trim()
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn removes_message_fields_and_keeps_parameters() {
        for (name, expected) in [
            ("aten::empty, op_id = 990346", "aten::empty"),
            ("nccl:all_gather, seq: 4", "nccl:all_gather"),
            ("gemm<float, 4>(x = 1)", "gemm<float, 4>(x = 1)"),
            ("a, b", "a, b"),
            (" forward ", "forward"),
            ("", ""),
        ] {
            assert_eq!(common(name), expected, "{name}");
        }
    }
}
