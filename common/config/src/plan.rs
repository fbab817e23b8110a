//! The checked plan: what a run will use.

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

pub use self::host::HostUse;

/// A complete configuration that fits the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether defaults come from the machine.
    pub auto_config: bool,
    /// CPU workers, at least 1 where there are no OMP groups.
    pub cpus: usize,
    /// OMP groups; 0 with GPUs.
    pub omps: usize,
    /// Threads of each OMP group, at least 1.
    pub omp_threads: usize,
    /// Whether each CPU worker and each thread of an OMP group stays on a core of its own.
    pub pin_cpus: bool,
    /// Threads that analyse operations: 1, or 0 where the program's own does.
    pub utility: usize,
    /// Capacity of SYSTEM_MEM of this rank.
    pub sysmem: Bytes,
    /// Above this use, unused memory is returned to the system.
    pub sysmem_soft: Bytes,
    /// Capacity of SOCKET_MEM of each NUMA node; 0: everything goes to SYSTEM_MEM.
    pub numamem: Bytes,
    /// Main memory that the machine has for this process.
    pub machine_memory: Bytes,
    /// Smallest tile for a CPU worker, in elements, at least 1.
    pub min_cpu_chunk: usize,
    /// Smallest tile for an OMP group, in elements, at least 1.
    pub min_omp_chunk: usize,
    /// Whether neighbouring elementwise operations are fused into one CPU kernel.
    pub fusion: bool,
    /// How long a group of fused operations waits for another one, beyond the usual few microseconds.
    pub fusion_wait: Duration,
    /// Maximum elements of an operation that runs inline on the program's thread.
    pub max_inline_chunk: usize,
    /// GPUs, of those that this process sees `first_gpu` and the next ones.
    pub gpus: usize,
    /// The first GPU: ranks of one node that see the same ones take different ones.
    pub first_gpu: usize,
    /// Ranks that use each of these GPUs, at least 1.
    pub gpu_ranks: usize,
    /// Capacity of FBMEM of each GPU; `None`: [`Plan::fbmem_of`] decides when the GPU is known.
    pub fbmem: Option<Size>,
    /// Capacity of ZCMEM of this rank; 0 without GPUs.
    pub zcmem: Bytes,
    /// Whether data moves to a larger memory automatically when one is full.
    pub spill: bool,
    /// Smallest tile for a GPU, in elements, at least 1.
    pub min_gpu_chunk: usize,
    /// Whether repeated operations are replayed as CUDA graphs.
    pub cuda_graphs: bool,
    /// Whether bodies of users' tasks are run on guarded copies, which find accesses that are not declared.
    pub verify: bool,
    /// Whether products of float32 matrices may round their operands to TF32.
    pub tf32: bool,
    /// Whether MPI is given addresses in GPU memory; `None` for what the library says of itself.
    pub cuda_aware_mpi: Option<bool>,
    /// Whether a .prof is written.
    pub profile: bool,
    /// First part of the names of this run's files.
    pub profile_name: String,
    /// Largest size of a rank's .prof.
    pub profile_limit: Bytes,
    /// Whether operands are recorded.
    pub profile_operands: bool,
    /// Whether the speed of main memory is measured at the end of a profiled run.
    pub profile_bandwidth: bool,
    /// Whether the text of source files is recorded.
    pub profile_sources: bool,
    /// Whether the source line of each call is recorded.
    pub provenance: bool,
    /// How many lines of the stack of calls are recorded, at least 1.
    pub provenance_depth: usize,
    /// Whether CUPTI records what GPUs do.
    pub cupti: bool,
    /// Whether the program runs under Nsight Systems.
    pub nsys: bool,
    /// Where this run's files go; may be relative to the current folder.
    pub logdir: PathBuf,
    /// Whether files of an earlier run are replaced; otherwise this run's go to a new folder where there are any.
    pub force: bool,
    /// What is logged.
    pub logging: LogSpec,
    /// Whether each task is logged when it starts.
    pub show_progress: bool,
    /// Whether [`Plan::summary`] is printed at the start.
    pub show_config: bool,
    /// Whether the use of each memory is printed at the end.
    pub show_memory_usage: bool,
    /// The answer to operations without code for GPUs; only [`Plan::from_env`] looks.
    pub host_use: HostUse,
    /// The id shared by the files of one run; `None` if not given.
    pub run_id: Option<[u8; 16]>,
    /// The launch that this process is part of; only [`Plan::from_env`] looks.
    pub launch: Option<Launch>,
    /// The cores of this rank alone, where several ranks share its node; else none, which means any. Only
    /// [`Plan::from_env`] looks.
    pub cores: Vec<usize>,
    /// Warnings about the node and its other ranks, printed by the node's first rank.
    pub warnings: Vec<String>,
}

