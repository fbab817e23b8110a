//! `weft simulate`: predicts a recorded program on more ranks.

mod values;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use weft_analysis::simulate::{
    self, Calibrated, ExchangeCosts, Machine, Network, Prediction, Program, Scaling, SimulateError,
};
use weft_nvtx_export::ReadOptions;

use self::values::{bandwidth, duration, ranks};
use super::costs::{FormatArg, format};
use super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;

const EXAMPLES: &str = "\
INPUT is the profile of one rank, recorded with
`weft run --profile --profile-operands`. The runtime's own rules decide how
arrays are divided and which messages are sent. Times of tasks, of the program
and of its analysis are those recorded; times of messages follow from latency
and bandwidth. docs/simulate.md says how accurate predictions are.

Columns: idle: the part of the workers' time without a task. message wait:
how long messages hold up tasks. analysis: what every rank spends on dependence
analysis per operation; exchange: the part of it that finds the messages.
Speed-up and efficiency are against the prediction for 1 rank.

The same profile and flags give the same numbers: nothing is measured. What is
assumed of the network and the analysis is printed before the table;
--calibrate measures the analysis on this machine first.

Examples:
  weft simulate weft_0.prof
      The same problem on 1 to 1,024 ranks
  weft simulate weft_0.prof --scaling weak --ranks 1,64,4096
      A problem that grows with the number of ranks
  weft simulate weft_0.prof --latency 5us --bandwidth 3GB/s
      A slower network
  weft simulate weft_0.prof --network run4/weft_*.prof
      The network of a recorded run
  weft simulate weft_0.prof --ranks 1024 --by line
      The cost of each source line on 1,024 ranks";

/// An all-gather has messages between all pairs of ranks, and 4 million pairs take 0.7 GB.
const MOST_WITH_CHANNELS: u16 = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ScalingArg {
    /// A problem of the same size on more ranks
    Strong,
    /// A problem that grows with the ranks along the divided axes
    Weak,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ByArg {
    /// One row per number of ranks
    Ranks,
    /// One row per source line, at the largest number of ranks
    Line,
    /// One row per pair of ranks with messages, at the largest number of ranks, which may be 2048
    /// at most
    Channel,
}

/// The arguments of `weft simulate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// The profile of a run with one rank
    #[arg(required = true, value_name = "INPUT")]
    input: PathBuf,
    /// Numbers of ranks, separated by commas; `1,2,...,64` continues the ratio
    #[arg(long, default_value = "1,2,...,1024", value_parser = ranks)]
    ranks: Counts,
    /// Scaling of the problem with the number of ranks
    #[arg(long, value_enum, default_value_t = ScalingArg::Strong)]
    scaling: ScalingArg,
    /// Latency of messages between nodes [default: 2us]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    latency: Option<f64>,
    /// Network bandwidth of each node [default: 12GB/s]
    #[arg(long, value_name = "RATE", value_parser = bandwidth)]
    bandwidth: Option<f64>,
    /// Latency between ranks of one node [default: as between nodes]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    node_latency: Option<f64>,
    /// Bandwidth between ranks of one node [default: as between nodes]
    #[arg(long, value_name = "RATE", value_parser = bandwidth)]
    node_bandwidth: Option<f64>,
    /// Time that each side's thread spends on a message [default: 1us]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    message_overhead: Option<f64>,
    /// Network description: a .json with `far` and `near` (each with `latency` in ns and
    /// `bandwidth` in GB/s) and `overhead` in ns, or profiles of a run with several ranks, whose
    /// messages are measured. The flags above override it
    #[arg(long, value_name = "FILE", num_args = 1..)]
    network: Vec<PathBuf>,
    /// Ranks per node
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    ranks_per_node: u16,
    /// CPU workers of each rank [default: as recorded]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_rank: Option<u16>,
    /// Cores of a node, shared by its ranks [default: one per worker]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_node: Option<u16>,
    /// Time to find an operation's messages if a similar operation came before
    #[arg(long, value_name = "TIME", default_value = "150ns", value_parser = duration)]
    exchange_known: f64,
    /// Time to find an operation's messages if none came before
    #[arg(long, value_name = "TIME", default_value = "5us", value_parser = duration)]
    exchange_new: f64,
    /// Measure these two on this machine, and print the flags that repeat the prediction
    #[arg(long, conflicts_with_all = ["exchange_known", "exchange_new"])]
    calibrate: bool,
    /// Run tiles that need no message while others wait for theirs
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    overlap: bool,
    /// Kind of the table's rows
    #[arg(long, value_enum, default_value_t = ByArg::Ranks)]
    by: ByArg,
    /// Output format [default: table on a terminal, otherwise csv]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// Print all columns and whole names even if the terminal is too narrow
    #[arg(long)]
    wide: bool,
}

/// Numbers of ranks, in order.
#[derive(Clone, Debug)]
struct Counts(Vec<u16>);

