use super::*;
use crate::flags;

const MACHINE: Machine = Machine {
    cores: 6,
    memory_total: Bytes::mib(1000),
    memory_available: Bytes::mib(500),
    gpus: 0,
    shared: None,
};

const WITH_GPUS: Machine = Machine { gpus: 2, ..MACHINE };

fn plan_on(machine: &Machine, text: &str) -> Result<Plan, ConfigError> {
    Plan::from_words(&flags::words(text).unwrap(), machine)
}

fn plan(text: &str) -> Result<Plan, ConfigError> {
    plan_on(&MACHINE, text)
}

#[test]
fn plan_defaults_follow_the_machine() {
    let plan = plan("").unwrap();
    assert_eq!((plan.cpus, plan.utility), (6, 1));
    assert_eq!(plan.sysmem, Bytes::mib(400));
    assert!(!plan.profile && !plan.provenance);
}

#[test]
fn plan_without_auto_config_ignores_the_machine() {
    let plan = plan("--auto-config=false").unwrap();
    assert_eq!((plan.cpus, plan.utility), (1, 1));
    assert_eq!(plan.sysmem, Bytes::mib(4096));
}

#[test]
fn flags_override_machine_defaults() {
    let plan = plan("--cpus 2 --sysmem=64 --utility 0").unwrap();
    assert_eq!((plan.cpus, plan.utility), (2, 0));
    assert_eq!(plan.sysmem, Bytes::mib(64));
}

#[test]
fn parses_sizes_with_units_and_percentages() {
    let plan = plan("--sysmem 50% --sysmem-soft 100M --numamem 0.25GiB --zcmem 7").unwrap();
    assert_eq!(plan.sysmem, Bytes::mib(500));
    assert_eq!(plan.sysmem_soft, Bytes::mib(100));
    assert_eq!(plan.numamem, Bytes::mib(256));
    assert_eq!(plan.machine_memory, Bytes::mib(1000));
}

#[test]
fn soft_limit_is_capped_by_the_hard_limit() {
    let soft = |text| plan(text).unwrap().sysmem_soft;
    assert_eq!(soft("--sysmem 64"), Bytes::mib(64));
    assert_eq!(soft("--sysmem 64 --sysmem-soft 128"), Bytes::mib(64));
    assert_eq!(soft("--sysmem 64 --sysmem-soft 0"), Bytes(0));
}

#[test]
fn rejects_plans_without_processors() {
    let error = plan("--cpus 0").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unfit);
    assert_eq!(
        error.to_string(),
        "--cpus 0: without OMP groups, no processor can run tasks; give at least 1, or --omps"
    );
}

#[test]
fn omp_groups_replace_cpu_workers() {
    let processors = |text| {
        let plan = plan(text).unwrap();
        (plan.cpus, plan.omps, plan.omp_threads)
    };
    let cores = processors("").0;
    assert_eq!(processors("--omps 1"), (0, 1, cores));
    assert_eq!(processors("--omps 2 --ompthreads 3 --cpus 1"), (1, 2, 3));
    assert_eq!(processors("--omps 1000").2, 1);
    let error = plan_on(&WITH_GPUS, "--omps 1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "--omps 1: with GPUs, all operations run on GPUs and none on OMP groups; add --gpus 0"
    );
}

#[test]
fn uses_all_gpus_by_default() {
    let gpus = |text| plan_on(&WITH_GPUS, text).unwrap().gpus;
    assert_eq!(gpus(""), 2);
    assert_eq!(gpus("--gpus 1"), 1);
    assert_eq!(gpus("--gpus 0"), 0);
    assert_eq!(gpus("--auto-config=no"), 0);
    assert_eq!(gpus("--auto-config=no --gpus 2"), 2);
    assert_eq!(plan("").unwrap().gpus, 0);
}

#[test]
fn rejects_more_gpus_than_visible() {
    let refused = |machine, text| {
        let error = plan_on(machine, text).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unfit);
        error.to_string()
    };
    assert_eq!(
        refused(&WITH_GPUS, "--gpus 3"),
        "--gpus 3: this process sees 2 GPUs; give at most 2, or change CUDA_VISIBLE_DEVICES"
    );
    assert_eq!(
        refused(&MACHINE, "--gpus 1"),
        "--gpus 1: this process sees no GPU; run `weft info` to see what is missing, or use --gpus 0"
    );
}