impl Plan {
    /// The plan of this process: `WEFT_CONFIG` against this machine, or against its share of it where it is a rank of
    /// a launch. With `--help` among the flags it prints them
    /// on standard output and ends the process with status 0.
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
            // A closed output wants no help.
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
            let found = RankCores::of(&launch);
            plan.cores = if found.disjoint {
                found.cores
            } else {
                Vec::new()
            };
        }
        Ok(plan)
    }

    /// The plan of flags written as in `WEFT_CONFIG`, against this machine: for programs that choose their own, such as tests.
    ///
    /// # Errors
    /// A flag is not known or has no such value.
    pub fn from_text(flags: &str) -> Result<Plan, ConfigError> {
        let flags = Flags::from_text(flags)?;
        Plan::from_flags(&flags, &Machine::probe_for(&flags))
    }

    /// The plan of these words, as in `WEFT_CONFIG`, against a machine.
    pub fn from_words(words: &[String], machine: &Machine) -> Result<Plan, ConfigError> {
        Plan::from_flags(&Flags::from_words(words, Reader::Process)?, machine)
    }

    /// The plan of typed flags against a machine.
    pub fn from_flags(flags: &Flags, machine: &Machine) -> Result<Plan, ConfigError> {
        let auto_config = flags.switch(Flag::AutoConfig).unwrap_or(true);
        let number = |flag, otherwise: usize| {
            flags
                .number(flag)
                .map_or(otherwise, |n| usize::try_from(n).unwrap_or(usize::MAX))
        };
        let size = |flag, otherwise| {
            let size = flags.size(flag);
            size.map_or(otherwise, |size| size.of(machine.memory_total))
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
            max_inline_chunk: number(Flag::MaxInlineChunk, 8 << 10),
            gpus,
            first_gpu,
            gpu_ranks,
            fbmem: flags.size(Flag::Fbmem),
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
            // nsys records through CUPTI, which serves one at a time.
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

    /// Capacity of FBMEM of a GPU: what was asked for, a share of `all` its memory, or this rank's part of 95 % of the `free` part in
    /// whole MiB.
    pub fn fbmem_of(&self, all: Bytes, free: Bytes) -> Bytes {
        let part = free.0 / self.gpu_ranks.max(1) as u64;
        let usual = Bytes::mib(Bytes(part / 20 * 19).whole_mib());
        self.fbmem.map_or(usual, |size| size.of(all))
    }

    /// The file of a rank: `<logdir>/<profile-name>_<rank>.prof`.
    pub fn profile_path(&self, rank: u16) -> PathBuf {
        self.output_path(rank, "prof")
    }

    /// The report that Nsight Systems writes of a rank: `<logdir>/<profile-name>_<rank>.nsys-rep`.
    pub fn report_path(&self, rank: u16) -> PathBuf {
        self.output_path(rank, "nsys-rep")
    }

    /// The joined file of the run: `<logdir>/<profile-name>.sqlite`.
    pub fn joined_path(&self) -> PathBuf {
        self.logdir.join(format!("{}.sqlite", self.profile_name))
    }

    /// The report of the run that has its logical rows too: `<logdir>/<profile-name>.nsys-rep`.
    pub fn merged_path(&self) -> PathBuf {
        self.logdir.join(format!("{}.nsys-rep", self.profile_name))
    }

    fn output_path(&self, rank: u16, extension: &str) -> PathBuf {
        self.logdir
            .join(format!("{}_{rank}.{extension}", self.profile_name))
    }
}

/// GPUs that the flags ask for, which are no more than this process sees.
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

/// What is logged: as asked, and each task as it starts where progress is to be shown.
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

/// 80 %, in whole MiB, at least 1.
fn four_fifths(memory: Bytes) -> Bytes {
    Bytes::mib(Bytes(memory.0 / 5 * 4).whole_mib().max(1))
}

#[cfg(test)]
mod tests;
