//! The command to start, with its environment.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use weft_config::flag::Flag;
use weft_config::flags::{Flags, Reader};
use weft_config::machine::tool;
use weft_config::{ENVIRONMENT, Plan, folder};
use weft_trace::file::RunId;

use super::args::RunArgs;
use super::interpreted::{self, Interpreted};
use super::names::Names;
use super::ranks::Ranks;
use super::shown::{absolute, quoted};
use super::{binding, forwarded, launcher, wrappers};
use crate::error::CliError;

/// A command that is ready to start.
#[derive(Debug)]
pub(super) struct Prepared {
    /// The flags, inherited ones first.
    pub(super) flags: Flags,
    /// The plan of the process; of the first rank of a node if there are several.
    pub(super) plan: Plan,
    /// The ranks.
    pub(super) ranks: Ranks,
    /// The user's program, without its arguments.
    pub(super) program: OsString,
    /// The program with its interpreter, if it is a Python program.
    interpreted: Interpreted,
    /// The command, launcher, wrappers and arguments included.
    pub(super) command: Vec<OsString>,
    /// Additional environment variables: `WEFT_CONFIG` if there are flags, and those for Python.
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// A file of an earlier run, because of which this run's files go to their own folder.
    pub(super) earlier: Option<PathBuf>,
}

impl Prepared {
    /// Decides everything without side effects.
    pub(super) fn new(args: &RunArgs) -> Result<Prepared, CliError> {
        let given = Flags::from_words(&args.words, Reader::Launcher)?;
        let mut flags = interpreted::inherited(&given)?
            .and_then(&inherited()?)
            .and_then(&given);
        let ranks = Ranks::decide(&flags, weft_config::Launch::detect()?)?;
        let machine = ranks.machine(&flags);
        let mut plan = Plan::from_flags(&flags, &machine)?;
        let logs = flags.switch(Flag::LogToFile).unwrap_or(false);
        let records = plan.profile || plan.nsys;
        // The ranks of a launch by another program cannot choose a folder here: the program's
        // runtime does.
        let earlier = if plan.force || ranks.joined.is_some() {
            None
        } else {
            Names::for_plan(&plan)
                .existing(records, logs)?
                .into_iter()
                .next()
        };
        if earlier.is_some() {
            let number = folder::next_number(&plan.logdir);
            plan.logdir = folder::numbered(&plan.logdir, number);
        }
        if records || earlier.is_some() {
            // Nested runs inherit the variable: each has its own id, unless the command line
            // has one. The ranks of a launch by another program agree on one themselves. The
            // program may change its folder before it reads the variable.
            let mut own = vec![format!("--logdir={}", absolute(&plan.logdir))];
            if records && given.get(Flag::RunId).is_none() && ranks.joined.is_none() {
                own.push(format!("--run-id={}", RunId::random()));
            }
            flags = flags.and_then(&Flags::from_words(&own, Reader::Process)?);
            plan = Plan::from_flags(&flags, &machine)?;
        }
        let words = flags.process_words();
        let interpreted = Interpreted::new(&flags, &args.command)?;
        let mut environment = interpreted.environment.clone();
        if !words.is_empty() {
            environment.insert(0, (ENVIRONMENT, shell_words::join(words).into()));
        }
        let program = interpreted.words.first().cloned().unwrap_or_default();
        let wrapped = wrappers::wrap(&plan, &flags, &ranks, &interpreted.words)?;
        let bound = binding::wrap(&plan, &flags, &ranks, wrapped)?;
        let command = match &ranks.start {
            None => bound,
            Some(launcher) => {
                let own: Vec<&str> = environment.iter().map(|(name, _)| *name).collect();
                let extra = flags.words(Flag::LauncherExtra);
                let options = launcher::Options {
                    binds_cpus: flags.get(Flag::CpuBind).is_some(),
                    binds_memory: flags.get(Flag::MemBind).is_some(),
                    is_interactive: wrappers::debugger(&flags).is_some(),
                    // Open MPI requires a flag to run as root.
                    is_root: rustix::process::geteuid().is_root(),
                };
                let mut words =
                    launcher.words(ranks.counts(), options, &forwarded::names(&own), &extra);
                words.extend(bound);
                words
            }
        };
        Ok(Prepared {
            flags,
            plan,
            ranks,
            program,
            interpreted,
            command,
            environment,
            earlier,
        })
    }

    /// Returns whether files of this run are expected.
    pub(super) fn leaves_files(&self) -> bool {
        self.plan.profile || self.plan.nsys || self.logs()
    }

    /// Returns whether the output of ranks goes to files.
    pub(super) fn logs(&self) -> bool {
        self.flags.switch(Flag::LogToFile).unwrap_or(false)
    }

    /// Checks that all needed programs exist.
    pub(super) fn check(&self) -> Result<(), CliError> {
        self.interpreted.check()?;
        if tool::find_program(&self.program).is_none() {
            let name = Path::new(&self.program).display();
            if Path::new(&self.program).is_dir() {
                return Err(CliError::failed(
                    format!("{name} is a folder, not a program"),
                    "name the program's file, as in `weft run -- target/release/stencil`",
                ));
            }
            let remedy = if self.program.to_string_lossy().contains('/') {
                "check the path and that the file is executable"
            } else {
                "give its path, or add its folder to PATH"
            };
            return Err(CliError::failed(
                format!("the program {name} was not found"),
                remedy,
            ));
        }
        if let Some(launcher) = &self.ranks.start {
            launcher.check()?;
        }
        wrappers::check(&self.plan, &self.flags)
    }

    /// Returns the command in shell syntax, environment first.
    pub(super) fn shown(&self) -> String {
        let words: Vec<String> = self.command.iter().map(quoted).collect();
        let set: String = self
            .environment
            .iter()
            .map(|(name, value)| {
                let value = value.to_string_lossy();
                format!("{name}={} \\\n", shell_words::quote(&value))
            })
            .collect();
        format!("{set}{}\n", words.join(" "))
    }
}

fn inherited() -> Result<Flags, CliError> {
    match env::var(ENVIRONMENT) {
        Ok(text) => Flags::from_text(&text).map_err(CliError::Environment),
        Err(env::VarError::NotPresent) => Ok(Flags::default()),
        Err(env::VarError::NotUnicode(_)) => Err(CliError::usage(
            format!("{ENVIRONMENT} is not UTF-8"),
            "write it in UTF-8",
        )),
    }
}
