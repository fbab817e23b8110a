//! The tables of Nsight Systems, copied from the attached database `session`.
//!
//! The session is read through a separate connection, because after a damage SQLite refuses to
//! write through the connection that found it. None of its SQL is executed: each table is recreated
//! from the names and types of its columns, without constraints, defaults and generated columns.
//! The amount of data copied is limited by the size of the file.

use super::WriteOptions;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, ErrorCode};
use weft_database::{Budget, Untouched, quoted};
use weft_model::{LossRow, Severity, SourceIndex};

/// The maximum number of tables that are copied. Exports of Nsight Systems have up to 200. The time
/// that SQLite takes for each grows with their number.
const MAX_TABLES: usize = 2_000;

/// The maximum ratio of the size of the copies to the session. Rows may take slightly different
/// space in another file.
const GROWTH: u64 = 4;

/// The number of pages of copies that is allowed for any session.
const SPARE_PAGES: u64 = 4_096;

/// The way to copy rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum CopyMode {
    /// A table by one statement, which fails if the table is damaged.
    AtOnce,
    /// Row by row, up to a damage.
    RowByRow,
}

/// Data that could not be copied.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// Tables that were copied only up to a damage, with the number of rows before it.
    damaged: Vec<(String, u64)>,
    /// The number of tables that were left out.
    tables: usize,
}

impl Missing {
    /// Returns the losses, with the names that the reader of databases uses.
    pub(super) fn losses(self, source: Option<SourceIndex>) -> Vec<LossRow> {
        let damaged = self.damaged.into_iter().map(|(table, rows)| LossRow {
            source,
            name: format!("damaged_{table}"),
            severity: Severity::Damage,
            value: 1,
            meaning: format!(
                "tables of the database that could be copied only up to a damage, here after {rows} rows"
            ),
        });
        let beyond = (self.tables > 0).then(|| LossRow {
            source,
            name: "tables_not_copied".to_owned(),
            severity: Severity::Loss,
            value: self.tables as u64,
            meaning: format!(
                "tables of the database that are not copied: virtual ones and their content, and those beyond {MAX_TABLES}"
            ),
        });
        damaged.chain(beyond).collect()
    }
}

/// The database to copy from.
#[derive(Debug)]
pub(super) struct Session {
    reader: Connection,
    budget: Budget,
}

impl Session {
    /// Opens the database that is attached as `session`.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened.
    pub(super) fn open(database: &Untouched) -> rusqlite::Result<Self> {
        let bytes = database.file().metadata().map_or(0, |known| known.len());
        Ok(Session {
            reader: database.connect()?,
            budget: Budget::new(bytes),
        })
    }

    /// Copies every table except Weft's own and SQLite's, with row ids. The captured environment
    /// variables are copied only on request.
    ///
    /// # Errors
    /// Returns any error of SQLite. With [`CopyMode::AtOnce`], this includes a damage.
    pub(super) fn copy(
        &self,
        connection: &Connection,
        options: &WriteOptions,
        way: CopyMode,
    ) -> rusqlite::Result<Missing> {
        let page: i64 = connection.query_row("PRAGMA main.page_size", [], |row| row.get(0))?;
        let most = (self.budget.bytes() / page.max(1).cast_unsigned())
            .saturating_mul(GROWTH)
            .saturating_add(SPARE_PAGES)
            .min(u64::from(u32::MAX));
        let before: i64 =
            connection.query_row("PRAGMA main.max_page_count", [], |row| row.get(0))?;
        limit_pages(connection, before.min(most.cast_signed()))?;
        let copied = self.copy_tables(connection, options, way);
        limit_pages(connection, before)?;
        copied
    }

    fn copy_tables(
        &self,
        connection: &Connection,
        options: &WriteOptions,
        way: CopyMode,
    ) -> rusqlite::Result<Missing> {
        // Virtual tables have no pages of their own; their content is in tables named after them.
        let mut list = self.reader.prepare(
            "WITH modules AS (SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0) \
             SELECT name, rootpage > 0 AND NOT EXISTS (SELECT 1 FROM modules \
             WHERE lower(substr(m.name, 1, length(modules.name) + 1)) = lower(modules.name) || '_') \
             FROM sqlite_master m WHERE type = 'table' \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'WEFT\\_%' ESCAPE '\\'",
        )?;
        let names = list.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let names: Vec<(String, bool)> = names.collect::<Result<_, _>>()?;
        let all = names.len();
        let names = names.into_iter().filter(|(_, is_plain)| *is_plain);
        let mut names: Vec<String> = names.map(|(name, _)| name).collect();
        names.truncate(MAX_TABLES);
        let mut missing = Missing {
            tables: all - names.len(),
            ..Missing::default()
        };
        let progress = &options.progress;
        progress.begin("copying the tables of nsys", names.len() as u64);
        for name in names {
            let table = Table::new(self, name, options)?;
            connection.execute(&table.create(), [])?;
            let at_once = match way {
                CopyMode::AtOnce => table.copy_at_once(connection)?,
                CopyMode::RowByRow => false,
            };
            if !at_once {
                let damage = table.copy_row_by_row(connection)?;
                missing
                    .damaged
                    .extend(damage.map(|before| (table.name, before)));
            }
            progress.advance(1);
        }
        Ok(missing)
    }

