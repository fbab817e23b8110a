//! `weft view`: the trace in the browser.

mod browser;
mod follow;
mod opened;
mod output;
mod pulse;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use weft_analysis::between::Between;
use weft_analysis::stats::{By, diff};
use weft_model::table::Format;
use weft_view::Site;

use super::limits::{LimitArgs, bytes};
use super::part;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;
use crate::signals;
use opened::{Opened, Wanted};

const EXAMPLES: &str = "\
The page is served on 127.0.0.1 only, to whoever knows the token in its
address. Ctrl-C ends it.

Of a database, what is drawn is kept beside it in DATABASE.timeline, so that it
opens at once the next time. Of other inputs it is kept in a temporary folder.

Source text comes from the profile, or from files below --source-root.

Two runs, with `--` between them, are shown one below the other, each from its
own start, with the cost of each line in both.

What gaps, barcodes, confetti and plateaus mean: docs/reading-a-profile.md.

Examples:
  weft view weft_0.prof
  weft view weft_*.prof                        all ranks of a run
  weft view --follow weft_0.prof               while the run goes on
  weft view before/weft_0.prof -- after/weft_0.prof
  weft view --between scope:solve weft_0.prof  a part of the run
  weft view legate_0.prof report.nsys-rep
  weft view --source-root . legate_0.prof
  weft view --html run.html weft_0.prof        one file, to be sent to others
  weft view --svg run.svg --lanes CPU weft_0.prof
  weft view --no-open --port 8123 weft.sqlite  on another machine; then forward
                                               the port and open the address";

/// The arguments of `weft view`.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "weft view [OPTIONS] INPUT...\n       weft view [OPTIONS] BEFORE... -- AFTER...",
    group(ArgGroup::new("picture").args(["svg", "png"]).multiple(true)),
    group(ArgGroup::new("written").args(["html", "svg", "png"]).multiple(true))
)]
pub(crate) struct ViewArgs {
    /// Profiles of Weft or Legate, databases and reports of Nsight Systems, of one run; or one
    /// database of `weft export sqlite`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Inputs of a second run, after `--`, to compare with the first
    #[arg(last = true, value_name = "AFTER")]
    after: Vec<PathBuf>,
    /// Port on this machine; 0: any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,
    /// Show profiles of Weft during their run, and completely after it has ended
    #[arg(long, conflicts_with_all = ["written", "after", "between"])]
    follow: bool,
    /// Show this part of the run first, and draw only this part with --svg and --png; --html writes
    /// only this part in detail. As for `weft stats`: such as 10ms..50ms, 20%.., scope:solve,
    /// iteration:3..10 or steady
    #[arg(long, value_name = "FROM..TO", value_parser = part::between)]
    between: Option<Between>,
    /// Write the page with the trace in it to OUT, instead of serving it; it opens without a server
    #[arg(long, value_name = "OUT", conflicts_with_all = ["port", "no_open"])]
    html: Option<PathBuf>,
    /// The most that --html writes, such as 4M; details are left out first [default: 25M]
    #[arg(long, value_name = "SIZE", value_parser = bytes, requires = "html")]
    html_limit: Option<u64>,
    /// Draw the lanes into OUT, as SVG, instead of serving the page
    #[arg(long, value_name = "OUT", conflicts_with_all = ["port", "no_open"])]
    svg: Option<PathBuf>,
    /// Draw the lanes into OUT, as PNG, instead of serving the page
    #[arg(long, value_name = "OUT", conflicts_with_all = ["port", "no_open"])]
    png: Option<PathBuf>,
    /// Width of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(300..=20_000), requires = "picture")]
    width: u32,
    /// Height of the picture in pixels [default: as its lanes need]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(100..=20_000), requires = "picture")]
    height: Option<u32>,
    /// Draw only lanes with this in their label, or in that of a group around them
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        requires = "picture"
    )]
    lanes: String,
    /// Replace OUT if it exists
    #[arg(long, requires = "written")]
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
    output::check(args)?;
    if args.follow {
        return follow::execute(args);
    }
    let bar = ProgressDisplay::new();
    let wanted = Wanted {
        part: args.between.as_ref(),
        costs: !args.after.is_empty(),
    };
    let first = opened::open(args, &args.inputs, wanted, &bar)?;
    let (site, outcome) = match args.after.as_slice() {
        [] => (Site::new(first.state)?, first.outcome),
        after => compare(first, opened::open(args, after, wanted, &bar)?)?,
    };
    drop(bar);
    if args.html.is_some() || args.svg.is_some() || args.png.is_some() {
        output::write(&site, args)?;
        return Ok(outcome);
    }
    let site = Arc::new(site);
    let server = weft_view::serve(Arc::clone(&site), args.port)?;
    open_page(&site, args.no_open);
    server.wait();
    Ok(outcome)
}

/// Creates a site of both runs, with the costs of their lines side by side as in `weft diff`.
fn compare(before: Opened, after: Opened) -> Result<(Site, Outcome), CliError> {
    let changes = match (&before.costs, &after.costs) {
        (Some(before), Some(after)) => {
            let mut text = Vec::new();
            let rows = diff::table(before, after, By::Line);
            // Writing into memory cannot fail, and the written JSON can be parsed.
            let _ = rows.write(Format::Json, &mut text);
            serde_json::from_slice(&text).unwrap_or_default()
        }
        _ => serde_json::Value::Null,
    };
    let outcome = before.outcome.and(after.outcome);
    Ok((Site::pair(before.state, after.state, changes)?, outcome))
}

/// Prints the address of the page, and opens it.
fn open_page(site: &Site, is_closed: bool) {
    let address = site.address();
    say(&format!("weft: showing the trace at {address}"));
    if let Some(port) = site.port()
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
