//! The checked plan: the resources and settings of a run.

mod gpu_memory;
mod host;
mod share;
mod summary;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::bytes::Bytes;
use crate::error::{ConfigError, ErrorKind};
use crate::flag::Flag;
use crate::flags::{Flags, Reader};
use crate::launch::Launch;
use crate::logging::{Level, LogSpec};
use crate::machine::Machine;
use crate::machine::cores::RankCores;
use crate::size::Size;
use crate::value::Value;
use crate::{ENVIRONMENT, help};

pub use self::gpu_memory::GpuMemory;
pub use self::host::HostUse;

/// A complete configuration that fits the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether defaults are chosen for the machine.
    pub auto_config: bool,
    /// The number of CPU workers, at least 1 if there are no OMP groups.
    pub cpus: usize,
    /// The number of OMP groups; 0 with GPUs.
    pub omps: usize,
    /// The number of threads of each OMP group, at least 1.
    pub omp_threads: usize,
    /// Whether each CPU worker and each OMP thread stays on its own core.
    pub pin_cpus: bool,
    /// The number of threads that analyse operations: 1, or 0 if the program's own thread does.
    pub utility: usize,
    /// The capacity of SYSTEM_MEM of this rank.
    pub sysmem: Bytes,
    /// The memory use above which unused memory is returned to the system.
    pub sysmem_soft: Bytes,
    /// The capacity of SOCKET_MEM of each NUMA node; 0 if everything goes to SYSTEM_MEM.
    pub numamem: Bytes,
    /// The main memory that the machine has for this process.
    pub machine_memory: Bytes,
    /// The smallest tile for a CPU worker, in elements, at least 1.
    pub min_cpu_chunk: usize,
    /// The smallest tile for an OMP group, in elements, at least 1.
    pub min_omp_chunk: usize,
    /// Whether neighbouring elementwise operations are fused into one CPU kernel.
    pub fusion: bool,
    /// The time that a group of fused operations waits for another one, beyond the usual few
    /// microseconds.
    pub fusion_wait: Duration,
    /// The most elements of an operation that runs inline on the program's thread.
    pub max_inline_chunk: usize,
    /// The number of GPUs: `first_gpu` and the next ones that this process sees.
    pub gpus: usize,
    /// The first GPU. Ranks of one node that see the same GPUs use different ones.
    pub first_gpu: usize,
    /// The number of ranks that use each of these GPUs, at least 1.
    pub gpu_ranks: usize,
    /// The capacity of FBMEM of each GPU; if `None`, [`Plan::fbmem_of`] decides when the GPU is
    /// known.
    pub fbmem: Option<Size>,
    /// The kind of memory of arrays on GPUs.
    pub gpu_memory: GpuMemory,
    /// The capacity of ZCMEM of this rank; 0 without GPUs.
    pub zcmem: Bytes,
    /// Whether data moves to a larger memory automatically when one is full.
    pub spill: bool,
    /// The smallest tile for a GPU, in elements, at least 1.
    pub min_gpu_chunk: usize,
    /// Whether repeated operations are replayed as CUDA graphs.
    pub cuda_graphs: bool,
    /// Whether bodies of user tasks run on guarded copies, which detect undeclared accesses.
    pub verify: bool,
    /// Whether products of float32 matrices may round their operands to TF32.
    pub tf32: bool,
    /// Whether MPI gets addresses in GPU memory; `None` if the MPI library decides.
    pub cuda_aware_mpi: Option<bool>,
    /// Whether a `.prof` file is written.
    pub profile: bool,
    /// The first part of the names of this run's files.
    pub profile_name: String,
    /// The largest size of a rank's `.prof` file.
    pub profile_limit: Bytes,
    /// Whether operands are recorded.
    pub profile_operands: bool,
    /// Whether the speed of main memory is measured at the end of a profiled run.
    pub profile_bandwidth: bool,
    /// Whether the text of source files is recorded.
    pub profile_sources: bool,
    /// Whether the source line of each call is recorded.
    pub provenance: bool,
    /// The number of lines of the call stack that are recorded, at least 1.
    pub provenance_depth: usize,
    /// Whether CUPTI records GPU activity.
    pub cupti: bool,
    /// Whether the program runs under Nsight Systems.
    pub nsys: bool,
    /// The folder of this run's files; may be relative to the current folder.
    pub logdir: PathBuf,
    /// Whether files of an earlier run are replaced; otherwise this run's files go to a new folder.
    pub force: bool,
    /// The log level of each subsystem.
    pub logging: LogSpec,
    /// Whether each task is logged when it starts.
    pub show_progress: bool,
    /// Whether [`Plan::summary`] is printed at the start.
    pub show_config: bool,
    /// Whether the use of each memory is printed at the end.
    pub show_memory_usage: bool,
    /// The answer to operations without code for GPUs; set only by [`Plan::from_env`].
    pub host_use: HostUse,
    /// The id shared by the files of one run, if given.
    pub run_id: Option<[u8; 16]>,
    /// The launch that this process is part of; set only by [`Plan::from_env`].
    pub launch: Option<Launch>,
    /// The cores of this rank, if several ranks share its node; empty for any core. Set only by
    /// [`Plan::from_env`].
    pub cores: Vec<usize>,
    /// Warnings about the node and its other ranks, printed by the node's first rank.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Creates the plan of this process: `WEFT_CONFIG` checked against this machine, or against a
    /// rank's share of it. With `--help` among the flags, prints them on standard output and ends
    /// the process with status 0.
    pub fn from_env() -> Result<Plan, ConfigError> {
        let flags = match std::env::var(ENVIRONMENT) {
            Ok(text) => Flags::from_text(&text)?,
            Err(std::env::VarError::NotPresent) => Flags::default(),
            Err(std::env::VarError::NotUnicode(text)) => {
                return Err(ConfigError {
                    kind: ErrorKind::Quoting,
                    flag: ENVIRONMENT.into(),
                    value: Some(text.to_string_lossy().into_owned()),
                    why: "it is not UTF-8".into(),
                    remedy: "write it in UTF-8".into(),
                });
            }
        };
        if flags.wants_help() {
            // A closed output needs no help.
            let _ = std::io::stdout().write_all(help::process_help().as_bytes());
            std::process::exit(0);
        }
        let host_use = HostUse::from_env()?;
        let Some(launch) = Launch::detect()? else {
            let plan = Plan::from_flags(&flags, &Machine::probe_for(&flags))?;
            return Ok(Plan { host_use, ..plan });
        };
        let machine = Machine::probe_for_rank(&flags, &launch);
        let mut plan = Plan::from_flags(&flags, &machine)?;
        plan.host_use = host_use;
        plan.launch = Some(launch);
        if launch.local_size > 1 {
            let found = RankCores::for_launch(&launch);
            plan.cores = if found.disjoint {
                found.cores
            } else {
                Vec::new()
            };
        }
        Ok(plan)
    }

    /// Creates a plan from flags written as in `WEFT_CONFIG`, checked against this machine, for
    /// programs that choose their own flags, such as tests.
    ///
    /// # Errors
    /// Returns an error for an unknown flag or an invalid value.
    pub fn from_text(flags: &str) -> Result<Plan, ConfigError> {
        let flags = Flags::from_text(flags)?;
        Plan::from_flags(&flags, &Machine::probe_for(&flags))
    }

    /// Creates a plan from words, as in `WEFT_CONFIG`, checked against a machine.
    pub fn from_words(words: &[String], machine: &Machine) -> Result<Plan, ConfigError> {
        Plan::from_flags(&Flags::from_words(words, Reader::Process)?, machine)
    }

    /// Creates a plan from parsed flags, checked against a machine.
    pub fn from_flags(flags: &Flags, machine: &Machine) -> Result<Plan, ConfigError> {
        let auto_config = flags.switch(Flag::AutoConfig).unwrap_or(true);
        let number = |flag, otherwise: usize| {
            flags
                .number(flag)
                .map_or(otherwise, |n| usize::try_from(n).unwrap_or(usize::MAX))
        };
        let size = |flag, otherwise| {
            let size = flags.size(flag);
            size.map_or(otherwise, |size| size.resolve(machine.memory_total))
        };
        let switch = |flag| flags.switch(flag).unwrap_or(false);

        let omps = number(Flag::Omps, 0);
        let cores = if auto_config { machine.cores } else { 1 };
        let cpus = number(Flag::Cpus, if omps > 0 { 0 } else { cores });
        if cpus == 0 && omps == 0 {
            return Err(ConfigError {
                kind: ErrorKind::Unfit,
                flag: "--cpus".into(),
                value: Some("0".into()),
                why: "without OMP groups, no processor can run tasks".into(),
                remedy: "give at least 1, or --omps".into(),
            });
        }
        let sysmem = size(
            Flag::Sysmem,
            if auto_config {
                four_fifths(share::available(machine))
            } else {
                Bytes::mib(4096)
            },
        );
        let share::Gpus {
            count: gpus,
            first: first_gpu,
            ranks: gpu_ranks,
        } = share::gpus(flags, machine, auto_config)?;
        if gpus > 0 && omps > 0 {
            return Err(ConfigError {
                kind: ErrorKind::Unfit,
                flag: "--omps".into(),
                value: Some(omps.to_string()),
                why: "with GPUs, all operations run on GPUs and none on OMP groups".into(),
                remedy: "add --gpus 0".into(),
            });
        }
        let (profile, nsys) = (switch(Flag::Profile), switch(Flag::Nsys));
        let mut plan = Plan {
            auto_config,
            cpus,
            omps,
            omp_threads: number(Flag::OmpThreads, (cores / omps.max(1)).max(1)),
            pin_cpus: switch(Flag::PinCpus),
            utility: number(Flag::Utility, 1),
            sysmem,
            sysmem_soft: size(Flag::SysmemSoft, sysmem).min(sysmem),
            numamem: size(Flag::Numamem, Bytes(0)),
            machine_memory: machine.memory_total,
            min_cpu_chunk: number(Flag::MinCpuChunk, 32 << 10),
            min_omp_chunk: number(Flag::MinOmpChunk, 128 << 10),
            fusion: flags.switch(Flag::Fusion).unwrap_or(true),
            fusion_wait: Duration::from_millis(number(Flag::FusionWait, 0) as u64),
            max_inline_chunk: number(Flag::MaxInlineChunk, 32 << 10),
            gpus,
            first_gpu,
            gpu_ranks,
            fbmem: flags.size(Flag::Fbmem),
            gpu_memory: match flags.text(Flag::GpuMemory) {
                Some("unified") => GpuMemory::Unified,
                _ => GpuMemory::Device,
            },
            zcmem: if gpus == 0 {
                Bytes(0)
            } else {
                size(Flag::Zcmem, Bytes::mib(128))
            },
            spill: switch(Flag::Spill),
            min_gpu_chunk: number(Flag::MinGpuChunk, 64 << 10),
            cuda_graphs: switch(Flag::CudaGraphs),
            verify: switch(Flag::Verify),
            tf32: switch(Flag::Tf32),
            cuda_aware_mpi: flags.switch(Flag::CudaAwareMpi),
            profile,
            profile_name: flags.text(Flag::ProfileName).unwrap_or("weft").into(),
            profile_limit: size(Flag::ProfileLimit, Bytes::mib(4096)),
            profile_operands: switch(Flag::ProfileOperands),
            profile_bandwidth: flags.switch(Flag::ProfileBandwidth).unwrap_or(true),
            profile_sources: flags.switch(Flag::ProfileSources).unwrap_or(true),
            provenance_depth: number(Flag::ProvenanceDepth, 1),
            provenance: flags.switch(Flag::Provenance).unwrap_or(profile || nsys),
            // nsys records through CUPTI, which allows one client at a time.
            cupti: flags.switch(Flag::Cupti).unwrap_or(profile && !nsys) && profile && gpus > 0,
            nsys,
            logdir: flags.text(Flag::Logdir).unwrap_or(".").into(),
            force: switch(Flag::Force),
            logging: logging(flags),
            show_progress: switch(Flag::ShowProgress),
            show_config: switch(Flag::ShowConfig),
            show_memory_usage: switch(Flag::ShowMemoryUsage),
            run_id: match flags.get(Flag::RunId) {
                Some(Value::Hex128(id)) => Some(*id),
                _ => None,
            },
            host_use: HostUse::Quiet,
            launch: None,
            cores: Vec::new(),
            warnings: Vec::new(),
        };
        plan.warnings = share::warnings(&plan, flags, machine);
        Ok(plan)
    }

    /// Returns the capacity of FBMEM of a GPU: the size that was given, a share of `all` its
    /// memory, or this rank's part of 95 % of the `free` memory, in whole MiB.
    pub fn fbmem_of(&self, all: Bytes, free: Bytes) -> Bytes {
        let part = free.0 / self.gpu_ranks.max(1) as u64;
        let usual = Bytes::mib(Bytes(part / 20 * 19).whole_mib());
        self.fbmem.map_or(usual, |size| size.resolve(all))
    }

    /// Returns the capacity of unified memory that prefers a GPU: the size that was given for
    /// FBMEM, or that of FBMEM and the GPU's share of SYSTEM_MEM, to which its pages can move.
    pub fn unified_of(&self, all: Bytes, free: Bytes) -> Bytes {
        let part = self.sysmem.0 / self.gpus.max(1) as u64;
        let host = if self.fbmem.is_some() { 0 } else { part };
        Bytes(self.fbmem_of(all, free).0.saturating_add(host))
    }

    /// Returns the profile of a rank: `<logdir>/<profile-name>_<rank>.prof`.
    pub fn profile_path(&self, rank: u16) -> PathBuf {
        self.output_path(rank, "prof")
    }

    /// Returns the report that Nsight Systems writes for a rank:
    /// `<logdir>/<profile-name>_<rank>.nsys-rep`.
    pub fn report_path(&self, rank: u16) -> PathBuf {
        self.output_path(rank, "nsys-rep")
    }

    /// Returns the joined file of the run: `<logdir>/<profile-name>.sqlite`.
    pub fn joined_path(&self) -> PathBuf {
        self.logdir.join(format!("{}.sqlite", self.profile_name))
    }

    /// Returns the report of the run with its logical rows: `<logdir>/<profile-name>.nsys-rep`.
    pub fn merged_path(&self) -> PathBuf {
        self.logdir.join(format!("{}.nsys-rep", self.profile_name))
    }

    fn output_path(&self, rank: u16, extension: &str) -> PathBuf {
        self.logdir
            .join(format!("{}_{rank}.{extension}", self.profile_name))
    }
}

