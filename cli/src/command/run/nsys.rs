//! The program under Nsight Systems.

use std::ffi::OsString;
use std::path::Path;

use weft_config::Plan;
use weft_config::machine::tool;

use crate::command::rank::RANK;
use crate::error::CliError;

/// The default options of `nsys profile`: the two spellings of each option, and its value. Sampling
/// is off because it perturbs the run, and the join does not use it.
const DEFAULTS: [([&str; 2], &str); 3] = [
    (["--sample", "-s"], "none"),
    (["--cpuctxsw", "--cpuctxsw"], "none"),
    (["--force-overwrite", "-f"], "true"),
];

/// Returns the words that profile the following command. Several ranks have a report each, named by
/// the variable that the binding step sets.
pub(super) fn words(
    plan: &Plan,
    extra: &[String],
    several: bool,
) -> Result<Vec<OsString>, CliError> {
    if has_option(extra, ["--output", "-o"]) {
        return Err(CliError::usage(
            "--nsys-extra sets nsys's output file, which Weft chooses",
            "use --logdir and --profile-name",
        ));
    }
    let mut words: Vec<OsString> = vec!["nsys".into(), "profile".into()];
    // nsys rejects an option given twice, so those of the user replace ours.
    if !has_option(extra, ["--trace", "-t"]) {
        let trace = if plan.gpus > 0 {
            "cuda,nvtx,osrt"
        } else {
            "nvtx,osrt"
        };
        words.push(format!("--trace={trace}").into());
    }
    // Each node of a graph is work of its own task; by default nsys shows the graph as one.
    let of_gpus = (plan.gpus > 0).then_some((["--cuda-graph-trace"; 2], "node"));
    for (names, value) in DEFAULTS.into_iter().chain(of_gpus) {
        if !has_option(extra, names) {
            words.push(format!("{}={value}", names[0]).into());
        }
    }
    words.push("--output".into());
    let mut report = escaped(&plan.logdir.join(&plan.profile_name));
    report.push(if several {
        format!("_%q{{{RANK}}}")
    } else {
        "_0".to_owned()
    });
    words.push(report);
    words.extend(extra.iter().map(Into::into));
    Ok(words)
}

/// Returns whether an option is among the words: as `--name value`, `--name=value`, `-n value` or
/// `-nvalue`.
fn has_option(words: &[String], names: [&str; 2]) -> bool {
    words.iter().any(|word| {
        let name = match word.strip_prefix('-') {
            // A short name is one letter, and its value may follow at once.
            Some(short) if !short.starts_with('-') => word.get(..2).unwrap_or(word),
            _ => word.split_once('=').map_or(word.as_str(), |(name, _)| name),
        };
        // nsys accepts unique abbreviations of long names.
        let is_short_for = |long: &&str| name.len() > 2 && long.starts_with(name);
        names.contains(&name) || names.iter().any(is_short_for)
    })
}

/// Escapes percent signs, which begin variables in nsys's output name.
fn escaped(path: &Path) -> OsString {
    match path.to_str() {
        Some(text) => text.replace('%', "%%").into(),
        None => path.into(),
    }
}

/// Checks that nsys exists and starts.
pub(super) fn check() -> Result<(), CliError> {
    let found = tool::nsys();
    if found.is_found() {
        return Ok(());
    }
    Err(CliError::failed(
        format!("--nsys needs Nsight Systems: {}", found.reason()),
        found.remedy(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_config::{Bytes, Machine};

    fn given_words(flags: &[&str], extra: &[&str]) -> Result<Vec<OsString>, CliError> {
        let machine = Machine {
            cores: 1,
            memory_total: Bytes::mib(64),
            memory_available: Bytes::mib(64),
            gpus: 1,
            shared: None,
        };
        let words: Vec<String> = flags.iter().map(|&word| word.into()).collect();
        let extra: Vec<String> = extra.iter().map(|&word| word.into()).collect();
        let plan = Plan::from_words(&words, &machine).unwrap();
        super::words(&plan, &extra, false)
    }

    #[test]
    fn user_options_follow_default_options() {
        let words = given_words(
            &["--gpus=0", "--logdir=/a b/50%"],
            &["--trace=nvtx", "-s", "cpu"],
        )
        .unwrap();
        assert_eq!(
            words,
            [
                "nsys",
                "profile",
                "--cpuctxsw=none",
                "--force-overwrite=true",
                "--output",
                "/a b/50%%/weft_0",
                "--trace=nvtx",
                "-s",
                "cpu"
            ]
        );
    }

    #[test]
    fn any_spelling_of_user_options_replaces_defaults() {
        for (extra, ours) in [
            ("-tnvtx", "--trace"),
            ("-t", "--trace"),
            ("-scpu", "--sample"),
            ("-s=cpu", "--sample"),
            ("-ftrue", "--force-overwrite"),
            ("--force=true", "--force-overwrite"),
            ("--cpuct=none", "--cpuctxsw"),
        ] {
            let words = given_words(&["--gpus=0"], &[extra]).unwrap();
            let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            let is_ours = |word: &str| word.starts_with(&format!("{ours}="));
            let given = words
                .iter()
                .filter(|word| is_ours(word) && *word != extra)
                .count();
            assert_eq!(given, 0, "{extra}: {words:?}");
            assert_eq!(words.iter().filter(|word| *word == extra).count(), 1);
            assert!(words.len() > 6, "the other options stay: {words:?}");
        }
        for output in ["-ox", "-o", "--output=x", "--out"] {
            assert_eq!(
                given_words(&[], &[output]).unwrap_err().exit_code(),
                2,
                "{output}"
            );
        }
    }

    #[test]
    fn traces_gpu_programs_node_by_node() {
        let words = given_words(&[], &[]).unwrap();
        let expected = ["--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node"].map(OsString::from);
        assert!(
            expected.iter().all(|word| words.contains(word)),
            "{words:?}"
        );
        let words = given_words(&["--gpus=0"], &[]).unwrap();
        assert!(words.contains(&"--trace=nvtx,osrt".into()), "{words:?}");
        assert!(!words.contains(&expected[1]), "{words:?}");
        let words = given_words(&[], &["--cuda-graph-trace=graph"]).unwrap();
        assert!(!words.contains(&expected[1]), "{words:?}");
    }

    #[test]
    fn keeps_dots_in_profile_names() {
        let words = given_words(&["--logdir=x", "--profile-name=v1.2"], &["-tnvtx"]).unwrap();
        assert!(words.contains(&"x/v1.2_0".into()), "{words:?}");
    }

    #[test]
    fn every_rank_has_a_report() {
        let machine = Machine::probe();
        let plan = Plan::from_words(&["--logdir=/a%".to_owned()], &machine).unwrap();
        let words = words(&plan, &[], true).unwrap();
        assert!(
            words.contains(&"/a%%/weft_%q{WEFT_RANK}".into()),
            "{words:?}"
        );
    }

    #[test]
    fn rejects_user_output_options() {
        assert_eq!(given_words(&[], &["-o", "x"]).unwrap_err().exit_code(), 2);
    }
}
