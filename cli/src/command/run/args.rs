//! The arguments of `weft run`: the table of flags as clap arguments, and the program.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use weft_config::flag::{FLAGS, Flag, Spec};
use weft_config::value::Kind;

use crate::error::CliError;

const PROGRAM: &str = "PROGRAM";

const EXAMPLES: &str = "\
Flags that are on or off take a value only with `=`, as in --fusion=false.
Put `--` before the program. A program started without `weft run` takes the
flags under Resources, Profiling and Output from the environment variable
WEFT_CONFIG; WEFT_CONFIG=--help lists them.

Examples:
  weft run --profile -- ./prog -n 100
      One process; the profile is weft_0.prof
  weft run --profile prog.py -n 100
      A Python program; `weft run` without a program is an interactive Python
  weft run --compat cupynumeric --profile -- prog.py
      One that imports cupynumeric and legate, as it is
  weft run --nsys --profile -- ./prog
      Under Nsight Systems; writes weft.nsys-rep and weft.sqlite
  weft run --ranks-per-node 2 --profile -- ./prog
      Two ranks started by mpirun, each with half of the cores and memory;
      their profiles are joined in weft.sqlite
  weft run --launcher mpirun.mpich --ranks-per-node 4 --log-to-file -- ./prog
      Four ranks started by MPICH; the output of rank 3 is in weft_3.out and
      weft_3.err
  weft run --nodes 2 --ranks-per-node 2 --launcher srun \\
      --cpu-bind 0-31/32-63 --gpu-bind 0,1/2,3 -- ./prog
      Two nodes under Slurm, with cores and GPUs chosen for each rank
  weft run --nodes 2 --launcher mpirun --launcher-extra '--host a,b' \\
      --dry-run -- ./prog
      Print the command line without running it
  mpirun -n 4 weft run --profile -- ./prog
      Ranks started by a launcher around `weft run`
  weft run --ranks-per-node 2 \\
      --wrapper-inner 'strace -o trace.%%WEFT_RANK%%' -- ./prog
      Each rank under a tool; WEFT_RANK and WEFT_LOCAL_RANK are also in the
      environment

The command lines for srun and jsrun follow their manuals and are not tested
on real clusters; check them with --dry-run.";

/// The program to run, and the flags as typed.
#[derive(Clone, Debug)]
pub(crate) struct RunArgs {
    /// Each flag as one word: `--flag=value`.
    pub(super) words: Vec<String>,
    /// The program and its arguments.
    pub(super) command: Vec<OsString>,
}

