//! The table of flags. A flag is written down here and nowhere else: parsing, help, the command line of `weft run`,
//! and the summary of `--show-config` are all made from it.

use strum::IntoStaticStr;

use crate::value::Kind;

/// One flag.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Which.
    pub flag: Flag,
    /// Its name, without dashes.
    pub name: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// The default, in words.
    pub default: &'static str,
    /// The heading it stands under in the help.
    pub group: Group,
    /// Who acts on it.
    pub scope: Scope,
    /// Whether the help leaves it out.
    pub hidden: bool,
    /// One line that says what it does.
    pub help: &'static str,
}

/// Headings of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum Group {
    /// What the run may use.
    Resources,
    /// How many processes run it, and where.
    Ranks,
    /// What is recorded.
    Profiling,
    /// What it runs under.
    Debugging,
    /// What is said.
    Output,
}

impl Group {
    /// The heading.
    pub fn title(self) -> &'static str {
        self.into()
    }
}

/// Who acts on a flag. `weft run` takes all of them and passes on those that the process acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The process that computes.
    Process,
    /// `weft run` alone; refused in `WEFT_CONFIG`.
    Launch,
    /// Both.
    Both,
}

impl Scope {
    /// Whether the process acts on it.
    pub const fn concerns_process(self) -> bool {
        !matches!(self, Scope::Launch)
    }
}

impl Flag {
    /// Its row of the table.
    pub fn spec(self) -> &'static Spec {
        &FLAGS[self as usize]
    }

    /// The flag of this name (without dashes).
    pub fn named(name: &str) -> Option<Flag> {
        FLAGS
            .iter()
            .find_map(|spec| (spec.name == name).then_some(spec.flag))
    }
}