/// Reads the profile, simulates each number of ranks, and prints a table.
pub(crate) fn execute(args: &SimulateArgs) -> Result<Outcome, CliError> {
    let most = args.ranks.0.last().copied().unwrap_or(1);
    if args.by == ByArg::Channel && most > MOST_WITH_CHANNELS {
        return Err(CliError::usage(
            format!("--by channel has a row for each pair of ranks, too many of {most} ranks"),
            format!("give at most {MOST_WITH_CHANNELS} ranks with --ranks"),
        ));
    }
    signals::clean_up();
    let bar = ProgressDisplay::new();
    let options = ReadOptions {
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let trace = trace::read(std::slice::from_ref(&args.input), &options)?;
    let program = Program::from_trace(&trace).map_err(|why| {
        // An incomplete input may be the reason.
        trace::outcome(&trace);
        error(why)
    })?;
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
    let calibrated = args.calibrated(&program, most);
    let given = args.given_costs();
    let exchange = ExchangeCosts {
        known: calibrated.known.unwrap_or(given.known),
        new: calibrated.new.unwrap_or(given.new),
    };
    let on = |ranks: u16| -> Result<Prediction, CliError> {
        let machine = args.machine(&program, ranks, exchange);
        let larger = match scaling {
            Scaling::Weak => Some(program.stretched(&trace, ranks).map_err(error)?),
            Scaling::Strong => None,
        };
        let program = larger.as_ref().unwrap_or(&program);
        let progress = bar.progress();
        Ok(simulate::predict(
            program, machine, network, keep, &progress,
        ))
    };
    let predictions: Vec<Prediction> = counts
        .iter()
        .map(|ranks| on(*ranks))
        .collect::<Result<_, _>>()?;
    let table = match (args.by, predictions.last()) {
        (ByArg::Line, Some(prediction)) => simulate::by_line(&trace, prediction),
        (ByArg::Channel, Some(prediction)) => simulate::by_channel(prediction),
        _ => {
            let known = predictions
                .iter()
                .find(|one| one.machine.ranks == 1)
                .cloned();
            let one = known.map_or_else(|| on(1), Ok)?;
            simulate::by_ranks(&one, &predictions, scaling)
        }
    };
    bar.clear();
    if let (ByArg::Line | ByArg::Channel, [ranks]) = (args.by, counts) {
        say(&format!("weft: the table is for {}", format_ranks(*ranks)));
    }
    if args.by != ByArg::Channel {
        say(&args.assumed(network, calibrated));
    }
    match program.through_values() {
        0 => {}
        count => {
            let (noun, verb) = match count {
                1 => ("operation", "works"),
                _ => ("operations", "work"),
            };
            say(&format!(
                "weft: {count} {noun} {verb} on values of arrays (images, results of unknown length): in other tiles than those recorded, \
                 messages and bytes are estimates"
            ));
        }
    }
    trace::print_table(&table, format(args.format), args.wide, "--wide prints all")?;
    Ok(trace::outcome(&trace).and(recorded))
}

impl SimulateArgs {
    /// Returns the costs of finding messages, as given by the flags.
    fn given_costs(&self) -> ExchangeCosts {
        ExchangeCosts {
            known: self.exchange_known,
            new: self.exchange_new,
        }
    }

    /// Returns the costs that are measured.
    fn calibrated(&self, program: &Program, ranks: u16) -> Calibrated {
        match self.calibrate {
            true => simulate::calibrate(program, self.machine(program, ranks, self.given_costs())),
            false => Calibrated::default(),
        }
    }

    /// Returns flags that repeat the prediction, including defaults.
    fn assumed(&self, network: Network, calibrated: Calibrated) -> String {
        let Network {
            far,
            near,
            overhead,
        } = network;
        let mut text = format!(
            "weft: network: --latency {} --bandwidth {} --node-latency {} --node-bandwidth {} --message-overhead {}",
            values::time(far.latency),
            values::rate(far.bandwidth),
            values::time(near.latency),
            values::rate(near.bandwidth),
            values::time(overhead),
        );
        let given = self.given_costs();
        let costs = [
            ("--exchange-known", calibrated.known, given.known),
            ("--exchange-new", calibrated.new, given.new),
        ];
        for (source, is_measured) in [("measured here", true), ("assumed, not measured", false)] {
            let of_source = costs.iter().filter(|cost| cost.1.is_some() == is_measured);
            let flags: Vec<String> = of_source
                .map(|(flag, measured, given)| {
                    format!("{flag} {}", values::time(measured.unwrap_or(*given)))
                })
                .collect();
            if !flags.is_empty() {
                text.push_str(&format!("\nweft: analysis, {source}: {}", flags.join(" ")));
            }
        }
        text
    }

    fn machine(&self, program: &Program, ranks: u16, exchange: ExchangeCosts) -> Machine {
        Machine {
            ranks,
            ranks_per_node: self.ranks_per_node,
            cores_per_rank: self.cores_per_rank.map_or(program.workers(), usize::from),
            cores_per_node: self.cores_per_node.map(usize::from),
            overlap: self.overlap,
            exchange,
        }
    }

    /// Returns the network of the files, overridden by flags, and whether the files are complete.
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
                let trace = trace::read(files, options)?;
                outcome = trace::outcome(&trace);
                let usual = Network::default();
                let link = simulate::Link::fit(&trace, usual.far)
                    .ok_or_else(|| error(SimulateError::NoMessages))?;
                // Measured latencies include the overhead of both sides.
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

fn format_ranks(ranks: u16) -> String {
    match ranks {
        1 => "1 rank".to_owned(),
        several => format!("{several} ranks"),
    }
}

fn error(error: SimulateError) -> CliError {
    let text = error.to_string();
    let (what, remedy) = text
        .rsplit_once("; ")
        .unwrap_or((&text, "see `weft simulate --help`"));
    CliError::failed(what, remedy)
}
