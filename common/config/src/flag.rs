//! The table of flags. Parsing, the help, the command line of `weft run` and the summary of
//! `--show-config` are all generated from it.

use strum::IntoStaticStr;

use crate::value::Kind;

/// One flag.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The flag.
    pub flag: Flag,
    /// The name, without dashes.
    pub name: &'static str,
    /// The type of the value.
    pub kind: Kind,
    /// The default, as text.
    pub default: &'static str,
    /// The heading in the help.
    pub group: Group,
    /// The programs that use the flag.
    pub scope: Scope,
    /// Whether the flag is hidden from the help.
    pub hidden: bool,
    /// A description of one line.
    pub help: &'static str,
}

/// Headings of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum Group {
    /// Processors and memory.
    Resources,
    /// Number and placement of processes.
    Ranks,
    /// The contents of the profile.
    Profiling,
    /// Programs in Python.
    Python,
    /// Tools that the program runs under.
    Debugging,
    /// Messages and files.
    Output,
}

impl Group {
    /// Returns the text of the heading.
    pub fn title(self) -> &'static str {
        self.into()
    }
}

/// The programs that use a flag. `weft run` accepts all flags, and passes on those of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the process that computes.
    Process,
    /// Only `weft run`; an error in `WEFT_CONFIG`.
    Launch,
    /// `weft run` and the process that computes.
    Both,
}

impl Scope {
    /// Whether the process that computes uses the flag.
    pub const fn concerns_process(self) -> bool {
        !matches!(self, Scope::Launch)
    }
}

impl Flag {
    /// Returns the flag's row of the table.
    pub fn spec(self) -> &'static Spec {
        &FLAGS[self as usize]
    }

    /// Returns the flag with this name (without dashes).
    pub fn named(name: &str) -> Option<Flag> {
        FLAGS
            .iter()
            .find_map(|spec| (spec.name == name).then_some(spec.flag))
    }
}

macro_rules! table {
    ($($flag:ident $name:literal $kind:expr, $default:literal, $group:ident, $scope:ident $(, $hidden:ident)? => $help:literal;)*) => {
        /// A row of the table of flags.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "documented by the table")]
        pub enum Flag {
            $($flag),*
        }

        /// All flags, in the order of the help.
        pub const FLAGS: &[Spec] = &[
            $(Spec {
                flag: Flag::$flag,
                name: $name,
                kind: $kind,
                default: $default,
                group: Group::$group,
                scope: Scope::$scope,
                hidden: table!(@hidden $($hidden)?),
                help: $help,
            }),*
        ];
    };
    (@hidden hidden) => { true };
    (@hidden) => { false };
}