#[test]
fn plans_gpu_memory_sizes() {
    let plan = plan_on(&WITH_GPUS, "").unwrap();
    assert_eq!((plan.fbmem, plan.zcmem), (None, Bytes::mib(128)));
    assert_eq!(
        plan.fbmem_of(Bytes::mib(2000), Bytes::mib(1000)),
        Bytes::mib(950)
    );
    let plan = plan_on(&WITH_GPUS, "--fbmem 64 --zcmem 0").unwrap();
    assert_eq!(
        plan.fbmem_of(Bytes::mib(2000), Bytes::mib(1000)),
        Bytes::mib(64)
    );
    assert_eq!(plan.zcmem, Bytes(0));
    let half = plan_on(&WITH_GPUS, "--fbmem 50%").unwrap();
    assert_eq!(half.fbmem_of(Bytes::mib(2000), Bytes(7)), Bytes::mib(1000));
    let none = plan_on(&WITH_GPUS, "--gpus 0 --zcmem 64").unwrap();
    assert_eq!(none.zcmem, Bytes(0));
}

#[test]
fn enables_cupti_for_gpu_profiles_without_nsys() {
    let cupti = |text| plan_on(&WITH_GPUS, text).unwrap().cupti;
    assert!(cupti("--profile"));
    assert!(!cupti(""));
    assert!(!cupti("--cupti"));
    assert!(!cupti("--profile --nsys"));
    assert!(cupti("--profile --nsys --cupti"));
    assert!(!cupti("--profile --cupti=no"));
    assert!(!cupti("--profile --gpus 0"));
}

#[test]
fn fusion_wait_defaults_to_zero() {
    let waits = |text| plan(text).unwrap().fusion_wait.as_millis();
    assert_eq!((waits(""), waits("--fusion-wait 2000")), (0, 2000));
    let summary = |text| plan(text).unwrap().summary();
    assert!(!summary("").contains("fusion-wait"));
    assert!(summary("--fusion-wait 7").contains("- fusion-wait = 7 ms\n"));
}

#[test]
fn provenance_follows_profiling_by_default() {
    let provenance = |text| plan(text).unwrap().provenance;
    assert!(provenance("--profile"));
    assert!(provenance("--nsys"));
    assert!(provenance("--provenance"));
    assert!(!provenance("--profile --provenance=0"));
}

#[test]
fn show_progress_enables_task_debug_log() {
    let level = |text, subsystem| plan(text).unwrap().logging.level(subsystem);
    assert_eq!(level("--show-progress", "task"), Level::Debug);
    assert_eq!(level("--show-progress", "memory"), Level::Warn);
    assert_eq!(
        level("--show-progress --logging trace", "task"),
        Level::Trace
    );
    assert_eq!(
        level("--show-progress --logging task=off", "task"),
        Level::Debug
    );
    assert_eq!(level("", "task"), Level::Warn);
}

#[test]
fn plans_file_paths_of_a_run() {
    let plan = plan("--logdir 'a b' --profile-name x").unwrap();
    assert_eq!(plan.profile_path(3), PathBuf::from("a b/x_3.prof"));
    assert_eq!(plan.report_path(0), PathBuf::from("a b/x_0.nsys-rep"));
    assert_eq!(plan.joined_path(), PathBuf::from("a b/x.sqlite"));
}

#[test]
fn plan_survives_round_trip_through_words() {
    let flags = |text| Flags::from_text(text).unwrap();
    let launch = ["--logdir=a b", "--cpus", "2", "--verbose", "--nsys"].map(String::from);
    let given = flags("--cpus 4 --profile-name 'c d' --profile")
        .and_then(&Flags::from_words(&launch, Reader::Launcher).unwrap());
    let plan = Plan::from_flags(&given, &MACHINE).unwrap();
    assert_eq!((plan.cpus, plan.profile, plan.nsys), (2, true, true));
    assert_eq!(plan.logdir, PathBuf::from("a b"));
    assert_eq!(plan.profile_name, "c d");
    assert_eq!(
        shell_words::join(given.process_words()),
        "--profile-name 'c d' --profile --logdir 'a b' --cpus 2 --nsys"
    );
    assert_eq!(Plan::from_words(&given.process_words(), &MACHINE), Ok(plan));
}

#[test]
fn summary_lists_every_process_flag() {
    let text = "--cpus 2 --gpus 1 --profile --logging info,io=debug --run-id 000102030405060708090a0b0c0d0e0f";
    insta::assert_snapshot!(plan_on(&WITH_GPUS, text).unwrap().summary());
}