impl clap::Args for RunArgs {
    fn augment_args(command: Command) -> Command {
        let command = command
            .args(FLAGS.iter().map(flag))
            .override_usage("weft run [OPTIONS] [--] [PROGRAM] [ARGS]...")
            .after_long_help(EXAMPLES)
            .after_help(EXAMPLES);
        command.arg(
            Arg::new(PROGRAM)
                .help("The program and its arguments; files that end in .py run in Python; none: an interactive Python")
                .value_names(["PROGRAM", "ARGS"])
                .value_parser(value_parser!(OsString))
                .num_args(1..)
                .trailing_var_arg(true),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RunArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut words = Vec::new();
        for spec in FLAGS {
            for value in matches.get_many::<String>(spec.name).into_iter().flatten() {
                words.push(format!("--{}={value}", spec.name));
            }
        }
        let command = matches.get_many::<OsString>(PROGRAM);
        Ok(RunArgs {
            words,
            command: command.into_iter().flatten().cloned().collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Rejects command lines in which clap would take a flag's value for the program. `words` follow
/// `weft run`.
///
/// Flags that are on or off take a value only with `=`, so `--fusion false -- prog` would run
/// `false`. If there is a `--`, the program must follow it.
pub(crate) fn check_words(words: &[OsString]) -> Result<(), CliError> {
    let mut words = words.iter();
    // The flag right before a word, if it has no value.
    let mut switch: Option<&Spec> = None;
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else {
            return Ok(());
        };
        let Some(body) = text.strip_prefix("--") else {
            return match text.starts_with('-') {
                true => Ok(()),
                false => check_program(text, switch, words.as_slice()),
            };
        };
        let (name, value) = match body.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (body, None),
        };
        // The parser handles everything else, including `--`.
        let Some(flag) = Flag::named(name) else {
            return Ok(());
        };
        let spec = flag.spec();
        switch = None;
        if value.is_none() {
            if spec.kind.needs_value() {
                words.next();
            } else {
                switch = Some(spec);
            }
        }
    }
    Ok(())
}

/// Whether `word` can be the program, given the words after it.
fn check_program(word: &str, switch: Option<&Spec>, behind: &[OsString]) -> Result<(), CliError> {
    let is_before_dashes = behind.iter().any(|word| word == "--");
    let value_of = switch.filter(|spec| spec.kind.parse(word).is_ok());
    match value_of {
        Some(spec) if !behind.is_empty() => Err(CliError::usage(
            format!(
                "--{} {word}: this flag takes its value with `=` only",
                spec.name
            ),
            format!(
                "write --{}={word}, or `-- {word}` for a program of that name",
                spec.name
            ),
        )),
        _ if is_before_dashes => Err(CliError::usage(
            format!("`{word}` is before `--`, where only flags of `weft run` are allowed"),
            "put `--` right before the program",
        )),
        _ => Ok(()),
    }
}

/// Creates the argument of a flag. Values stay text here: the configuration parses them, so that
/// errors are the same as for `WEFT_CONFIG`.
fn flag(spec: &'static Spec) -> Arg {
    let help = match spec.default {
        "" => spec.help.to_owned(),
        default => format!("{} [default: {default}]", spec.help),
    };
    let arg = Arg::new(spec.name)
        .long(spec.name)
        .help(help)
        .help_heading(spec.group.title())
        .hide(spec.hidden)
        .value_name(spec.kind.placeholder())
        .value_parser(value_parser!(String))
        .action(ArgAction::Append);
    match spec.kind {
        Kind::Bool => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::Words => arg.allow_hyphen_values(true),
        _ => arg.allow_negative_numbers(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    fn parse(words: &[&str]) -> Result<RunArgs, clap::Error> {
        let command = RunArgs::augment_args(Command::new("run").no_binary_name(true));
        RunArgs::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn clap_definition_is_consistent() {
        RunArgs::augment_args(Command::new("run")).debug_assert();
    }

    #[test]
    fn flags_end_at_the_program() {
        let words = [
            "--cpus",
            "2",
            "--profile",
            "prog",
            "--cpus",
            "9",
            "--",
            "-x",
        ];
        let args = parse(&words).unwrap();
        assert_eq!(args.words, ["--cpus=2", "--profile=true"]);
        assert_eq!(args.command, ["prog", "--cpus", "9", "--", "-x"]);
        let args = parse(&["--nsys", "--", "--odd", "x"]).unwrap();
        assert_eq!(args.words, ["--nsys=true"]);
        assert_eq!(args.command, ["--odd", "x"]);
    }

    #[test]
    fn words_before_the_dashes_are_never_the_program() {
        let check = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
            check_words(&words).map_err(|error| error.to_string())
        };
        for line in [
            "prog",
            "--profile prog -n 5",
            "--profile true",
            "--profile -- true",
            "--cpus 2 --profile=true -- prog -- more",
            "--cpus=2 --logdir x -- prog",
            "-h",
            "--no-such-flag x -- prog",
            "--nsys-extra --x -- prog",
            "",
        ] {
            assert_eq!(check(line), Ok(()), "{line}");
        }
        for line in ["--fusion false -- prog", "--cpus 2 --fusion false prog"] {
            assert_eq!(
                check(line).unwrap_err(),
                "--fusion false: this flag takes its value with `=` only; \
                 write --fusion=false, or `-- false` for a program of that name"
            );
        }
        for line in ["prog -- -x", "--cpus 2 prog --", "--profile prog -- -x"] {
            assert_eq!(
                check(line).unwrap_err(),
                "`prog` is before `--`, where only flags of `weft run` are allowed; put `--` right before the program"
            );
        }
    }

    #[test]
    fn keeps_all_occurrences_in_order() {
        let args = parse(&["--cpus=1", "--cpus", "-2", "--nsys-extra", "--x=y", "p"]).unwrap();
        assert_eq!(args.words, ["--cpus=1", "--cpus=-2", "--nsys-extra=--x=y"]);
    }

    #[test]
    fn rejects_unknown_flags_before_the_program() {
        for words in [
            &["--cpu", "2", "p"][..],
            &["--profile", "false"],
            &["--logdir"],
        ] {
            let refused = parse(words);
            let allowed = words == ["--profile", "false"];
            assert_eq!(refused.is_ok(), allowed, "{words:?}");
        }
    }
}
