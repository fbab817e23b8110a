//! Wrappers of a rank's program: debuggers, nsys and others. From the outside in: `--wrapper`,
//! `--gdb`, `--cuda-gdb`, nsys, `--memcheck`, `--valgrind`, `--wrapper-inner`, program.

use std::ffi::OsString;

use weft_config::Plan;
use weft_config::flag::Flag;
use weft_config::flags::Flags;
use weft_config::machine::tool;

use super::nsys;
use super::ranks::Ranks;
use crate::error::CliError;

/// Tools with their own flag: the command, and how to install it.
const TOOLS: [(Flag, &[&str], &str); 4] = [
    (Flag::Gdb, &["gdb", "--args"], "install gdb"),
    (
        Flag::CudaGdb,
        &["cuda-gdb", "--args"],
        "install NVIDIA's CUDA toolkit",
    ),
    (
        Flag::Memcheck,
        &["compute-sanitizer"],
        "install NVIDIA's CUDA toolkit",
    ),
    (Flag::Valgrind, &["valgrind"], "install valgrind"),
];

/// The command of each rank.
#[derive(Clone, Debug)]
pub(super) struct Wrapped {
    /// All words.
    pub(super) words: Vec<OsString>,
    /// The number of words before the program. In these the placeholder of the rank is replaced.
    pub(super) before: usize,
}

/// Wraps a command in the tools that the flags request.
pub(super) fn wrap(
    plan: &Plan,
    flags: &Flags,
    ranks: &Ranks,
    command: &[OsString],
) -> Result<Wrapped, CliError> {
    if is_requested(flags, Flag::Gdb) && is_requested(flags, Flag::CudaGdb) {
        return Err(CliError::usage(
            "--gdb and --cuda-gdb exclude each other",
            "use only one: cuda-gdb does all that gdb does",
        ));
    }
    if let Some(name) = debugger(flags).filter(|_| ranks.are_several()) {
        return Err(CliError::usage(
            format!("--{name}: {} ranks would share one terminal", ranks.all),
            format!(
                "run one rank, or open a window for each with --wrapper 'xterm -e {name} --args'"
            ),
        ));
    }
    let mut words: Vec<OsString> = Vec::new();
    let add = |words: &mut Vec<OsString>, flag| {
        words.extend(flags.words(flag).into_iter().map(Into::into));
    };
    let add_tool = |words: &mut Vec<OsString>, flag| {
        let tools = TOOLS
            .iter()
            .filter(|(tool, ..)| *tool == flag && is_requested(flags, flag));
        words.extend(tools.flat_map(|(_, tool, _)| tool.iter().map(Into::into)));
    };
    add(&mut words, Flag::Wrapper);
    add_tool(&mut words, Flag::Gdb);
    add_tool(&mut words, Flag::CudaGdb);
    if plan.nsys {
        words.extend(nsys::words(
            plan,
            &flags.words(Flag::NsysExtra),
            ranks.are_several(),
        )?);
    }
    add_tool(&mut words, Flag::Memcheck);
    add_tool(&mut words, Flag::Valgrind);
    add(&mut words, Flag::WrapperInner);
    let before = words.len();
    words.extend_from_slice(command);
    Ok(Wrapped { words, before })
}

/// Checks that the requested tools exist.
pub(super) fn check(plan: &Plan, flags: &Flags) -> Result<(), CliError> {
    let asked_for = TOOLS.iter().filter(|(flag, ..)| is_requested(flags, *flag));
    for (flag, words, get) in asked_for {
        let program = words.first().copied().unwrap_or_default();
        if tool::find_program(program.as_ref()).is_none() {
            return Err(CliError::failed(
                format!(
                    "--{} needs {program}, which was not found",
                    flag.spec().name
                ),
                *get,
            ));
        }
    }
    for flag in [Flag::Wrapper, Flag::WrapperInner] {
        let words = flags.words(flag);
        if let Some(program) = words.first()
            && tool::find_program(program.as_ref()).is_none()
        {
            return Err(CliError::failed(
                format!(
                    "--{} {program}: the program was not found",
                    flag.spec().name
                ),
                "give its path, or add its folder to PATH",
            ));
        }
    }
    if plan.nsys {
        nsys::check()?;
    }
    Ok(())
}

/// Returns the requested debugger, which needs a terminal.
pub(super) fn debugger(flags: &Flags) -> Option<&'static str> {
    let mut debuggers = [Flag::Gdb, Flag::CudaGdb].into_iter();
    let flag = debuggers.find(|flag| is_requested(flags, *flag))?;
    Some(flag.spec().name)
}

fn is_requested(flags: &Flags, flag: Flag) -> bool {
    flags.switch(flag).unwrap_or(false)
}
