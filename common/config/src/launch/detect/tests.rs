use super::*;
use crate::error::ErrorKind;
use crate::launch::Launcher;

fn read(text: &str) -> Result<Option<Launch>, ConfigError> {
    let variables: Vec<(&str, &str)> = text
        .split_whitespace()
        .map(|word| word.split_once('=').unwrap())
        .collect();
    Launch::from_variables(|wanted| {
        let found = variables.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn refused(text: &str) -> String {
    let error = read(text).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Launch, "{text}");
    error.to_string()
}

/// Returns the launcher, and the rank, size, local rank and local size.
fn numbers(text: &str) -> (Launcher, [u16; 4]) {
    let launch = read(text).unwrap().unwrap();
    let Launch {
        rank,
        size,
        local_rank,
        local_size,
        by,
    } = launch;
    (by, [rank, size, local_rank, local_size])
}

// As printed by `env` in ranks of Open MPI 4.1.4.
const OPEN_MPI: &str = "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 \
     OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_NODE_RANK=1 PMIX_RANK=3 OMPI_UNIVERSE_SIZE=4";
// As printed by `env` in ranks of MPICH 4.0.2.
const MPICH: &str = "PMI_FD=8 PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2";
const SLURM: &str = "SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=7 SLURM_LOCALID=1 SLURM_NODEID=2 \
     SLURM_STEP_TASKS_PER_NODE=2(x3),1";

#[test]
fn detects_launchers_by_environment_variables() {
    assert_eq!(numbers(OPEN_MPI), (Launcher::OpenMpi, [3, 4, 1, 2]));
    assert_eq!(numbers(MPICH), (Launcher::Mpich, [1, 2, 1, 2]));
    assert_eq!(numbers(SLURM), (Launcher::Slurm, [5, 7, 1, 2]));
    let pals = "PMI_RANK=6 PMI_SIZE=8 PMI_LOCAL_RANK=2 PMI_LOCAL_SIZE=4";
    assert_eq!(numbers(pals), (Launcher::Mpich, [6, 8, 2, 4]));
    let family = |name: &str| {
        numbers(&format!(
            "{name}_RANK=1 {name}_SIZE=3 {name}_LOCAL_RANK=0 {name}_LOCAL_SIZE=1"
        ))
    };
    assert_eq!(family("JSM_NAMESPACE"), (Launcher::Jsrun, [1, 3, 0, 1]));
    assert_eq!(family("MV2_COMM_WORLD"), (Launcher::Mvapich, [1, 3, 0, 1]));
}

#[test]
fn detects_no_launch_without_variables() {
    assert_eq!(read("HOME=/root PMI_RANK= PMI_SIZE="), Ok(None));
    // The script of sbatch is not a task of a step.
    let script = "SLURM_JOB_ID=1 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=8 SLURM_NODEID=0";
    assert_eq!(read(script), Ok(None));
}

#[test]
fn slurm_variables_complete_pmi_variables() {
    let pmi = format!("{SLURM} PMI_RANK=5 PMI_SIZE=7");
    assert_eq!(numbers(&pmi), (Launcher::Mpich, [5, 7, 1, 2]));
    // MPICH's daemon runs in its own step, and the step's numbers are the daemon's.
    let daemon =
        "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_LOCALID=0 SLURM_STEP_TASKS_PER_NODE=1";
    assert_eq!(numbers(&format!("{daemon} {MPICH}")).1, [1, 2, 1, 2]);
    assert_eq!(
        refused(&format!("{daemon} PMI_RANK=5 PMI_SIZE=7")),
        "PMI_RANK 5: MPI_LOCALRANKID must be set too, but is not; start the ranks with mpirun, srun or `weft run --launcher`, \
         or unset the variable if this process is not a rank of a launch"
    );
}

#[test]
fn single_rank_launch_may_contain_another() {
    let shell = "PMI_RANK=0 PMI_SIZE=1";
    assert_eq!(numbers(shell), (Launcher::Mpich, [0, 1, 0, 1]));
    assert_eq!(
        numbers(&format!("{shell} {OPEN_MPI}")),
        (Launcher::OpenMpi, [3, 4, 1, 2])
    );
    let alone = "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1";
    assert_eq!(
        numbers(&format!("{alone} {MPICH}")),
        (Launcher::Mpich, [1, 2, 1, 2])
    );
}

#[test]
fn invalid_launch_errors_name_the_variable() {
    for (text, start) in [
        (
            "PMI_RANK=x PMI_SIZE=2",
            "PMI_RANK x: it is not a whole number; ",
        ),
        (
            "PMI_RANK=-1 PMI_SIZE=2",
            "PMI_RANK -1: it is not a whole number; ",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=70000",
            "PMI_SIZE 70000: a run has at most 32767 ranks; ",
        ),
        (
            "PMI_RANK=0",
            "PMI_RANK 0: PMI_SIZE must be set too, but is not; ",
        ),
        (
            "OMPI_COMM_WORLD_SIZE=4",
            "OMPI_COMM_WORLD_SIZE 4: OMPI_COMM_WORLD_RANK must be set too, but is not; ",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=2",
            "PMI_RANK 0: MPI_LOCALRANKID must be set too, but is not; ",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=0",
            "PMI_RANK 0: MPI_LOCALNRANKS must be set too, but is not; ",
        ),
        (
            "PMI_RANK=2 PMI_SIZE=2 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1",
            "PMI_RANK 2: PMI_SIZE=2 allows only smaller ranks; ",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=1",
            "MPI_LOCALRANKID 1: MPI_LOCALNRANKS=1 allows only smaller ranks; ",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=3",
            "MPI_LOCALNRANKS 3: PMI_SIZE=2 is smaller; ",
        ),
        (
            "PMI_RANK=0 PMI_SIZE=0",
            "PMI_RANK 0: MPI_LOCALRANKID must be set too, but is not; ",
        ),
        (
            "PMIX_RANK=0",
            "PMIX_RANK 0: no variable gives the number of ranks; ",
        ),
        (
            "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1",
            "SLURM_STEP_NUM_TASKS 2: SLURM_LOCALID must be set too, but is not; ",
        ),
        (
            "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=2",
            "SLURM_STEP_TASKS_PER_NODE 2: it lacks the number of tasks of node 1; ",
        ),
    ] {
        let refused = refused(text);
        assert!(refused.starts_with(start), "{text}: {refused}");
    }
}

#[test]
fn rejects_contradicting_launchers() {
    let refused = |text: &str| refused(text).split("; ").next().unwrap().to_owned();
    assert_eq!(
        refused(&format!("{OPEN_MPI} {MPICH}")),
        "OMPI_COMM_WORLD_SIZE 4: PMI_SIZE=2 says otherwise"
    );
    let other = "PMI_RANK=2 PMI_SIZE=4 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2";
    assert_eq!(
        refused(&format!("{OPEN_MPI} {other}")),
        "OMPI_COMM_WORLD_RANK 3: PMI_RANK=2 says otherwise"
    );
    assert_eq!(
        refused(&OPEN_MPI.replace("PMIX_RANK=3", "PMIX_RANK=0")),
        "OMPI_COMM_WORLD_RANK 3: PMIX_RANK=0 says otherwise"
    );
}

#[test]
fn displays_launch_as_text() {
    let launch = read(MPICH).unwrap().unwrap();
    assert_eq!(launch.to_string(), "rank 1 of 2, started by MPICH");
    assert!(launch.is_shared());
}
