//! Read-only SQL over a joined trace.

use super::sqlite::{self, WriteOptions};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, ErrorCode, Statement};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use weft_database::{Database, forbid_writing, harden, is_joined as is_joined_database, quoted};
use weft_model::table::{Cell, Column, Table, Unit};
use weft_model::{ExportError, Progress, Trace};

/// A question to a joined trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Statements of SQL.
    Sql(String),
    /// The names of all tables and views.
    Tables,
    /// The SQL of all tables and views, or of one.
    Schema(Option<String>),
}

impl Question {
    /// Parses SQL, or `.tables` or `.schema [TABLE]`.
    ///
    /// # Errors
    /// Returns an error if the text is empty, or another word follows the dot.
    pub fn parse(text: &str) -> Result<Self, ExportError> {
        let text = text.trim();
        let Some(command) = text.strip_prefix('.') else {
            return match text {
                "" => Err(ExportError::NoQuestion),
                sql => Ok(Question::Sql(sql.to_owned())),
            };
        };
        let words: Vec<&str> = command.trim_end_matches(';').split_whitespace().collect();
        match words.as_slice() {
            ["tables"] => Ok(Question::Tables),
            ["schema"] => Ok(Question::Schema(None)),
            ["schema", table] => Ok(Question::Schema(Some(table.trim_matches('"').to_owned()))),
            _ => Err(ExportError::UnknownCommand {
                command: text.to_owned(),
            }),
        }
    }
}

/// Limits of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of rows of a result.
    pub rows: Option<usize>,
    /// The maximum time for all statements.
    pub time: Option<Duration>,
    /// The maximum size of all results, in bytes.
    pub memory: Option<u64>,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// A table for each statement that has columns.
    pub tables: Vec<Table>,
    /// The SQL for [`Question::Schema`].
    pub text: Option<String>,
    /// The reason why rows are missing, if any are.
    pub cut: Option<AnswerLimit>,
}

/// The limit that an answer reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerLimit {
    /// [`Limits::rows`].
    Rows(usize),
    /// [`Limits::memory`].
    Memory(u64),
}

/// Returns the rows of one statement, without limits.
///
/// # Errors
/// Returns an error if the trace cannot be loaded into memory, or the statement is wrong or does
/// more than read.
pub fn select(trace: &Trace, sql: &str, progress: &Progress) -> Result<Table, ExportError> {
    let question = Question::Sql(sql.to_owned());
    let answer = answer(trace, &question, Limits::default(), progress)?;
    answer
        .tables
        .into_iter()
        .next()
        .ok_or(ExportError::NoQuestion)
}

/// Loads the joined trace into memory and answers a question about it.
///
/// # Errors
/// Returns an error if the trace cannot be loaded, or the question is wrong, does more than read or
/// takes too long.
pub fn answer(
    trace: &Trace,
    question: &Question,
    limits: Limits,
    progress: &Progress,
) -> Result<Answer, ExportError> {
    let query = |error| ExportError::Query { error };
    let connection = Connection::open_in_memory().map_err(query)?;
    let name = Path::new("the database in memory");
    let options = WriteOptions {
        progress: progress.clone(),
        ..WriteOptions::default()
    };
    if let Some(bytes) = limits.memory {
        // The default size of SQLite's pages is 4 KiB.
        let pages = (bytes / 4096).min(u64::from(u32::MAX) - 1);
        let sql = format!("PRAGMA max_page_count = {pages}");
        connection.query_row(&sql, [], |_| Ok(())).map_err(query)?;
    }
    let loaded = sqlite::load(trace, &connection, name, &options);
    loaded.map_err(|error| match (error, limits.memory) {
        (ExportError::WriteDatabase { error, .. }, Some(limit))
            if has_code(&error, ErrorCode::DiskFull) =>
        {
            ExportError::Memory {
                path: name.to_owned(),
                limit,
            }
        }
        (error, _) => error,
    })?;
    progress.begin("asking", 0);
    question_to(connection, question, limits)
}