    /// Returns the columns of a table except generated ones.
    fn columns(&self, table: &str) -> rusqlite::Result<Vec<Column>> {
        let mut list = self
            .reader
            .prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?;
        let rows = list.query_map([table], |row| {
            let kind: String = row.get(1)?;
            let place: i64 = row.get(2)?;
            Ok((row.get(0)?, kind, place))
        })?;
        let rows: Vec<(String, String, i64)> = rows.collect::<Result<_, _>>()?;
        let keys = rows.iter().filter(|(.., place)| *place > 0).count();
        let columns = rows.into_iter().map(|(name, kind, place)| Column {
            name,
            kind: affinity(&kind),
            key: keys == 1 && place == 1 && kind.eq_ignore_ascii_case("INTEGER"),
        });
        Ok(columns.collect())
    }
}

fn limit_pages(connection: &Connection, pages: i64) -> rusqlite::Result<()> {
    let sql = format!("PRAGMA main.max_page_count = {pages}");
    connection.query_row(&sql, [], |_| Ok(()))
}

/// A table to copy.
struct Table<'s> {
    session: &'s Session,
    name: String,
    /// The quoted name.
    quoted: String,
    columns: Vec<Column>,
    /// Whether the ids of its rows can be selected.
    has_rowid: bool,
    /// Whether its primary key is another name of the row id.
    has_key: bool,
    /// The condition for rows to copy.
    condition: &'static str,
}

impl<'s> Table<'s> {
    fn new(session: &'s Session, name: String, options: &WriteOptions) -> rusqlite::Result<Self> {
        let condition = match name.as_str() {
            _ if options.keep_environment => "",
            "META_DATA_CAPTURE" => " WHERE name NOT LIKE '%ENVIRONMENT%'",
            "TARGET_INFO_SYSTEM_ENV" => " WHERE name NOT LIKE '%Environment%'",
            _ => "",
        };
        let quoted = quoted(&name);
        let columns = session.columns(&name)?;
        let rowid = format!("SELECT rowid FROM {quoted} NOT INDEXED");
        let is_rowid = |column: &Column| column.name.eq_ignore_ascii_case("rowid");
        let has_rowid = !columns.iter().any(is_rowid) && session.reader.prepare(&rowid).is_ok();
        let mut table = Table {
            session,
            name,
            quoted,
            columns,
            has_rowid,
            has_key: false,
            condition,
        };
        table.has_key = has_rowid && table.is_key_row_id()?;
        Ok(table)
    }

