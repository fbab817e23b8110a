//! `weft simulate`: what a recorded program would do on more ranks.

mod values;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weft_nvtx_export::ReadOptions;
use weft_nvtx_export::simulate::{
    self, Machine, Network, Prediction, Program, Scaling, SimulateError,
};

use self::values::{bandwidth, duration, ranks};
use super::costs::{FormatArg, format};
use super::joined;
use crate::error::{CliError, Outcome};
use crate::progress::Shown;
use crate::signals;

const EXAMPLES: &str = "\
The profile is that of one rank, recorded with `weft run --profile --profile-operands`. Which messages
the ranks send is what the runtime's own rules say; times of tasks, of the program and of planning
are those recorded; times of messages come from the network's latency and bandwidth.

Columns: idle, the part of the workers' time in which they run no task; message wait, by how much
messages hold up tasks; analysis, what every rank plans for each operation, and exchange, the part of
it that finds what other ranks need, as measured here.

Examples:
  weft simulate weft_0.prof                                   1 to 1,024 ranks, the same problem
  weft simulate weft_0.prof --scaling weak --ranks 1,64,4096  a problem that grows with the ranks
  weft simulate weft_0.prof --latency 5us --bandwidth 3GB/s   over a slower network
  weft simulate weft_0.prof --network run4/weft_*.prof        over the network of a recorded run
  weft simulate weft_0.prof --ranks 1024 --by line            where the time goes";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ScalingArg {
    /// The same problem on more ranks
    Strong,
    /// A problem that grows with the ranks along the axes that they share out
    Weak,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ByArg {
    /// A row for each number of ranks
    Ranks,
    /// A row for each source line, at the most ranks
    Line,
    /// A row for each two ranks between which messages go, at the most ranks
    Channel,
}

/// The arguments of `weft simulate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// The weft_0.prof of a run of one rank
    #[arg(required = true, value_name = "INPUT")]
    input: PathBuf,
    /// Numbers of ranks, with commas; `1,2,...,64` doubles
    #[arg(long, default_value = "1,2,...,1024", value_parser = ranks)]
    ranks: Counts,
    /// What grows with the ranks
    #[arg(long, value_enum, default_value_t = ScalingArg::Strong)]
    scaling: ScalingArg,
    /// What a message of no bytes takes between nodes [default: 2us]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    latency: Option<f64>,
    /// What a node's network moves [default: 12GB/s]
    #[arg(long, value_name = "RATE", value_parser = bandwidth)]
    bandwidth: Option<f64>,
    /// The latency between ranks of one node [default: as between nodes]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    node_latency: Option<f64>,
    /// The bandwidth between ranks of one node [default: as between nodes]
    #[arg(long, value_name = "RATE", value_parser = bandwidth)]
    node_bandwidth: Option<f64>,
    /// What a message takes of either side's thread [default: 1us]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    message_overhead: Option<f64>,
    /// The network: a .json with `far`, `near` (each with `latency` in ns and `bandwidth` in GB/s) and `overhead` in ns, or
    /// profiles of a run of several ranks, whose messages tell it; flags override it
    #[arg(long, value_name = "FILE", num_args = 1..)]
    network: Vec<PathBuf>,
    /// Ranks on a node
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    ranks_per_node: u16,
    /// CPU workers of each rank [default: those of the recorded run]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_rank: Option<u16>,
    /// Cores of a node, which its ranks share [default: as many as they have workers]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_node: Option<u16>,
    /// Whether tiles that need no message run while others wait for theirs
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    overlap: bool,
    /// What the rows are
    #[arg(long, value_enum, default_value_t = ByArg::Ranks)]
    by: ByArg,
    /// How to print it; a table on a terminal, CSV elsewhere
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
}

/// Numbers of ranks, in order.
#[derive(Clone, Debug)]
struct Counts(Vec<u16>);

/// Reads, simulates and prints.
pub(crate) fn execute(args: &SimulateArgs) -> Result<Outcome, CliError> {
    signals::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let joined = joined::read(std::slice::from_ref(&args.input), &options)?;
    let program = Program::of(&joined).map_err(error)?;
    let (network, recorded) = args.network(&options)?;
    let scaling = match args.scaling {
        ScalingArg::Strong => Scaling::Strong,
        ScalingArg::Weak => Scaling::Weak,
    };
    let counts = match args.by {
        ByArg::Ranks => &args.ranks.0[..],
        ByArg::Line | ByArg::Channel => args.ranks.0.last().map_or(&[][..], std::slice::from_ref),
    };
    let keep = args.by == ByArg::Channel;
    let mut predictions: Vec<Prediction> = Vec::new();
    for ranks in counts {
        let machine = args.machine(&program, *ranks);
        let larger = match scaling {
            Scaling::Weak => Some(program.stretched(&joined, *ranks).map_err(error)?),
            Scaling::Strong => None,
        };
        let program = larger.as_ref().unwrap_or(&program);
        let prediction = simulate::predict(program, machine, network, keep, &bar.progress());
        predictions.push(prediction);
    }
    let table = match (args.by, predictions.last()) {
        (ByArg::Line, Some(prediction)) => simulate::by_line(&joined, prediction),
        (ByArg::Channel, Some(prediction)) => simulate::by_channel(prediction),
        _ => simulate::by_ranks(&predictions, scaling),
    };
    bar.clear();
    joined::print_table(&table, format(args.format))?;
    Ok(joined::outcome(&joined).and(recorded))
}

impl SimulateArgs {
    fn machine(&self, program: &Program, ranks: u16) -> Machine {
        Machine {
            ranks,
            ranks_per_node: self.ranks_per_node,
            cores_per_rank: self.cores_per_rank.map_or(program.workers(), usize::from),
            cores_per_node: self.cores_per_node.map(usize::from),
            overlap: self.overlap,
        }
    }

    /// The network of the files, with what flags say of it; and whether the files are complete.
    fn network(&self, options: &ReadOptions) -> Result<(Network, Outcome), CliError> {
        let mut outcome = Outcome::Done;
        let mut network = match &self.network[..] {
            [] => Network::default(),
            [file]
                if file
                    .extension()
                    .is_some_and(|extension| extension == "json") =>
            {
                values::network(file)?
            }
            files => {
                let joined = joined::read(files, options)?;
                outcome = joined::outcome(&joined);
                let usual = Network::default();
                let link = simulate::Link::fit(&joined, usual.far)
                    .ok_or_else(|| error(SimulateError::NoMessages))?;
                // What was measured holds the overhead of both sides.
                Network {
                    far: link,
                    near: link,
                    overhead: 0.0,
                }
            }
        };
        let set = |to: &mut f64, value: Option<f64>| *to = value.unwrap_or(*to);
        set(&mut network.far.latency, self.latency);
        set(&mut network.far.bandwidth, self.bandwidth);
        set(
            &mut network.near.latency,
            self.node_latency.or(self.latency),
        );
        set(
            &mut network.near.bandwidth,
            self.node_bandwidth.or(self.bandwidth),
        );
        set(&mut network.overhead, self.message_overhead);
        Ok((network, outcome))
    }
}

fn error(error: SimulateError) -> CliError {
    let text = error.to_string();
    let (what, remedy) = text
        .rsplit_once("; ")
        .unwrap_or((&text, "see `weft simulate --help`"));
    CliError::failed(what, remedy)
}
