//! `weft bind`: the process that `weft run` puts between a launcher and a rank's program. It
//! determines its rank, binds itself, and becomes the program.

mod logs;
mod mpich;
mod session;
mod system;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use weft_config::Launch;
use weft_config::launch::Launcher;
use weft_config::list;
use weft_config::machine::allowed;
use weft_config::machine::cores::RankCores;

use super::rank::{LOCAL_RANK, PLACEHOLDER, RANK};
use crate::error::{CliError, Outcome, chain};
use crate::say::say;

/// The resources to bind to. Each list has one entry for each rank of the node, separated by
/// slashes.
#[derive(Debug, Args)]
pub(crate) struct BindArgs {
    /// Hardware threads: 0-3/4-7
    #[arg(long, value_delimiter = '/')]
    cpus: Vec<String>,
    /// NUMA nodes
    #[arg(long, value_delimiter = '/')]
    mems: Vec<String>,
    /// GPUs
    #[arg(long, value_delimiter = '/')]
    gpus: Vec<String>,
    /// Network devices
    #[arg(long, value_delimiter = '/')]
    nics: Vec<String>,
    /// Write the output to files with this prefix: `_0.out` and `_0.err` for rank 0
    #[arg(long)]
    logs: Option<PathBuf>,
    /// Replace these files
    #[arg(long)]
    force: bool,
    /// Number of words of the command in which %%WEFT_RANK%% becomes the rank
    #[arg(long, default_value_t = 0)]
    wrapper_words: usize,
    /// Run in its own session, as nsys requires
    #[arg(long)]
    session: bool,
    /// The command to become
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Binds this process and becomes the command. If that fails, the launch is ended, because the
/// other ranks would wait for this one.
pub(crate) fn execute(args: &BindArgs) -> Result<Outcome, CliError> {
    let launch = Launch::detect()?;
    let failed = match run(args, launch.unwrap_or(ALONE)) {
        Ok(outcome) => return Ok(outcome),
        Err(error) => error,
    };
    let Some(launch) = launch.filter(Launch::is_shared) else {
        return Err(failed);
    };
    say(&format!("weft: rank {}: {}", launch.rank, chain(&failed)));
    mpich::refuse(&launch, &failed);
    Ok(Outcome::Program(failed.exit_code()))
}

/// A program that no launcher has started.
const ALONE: Launch = Launch {
    rank: 0,
    size: 1,
    local_rank: 0,
    local_size: 1,
    by: Launcher::OpenMpi,
};

/// Becomes the program, or waits for it.
fn run(args: &BindArgs, launch: Launch) -> Result<Outcome, CliError> {
    let mut command = prepare(args, launch)?;
    let program = command.get_program().to_owned();
    if args.session {
        session::await_turn(launch.local_rank);
    }
    let ran = if mpich::is_to_be_watched(&launch) {
        mpich::watch(command)
    } else if args.session {
        session::run(command)
    } else {
        Err(command.exec())
    };
    ran.map_err(|failed| {
        CliError::failed(
            format!("cannot start {}: {failed}", Path::new(&program).display()),
            "check that the file exists on this machine and is executable",
        )
    })
}

/// Binds this process and returns the command to become.
fn prepare(args: &BindArgs, launch: Launch) -> Result<Command, CliError> {
    if let Some(logs) = &args.logs {
        logs::redirect(logs, launch.rank, args.force)?;
    }
    bind_cpus(own("--cpu-bind", &args.cpus, launch)?, launch)?;
    if let Some(nodes) = own("--mem-bind", &args.mems, launch)? {
        let numbers = list::parse(nodes).unwrap_or_default();
        system::bind_memory(&numbers).map_err(|cause| {
            CliError::failed(
                format!("memory cannot be bound to NUMA nodes {nodes} of this machine: {cause}"),
                "give nodes that `ls /sys/devices/system/node` lists, or omit --mem-bind",
            )
        })?;
    }
    let rank = launch.rank.to_string();
    let mut words = args.command.iter().enumerate().map(|(at, word)| {
        match word.to_str().filter(|_| at < args.wrapper_words) {
            Some(text) => text.replace(PLACEHOLDER, &rank).into(),
            None => word.clone(),
        }
    });
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command.env(RANK, &rank);
    command.env(LOCAL_RANK, launch.local_rank.to_string());
    if let Some(gpus) = own("--gpu-bind", &args.gpus, launch)? {
        command.env("CUDA_VISIBLE_DEVICES", gpus);
    }
    if let Some(nics) = own("--nic-bind", &args.nics, launch)? {
        command.env("UCX_NET_DEVICES", ucx_devices(nics));
    }
    Ok(command)
}

/// Returns the list of this rank; `None` if there are no lists.
fn own<'a>(flag: &str, lists: &'a [String], launch: Launch) -> Result<Option<&'a str>, CliError> {
    if lists.is_empty() {
        return Ok(None);
    }
    match lists.get(usize::from(launch.local_rank)) {
        Some(list) => Ok(Some(list)),
        None => Err(CliError::usage(
            format!(
                "{flag} has lists for {} ranks, but this is rank {} of the {} ranks of its node",
                lists.len(),
                launch.local_rank,
                launch.local_size
            ),
            "start that many ranks on each node",
        )),
    }
}

/// Binds this process to the listed cores, or to its share of the node's cores.
fn bind_cpus(list: Option<&str>, launch: Launch) -> Result<(), CliError> {
    let cores = match list {
        Some(text) => list::parse(text).unwrap_or_default(),
        None if launch.local_size > 1 => {
            let found = RankCores::for_launch(&launch);
            if !found.disjoint {
                return Ok(());
            }
            found.cores
        }
        None => return Ok(()),
    };
    let bound = system::bind_cpus(&cores).map_err(|cause| cause.to_string());
    // The operating system silently ignores cores that do not exist.
    let bound = bound.and_then(|()| match allowed("self") {
        found if found == cores => Ok(()),
        found => Err(format!("only {} of them exist", list::show(&found))),
    });
    match (bound, list) {
        (Ok(()), _) => Ok(()),
        (Err(why), Some(list)) => Err(CliError::failed(
            format!(
                "the process cannot be bound to hardware threads {list} of this machine: {why}"
            ),
            "give --cpu-bind hardware threads that `lscpu` lists and this job may use",
        )),
        // No binding was requested.
        (Err(_), None) => Ok(()),
    }
}

/// Returns the UCX names of devices: those of InfiniBand and the like with a port.
fn ucx_devices(nics: &str) -> String {
    let named = nics.split(',').map(|nic| {
        let has_ports = Path::new("/sys/class/infiniband").join(nic).exists();
        if has_ports && !nic.contains(':') {
            format!("{nic}:1")
        } else {
            nic.to_owned()
        }
    });
    named.collect::<Vec<_>>().join(",")
}
