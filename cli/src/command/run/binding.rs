//! The command of `weft bind` that precedes each rank's own.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use weft_config::Plan;
use weft_config::flag::Flag;
use weft_config::flags::Flags;

use super::ranks::Ranks;
use super::shown::absolute;
use super::wrappers::Wrapped;
use crate::command::rank::PLACEHOLDER;
use crate::error::CliError;

/// The binding flags of `weft run`, with their names in `weft bind`.
const BINDINGS: [(Flag, &str); 4] = [
    (Flag::CpuBind, "--cpus"),
    (Flag::MemBind, "--mems"),
    (Flag::GpuBind, "--gpus"),
    (Flag::NicBind, "--nics"),
];

/// Adds the binding step to the command, if it is needed: for several ranks, lists or files.
pub(super) fn wrap(
    plan: &Plan,
    flags: &Flags,
    ranks: &Ranks,
    command: Wrapped,
) -> Result<Vec<OsString>, CliError> {
    let mut options: Vec<OsString> = Vec::new();
    for (flag, option) in BINDINGS {
        let Some(lists) = flags.by_rank(flag) else {
            continue;
        };
        if lists.len() != usize::from(ranks.per_node) {
            return Err(CliError::usage(
                format!(
                    "--{} {} has lists for {} ranks, but a node has {}",
                    flag.spec().name,
                    lists.join("/"),
                    lists.len(),
                    ranks.per_node
                ),
                "give one list for each rank of a node, separated by slashes",
            ));
        }
        options.extend([option.into(), lists.join("/").into()]);
    }
    if flags.switch(Flag::LogToFile).unwrap_or(false) {
        let logs = PathBuf::from(absolute(&plan.logdir)).join(&plan.profile_name);
        options.extend(["--logs".into(), logs.into_os_string()]);
        if plan.force {
            options.push("--force".into());
        }
    }
    if plan.nsys && ranks.are_several() {
        options.push("--session".into());
    }
    let has_ranks = ranks.start.is_some() || ranks.joined.is_some();
    if options.is_empty() && !has_ranks {
        return Ok(substituted(command));
    }
    let named = (command.words.iter().take(command.before))
        .any(|word| word.to_string_lossy().contains(PLACEHOLDER));
    if named {
        options.extend(["--wrapper-words".into(), command.before.to_string().into()]);
    }
    let weft = env::current_exe().map_err(|cause| {
        CliError::failed(
            format!("cannot find the path of `weft` itself: {cause}"),
            "start `weft` by its full path",
        )
    })?;
    let mut words = vec![weft.into_os_string(), "bind".into()];
    words.extend(options);
    words.push("--".into());
    words.extend(command.words);
    Ok(words)
}

/// Replaces the placeholder of the rank: the number of the only rank is known.
fn substituted(command: Wrapped) -> Vec<OsString> {
    let Wrapped { mut words, before } = command;
    for word in words.iter_mut().take(before) {
        if let Some(text) = word.to_str() {
            *word = text.replace(PLACEHOLDER, "0").into();
        }
    }
    words
}
