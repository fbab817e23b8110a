//! Errors between reading the inputs and writing the outputs.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use weft_trace::file::OpenError;

/// An error of reading, joining or writing. The message states what failed and where;
/// [`ExportError::remedy`] states what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// No input was given.
    #[error("no input was given")]
    NoInput,
    /// An input cannot be opened or read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The format of an input is unknown.
    #[error("{} is not a trace: {found}", path.display())]
    UnknownFormat {
        /// The input.
        path: PathBuf,
        /// A description of its first bytes.
        found: String,
    },
    /// A compressed input, in a format that is only read uncompressed.
    #[error("{} is {content} in {}, which Weft does not unpack", path.display(), tool.split(' ').next().unwrap_or_default())]
    Compressed {
        /// The input.
        path: PathBuf,
        /// The name of its content's format.
        content: &'static str,
        /// The command that unpacks it.
        tool: &'static str,
    },
    /// An input is a pipe, a device or `-`.
    #[error("{} is not a regular file, and inputs are read several times", path.display())]
    NoFile {
        /// The input.
        path: PathBuf,
    },
    /// A `.prof` file cannot be read at all.
    #[error("cannot read {}: {error}", path.display())]
    Prof {
        /// The input.
        path: PathBuf,
        /// The reason.
        error: OpenError,
    },
    /// A Legion Prof file cannot be read at all.
    #[error("cannot read {}: {error}", path.display())]
    LegionProf {
        /// The input.
        path: PathBuf,
        /// The reason.
        error: PreambleError,
    },
    /// A database cannot be read.
    #[error("cannot read {} ({what}): {error}", path.display())]
    Database {
        /// The input.
        path: PathBuf,
        /// The step that failed, for the message.
        what: String,
        /// SQLite's error.
        error: rusqlite::Error,
    },
    /// An input needs more memory than the limit.
    #[error("{} needs more than the memory limit of {limit} bytes", path.display())]
    Memory {
        /// The input.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A database whose writer did not finish it.
    #[error("cannot read {}, which its writer did not close: {why}", path.display())]
    Unfinished {
        /// The input.
        path: PathBuf,
        /// The reason why it cannot be recovered.
        why: String,
        /// The remedy, as a clause.
        remedy: String,
    },
    /// A report cannot be converted.
    #[error("cannot convert {}: {why}", path.display())]
    Report {
        /// The input.
        path: PathBuf,
        /// The error of `nsys`, or that `nsys` is missing.
        why: String,
        /// The remedy, as a clause.
        remedy: String,
    },
    /// The inputs are of several runs.
    #[error("{} belongs to {found}, but {} to {expected}",
        path.display(), first.display())]
    MixedRuns {
        /// An input of another run.
        path: PathBuf,
        /// The run of `path`.
        found: String,
        /// The first input with a run id.
        first: PathBuf,
        /// The run of `first`.
        expected: String,
    },
    /// Two inputs are the same file, or two files of one rank of a run.
    #[error("{} and {} are both rank {rank} of {run}",
        first.display(), path.display())]
    RankTwice {
        /// The first of the two.
        first: PathBuf,
        /// The second.
        path: PathBuf,
        /// The rank of both.
        rank: u16,
        /// The run of both.
        run: String,
    },
    /// Two inputs are not related to each other.
    #[error(
        "{} does not belong to {}: {why}", path.display(), first.display()
    )]
    Unrelated {
        /// An input of another run.
        path: PathBuf,
        /// The first input.
        first: PathBuf,
        /// The evidence that they are unrelated.
        why: String,
    },
    /// A joined database was given together with other inputs.
    #[error("{} is joined already and cannot be joined with other inputs",
        path.display())]
    JoinedBesideOthers {
        /// The joined database.
        path: PathBuf,
    },
    /// A joined database of a later version of Weft.
    #[error(
        "{} was written by a later Weft: its tables have version {found}, and this Weft reads up to {known}",
        path.display()
    )]
    NewerSchema {
        /// The joined database.
        path: PathBuf,
        /// The version of its tables.
        found: String,
        /// The version that this program writes.
        known: &'static str,
    },
    /// The inputs hold nothing that a Legion Prof file could hold.
    #[error("no input was recorded by a rank, which Legion Prof files need")]
    NoRanks,
    /// The inputs are Legion Prof files, but not different ranks of one run.
    #[error("the {files} files are not different ranks of one run, as Legion Prof requires")]
    LegionRuns {
        /// The number of files.
        files: usize,
    },
    /// One output file was given for several ranks.
    #[error("{} cannot hold {ranks} ranks, because Legion Prof needs one file per rank",
        path.display())]
    FileForEachRank {
        /// The output.
        path: PathBuf,
        /// The number of ranks.
        ranks: usize,
    },
    /// The output exists.
    #[error("{} exists", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output exists and may not be written.
    #[error("cannot write {}: the file is write-protected", path.display())]
    Protected {
        /// The output.
        path: PathBuf,
    },
    /// The output is one of the inputs.
    #[error("{} is the input {}", path.display(), input.display())]
    IsInput {
        /// The output.
        path: PathBuf,
        /// The input, which may have another name.
        input: PathBuf,
    },
    /// The output cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// SQLite could not write the output.
    #[error("cannot write {} ({what}): {error}", path.display())]
    WriteDatabase {
        /// The output.
        path: PathBuf,
        /// The step that failed, for the message.
        what: String,
        /// SQLite's error.
        error: rusqlite::Error,
    },
    /// The NVTXW backend that was named cannot be used.
    #[error("cannot use the NVTXW backend {why}")]
    Backend {
        /// Each candidate, with the reason why it cannot be used.
        why: String,
    },
    /// A call of the NVTXW backend failed.
    #[error("the NVTXW backend {} failed in {call} with code {code} ({name})",
        path.display())]
    BackendCall {
        /// The library.
        path: PathBuf,
        /// The function.
        call: String,
        /// The returned code.
        code: i32,
        /// The name of the code.
        name: String,
    },
    /// The program that converts streams into reports was not found.
    #[error("cannot create a report of {}: QdstrmImporter was not found", stream.display())]
    NoImporter {
        /// The stream.
        stream: PathBuf,
    },
    /// An importer of Nsight Systems failed.
    #[error("{} made no report: {why}", importer.display())]
    Import {
        /// The program.
        importer: PathBuf,
        /// The output of the program.
        why: String,
    },
    /// A writer of reports returned success but wrote no report.
    #[error("{} reported success but wrote no report", writer.display())]
    NoReport {
        /// The library or program.
        writer: PathBuf,
    },
    /// Neither a backend nor a program that writes reports was found.
    #[error(
        "cannot write an .nsys-rep: neither an NVTXW backend (libNvtxwBackend.so) nor ImportNvtxt was found"
    )]
    NoReportWriter,
    /// The report would have no events.
    #[error(
        "nothing to write: the inputs have no task, kernel, copy or instance during the report's session ({left_out} are earlier)"
    )]
    NothingToReport {
        /// The number of events before the session.
        left_out: usize,
    },
    /// The report to merge with cannot be used.
    #[error("cannot merge with {}: {why}", path.display())]
    Merge {
        /// The report.
        path: PathBuf,
        /// The reason.
        why: String,
        /// The remedy, as a clause.
        remedy: String,
    },
    /// The user's query is invalid.
    #[error("the query failed: {}", query_error(error))]
    Query {
        /// SQLite's error.
        error: rusqlite::Error,
    },
    /// The user's query makes a value that is too large.
    #[error("the query makes a text or blob of more than {limit} bytes")]
    QueryValue {
        /// The largest size of a value, in bytes.
        limit: u64,
    },
    /// The user's query does more than read.
    #[error("the query does more than read, which `weft query` does not allow")]
    QueryWrites,
    /// The user's query exceeds the time limit.
    #[error("the query was stopped after {seconds} s")]
    QueryTime {
        /// The limit, in seconds.
        seconds: f64,
    },
    /// The thread that answers a query could not be started.
    #[error("the thread of the query: {0}")]
    QueryThread(String),
    /// No query was given.
    #[error("there is no query")]
    NoQuestion,
    /// The query begins with a dot but is not a known command.
    #[error("`{command}` is not a command of `weft query`")]
    UnknownCommand {
        /// The text of the query.
        command: String,
    },
    /// The requested table does not exist.
    #[error("there is no table {name}")]
    NoTable {
        /// The name of the table.
        name: String,
    },
}

