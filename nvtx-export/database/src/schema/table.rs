//! The declaration of tables, and how rows are written and read by the names of their fields.

use super::value::Value;
use rusqlite::{Connection, Row, Statement};

/// The declaration of a table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The description of its rows.
    pub doc: &'static [&'static str],
    /// Its columns in order.
    pub columns: &'static [Column],
}

/// The declaration of a column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type in SQL.
    pub kind: &'static str,
    /// The SQL that follows the type.
    pub constraint: &'static str,
    /// The unit of its numbers; empty if they have none.
    pub unit: &'static str,
    /// The words that it can hold; empty if values are not words.
    pub words: fn() -> Vec<&'static str>,
    /// The description of its values.
    pub doc: &'static [&'static str],
}

impl Table {
    /// Returns the SQL that creates the table. Descriptions become comments, which SQLite keeps.
    pub fn create(&self) -> String {
        let mut sql = format!("CREATE TABLE {} (\n", self.name);
        if !self.doc.is_empty() {
            sql.push_str(&format!("    -- {}\n", sentence(self.doc)));
        }
        for (at, column) in self.columns.iter().enumerate() {
            let comma = if at + 1 < self.columns.len() { "," } else { "" };
            let declared = format!(
                "{} {}{}{comma}",
                column.name, column.kind, column.constraint
            );
            let comment = column.comment();
            if comment.is_empty() {
                sql.push_str(&format!("    {declared}\n"));
            } else {
                sql.push_str(&format!("    {declared:<40} -- {comment}\n"));
            }
        }
        sql.push_str(");");
        sql
    }

    /// Returns the SQL that inserts a row.
    pub fn insert(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        let places = vec!["?"; names.len()].join(", ");
        let names = names.join(", ");
        format!("INSERT INTO {} ({names}) VALUES ({places})", self.name)
    }

    /// Returns whether the table has a column with this name. Every table has `rowid`.
    pub const fn declares(&self, name: &str) -> bool {
        let mut at = 0;
        while at < self.columns.len() {
            if is_same(self.columns[at].name, name) {
                return true;
            }
            at += 1;
        }
        is_same(name, "rowid")
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name)
    }
}

/// Returns whether two texts are equal. `==` cannot be used in constant functions.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Column {
    /// Returns the description with the unit.
    fn comment(&self) -> String {
        let doc = sentence(self.doc);
        match (self.unit, doc.as_str()) {
            ("", _) => doc,
            (unit, "") => unit.to_owned(),
            (unit, _) => format!("{unit}: {doc}"),
        }
    }
}

/// Joins the lines of a comment.
pub(super) fn sentence(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

/// A row of a table that `table!` declares.
pub trait TableRow<'a>: Sized {
    /// The table.
    const TABLE: Table;

    /// Binds the fields to the parameters of [`Table::insert`].
    ///
    /// # Errors
    /// Returns any error of SQLite.
    fn bind(&self, statement: &mut Statement<'_>) -> rusqlite::Result<()>;

    /// Converts a row with these columns, in order; `None` if a required one is missing or of
    /// another type.
    fn from_row(row: &'a Row<'_>) -> Option<Self>;
}

/// A statement that inserts rows of one table.
#[derive(Debug)]
pub struct Insert<'c> {
    statement: Statement<'c>,
    table: &'static str,
}

impl<'c> Insert<'c> {
    /// Prepares to insert rows into `table`, which must exist.
    ///
    /// # Errors
    /// Returns any error of SQLite.
    pub fn into(connection: &'c Connection, table: &Table) -> rusqlite::Result<Self> {
        Ok(Insert {
            statement: connection.prepare(&table.insert())?,
            table: table.name,
        })
    }

    /// Inserts a row.
    ///
    /// # Errors
    /// Returns any error of SQLite.
    pub fn row<'a, R: TableRow<'a>>(&mut self, row: &R) -> rusqlite::Result<()> {
        debug_assert_eq!(R::TABLE.name, self.table);
        row.bind(&mut self.statement)?;
        self.statement.raw_execute().map(drop)
    }
}

