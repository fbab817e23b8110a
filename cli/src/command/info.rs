//! `weft info`: the tools that Weft finds on this machine, and the missing ones.

use std::env;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;
use weft_config::machine::library::CudaLibrary;
use weft_config::machine::{Component, Inventory, State, bundle};
use weft_output::nsys_rep::{self, Search, Writer};

use super::{python, trace};
use crate::error::{CliError, Outcome};

const EXAMPLES: &str = "\
Lists CPUs, memory, GPUs, and the versions of CUDA libraries, nsys, NVTXW and
MPI. For each missing component it says what it is for and how to get it.

Examples:
  weft info
  weft info --format json";

/// The arguments of `weft info`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InfoArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For programs
    Json,
}

/// Prints the components found and missing.
pub(crate) fn execute(args: &InfoArgs) -> Result<Outcome, CliError> {
    let mut inventory = Inventory::probe();
    let after_nsys = inventory
        .components
        .iter()
        .position(|component| component.name == "nsys");
    let at = after_nsys.map_or(inventory.components.len(), |nsys| nsys + 1);
    inventory.components.splice(at..at, report_writers());
    let nvrtc = inventory
        .components
        .iter()
        .position(|component| component.name == CudaLibrary::Nvrtc.name());
    let at = nvrtc.map_or(inventory.components.len(), |nvrtc| nvrtc + 1);
    inventory
        .components
        .insert(at, kernel_bundle(inventory.cuda));
    trace::print(&match args.format {
        Format::Table => table(&inventory),
        Format::Json => format!("{:#}\n", json(&inventory)),
    })?;
    Ok(Outcome::Done)
}

/// Describes the kernel bundle of the Python package, or the one next to this command if the
/// package is not installed.
fn kernel_bundle(cuda: Option<bundle::CudaVersion>) -> Component {
    let package = python::package(&python::interpreter()).ok();
    let own = env::current_exe().ok();
    let beside = own.and_then(|own| own.parent().map(Path::to_owned));
    let folders: Vec<PathBuf> = package.into_iter().chain(beside).collect();
    bundle::component(&folders, cuda)
}

/// The writers of reports that `weft export nsys-rep` would use.
fn report_writers() -> [Component; 2] {
    let search = Search::from_env(None);
    let importer = match nsys_rep::importer(&search) {
        Some(Writer::Importer { path } | Writer::Backend { path, .. }) => {
            State::Found(path.display().to_string())
        }
        None => State::Missing {
            why: "no `ImportNvtxt` next to nsys, in PATH, or in an installation of Nsight Systems"
                .to_owned(),
            get: "install Nsight Systems with its host part",
        },
    };
    let backend = match nsys_rep::backend(&search) {
        Ok(Writer::Backend { path, interface }) => {
            State::Found(format!("{}, {interface}", path.display()))
        }
        Ok(Writer::Importer { path }) => State::Found(path.display().to_string()),
        Err(why) => State::Missing {
            why: why.join("; "),
            get: "install an Nsight Systems that has libNvtxwBackend.so, or set NVTXW3_LIBRARY to that file",
        },
    };
    [
        Component {
            name: "ImportNvtxt",
            gives: "writing reports (.nsys-rep) without an NVTXW backend",
            state: importer,
        },
        Component {
            name: "NVTXW backend",
            gives: "writing reports (.nsys-rep) with all of Weft's data",
            state: backend,
        },
    ]
}

fn table(inventory: &Inventory) -> String {
    let machine = &inventory.machine;
    let mut rows = vec![
        ("CPUs".to_owned(), machine.cores.to_string()),
        (
            "Memory".to_owned(),
            format!(
                "{} MiB, {} MiB available",
                machine.memory_total.whole_mib(),
                machine.memory_available.whole_mib()
            ),
        ),
    ];
    for (at, gpu) in inventory.gpus.iter().enumerate() {
        let (major, minor) = gpu.capability;
        rows.push((
            format!("GPU {at}"),
            format!(
                "{}, {} MiB, compute capability {major}.{minor}",
                gpu.name,
                gpu.memory.whole_mib()
            ),
        ));
    }
    if inventory.gpus.is_empty() {
        rows.push(("GPUs".to_owned(), "none".to_owned()));
    }
    let (found, missing): (Vec<&Component>, Vec<&Component>) = inventory
        .components
        .iter()
        .partition(|component| component.is_found());
    for component in found {
        rows.push((component.name.to_owned(), component.reason().to_owned()));
    }
    let width = rows
        .iter()
        .map(|(name, _)| name.len())
        .chain(missing.iter().map(|component| component.name.len()))
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (name, value) in rows {
        text.push_str(&format!("{name:width$}  {value}\n"));
    }
    if !missing.is_empty() {
        text.push_str("\nMissing:\n");
    }
    for component in missing {
        let blank = "";
        text.push_str(&format!(
            "{:width$}  {}\n{blank:width$}  for:    {}\n{blank:width$}  to get: {}\n",
            component.name,
            component.reason(),
            component.gives,
            component.remedy()
        ));
    }
    text
}

fn json(inventory: &Inventory) -> serde_json::Value {
    let machine = &inventory.machine;
    let gpus = inventory.gpus.iter().map(|gpu| {
        json!({
            "name": gpu.name,
            "memory_bytes": gpu.memory.0,
            "compute_capability": [gpu.capability.0, gpu.capability.1],
        })
    });
    let components = inventory.components.iter().map(|component| {
        let mut object = json!({
            "name": component.name,
            "found": component.is_found(),
            "gives": component.gives,
        });
        if component.is_found() {
            object["version"] = component.reason().into();
        } else {
            object["why"] = component.reason().into();
            object["get"] = component.remedy().into();
        }
        object
    });
    json!({
        "cpus": machine.cores,
        "memory_total_bytes": machine.memory_total.0,
        "memory_available_bytes": machine.memory_available.0,
        "gpus": gpus.collect::<Vec<_>>(),
        "components": components.collect::<Vec<_>>(),
    })
}