/// Returns whether this file is a database that [`sqlite::write()`] wrote.
pub fn is_joined(path: &Path) -> bool {
    // Other kinds of files may block until they are written, or can be read only once.
    path.is_file() && Database::open(path).is_ok_and(|database| is_joined_database(&database))
}

/// The maximum size of a text or blob in SQLite, in bytes.
const LONGEST_VALUE: u64 = 1_000_000_000;

/// Answers a question about a database that [`sqlite::write()`] wrote. No file is changed.
///
/// # Errors
/// Returns an error if the database cannot be opened, or the question is wrong, does more than read
/// or takes too long.
pub fn answer_of_file(
    path: &Path,
    question: &Question,
    limits: Limits,
) -> Result<Answer, ExportError> {
    // If a copy is read, it is deleted with this value.
    let database = Database::open(path)?;
    let connection = database.opened().connect();
    let connection = connection.map_err(|error| ExportError::Query { error })?;
    question_to(connection, question, limits)
}

fn question_to(
    mut connection: Connection,
    question: &Question,
    limits: Limits,
) -> Result<Answer, ExportError> {
    let query = |error| ExportError::Query { error };
    harden(&connection).map_err(query)?;
    forbid_writing(&mut connection, false).map_err(query)?;
    let longest = limits.memory.unwrap_or(LONGEST_VALUE).min(LONGEST_VALUE);
    let length = i32::try_from(longest).unwrap_or(i32::MAX);
    (connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, length)).map_err(query)?;
    let question = question.clone();
    let ask = move |connection: Connection| match question {
        Question::Sql(sql) => statements(&connection, &sql, limits),
        Question::Tables => {
            let sql = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') \
                       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
            statements(&connection, sql, limits)
        }
        Question::Schema(table) => schema(&connection, table.as_deref()),
    };
    let (answer, is_late) = match limits.time {
        Some(time) => within(time, connection, ask),
        None => (ask(connection), false),
    };
    answer.map_err(|error| match (error, limits.time) {
        (ExportError::Query { error }, Some(time))
            if is_late && has_code(&error, ErrorCode::OperationInterrupted) =>
        {
            ExportError::QueryTime {
                seconds: time.as_secs_f64(),
            }
        }
        (ExportError::Query { error }, _)
            if has_code(&error, ErrorCode::AuthorizationForStatementDenied) =>
        {
            ExportError::QueryWrites
        }
        (ExportError::Query { error }, _) if has_code(&error, ErrorCode::TooBig) => {
            ExportError::QueryValue { limit: longest }
        }
        (error, _) => error,
    })
}

fn has_code(error: &rusqlite::Error, code: ErrorCode) -> bool {
    match error {
        rusqlite::Error::SqlInputError { error, .. } => error.code == code,
        error => error.sqlite_error_code() == Some(code),
    }
}

/// Runs each statement. All of them may only read.
fn statements(connection: &Connection, sql: &str, limits: Limits) -> Result<Answer, ExportError> {
    let query = |error| ExportError::Query { error };
    let mut answer = Answer::default();
    let mut room = limits.memory.unwrap_or(u64::MAX);
    let mut batch = Batch::new(connection, sql);
    while let Some(mut statement) = batch.next().map_err(query)? {
        if !statement.readonly() {
            return Err(ExportError::QueryWrites);
        }
        let (table, cut) = run(&mut statement, limits, &mut room).map_err(query)?;
        if statement.column_count() > 0 {
            answer.tables.push(table);
        }
        if cut.is_some() {
            answer.cut = cut;
            break;
        }
    }
    Ok(answer)
}