/// Inserts rows into their table, which must exist.
///
/// # Errors
/// Returns any error of SQLite.
pub fn write_rows<'a, R: TableRow<'a>>(
    connection: &Connection,
    rows: impl Iterator<Item = R>,
) -> rusqlite::Result<()> {
    let mut insert = Insert::into(connection, &R::TABLE)?;
    for row in rows {
        insert.row(&row)?;
    }
    Ok(())
}

/// Returns the column for a type.
pub(crate) const fn column<'a, V: Value<'a>>(
    name: &'static str,
    doc: &'static [&'static str],
) -> Column {
    Column {
        name,
        kind: V::KIND,
        constraint: V::CONSTRAINT,
        unit: V::UNIT,
        words: V::words,
        doc,
    }
}

/// Declares a table, and a struct of its rows, whose fields are the columns in order.
///
/// ```ignore
/// table! {
///     /// What its rows are.
///     WEFT_TILE => TileRow<'a> {
///         /// What the column means.
///         source: SourceIndex as sourceId,
///     }
/// }
/// ```
///
/// The types are [`Value`]s, which define their SQL and unit. Rows that hold texts have a lifetime.
/// With `: Default` after the name, code that writes rows can leave columns out.
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $table:ident => $row:ident<$life:lifetime> $(: $derive:ident)? { $($fields:tt)* }
    ) => {
        $crate::schema::table! {
            @rows [$($doc)*] [$($derive)?] $table $row ($life) (<$life>) (<'_>) (<'static>) $($fields)*
        }
    };
    (
        $(#[doc = $doc:literal])*
        $table:ident => $row:ident $(: $derive:ident)? { $($fields:tt)* }
    ) => {
        $crate::schema::table! {
            @rows [$($doc)*] [$($derive)?] $table $row ('a) () () () $($fields)*
        }
    };
    (
        @rows [$($doc:literal)*] [$($derive:ident)?] $table:ident $row:ident
        ($life:lifetime) ($($generic:tt)*) ($($elided:tt)*) ($($fixed:tt)*)
        $($(#[doc = $field_doc:literal])* $field:ident: $type:ty as $column:ident),* $(,)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug $(, $derive)?)]
        pub struct $row $($generic)* {
            $(
                #[doc = concat!("Column `", stringify!($column), "`.")]
                #[doc = ""]
                $(#[doc = $field_doc])*
                pub $field: $type
            ),*
        }

        impl<$life> $crate::schema::TableRow<$life> for $row $($generic)* {
            const TABLE: $crate::schema::Table = $crate::schema::Table {
                name: stringify!($table),
                doc: &[$($doc),*],
                columns: &[
                    $($crate::schema::column::<$type>(stringify!($column), &[$($field_doc),*])),*
                ],
            };

            fn bind(&self, statement: &mut rusqlite::Statement<'_>) -> rusqlite::Result<()> {
                let mut place = 0;
                $(
                    place += 1;
                    statement.raw_bind_parameter(place, $crate::schema::Value::sql(&self.$field))?;
                )*
                Ok(())
            }

            fn from_row(row: &$life rusqlite::Row<'_>) -> Option<Self> {
                let mut columns = 0..;
                Some($row {
                    $($field: {
                        let value = row.get_ref(columns.next()?).ok()?;
                        $crate::schema::Value::decode(value)?
                    }),*
                })
            }
        }

        #[allow(dead_code, reason = "some tables are written row by row, or read by another reader")]
        impl $row $($fixed)* {
            /// The table.
            pub const TABLE: $crate::schema::Table =
                <Self as $crate::schema::TableRow<'_>>::TABLE;

            /// Calls `each` with every row of the table, which may be absent. Rows that cannot be
            /// converted, and rows for which `each` returns `false`, are counted.
            ///
            /// # Errors
            /// Returns an error if the query cannot be prepared.
            pub fn read(
                database: &$crate::Database,
                mut each: impl FnMut($row $($elided)*) -> bool,
            ) -> Result<(), weft_model::ExportError> {
                let columns: Vec<&str> = Self::TABLE.names().collect();
                database.each_row(Self::TABLE.name, &columns, |row| {
                    $crate::schema::TableRow::from_row(row).is_some_and(&mut each)
                })
            }
        }
    };
}

pub(crate) use table;
