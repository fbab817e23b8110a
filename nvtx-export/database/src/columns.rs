//! Columns of declared tables, for readers that need a part of each row.

/// Columns of a table, made by [`columns!`](crate::columns!): required ones, and others that may be
/// NULL.
#[derive(Clone, Copy, Debug)]
pub struct Columns<const N: usize, const M: usize> {
    /// The name of the table.
    pub table: &'static str,
    /// Required columns. A row without one of them is not understood.
    pub needed: [&'static str; N],
    /// Columns that may be NULL.
    pub others: [&'static str; M],
}

impl<const N: usize, const M: usize> Columns<N, M> {
    /// Returns all names, the required ones first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.needed.into_iter().chain(self.others)
    }
}

/// Selects columns of the table with this row type: `columns!(TileRow: ["sourceId"], ["opUid"])`. A
/// column that the table does not declare is a compile error.
///
/// ```
/// use weft_database::columns;
/// use weft_database::schema::TaskRow;
///
/// assert_eq!(columns!(TaskRow: ["sourceId", "uid"], ["name"]).table, "WEFT_TASK");
/// ```
///
/// ```compile_fail
/// use weft_database::columns;
/// use weft_database::schema::TaskRow;
///
/// columns!(TaskRow: ["sourceIdentifier"], []);
/// ```
#[macro_export]
macro_rules! columns {
    ($row:ident: [$($needed:literal),* $(,)?], [$($other:literal),* $(,)?]) => {{
        const {
            $(assert!($row::TABLE.declares($needed), "the table has no such column");)*
            $(assert!($row::TABLE.declares($other), "the table has no such column");)*
        }
        $crate::Columns {
            table: $row::TABLE.name,
            needed: [$($needed),*],
            others: [$($other),*],
        }
    }};
}
