//! What can go wrong between inputs and outputs.

use std::io;
use std::path::PathBuf;

/// An error of reading, joining or writing: what, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is nothing to read.
    #[error(
        "no input was given; name at least one weft_*.prof, legate_*.prof, nsys .sqlite export or .nsys-rep"
    )]
    NoInput,
    /// An input cannot be opened or read.
    #[error("cannot read {}: {error}; check the path and its permissions", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// An input is of no known format.
    #[error("{} is no trace: {found}; give a weft_*.prof, a legate_*.prof, an nsys .sqlite export or an .nsys-rep", path.display())]
    UnknownFormat {
        /// The input.
        path: PathBuf,
        /// What its first bytes look like.
        found: String,
    },
    /// A `.prof` file cannot be read at all.
    #[error("cannot read {}: {error}; record the run again", path.display())]
    Prof {
        /// The input.
        path: PathBuf,
        /// What is wrong with it.
        error: weft_trace::file::OpenError,
    },
    /// A Legion Prof file cannot be read at all.
    #[error("cannot read {}: {error}; record the run again, or give the file as Legion wrote it", path.display())]
    LegionProf {
        /// The input.
        path: PathBuf,
        /// What is wrong with it.
        error: crate::input::legion::PreambleError,
    },
    /// A database cannot be read.
    #[error("cannot read {} ({what}): {error}; export it again with `nsys export --type sqlite`", path.display())]
    Database {
        /// The input.
        path: PathBuf,
        /// What was being read.
        what: String,
        /// What SQLite said.
        error: rusqlite::Error,
    },
    /// An input takes more memory than it may.
    #[error(
        "{} takes more than {limit} bytes of memory, which is the limit; \
         give more with --memory-limit where the machine has it, or fewer inputs",
        path.display()
    )]
    Memory {
        /// The input.
        path: PathBuf,
        /// The most that it may take.
        limit: u64,
    },
    /// Whoever wrote a database did not finish it.
    #[error("cannot read {}, which was not closed by whoever wrote it: {why}; {remedy}", path.display())]
    Unfinished {
        /// The input.
        path: PathBuf,
        /// What keeps it from being recovered.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// A report cannot be converted.
    #[error("cannot convert {}: {why}; {remedy}", path.display())]
    Report {
        /// The input.
        path: PathBuf,
        /// What `nsys` said, or that it is missing.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// Inputs of several runs.
    #[error(
        "{} is of run {found}, but {} is of run {expected}; \
         give the files of one run, or --mix-runs",
        path.display(), first.display()
    )]
    MixedRuns {
        /// An input of another run.
        path: PathBuf,
        /// Its run.
        found: String,
        /// The first input with a run id.
        first: PathBuf,
        /// Its run.
        expected: String,
    },
    /// The same file twice, or two files of one rank of one run.
    #[error(
        "{} and {} are both rank {rank} of run {run}; give each rank once",
        first.display(), path.display()
    )]
    RankTwice {
        /// The first of the two.
        first: PathBuf,
        /// The second.
        path: PathBuf,
        /// Their rank.
        rank: u16,
        /// Their run.
        run: String,
    },
    /// Inputs that nothing ties together.
    #[error(
        "{} does not belong to {}: {why}; \
         give the inputs of one run, or --mix-runs to lay several side by side",
        path.display(), first.display()
    )]
    Unrelated {
        /// An input of another run.
        path: PathBuf,
        /// The first input.
        first: PathBuf,
        /// What tells.
        why: String,
    },
    /// A joined database beside other inputs.
    #[error(
        "{} is joined already and cannot be joined with other inputs; \
         give it alone, or the inputs that it was made of",
        path.display()
    )]
    JoinedBesideOthers {
        /// The joined database.
        path: PathBuf,
    },
    /// A joined database of a later Weft.
    #[error(
        "{} was written by a later Weft: its tables are of version {found}, and this one reads up to {known}; \
         export it again from its inputs, or use the later Weft",
        path.display()
    )]
    NewerSchema {
        /// The joined database.
        path: PathBuf,
        /// The version of its tables.
        found: String,
        /// The version that is written now.
        known: &'static str,
    },
    /// Nothing to write that Legion Prof could hold.
    #[error(
        "no input was recorded by a rank, and Legion Prof files are of ranks; give the weft_*.prof files of the run"
    )]
    NoRanks,
    /// Legion Prof files are of one run.
    #[error(
        "the {files} files are not each another rank of one run, as Legion Prof needs them; give the files of one run"
    )]
    LegionRuns {
        /// How many files there are.
        files: usize,
    },
    /// One name for the files of several ranks.
    #[error(
        "{} cannot hold {ranks} ranks, for Legion Prof has a file for each; \
         give a name with % for the rank, such as legion_%.prof",
        path.display()
    )]
    FileForEachRank {
        /// The output.
        path: PathBuf,
        /// How many ranks there are.
        ranks: usize,
    },
    /// The output exists.
    #[error("{} exists; give --force to replace it, or another name with -o", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output cannot be written.
    #[error("cannot write {}: {error}; check the folder, its permissions and the free space", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// SQLite refuses to write the output.
    #[error("cannot write {} ({what}): {error}; check the folder, its permissions and the free space", path.display())]
    WriteDatabase {
        /// The output.
        path: PathBuf,
        /// What was being written.
        what: String,
        /// What SQLite said.
        error: rusqlite::Error,
    },
    /// The NVTXW backend that was named cannot be used.
    #[error(
        "cannot use the NVTXW backend {why}; name one that comes with Nsight Systems (libNvtxwBackend.so), or none"
    )]
    Backend {
        /// Each candidate, and why not.
        why: String,
    },
    /// A call of the NVTXW backend failed.
    #[error(
        "the NVTXW backend {} failed in {call} with code {code} ({name}); \
         check the free space beside the output, or name another backend with --nvtxw-backend",
        path.display()
    )]
    BackendCall {
        /// The library.
        path: PathBuf,
        /// The function.
        call: String,
        /// What it returned.
        code: i32,
        /// The name of that.
        name: String,
    },
    /// Nothing on this machine makes reports of streams.
    #[error(
        "there is no QdstrmImporter here to make a report of {}; run `QdstrmImporter -i {}` where the host part of \
         Nsight Systems is installed", stream.display(), stream.display()
    )]
    NoImporter {
        /// The stream.
        stream: PathBuf,
    },
    /// An importer of Nsight Systems failed.
    #[error(
        "{} made no report: {why}; use the one of an Nsight Systems at least as new as the report's", importer.display()
    )]
    Import {
        /// The program.
        importer: PathBuf,
        /// What it said.
        why: String,
    },
    /// What writes reports said that it had, and had not.
    #[error(
        "{} wrote no report, though it said so; name another backend with --nvtxw-backend", writer.display()
    )]
    NoReport {
        /// The library or program.
        writer: PathBuf,
    },
    /// Nothing on this machine can write reports.
    #[error(
        "nothing here can write an .nsys-rep: there is no NVTXW backend (libNvtxwBackend.so) and no ImportNvtxt; \
         install Nsight Systems with its host part (https://developer.nvidia.com/nsight-systems), \
         or name a backend with --nvtxw-backend"
    )]
    NoReportWriter,
    /// A report would have no events.
    #[error(
        "there is nothing to write: no task, kernel, copy or instance of the inputs belongs in the report \
         ({left_out} lie before its session began); give the files of one run"
    )]
    NothingToReport {
        /// Events before the session.
        left_out: usize,
    },
    /// A report cannot be merged with.
    #[error("cannot merge with {}: {why}; {remedy}", path.display())]
    Merge {
        /// The report.
        path: PathBuf,
        /// Why not.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// A query of the user is wrong.
    #[error("the query failed: {error}; `weft query .tables INPUT` lists the tables")]
    Query {
        /// What SQLite said.
        error: rusqlite::Error,
    },
    /// A query of the user does more than read.
    #[error(
        "the query does more than read, which is all that `weft query` does; \
         write a copy with `weft export sqlite` and change that with sqlite3"
    )]
    QueryWrites,
    /// A query of the user takes too long.
    #[error(
        "the query was stopped after {seconds} s; give more time with --time-limit, or ask for less"
    )]
    QueryTime {
        /// The time that it had.
        seconds: f64,
    },
    /// There is no query.
    #[error(
        "there is no query; give SQL such as \"SELECT * FROM weft_by_line\", .tables or .schema"
    )]
    NoQuestion,
    /// A query that begins with a dot, and is none of the known ones.
    #[error("`{command}` is no command of `weft query`; give SQL, .tables or .schema [TABLE]")]
    UnknownCommand {
        /// What was given.
        command: String,
    },
    /// The table that is asked for is not there.
    #[error("there is no table {name}; `weft query .tables INPUT` lists them")]
    NoTable {
        /// Its name.
        name: String,
    },
}
