//! `weft view`: the trace in the browser.

mod browser;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use weft_files::{Scratch, WholeFile, WriteError, is_same};
use weft_nvtx_export::output::{printable::printable, query, sqlite};
use weft_nvtx_export::timeline::{Opened, TimelineError, Trace};
use weft_nvtx_export::{ReadOptions, memory};
use weft_view::{Options, SourceRoot, State, ViewError};

use super::joined;
use super::limits::LimitArgs;
use crate::error::{CliError, Outcome};
use crate::progress::Shown;
use crate::say::say;
use crate::signals;

const EXAMPLES: &str = "\
The page is served on 127.0.0.1 only, to whoever knows the token in its
address. Ctrl-C ends it.

Of a database, what is drawn is kept beside it in DATABASE.timeline, so that it
opens at once the next time. Of other inputs it is kept in a temporary folder.

Source text comes from the profile, or from files below --source-root.

Examples:
  weft view weft_0.prof
  weft view weft_*.prof                        all ranks of a run
  weft view weft.sqlite
  weft view legate_0.prof report.nsys-rep
  weft view --source-root . legate_0.prof
  weft view --html run.html weft_0.prof        one file, to be sent to others
  weft view --no-open --port 8123 weft.sqlite  on another machine; then forward
                                               the port and open the address";

/// The arguments of `weft view`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ViewArgs {
    /// Profiles of Weft or Legate, databases and reports of Nsight Systems, of one run; or one database of `weft export sqlite`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Port on this machine; 0: any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,
    /// Write the page with the trace in it to OUT, at most 25 MB, instead of serving it; it opens without a server
    #[arg(long, value_name = "OUT", conflicts_with_all = ["port", "no_open"])]
    html: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(long, requires = "html")]
    force: bool,
    /// Also show source text from files below DIR
    #[arg(long, value_name = "DIR")]
    source_root: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept inputs of several runs
    #[arg(long)]
    mix_runs: bool,
}

/// Joins the inputs, serves the page and waits for Ctrl-C.
pub(crate) fn execute(args: &ViewArgs) -> Result<Outcome, CliError> {
    signals::clean_up();
    let source_root = args.source_root.as_deref().map(source_root).transpose()?;
    let bar = Shown::new();
    let database = database(args, &bar)?;
    let trace = Trace::open(&database.path, &bar.progress()).map_err(of_timeline)?;
    drop(bar);
    if trace.opened == Opened::Temporary && database.folder.is_none() {
        say(&format!(
            "weft: {}.timeline cannot be written, so that what is drawn is built again the next time",
            printable(&database.path.display().to_string())
        ));
    }
    let options = Options {
        title: title(&args.inputs),
        source_root,
    };
    let state = Arc::new(State::new(trace, options)?);
    if let Some(out) = &args.html {
        write(&state, out, args)?;
        return Ok(database.outcome);
    }
    let server = weft_view::serve(Arc::clone(&state), args.port)?;
    tell(&state, args.no_open);
    server.wait();
    Ok(database.outcome)
}

/// Writes the page with the trace in it.
fn write(state: &State, out: &Path, args: &ViewArgs) -> Result<(), CliError> {
    let shown = out.display();
    if args.inputs.iter().any(|input| is_same(input, out)) {
        return Err(CliError::usage(
            format!("{shown} is one of the inputs"),
            "name another output",
        ));
    }
    let failed = |error: WriteError| match error {
        WriteError::Exists => CliError::failed(
            format!("{shown} exists"),
            "name another output, or replace it with --force",
        ),
        error => CliError::failed(
            format!("cannot write {shown}: {error}"),
            "check the path and its permissions",
        ),
    };
    let mut file = WholeFile::create(out, args.force).map_err(failed)?;
    let page = weft_view::embed(state)?;
    let written = file.write_with::<std::io::Error>(|to| to.write_all(&page.html));
    written.map_err(|error| failed(error.into()))?;
    let bytes = file.finish().map_err(failed)?;
    say(&format!(
        "weft: {} has {bytes} bytes; left out: {}",
        printable(&shown.to_string()),
        page.left_out.join("; ")
    ));
    Ok(())
}

/// A joined database.
struct Joined {
    path: PathBuf,
    /// The temporary folder that it is in, removed at the end.
    folder: Option<Scratch>,
    outcome: Outcome,
}

/// The database that is given, or one that the inputs are joined into.
fn database(args: &ViewArgs, bar: &Shown) -> Result<Joined, CliError> {
    if let [input] = args.inputs.as_slice()
        && query::is_joined(input)
    {
        return Ok(Joined {
            path: input.clone(),
            folder: None,
            outcome: joined::outcome_of_database(input)?,
        });
    }
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        memory_limit: args.limits.memory().or_else(memory::available),
        ..ReadOptions::default()
    };
    let trace = joined::read(&args.inputs, &options)?;
    let folder = Scratch::new("weft-view-").map_err(|error| {
        CliError::failed(
            format!("cannot make a temporary folder: {error}"),
            "set TMPDIR to a folder that can be written",
        )
    })?;
    let path = folder.path().join("weft.sqlite");
    let options = sqlite::WriteOptions {
        progress: bar.progress(),
        ..sqlite::WriteOptions::default()
    };
    let report = sqlite::write(&trace, &path, &options)?;
    Ok(Joined {
        path,
        folder: Some(folder),
        outcome: joined::outcome_with(&trace, &report.losses),
    })
}

fn source_root(folder: &Path) -> Result<SourceRoot, CliError> {
    SourceRoot::of(folder).map_err(|error| {
        CliError::usage(
            format!("--source-root {}: {error}", folder.display()),
            "name the folder that the program's source files are in",
        )
    })
}

fn of_timeline(error: TimelineError) -> CliError {
    match error {
        TimelineError::Export(error) => error.into(),
        error => ViewError::from(error).into(),
    }
}

fn title(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    match inputs {
        [] => String::new(),
        [one] => name(one),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}

/// Says where the page is, and opens it.
fn tell(state: &State, is_closed: bool) {
    let address = state.address();
    say(&format!("weft: showing the trace at {address}"));
    if let Some(port) = state.port()
        && std::env::var_os("SSH_CONNECTION").is_some()
    {
        say(&format!(
            "weft: this is a remote machine; on your own run `ssh -N -L {port}:127.0.0.1:{port} HOST`, then open that address there"
        ));
        return;
    }
    if !is_closed && let Err(why) = browser::open(&address) {
        say(&format!(
            "weft: no browser could be opened ({why}); open that address yourself"
        ));
    }
    say("weft: Ctrl-C ends it");
}