macro_rules! table {
    ($($flag:ident $name:literal $kind:expr, $default:literal, $group:ident, $scope:ident $(, $hidden:ident)? => $help:literal;)*) => {
        /// Names a row of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the table says what each is")]
        pub enum Flag {
            $($flag),*
        }

        /// Every flag, in the order of the help.
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
        "Use what the machine has where a flag does not say; false: 1 CPU, 4096 MiB and no GPU";
    Cpus "cpus" Kind::Count { min: 0, max: 4096 }, "one for each core; 0 with --omps", Resources, Process =>
        "CPU workers that run tasks";
    Omps "omps" Kind::Count { min: 0, max: 1024 }, "0", Resources, Process =>
        "OMP groups: teams of threads that share each task; tasks go to them, and those of one tile to CPU workers where there are any";
    OmpThreads "ompthreads" Kind::Count { min: 1, max: 4096 }, "the cores, shared out among the groups", Resources, Process =>
        "Threads of each OMP group";
    PinCpus "pin-cpus" Kind::Bool, "false", Resources, Process =>
        "Keep each CPU worker and each thread of an OMP group on a core of its own, which no other process should use";
    Utility "utility" Kind::Count { min: 0, max: 1 }, "1", Resources, Process =>
        "Threads that analyse operations, which is done in program order; 0: the program's own";
    Sysmem "sysmem" Kind::Size { min: 1, shares: true }, "80 % of the available memory", Resources, Process =>
        "Main memory that arrays may take: MiB, or 100M, 1.5GiB, 50% (of what the machine has), as all sizes";
    SysmemSoft "sysmem-soft" Kind::Size { min: 0, shares: true }, "all of --sysmem", Resources, Process =>
        "Above so much of it, pages that no array holds go back to the machine, and nothing is kept in case";
    Numamem "numamem" Kind::Size { min: 0, shares: true }, "0", Resources, Process =>
        "Main memory of each NUMA node that arrays go to first, near the worker that makes them";
    MinCpuChunk "min-cpu-chunk" Kind::Count { min: 1, max: 1 << 40 }, "32768", Resources, Process =>
        "Fewest elements that are worth a task of their own on a CPU";
    MinOmpChunk "min-omp-chunk" Kind::Count { min: 1, max: 1 << 40 }, "131072", Resources, Process =>
        "Fewest elements that are worth a task of their own on an OMP group";
    Fusion "fusion" Kind::Bool, "true", Resources, Process =>
        "Do neighbouring operations of elements by one kernel on CPUs";
    MaxInlineChunk "max-inline-chunk" Kind::Count { min: 0, max: 1 << 40 }, "8192", Resources, Process =>
        "Most elements of an operation that runs at once on the program's own thread, where nothing it needs is under way";
    Gpus "gpus" Kind::Count { min: 0, max: 128 }, "all that this process sees", Resources, Process =>
        "GPUs; where there are any, all operations run on them";
    Fbmem "fbmem" Kind::Size { min: 1, shares: true }, "95 % of what is free at the start", Resources, Process =>
        "Memory of each GPU that arrays may take";
    Zcmem "zcmem" Kind::Size { min: 0, shares: true }, "128", Resources, Process =>
        "Pinned main memory that GPUs can use too; 0 without GPUs";
    Spill "spill" Kind::Bool, "false", Resources, Process =>
        "When a GPU's memory or a NUMA node's is full, move what was used longest ago to main memory";
    MinGpuChunk "min-gpu-chunk" Kind::Count { min: 1, max: 1 << 40 }, "65536", Resources, Process =>
        "Fewest elements that are worth a task of their own on a GPU";
    CudaGraphs "cuda-graphs" Kind::Bool, "false", Resources, Process =>
        "Replay what the program repeats as CUDA graphs, which costs less for each task";
    Tf32 "tf32" Kind::Bool, "false", Resources, Process =>
        "Let products of float32 matrices on GPUs round their operands to TF32, which is faster";
    CudaAwareMpi "cuda-aware-mpi" Kind::Bool, "what the MPI library says of itself", Resources, Process =>
        "Have MPI send from and receive to GPU memory, and not pinned memory in between";
    Nodes "nodes" Kind::Count { min: 1, max: 32767 }, "1, or those of the launch this is part of", Ranks, Launch =>
        "Machines that the ranks run on";
    RanksPerNode "ranks-per-node" Kind::Count { min: 1, max: 32767 }, "1, or those of the launch this is part of", Ranks, Launch =>
        "Processes on each, which all run the program and share its cores and memory";
    Launcher "launcher" Kind::Launcher, "none for one rank; srun or jsrun inside their allocations, else mpirun", Ranks, Launch =>
        "What starts the ranks: mpirun (of Open MPI or MPICH, or its path), srun, jsrun, or none where `weft run` is itself started by one";
    LauncherExtra "launcher-extra" Kind::Words, "", Ranks, Launch =>
        "More options for the launcher; may be given several times";
    CpuBind "cpu-bind" Kind::NumbersByRank, "the node's cores, shared out", Ranks, Launch =>
        "Hardware threads of each rank of a node, ranks separated by slashes: 0-3/4-7";
    MemBind "mem-bind" Kind::NumbersByRank, "any", Ranks, Launch =>
        "NUMA nodes that each rank's memory comes from: 0/1";
    GpuBind "gpu-bind" Kind::NamesByRank, "the node's GPUs, shared out", Ranks, Launch =>
        "GPUs that each rank sees: 0,1/2,3";
    NicBind "nic-bind" Kind::NamesByRank, "any", Ranks, Launch =>
        "Network devices that UCX uses in each rank: mlx5_0/mlx5_1";
    Profile "profile" Kind::Bool, "false", Profiling, Process =>
        "Record the run in <logdir>/<profile-name>_<rank>.prof";
    ProfileName "profile-name" Kind::FileName, "weft", Profiling, Process =>
        "First part of the names of this run's files";
    ProfileLimit "profile-limit" Kind::Size { min: 1, shares: false }, "4096", Profiling, Process =>
        "Largest size of a rank's .prof; what does not fit is dropped and counted";
    ProfileOperands "profile-operands" Kind::Bool, "false", Profiling, Process =>
        "Also record what each operation works on and how it is cut, which `weft simulate` needs";
    Provenance "provenance" Kind::Bool, "true with --profile or --nsys, else false", Profiling, Process =>
        "Record the source line of each call";
    Cupti "cupti" Kind::Bool, "true with --profile on GPUs, else false; false under --nsys", Profiling, Process =>
        "Record what GPUs do through CUPTI; one tool at a time can";
    Nsys "nsys" Kind::Bool, "false", Profiling, Both =>
        "Run the program under Nsight Systems, and join what it saw with the profile";
    NsysExtra "nsys-extra" Kind::Words, "", Profiling, Launch =>
        "More options for `nsys profile`; may be given several times";
    Gdb "gdb" Kind::Bool, "false", Debugging, Launch =>
        "Run the program in gdb; one rank only";
    CudaGdb "cuda-gdb" Kind::Bool, "false", Debugging, Launch =>
        "Run the program in cuda-gdb; one rank only";
    Valgrind "valgrind" Kind::Bool, "false", Debugging, Launch =>
        "Run each rank under valgrind";
    Memcheck "memcheck" Kind::Bool, "false", Debugging, Launch =>
        "Run each rank under NVIDIA's compute-sanitizer";
    Wrapper "wrapper" Kind::Words, "", Debugging, Launch =>
        "A command to run each rank's whole command with, before debuggers and nsys; %%WEFT_RANK%% in it is the rank; may be given several times";
    WrapperInner "wrapper-inner" Kind::Words, "", Debugging, Launch =>
        "The same, right before the program";
    Logdir "logdir" Kind::Folder, "the current folder", Output, Process =>
        "Where this run's files go";
    Force "force" Kind::Bool, "false", Output, Both =>
        "Replace the files of an earlier run of this name; else, where there are any, this run's go to a new folder weft-run-<n>";
    Logging "logging" Kind::Levels, "warn", Output, Process =>
        "What is logged: a level, or subsystem=level, several with commas";
    ShowConfig "show-config" Kind::Bool, "false", Output, Process =>
        "Print the checked configuration at the start";
    ShowProgress "show-progress" Kind::Bool, "false", Output, Process =>
        "Print each task as it starts, with the source line that caused it";
    ShowMemoryUsage "show-memory-usage" Kind::Bool, "false", Output, Process =>
        "Print how much of each memory was in use, at the end";
    LogToFile "log-to-file" Kind::Bool, "false", Output, Launch =>
        "Write what each rank prints to <logdir>/<profile-name>_<rank>.out and .err";
    Timing "timing" Kind::Bool, "false", Output, Launch =>
        "Print when the run starts and ends, and how long it takes";
    Verbose "verbose" Kind::Bool, "false", Output, Launch =>
        "Print the full command and environment before running it";
    DryRun "dry-run" Kind::Bool, "false", Output, Launch =>
        "Print the full command and environment, and run nothing";
    RunId "run-id" Kind::Hex128, "random", Output, Process, hidden =>
        "The id that the files of one run share";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_are_unique() {
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
