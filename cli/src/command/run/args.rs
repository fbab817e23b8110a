//! The arguments of `weft run`: the table of flags as clap wants it, and the program.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use weft_config::flag::{FLAGS, Spec};
use weft_config::value::Kind;

const PROGRAM: &str = "PROGRAM";

/// What to run, and the flags as typed.
#[derive(Clone, Debug)]
pub(crate) struct RunArgs {
    /// Each flag as one word: `--flag=value`.
    pub(super) words: Vec<String>,
    /// The program and its arguments.
    pub(super) command: Vec<OsString>,
}

impl clap::Args for RunArgs {
    fn augment_args(command: Command) -> Command {
        let command = command.args(FLAGS.iter().map(flag));
        command.arg(
            Arg::new(PROGRAM)
                .help("The program and its arguments")
                .value_names(["PROGRAM", "ARGS"])
                .value_parser(value_parser!(OsString))
                .num_args(1..)
                .trailing_var_arg(true)
                .required(true),
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

/// Values stay texts here: the configuration reads them, so that a wrong one is refused in the same words
/// as in `WEFT_CONFIG`.
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
    fn clap_agrees_with_itself() {
        RunArgs::augment_args(Command::new("run")).debug_assert();
    }

    #[test]
    fn flags_end_where_the_program_begins() {
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
    fn all_occurrences_stay_in_order() {
        let args = parse(&["--cpus=1", "--cpus", "-2", "--nsys-extra", "--x=y", "p"]).unwrap();
        assert_eq!(args.words, ["--cpus=1", "--cpus=-2", "--nsys-extra=--x=y"]);
    }

    #[test]
    fn unknown_flags_are_refused_before_the_program() {
        for words in [
            &["--cpu", "2", "p"][..],
            &["--profile", "false"],
            &["--logdir"],
            &[],
        ] {
            let refused = parse(words);
            let allowed = words == ["--profile", "false"];
            assert_eq!(refused.is_ok(), allowed, "{words:?}");
        }
    }
}