    /// Returns whether the primary key is another name of the row id, as integer keys usually are.
    fn is_key_row_id(&self) -> rusqlite::Result<bool> {
        let Some(key) = self.columns.iter().find(|column| column.key) else {
            return Ok(false);
        };
        let (table, key) = (&self.quoted, quoted(&key.name));
        let most = self.session.budget.rows();
        let sql = format!(
            "SELECT count(*) FROM (SELECT rowid AS id, {key} AS key FROM {table} NOT INDEXED LIMIT {most}) \
             WHERE id IS NOT key"
        );
        match self
            .session
            .reader
            .query_row(&sql, [], |row| row.get::<_, i64>(0))
        {
            Ok(others) => Ok(others == 0),
            // The rows are read again when they are copied, up to the damage.
            Err(error) if is_damage(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the SQL that creates the empty table.
    fn create(&self) -> String {
        let columns = self.columns.iter();
        let declared = columns.map(|column| column.declared(self.has_key));
        let declared: Vec<String> = declared.collect();
        format!(
            "CREATE TABLE main.{} ({})",
            self.quoted,
            declared.join(", ")
        )
    }

    fn names(&self) -> String {
        let names = self.columns.iter().map(|column| quoted(&column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Copies the table by one statement. Returns `false` if it is damaged, or has more rows than
    /// the file has room for.
    fn copy_at_once(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let Table {
            quoted, condition, ..
        } = self;
        let columns = self.names();
        let most = self.session.budget.rows();
        let count = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {quoted} NOT INDEXED LIMIT {})",
            most + 1
        );
        let reader = &self.session.reader;
        let count = match reader.query_row(&count, [], |row| row.get::<_, i64>(0)) {
            Ok(count) if count.cast_unsigned() <= most => count,
            Ok(_) => return Ok(false),
            Err(error) if is_damage(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        let (into, from) = if !self.has_rowid {
            (format!("({columns})"), columns.clone())
        } else if condition.is_empty() && self.is_numbered_in_order(count, &columns) {
            // SQLite copies whole rows without decoding them if all rows are copied and automatic
            // numbering results in the same ids.
            (String::new(), "*".to_owned())
        } else {
            (format!("(rowid, {columns})"), format!("rowid, {columns}"))
        };
        let sql = format!(
            "INSERT INTO main.{quoted} {into} SELECT {from} FROM session.{quoted}{condition}"
        );
        connection.execute(&sql, [])?;
        Ok(true)
    }

    /// Returns whether the rows have the ids that SQLite would assign (1, 2, 3 and so on), and
    /// whether `columns` are all of the columns.
    fn is_numbered_in_order(&self, count: i64, columns: &str) -> bool {
        let (reader, quoted) = (&self.session.reader, &self.quoted);
        let sql = format!(
            "SELECT (SELECT ifnull(max(rowid), 0) FROM {quoted}) = ?1 \
             AND (SELECT ifnull(min(rowid), 1) FROM {quoted}) = 1"
        );
        let in_order = reader.query_row(&sql, [count], |row| row.get(0));
        let width = |columns: &str| {
            let select = reader.prepare(&format!("SELECT {columns} FROM {quoted}"));
            select.map(|select| select.column_count()).ok()
        };
        in_order.unwrap_or(false) && width("*") == width(columns)
    }

    /// Copies rows up to a damage. Returns the number of rows before it if there is one.
    fn copy_row_by_row(&self, connection: &Connection) -> rusqlite::Result<Option<u64>> {
        let Table {
            quoted, condition, ..
        } = self;
        let columns = self.names();
        let rowid = if self.has_rowid { "rowid, " } else { "" };
        let sql = format!("SELECT {rowid}{columns} FROM {quoted}{condition}");
        let mut select = self.session.reader.prepare(&sql)?;
        let width = select.column_count();
        let places = vec!["?"; width].join(", ");
        // Of two rows with the same id, only the first is valid.
        let mut insert = connection.prepare(&format!(
            "INSERT OR IGNORE INTO main.{quoted} ({rowid}{columns}) VALUES ({places})"
        ))?;
        let mut from = select.query([])?;
        for rows in 0..self.session.budget.rows() {
            match from.next() {
                Ok(Some(row)) => {
                    for column in 0..width {
                        let value = ToSqlOutput::Borrowed(row.get_ref(column)?);
                        insert.raw_bind_parameter(column + 1, value)?;
                    }
                    if insert.raw_execute()? == 0 {
                        return Ok(Some(rows));
                    }
                }
                Ok(None) => return Ok(None),
                Err(error) if is_damage(&error) => return Ok(Some(rows)),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(self.session.budget.rows()))
    }
}

/// Returns whether the error indicates a damaged file, such as rows that violate the table's
/// declaration.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch)
    )
}

/// A column of a table of the session.
struct Column {
    name: String,
    /// Its type: one of a few words.
    kind: &'static str,
    /// Whether it alone is the primary key, and an integer.
    key: bool,
}

impl Column {
    fn declared(&self, has_key: bool) -> String {
        let key = if self.key && has_key {
            " PRIMARY KEY"
        } else {
            ""
        };
        format!("{} {}{key}", quoted(&self.name), self.kind)
    }
}

/// Returns the affinity of a declared type (<https://www.sqlite.org/datatype3.html>, section 3.1).
fn affinity(declared: &str) -> &'static str {
    let declared = declared.to_ascii_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
    if has(&["INT"]) {
        "INTEGER"
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        "TEXT"
    } else if declared.is_empty() || has(&["BLOB"]) {
        "BLOB"
    } else if has(&["REAL", "FLOA", "DOUB"]) {
        "REAL"
    } else {
        "NUMERIC"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_affinities_match_sqlite() {
        for (declared, kind) in [
            ("INTEGER", "INTEGER"),
            ("unsigned big int", "INTEGER"),
            ("varchar(20)", "TEXT"),
            ("", "BLOB"),
            ("double precision", "REAL"),
            ("anything, CHECK (0)", "NUMERIC"),
        ] {
            assert_eq!(affinity(declared), kind, "{declared}");
        }
    }
}
