//! `weft graph`: the dependences of a run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weft_analysis::graph::{self, Choice, Graph};
use weft_model::Trace;
use weft_nvtx_export::ReadOptions;
use weft_output::file::OutFile;

use super::limits::LimitArgs;
use super::part::PartArgs;
use super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;

const EXAMPLES: &str = "\
dataflow: operations folded by name and source line, so that all iterations of
a loop are one node, with the number of operations and their time. Edges are
dependences between their tasks. Where the operands were recorded
(--profile-operands of `weft run`), edges have stores and bytes, which are
derived from the operands and are upper bounds.

events: the first tasks and copies, one by one, with their predecessors; of
Legate profiles by Legion's graph of events.

docs/graph.md describes the JSON and how iterations are found.

Examples:
  weft graph dataflow weft_0.prof -o graph.svg
      A picture that any browser opens
  weft graph dataflow weft_0.prof --iteration 5 -o iteration.svg
      Iteration 5 of the longest loop, with one node for each operation
  weft graph dataflow legate_0.prof --format dot | dot -Tpdf > graph.pdf
      A Legate profile, laid out by Graphviz
  weft graph dataflow weft_0.prof --between steady -o steady.svg
      Only what began after warm-up
  weft graph events weft_0.prof --limit 100 --format json
      The first 100 tasks for a script";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindArg {
    /// Operations, folded by name and line
    Dataflow,
    /// Tasks and copies, one by one
    Events,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// A picture that needs no other file
    Svg,
    /// The language of Graphviz
    Dot,
    /// One object; docs/graph.md describes it
    Json,
}

/// The arguments of `weft graph`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GraphArgs {
    /// Kind of graph
    #[arg(value_enum, value_name = "KIND")]
    kind: KindArg,
    /// Profiles of Weft or Legate (.prof), with nsys reports if there are some; or one database
    /// written by `weft export`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Svg)]
    format: FormatArg,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Show this iteration of a loop, from 0, with one node for each operation; dataflow only
    #[arg(long, value_name = "N")]
    iteration: Option<u32>,
    /// The loop that --iteration counts, by its number in the JSON [default: the one whose
    /// operations took most time]
    #[arg(long = "loop", value_name = "N", requires = "iteration")]
    of_loop: Option<u32>,
    /// Maximum number of tasks and copies [default: 200]; events only
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Accept inputs of several runs
    #[arg(long)]
    mix_runs: bool,
}

/// The maximum number of nodes in a readable picture of tasks.
const LIMIT: usize = 200;

/// Reads and joins the inputs, and writes the graph.
pub(crate) fn execute(args: &GraphArgs) -> Result<Outcome, CliError> {
    match args.kind {
        KindArg::Events if args.iteration.is_some() => Err(CliError::usage(
            "--iteration is for the graph `dataflow`",
            "use `weft graph dataflow`, or --limit",
        )),
        KindArg::Dataflow if args.limit.is_some() => Err(CliError::usage(
            "--limit is for the graph `events`",
            "use `weft graph events`, or leave it out: lines are folded",
        )),
        _ => Ok(()),
    }?;
    signals::clean_up();
    let bar = ProgressDisplay::new();
    let options = ReadOptions {
        mix_runs: args.mix_runs,
        progress: bar.progress(),
        memory_limit: args.limits.memory(),
        ..ReadOptions::default()
    };
    let mut trace = trace::read(&args.inputs, &options)?;
    args.part.keep(&mut trace)?;
    // Checked before the work, so that an existing file is reported at once.
    let out = args.output.as_deref();
    let out = out.map(|out| OutFile::create(&trace, out, args.force));
    let out = out.transpose()?;
    bar.progress().begin("making the graph", 0);
    let graph = match args.kind {
        KindArg::Events => graph::events(&trace, args.limit.unwrap_or(LIMIT)),
        KindArg::Dataflow => {
            let choice = Choice {
                iteration: args.iteration,
                of_loop: args.of_loop,
            };
            let made = graph::dataflow(&trace, choice);
            made.map_err(|error| {
                CliError::usage(
                    error.to_string(),
                    "leave out --iteration to see all of it folded",
                )
            })?
        }
    };
    if graph.nodes.is_empty() {
        // Incomplete inputs may be the reason.
        trace::outcome(&trace);
        return Err(CliError::failed(
            nothing(&trace),
            "add the .prof files of the run, or look at what there is with `weft stats --by kernel`",
        ));
    }
    let text = text(&graph, args.format)?;
    bar.clear();
    match out {
        Some(mut file) => {
            file.write_with(|to| std::io::Write::write_all(to, text.as_bytes()))?;
            file.finish()?;
        }
        None => trace::print(&text)?,
    }
    for row in &graph.left_out {
        say(&format!(
            "weft: not in the graph: {} {}",
            row.count, row.what
        ));
    }
    Ok(trace::outcome(&trace))
}

/// Returns the reason why there is no graph.
fn nothing(trace: &Trace) -> String {
    let of_part = match trace.quality.part {
        Some(_) => " in the part",
        None => "",
    };
    match trace.devices.kernels.len() {
        0 => format!(
            "these inputs have no tasks, copies or operations{of_part}, so there is nothing to draw"
        ),
        kernels => format!(
            "these inputs have {kernels} kernels{of_part}, but no tasks, copies or operations, so there is nothing to draw"
        ),
    }
}

fn text(graph: &Graph, format: FormatArg) -> Result<String, CliError> {
    match format {
        FormatArg::Svg => Ok(graph::svg(graph)),
        FormatArg::Dot => Ok(graph::dot(graph)),
        FormatArg::Json => match serde_json::to_string_pretty(graph) {
            Ok(text) => Ok(text + "\n"),
            Err(error) => Err(CliError::failed(
                format!("cannot write the graph as JSON: {error}"),
                "use --format dot",
            )),
        },
    }
}
