//! `weft advise`: changes to the program, and their savings.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weft_analysis::advise::{self, TOP};
use weft_analysis::replay::Graph;
use weft_nvtx_export::{ReadOptions, RequiredParts};

use super::limits::LimitArgs;
use super::part::PartArgs;
use super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::signals;

const EXAMPLES: &str = "\
The recorded run is replayed: scheduled again by its recorded times and
dependences, first unchanged, and then with each change. The difference of the
unchanged replay from the recording is the error of every saving; a saving
below it, or below 5 % of the run, is not shown. Savings overlap: findings are
in the sequence in which each next one saves most on top of those before it,
and `then` is the length with all changes so far. Where the trace does not tell
how much a change saves, `assumes` says what was assumed.

With --against of `weft diff`, the JSON is compared with the run after the
change. docs/advice.md has all rules, and predicted beside measured savings.

Examples:
  weft advise weft_0.prof
      What to change, and what it would save
  weft advise weft_*.prof --top 3
      The three changes of a run with several ranks that save most
  weft advise weft_0.prof --between steady
      The same for the iterations of a loop without warm-up
  weft advise weft_0.prof --format json > advice.json
  weft diff --against advice.json old/weft_0.prof -- new/weft_0.prof
      What was predicted, and what came
  weft advise --rules
      What is looked for";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// Paragraphs of 80 columns
    Text,
    /// One object; docs/advice.md describes it
    Json,
}

/// The arguments of `weft advise`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AdviseArgs {
    /// Profiles of Weft or Legate (.prof), with nsys reports if there are some; or one database
    /// written by `weft export`
    #[arg(required_unless_present = "rules", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Maximum number of findings
    #[arg(long, value_name = "N", default_value_t = TOP)]
    top: usize,
    /// Output format [default: text on a terminal, otherwise json]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// List the rules instead
    #[arg(long, conflicts_with = "inputs")]
    rules: bool,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Reads and joins the inputs, replays them, and prints the suggested changes.
pub(crate) fn execute(args: &AdviseArgs) -> Result<Outcome, CliError> {
    let format = args.format.unwrap_or(match io::stdout().is_terminal() {
        true => FormatArg::Text,
        false => FormatArg::Json,
    });
    if args.rules {
        return list(format);
    }
    signals::clean_up();
    let bar = ProgressDisplay::new();
    let options = ReadOptions {
        keep: RequiredParts::Everything,
        progress: bar.progress(),
        memory_limit: args.limits.memory(),
        ..ReadOptions::default()
    };
    let trace = trace::read(&args.inputs, &options)?;
    bar.progress().begin("replaying", 0);
    let window = args.part.window(&trace)?;
    let graph = Graph::of_part(&trace, window);
    if window.is_none()
        && let Some(why) = advise::refusal(&trace, &graph)
    {
        return Err(CliError::failed(
            why,
            "give the profile (.prof) of a run of Weft or Legate, or a database of Nsight Systems with work of GPUs",
        ));
    }
    let mut advice = advise::answer_from(&trace, &graph, args.top);
    advice.part = args.part.requested_part().map(ToString::to_string);
    bar.clear();
    let outcome = trace::outcome(&trace);
    match format {
        FormatArg::Text => trace::print(&advise::render(&advice))?,
        FormatArg::Json => print_json(&advice)?,
    }
    Ok(outcome)
}

fn print_json(value: &impl serde::Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| {
        CliError::failed(
            format!("cannot write the advice as JSON: {error}"),
            "use --format text",
        )
    })?;
    trace::print(&format!("{text}\n"))
}

fn list(format: FormatArg) -> Result<Outcome, CliError> {
    if format == FormatArg::Json {
        print_json(&advise::rules().collect::<Vec<_>>())?;
        return Ok(Outcome::Done);
    }
    let mut text = String::new();
    for rule in advise::rules() {
        text.push_str(&format!(
            "{}: {}\n    needs {}\n",
            rule.id, rule.title, rule.needs
        ));
    }
    trace::print(&text)?;
    Ok(Outcome::Done)
}