table! {
    AutoConfig "auto-config" Kind::Bool, "true", Resources, Process =>
        "Size the run by what this machine has; false: 1 CPU worker, 4096 MiB of memory, no GPU";
    Cpus "cpus" Kind::Count { min: 0, max: 4096 }, "one per core; 0 with --omps", Resources, Process =>
        "Number of CPU worker threads";
    Omps "omps" Kind::Count { min: 0, max: 1024 }, "0", Resources, Process =>
        "Number of OMP groups: teams of threads that run one task together. With --cpus too, single-tile tasks go to the CPU workers";
    OmpThreads "ompthreads" Kind::Count { min: 1, max: 4096 }, "the cores, divided among the groups", Resources, Process =>
        "Threads in each OMP group";
    PinCpus "pin-cpus" Kind::Bool, "false", Resources, Process =>
        "Pin each CPU worker and each OMP thread to its own core";
    Utility "utility" Kind::Count { min: 0, max: 1 }, "1", Resources, Process =>
        "Threads that analyse dependences: 1, or 0 to analyse on the program's own thread";
    Sysmem "sysmem" Kind::Size { min: 1, shares: true }, "80% of the available memory", Resources, Process =>
        "Main memory for arrays. Sizes are in MiB, or as 100M, 1.5GiB, or 50% of the machine's memory";
    SysmemSoft "sysmem-soft" Kind::Size { min: 0, shares: true }, "the value of --sysmem", Resources, Process =>
        "Return unused pages to the system while arrays take more than SIZE";
    Numamem "numamem" Kind::Size { min: 0, shares: true }, "0", Resources, Process =>
        "Main memory of each NUMA node that arrays use first, near the worker that writes them";
    MinCpuChunk "min-cpu-chunk" Kind::Count { min: 1, max: 1 << 40 }, "32768", Resources, Process =>
        "Smallest tile for a CPU worker, in elements; smaller arrays are not divided";
    MinOmpChunk "min-omp-chunk" Kind::Count { min: 1, max: 1 << 40 }, "131072", Resources, Process =>
        "Smallest tile for an OMP group, in elements; smaller arrays are not divided";
    Fusion "fusion" Kind::Bool, "true", Resources, Process =>
        "Fuse neighbouring elementwise operations into one CPU kernel";
    FusionWait "fusion-wait" Kind::Count { min: 0, max: 60_000 }, "0", Resources, Process, hidden =>
        "Milliseconds that a group of fused operations waits for the next one while the program does not wait; 0: some microseconds on CPUs, one millisecond without work on GPUs. With a long time the groups depend on the program alone, and not on how busy the machine is";
    MaxInlineChunk "max-inline-chunk" Kind::Count { min: 0, max: 1 << 40 }, "32768", Resources, Process =>
        "Run operations of at most N elements at once on the program's thread when their inputs are ready; 0: never";
    Gpus "gpus" Kind::Count { min: 0, max: 128 }, "all visible GPUs", Resources, Process =>
        "Number of GPUs. With at least one, all operations run on GPUs";
    Fbmem "fbmem" Kind::Size { min: 1, shares: true }, "95% of the memory free at the start", Resources, Process =>
        "Memory of each GPU for arrays. Unified memory: also a share of --sysmem by default";
    GpuMemory "gpu-memory" Kind::OneOf(&["device", "unified"]), "device", Resources, Process =>
        "Kind of memory of arrays on GPUs: device, or unified, whose pages move between a GPU and main memory, so that arrays may be larger than the GPU's memory";
    Zcmem "zcmem" Kind::Size { min: 0, shares: true }, "128 MiB", Resources, Process =>
        "Pinned main memory that GPUs can access; 0 without GPUs";
    Spill "spill" Kind::Bool, "false", Resources, Process =>
        "When a GPU's or NUMA node's memory is full, move the least recently used arrays to main memory";
    MinGpuChunk "min-gpu-chunk" Kind::Count { min: 1, max: 1 << 40 }, "65536", Resources, Process =>
        "Smallest tile for a GPU, in elements; smaller arrays are not divided";
    CudaGraphs "cuda-graphs" Kind::Bool, "false", Resources, Process =>
        "Replay repeated operations as CUDA graphs, which lowers the cost per task";
    Verify "verify" Kind::Bool, "false", Resources, Process =>
        "Run each body of a user's task on guarded copies, several times, and report accesses that its constraints do not declare; slow";
    Tf32 "tf32" Kind::Bool, "false", Resources, Process =>
        "Allow TF32 in products of float32 matrices on GPUs: faster, less precise";
    CudaAwareMpi "cuda-aware-mpi" Kind::Bool, "what the MPI library reports", Resources, Process =>
        "Pass GPU memory to MPI directly, without a copy through pinned memory";
    Nodes "nodes" Kind::Count { min: 1, max: 32767 }, "1, or that of the surrounding launch", Ranks, Launch =>
        "Number of nodes to run on";
    RanksPerNode "ranks-per-node" Kind::Count { min: 1, max: 32767 }, "1, or that of the surrounding launch", Ranks, Launch =>
        "Ranks (processes) on each node, which share its cores, GPUs and memory";
    Launcher "launcher" Kind::Launcher, "none for one rank; srun or jsrun inside their allocations, otherwise mpirun", Ranks, Launch =>
        "Program that starts the ranks: mpirun (Open MPI or MPICH, or a path), srun, jsrun, or none if a launcher starts `weft run` itself";
    LauncherExtra "launcher-extra" Kind::Words, "", Ranks, Launch =>
        "More options for the launcher; may be repeated";
    CpuBind "cpu-bind" Kind::NumbersByRank, "the node's cores, divided among its ranks", Ranks, Launch =>
        "Hardware threads of each rank of a node, ranks separated by slashes: 0-3/4-7";
    MemBind "mem-bind" Kind::NumbersByRank, "any", Ranks, Launch =>
        "NUMA nodes of each rank's memory, ranks separated by slashes: 0/1";
    GpuBind "gpu-bind" Kind::NamesByRank, "the node's GPUs, divided among its ranks", Ranks, Launch =>
        "GPUs of each rank, ranks separated by slashes: 0,1/2,3";
    NicBind "nic-bind" Kind::NamesByRank, "any", Ranks, Launch =>
        "Network devices that UCX uses in each rank, ranks separated by slashes: mlx5_0/mlx5_1";
    Profile "profile" Kind::Bool, "false", Profiling, Process =>
        "Record the run in <logdir>/<profile-name>_<rank>.prof";
    ProfileName "profile-name" Kind::FileName, "weft", Profiling, Process =>
        "Start of the names of all files of the run";
    ProfileLimit "profile-limit" Kind::Size { min: 1, shares: false }, "4096 MiB", Profiling, Process =>
        "Maximum size of each rank's .prof, in MiB or as 1.5GiB; records beyond it are dropped and counted";
    ProfileOperands "profile-operands" Kind::Bool, "false", Profiling, Process =>
        "Also record each operation's operands and tiling, which `weft simulate` needs";
    ProfileBandwidth "profile-bandwidth" Kind::Bool, "true", Profiling, Process =>
        "Measure the speed of main memory and of arithmetic at the end of a profiled run (about 0.1 s), for `weft stats`";
    ProfileSources "profile-sources" Kind::Bool, "true", Profiling, Process =>
        "Keep the text of the source files in the profile: at most 1 MiB of each, 16 MiB in all";
    Provenance "provenance" Kind::Bool, "true with --profile or --nsys, otherwise false", Profiling, Process =>
        "Record the source line of each call";
    ProvenanceDepth "provenance-depth" Kind::Count { min: 1, max: 64 }, "1", Profiling, Process =>
        "Lines recorded of each call: 2 also records the line that called its function, and so on (Python programs)";
    Cupti "cupti" Kind::Bool, "true with --profile on GPUs, otherwise false; false with --nsys", Profiling, Process =>
        "Record GPU activity through CUPTI, which serves only one tool at a time";
    Nsys "nsys" Kind::Bool, "false", Profiling, Both =>
        "Run the program under Nsight Systems and join its report with the profile";
    NsysExtra "nsys-extra" Kind::Words, "", Profiling, Launch =>
        "More options for `nsys profile`; may be repeated";
    Compat "compat" Kind::OneOf(&["cupynumeric", "numpy"]), "none", Python, Launch =>
        "Run a Python program that imports another package with Weft's arrays, unchanged: cupynumeric (and legate), with Legate's flags and LEGATE_CONFIG; or numpy, where your own files import it";
    NumpyRandom "numpy-random" Kind::Bool, "false", Python, Launch =>
        "Give a Python program NumPy's own random numbers for its seeds, drawn on the host";
    Gdb "gdb" Kind::Bool, "false", Debugging, Launch =>
        "Run the program in gdb (one rank only)";
    CudaGdb "cuda-gdb" Kind::Bool, "false", Debugging, Launch =>
        "Run the program in cuda-gdb (one rank only)";
    Valgrind "valgrind" Kind::Bool, "false", Debugging, Launch =>
        "Run each rank under valgrind";
    Memcheck "memcheck" Kind::Bool, "false", Debugging, Launch =>
        "Run each rank under NVIDIA's compute-sanitizer";
    Wrapper "wrapper" Kind::Words, "", Debugging, Launch =>
        "Run each rank's whole command, with debuggers and nsys, under this command; %%WEFT_RANK%% in it becomes the rank; may be repeated";
    WrapperInner "wrapper-inner" Kind::Words, "", Debugging, Launch =>
        "Run only the program under this command, inside debuggers and nsys; otherwise as --wrapper";
    Logdir "logdir" Kind::Folder, "the current folder", Output, Process =>
        "Folder for the files of this run";
    Force "force" Kind::Bool, "false", Output, Both =>
        "Replace the files that this run writes, once they are written. Without it, a run that would replace a file writes to a new folder weft-run-<n> in --logdir";
    Logging "logging" Kind::Levels, "warn", Output, Process =>
        "Log level (error, warn, info, debug, trace), or subsystem=level pairs separated by commas";
    ShowConfig "show-config" Kind::Bool, "false", Output, Process =>
        "Print the checked configuration at the start";
    ShowProgress "show-progress" Kind::Bool, "false", Output, Process =>
        "Print each task with its source line when it starts";
    ShowMemoryUsage "show-memory-usage" Kind::Bool, "false", Output, Process =>
        "Print the use of each memory at the end";
    LogToFile "log-to-file" Kind::Bool, "false", Output, Launch =>
        "Write the output of each rank to <logdir>/<profile-name>_<rank>.out and .err";
    Timing "timing" Kind::Bool, "false", Output, Launch =>
        "Print when the run starts and ends and how long it takes";
    Verbose "verbose" Kind::Bool, "false", Output, Launch =>
        "Print the full command and environment before running it";
    DryRun "dry-run" Kind::Bool, "false", Output, Launch =>
        "Print the full command and environment without running it";
    RunId "run-id" Kind::Hex128, "random", Output, Process, hidden =>
        "Id shared by the files of one run";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_table_is_ordered_with_unique_names() {
        for (at, spec) in FLAGS.iter().enumerate() {
            assert_eq!(spec.flag as usize, at);
            assert_eq!(Flag::named(spec.name), Some(spec.flag));
            assert!(
                spec.name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            );
            assert!(!spec.help.ends_with('.'), "{}", spec.name);
        }
    }
}