/// Returns the rows of a statement within the limits. `room` is the remaining size for them, in
/// bytes.
fn run(
    statement: &mut Statement<'_>,
    limits: Limits,
    room: &mut u64,
) -> rusqlite::Result<(Table, Option<AnswerLimit>)> {
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let columns: Vec<Column<'_>> = names
        .iter()
        .map(|name| Column {
            name,
            unit: Unit::None,
        })
        .collect();
    let width = columns.len();
    let mut table = Table::new(&columns).leaving_out_last();
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        if let Some(most) = limits.rows.filter(|most| count == *most) {
            return Ok((table, Some(AnswerLimit::Rows(most))));
        }
        let values: Vec<ValueRef<'_>> = (0..width)
            .map(|column| row.get_ref(column))
            .collect::<Result<_, _>>()?;
        let bytes = values.iter().map(size).sum::<usize>() as u64;
        match room.checked_sub(bytes) {
            Some(left) => *room = left,
            None => return Ok((table, limits.memory.map(AnswerLimit::Memory))),
        }
        table.push(values.into_iter().map(cell).collect());
        count += 1;
    }
    Ok((table, None))
}

/// Returns the size in bytes of the cell of a value, before it is made.
fn size(value: &ValueRef<'_>) -> usize {
    size_of::<Cell>()
        + match value {
            ValueRef::Text(text) => text.len(),
            ValueRef::Blob(bytes) => 2 * bytes.len(),
            _ => 0,
        }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            Cell::Text(
                digits
                    .map(|digit| char::from(DIGITS[usize::from(digit)]))
                    .collect(),
            )
        }
    }
}

/// Returns the SQL of tables and views, as stored by SQLite.
fn schema(connection: &Connection, table: Option<&str>) -> Result<Answer, ExportError> {
    let query = |error| ExportError::Query { error };
    let sql = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL \
               AND (?1 IS NULL OR tbl_name = ?1 COLLATE NOCASE) ORDER BY tbl_name, type DESC, name";
    let mut select = connection.prepare(sql).map_err(query)?;
    let rows = select.query_map([table], |row| row.get::<_, String>(0));
    let rows: Vec<String> = rows.and_then(|rows| rows.collect()).map_err(query)?;
    match table {
        Some(table) if rows.is_empty() => Err(ExportError::NoTable {
            name: quoted(table),
        }),
        _ => Ok(Answer {
            text: Some(rows.iter().map(|sql| format!("{sql};\n")).collect()),
            ..Answer::default()
        }),
    }
}

/// The time that an interrupted query has to end.
const GRACE: Duration = Duration::from_millis(200);

/// Runs `ask` on another thread, and interrupts the query after `time`. Returns the answer, and
/// whether the query was late.
///
/// SQLite stops between two steps of a query. A single call of a function may take far longer than
/// the limit. Its thread is then left behind, and ends with the call or the process.
fn within(
    time: Duration,
    connection: Connection,
    ask: impl FnOnce(Connection) -> Result<Answer, ExportError> + Send + 'static,
) -> (Result<Answer, ExportError>, bool) {
    let handle = connection.get_interrupt_handle();
    let (send, answers) = mpsc::sync_channel(1);
    let run = move || {
        // The receiver is gone if the answer comes too late.
        let _ = send.send(ask(connection));
    };
    let thread = std::thread::Builder::new().name("weft-query".to_owned());
    if let Err(error) = thread.spawn(run) {
        return (Err(ExportError::QueryThread(error.to_string())), false);
    }
    let too_late = || ExportError::QueryTime {
        seconds: time.as_secs_f64(),
    };
    match answers.recv_timeout(time) {
        Ok(answer) => (answer, false),
        Err(RecvTimeoutError::Disconnected) => {
            let why = "it panicked; please report this".to_owned();
            (Err(ExportError::QueryThread(why)), false)
        }
        Err(RecvTimeoutError::Timeout) => {
            handle.interrupt();
            let answer = answers.recv_timeout(GRACE);
            (answer.unwrap_or_else(|_| Err(too_late())), true)
        }
    }
}