/// Returns the number of GPUs that the flags ask for; an error if this process sees fewer.
fn asked_gpus(flags: &Flags, machine: &Machine) -> Result<Option<usize>, ConfigError> {
    let Some(asked) = flags.number(Flag::Gpus) else {
        return Ok(None);
    };
    let asked = usize::try_from(asked).unwrap_or(usize::MAX);
    if asked <= machine.gpus {
        return Ok(Some(asked));
    }
    let (why, remedy) = match machine.gpus {
        0 => (
            "this process sees no GPU".to_owned(),
            "run `weft info` to see what is missing, or use --gpus 0".to_owned(),
        ),
        1 => (
            "this process sees 1 GPU".to_owned(),
            "give at most 1, or change CUDA_VISIBLE_DEVICES".to_owned(),
        ),
        seen => (
            format!("this process sees {seen} GPUs"),
            format!("give at most {seen}, or change CUDA_VISIBLE_DEVICES"),
        ),
    };
    Err(ConfigError {
        kind: ErrorKind::Unfit,
        flag: "--gpus".into(),
        value: Some(asked.to_string()),
        why,
        remedy,
    })
}

/// Returns the log levels of the flags. With `--show-progress`, each task is logged when it starts.
fn logging(flags: &Flags) -> LogSpec {
    let mut levels = match flags.get(Flag::Logging) {
        Some(Value::Levels(levels)) => levels.clone(),
        _ => LogSpec::default(),
    };
    if flags.switch(Flag::ShowProgress).unwrap_or(false) {
        levels.raise("task", Level::Debug);
    }
    levels
}

/// Returns 80 %, in whole MiB, at least 1.
fn four_fifths(memory: Bytes) -> Bytes {
    Bytes::mib(Bytes(memory.0 / 5 * 4).whole_mib().max(1))
}

#[cfg(test)]
mod tests;
