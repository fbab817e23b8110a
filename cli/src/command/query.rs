//! `weft query`: SQL over the joined trace.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use weft_model::available as available_memory;
use weft_nvtx_export::ReadOptions;
use weft_output::query::{self, Answer, AnswerLimit, Limits, Question};

use super::costs::{FormatArg, format};
use super::limits::LimitArgs;
use super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;

/// Largest query read from a file, in bytes.
const MAX_SQL: u64 = 1 << 20;

const USAGE: &str = "\
weft query [OPTIONS] <SQL> <INPUT>...
       weft query [OPTIONS] --file <FILE> <INPUT>...";

const EXAMPLES: &str = "\
Tables: those of nsys under their own names, and Weft's, named WEFT_*.
Views: weft_by_line, weft_by_task, weft_by_kernel, weft_by_range,
weft_critical_by_line, weft_task_time, weft_estimated_time, weft_busy,
weft_gaps, weft_utilisation, weft_memory_over_time,
weft_memory_fragmentation. Times are in ns.
docs/schema.md describes every column.

Queries can only read. If --row-limit or --memory-limit cuts the result, the
exit status is 3. A query that --time-limit stops prints nothing, and the exit
status is 1.

Examples:
  weft query \"SELECT * FROM weft_by_line\" weft_0.prof
  weft query .tables report.sqlite
  weft query \".schema WEFT_TASK\" weft.sqlite
  weft query \"SELECT reason, count(*) FROM WEFT_UNMATCHED GROUP BY 1\" \\
      weft.sqlite
  weft query -f costs.sql weft_*.prof
  echo \"SELECT count(*) FROM WEFT_KERNEL\" | weft query - weft.sqlite";

/// The arguments of `weft query`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(crate) struct QueryArgs {
    /// First the query, unless --file is given: SELECT statements, .tables, .schema or .schema
    /// TABLE; `-` reads it from standard input. Then the inputs, as for `weft stats`
    #[arg(required = true, value_name = "SQL> <INPUT")]
    words: Vec<OsString>,
    /// Read the query from FILE; `-` is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Output format [default: table on a terminal, otherwise csv]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Print all columns and whole texts even if the terminal is too narrow
    #[arg(long)]
    wide: bool,
    /// Maximum number of rows to print; 0: no limit
    #[arg(
        long,
        value_name = "ROWS",
        default_value_t = 1_000_000,
        allow_negative_numbers = true
    )]
    row_limit: usize,
    /// Time limit for the query in seconds; 0: no limit
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600.0,
        allow_negative_numbers = true
    )]
    time_limit: f64,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept inputs of several runs
    #[arg(long)]
    mix_runs: bool,
}

/// Reads and joins the inputs, and prints the answer.
pub(crate) fn execute(args: &QueryArgs) -> Result<Outcome, CliError> {
    let (question, inputs) = question(args)?;
    let limits = Limits {
        rows: (args.row_limit > 0).then_some(args.row_limit),
        time: time(args.time_limit)?,
        memory: args.limits.memory().or_else(available_memory),
    };
    signals::clean_up();
    if let [input] = inputs.as_slice()
        && query::is_joined(input)
    {
        let answer = query::answer_of_file(input, &question, limits)?;
        let printed = print(&answer, args, Outcome::Done)?;
        return Ok(printed.and(trace::outcome_of_database(input)?));
    }
    let bar = ProgressDisplay::new();
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        memory_limit: args.limits.memory(),
        ..ReadOptions::default()
    };
    let trace = trace::read(&inputs, &options)?;
    let answer = query::answer(&trace, &question, limits, &bar.progress())?;
    drop(bar);
    print(&answer, args, trace::outcome(&trace))
}

/// The query and its inputs.
fn question(args: &QueryArgs) -> Result<(Question, Vec<PathBuf>), CliError> {
    let (text, inputs) = match &args.file {
        Some(file) => (read(file)?, args.words.as_slice()),
        None => match args.words.split_first() {
            Some((first, inputs)) if first == "-" => (read(Path::new("-"))?, inputs),
            Some((first, _)) if Path::new(first).is_file() => {
                return Err(CliError::usage(
                    format!("{} is a file, not SQL", Path::new(first).display()),
                    "give the query first, as in `weft query \"SELECT * FROM weft_by_line\" INPUT...`, or its file with -f",
                ));
            }
            Some((first, inputs)) => (first.to_string_lossy().into_owned(), inputs),
            None => (String::new(), &[][..]),
        },
    };
    if inputs.is_empty() {
        return Err(CliError::usage(
            "no input was given",
            "name the files to query, as in `weft query \"SELECT * FROM weft_by_line\" weft_0.prof`",
        ));
    }
    let question = Question::parse(&text)?;
    if let (Question::Schema(None), [table, _, ..]) = (&question, inputs)
        && !Path::new(table).exists()
    {
        let table = Path::new(table).display();
        return Err(CliError::usage(
            format!("there is no file {table}"),
            format!(
                "to see one table, quote it with the command, as in `weft query \".schema {table}\" INPUT...`"
            ),
        ));
    }
    Ok((question, inputs.iter().map(PathBuf::from).collect()))
}

/// The content of a file; `-` is standard input.
fn read(file: &Path) -> Result<String, CliError> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(MAX_SQL).read_to_string(&mut text)
    } else {
        File::open(file).and_then(|open| open.take(MAX_SQL).read_to_string(&mut text))
    };
    match read {
        Ok(bytes) if (bytes as u64) < MAX_SQL => Ok(text),
        Ok(_) => Err(CliError::usage(
            format!(
                "the query in {} is longer than {MAX_SQL} bytes",
                file.display()
            ),
            "split it",
        )),
        Err(error) => Err(CliError::failed(
            format!("cannot read the query from {}: {error}", file.display()),
            "check the path and its permissions",
        )),
    }
}

fn time(seconds: f64) -> Result<Option<Duration>, CliError> {
    if seconds == 0.0 {
        return Ok(None);
    }
    Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| {
        CliError::usage(
            format!("--time-limit {seconds} is not a duration"),
            "give seconds, such as 60 or 0.5",
        )
    })
}

fn print(answer: &Answer, args: &QueryArgs, outcome: Outcome) -> Result<Outcome, CliError> {
    if let Some(text) = &answer.text {
        trace::print(text)?;
    }
    for (at, table) in answer.tables.iter().enumerate() {
        if at > 0 {
            trace::print("\n")?;
        }
        trace::print_table(table, format(args.format), args.wide, "--wide prints all")?;
    }
    match answer.cut {
        Some(AnswerLimit::Rows(rows)) => say(&format!(
            "weft: the result was cut after {rows} rows; raise --row-limit, or set it to 0 for all"
        )),
        Some(AnswerLimit::Memory(bytes)) => say(&format!(
            "weft: the result was cut at {bytes} bytes of memory; raise --memory-limit"
        )),
        None => return Ok(outcome),
    }
    Ok(Outcome::Partly)
}