/// Returns whether `path` is a pattern that the shell left as it is because it matched no file.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?']) && !path.exists()
}

impl ExportError {
    /// Returns what to do: a clause that follows the error's message and a semicolon.
    pub fn remedy(&self) -> Cow<'static, str> {
        if self.is_lack_of_memory() {
            return "raise the memory limit (`ulimit -v`, or the container's), or give fewer inputs".into();
        }
        Cow::Borrowed(match self {
            ExportError::NoInput => {
                "name at least one weft_*.prof, legate_*.prof, nsys .sqlite export or .nsys-rep"
            }
            ExportError::Read { path, .. } if path.is_dir() => {
                return Cow::Owned(format!(
                    "give the files in it, such as {}",
                    path.join("weft_0.prof").display()
                ));
            }
            ExportError::Read { path, .. } if is_pattern(path) => {
                "no file has a name of this pattern, which the shell left as it is; check the folder"
            }
            ExportError::Read { .. } => "check the path and its permissions",
            ExportError::UnknownFormat { .. } => {
                "give a weft_*.prof, a legate_*.prof, an nsys .sqlite export or an .nsys-rep"
            }
            ExportError::Compressed { path, tool, .. } => {
                return Cow::Owned(format!("unpack it with `{tool} {}`", path.display()));
            }
            ExportError::NoFile { .. } => {
                "write the trace to a file, as in `cat > trace`, and give that"
            }
            ExportError::Prof { .. } => "record the run again",
            ExportError::LegionProf { .. } => {
                "record the run again, or give the file as Legion wrote it"
            }
            ExportError::Database { .. } => {
                "copy it again, or make it again with `weft export sqlite` or `nsys export --type sqlite`"
            }
            ExportError::MixedRuns { .. } => "give the files of one run, or use --mix-runs",
            ExportError::Unrelated { .. } => {
                "give the inputs of one run, or use --mix-runs to read several runs together"
            }
            ExportError::RankTwice { .. } => "give each rank once",
            ExportError::JoinedBesideOthers { .. } => {
                "give it alone, or give the inputs it was made from"
            }
            ExportError::NoRanks => "give the weft_*.prof files of the run",
            ExportError::LegionRuns { .. } | ExportError::NothingToReport { .. } => {
                "give the files of one run"
            }
            ExportError::FileForEachRank { .. } => {
                "put a % for the rank into the name, such as legion_%.prof"
            }
            ExportError::Exists { .. } => {
                "use --force to replace it, or choose another name with -o"
            }
            ExportError::Protected { .. } => "make it writable, or choose another name with -o",
            ExportError::IsInput { .. } => "choose another name with -o",
            ExportError::Write { .. } | ExportError::WriteDatabase { .. } => {
                "check the folder, its permissions and the free space"
            }
            ExportError::Backend { .. } => {
                "name the libNvtxwBackend.so of an Nsight Systems, or omit --nvtxw-backend"
            }
            ExportError::BackendCall { .. } => {
                "check that the output's disk has free space, or name another backend with --nvtxw-backend"
            }
            ExportError::NoImporter { stream } => {
                return Cow::Owned(format!(
                    "run `QdstrmImporter -i {}` where the host part of Nsight Systems is installed",
                    stream.display()
                ));
            }
            ExportError::Import { .. } => {
                "use an Nsight Systems at least as new as the one that recorded the report"
            }
            ExportError::NoReport { .. } => "name another backend with --nvtxw-backend",
            ExportError::NoReportWriter => {
                "install Nsight Systems with its host part (https://developer.nvidia.com/nsight-systems), \
                 or name a backend with --nvtxw-backend"
            }
            ExportError::Query { .. } => "`weft query .tables INPUT` lists the tables",
            ExportError::Memory { .. } => "raise --memory-limit, or give fewer inputs",
            ExportError::NewerSchema { .. } => {
                "export it again from its inputs, or use that later Weft"
            }
            ExportError::QueryWrites => {
                "write a copy with `weft export sqlite` and change the copy with sqlite3"
            }
            ExportError::QueryTime { .. } => "raise --time-limit, or select less",
            ExportError::QueryThread(_) => {
                "raise the limit of threads or memory of this process (ulimit -u, ulimit -v)"
            }
            ExportError::QueryValue { .. } => {
                "raise --memory-limit (up to 1,000,000,000 bytes for a value), or select less"
            }
            ExportError::NoQuestion => {
                "give SQL such as \"SELECT * FROM weft_by_line\", .tables or .schema"
            }
            ExportError::UnknownCommand { .. } => {
                "give SQL, .tables or .schema, or \".schema TABLE\" within quotation marks"
            }
            ExportError::NoTable { .. } => "`weft query .tables INPUT` lists them",
            ExportError::Report { remedy, .. }
            | ExportError::Merge { remedy, .. }
            | ExportError::Unfinished { remedy, .. } => {
                return Cow::Owned(remedy.clone());
            }
        })
    }

    /// Returns the error for a file to merge with that is not a report.
    pub fn not_a_report(path: &Path) -> Self {
        ExportError::Merge {
            path: path.to_owned(),
            why: "it is not an .nsys-rep".to_owned(),
            remedy: "give a report that `nsys profile` wrote".to_owned(),
        }
    }

    fn is_lack_of_memory(&self) -> bool {
        match self {
            ExportError::Read { error, .. }
            | ExportError::Write { error, .. }
            | ExportError::Prof {
                error: OpenError::Read { source: error, .. },
                ..
            } => error.kind() == io::ErrorKind::OutOfMemory,
            ExportError::Database { error, .. }
            | ExportError::WriteDatabase { error, .. }
            | ExportError::Query { error } => {
                error.sqlite_error_code() == Some(rusqlite::ErrorCode::OutOfMemory)
            }
            _ => false,
        }
    }

    /// Returns whether the invocation was wrong, as opposed to a failure of the work.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            ExportError::NoInput
                | ExportError::Exists { .. }
                | ExportError::IsInput { .. }
                | ExportError::Merge { .. }
                | ExportError::JoinedBesideOthers { .. }
                | ExportError::MixedRuns { .. }
                | ExportError::Unrelated { .. }
                | ExportError::RankTwice { .. }
                | ExportError::NoRanks
                | ExportError::LegionRuns { .. }
                | ExportError::FileForEachRank { .. }
                | ExportError::QueryWrites
                | ExportError::NoQuestion
                | ExportError::UnknownCommand { .. }
                | ExportError::NoFile { .. }
        )
    }

    /// Returns the error and its remedy as one sentence.
    pub fn sentence(&self) -> String {
        format!("{self}; {}", self.remedy())
    }
}

/// Returns SQLite's message for a query, with the line that it points to instead of the whole
/// query.
fn query_error(error: &rusqlite::Error) -> String {
    let rusqlite::Error::SqlInputError {
        msg, sql, offset, ..
    } = error
    else {
        return error.to_string();
    };
    let at = usize::try_from(*offset).unwrap_or(0);
    let (before, after) = sql.split_at_checked(at).unwrap_or(("", sql));
    let number = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = sql.get(start..).unwrap_or(sql).lines().next();
    // A long line is cut: only the part from the error on is shown.
    let near = line.filter(|line| line.chars().count() <= LONGEST_LINE);
    let near: String = (near.or(after.lines().next()).unwrap_or_default().trim())
        .chars()
        .take(LONGEST_LINE)
        .collect();
    format!("{msg}, in line {number}: {near}")
}

/// The longest line of a query that an error shows, in characters.
const LONGEST_LINE: usize = 100;

/// The error of a preamble that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of its preamble {what}")]
pub struct PreambleError {
    /// The line, from 1.
    pub line: usize,
    /// The problem, as the rest of a sentence.
    pub what: String,
}
