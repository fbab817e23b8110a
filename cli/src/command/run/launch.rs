//! What is started: command and environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{self, Path, PathBuf};

use weft_config::flag::Flag;
use weft_config::flags::{Flags, Reader};
use weft_config::machine::tool;
use weft_config::{ENVIRONMENT, Machine, Plan};
use weft_trace::file::RunId;

use super::args::RunArgs;
use super::nsys;
use crate::error::CliError;

/// A command ready to be started.
#[derive(Debug)]
pub(super) struct Launch {
    /// The flags, inherited ones first.
    pub(super) flags: Flags,
    /// The plan of the process.
    pub(super) plan: Plan,
    /// The user's program, without its arguments.
    pub(super) program: OsString,
    /// The command, wrappers and arguments included.
    pub(super) command: Vec<OsString>,
    /// What is set for it: `WEFT_CONFIG`. `None`: nothing.
    pub(super) config: Option<String>,
}

impl Launch {
    /// Decides everything, and touches nothing.
    pub(super) fn new(args: &RunArgs) -> Result<Launch, CliError> {
        let inherited = inherited()?;
        let given = Flags::from_words(&args.words, Reader::Launcher)?;
        let mut flags = inherited.clone().and_then(&given);
        let machine = Machine::probe_for(&flags);
        let mut plan = Plan::from_flags(&flags, &machine)?;
        if plan.profile || plan.nsys {
            // Nested runs inherit the variable: each has an id of its own, unless the command line gives one.
            // The program may change its folder before it reads the variable.
            let mut own = vec![format!("--logdir={}", absolute(&plan.logdir))];
            if given.get(Flag::RunId).is_none() {
                own.push(format!("--run-id={}", RunId::random()));
            }
            flags = flags.and_then(&Flags::from_words(&own, Reader::Process)?);
            plan = Plan::from_flags(&flags, &machine)?;
        }
        let words = flags.process_words();
        let program = args.command.first().cloned().unwrap_or_default();
        let command = if plan.nsys {
            nsys::wrap(&plan, &flags.words(Flag::NsysExtra), &args.command)?
        } else {
            args.command.clone()
        };
        Ok(Launch {
            config: (!words.is_empty()).then(|| shell_words::join(words)),
            flags,
            plan,
            program,
            command,
        })
    }

    /// Whether files of this run are expected.
    pub(super) fn leaves_files(&self) -> bool {
        self.plan.profile || self.plan.nsys
    }

    /// Whether all that is needed is there.
    pub(super) fn check(&self) -> Result<(), CliError> {
        if tool::find_program(&self.program).is_none() {
            let name = Path::new(&self.program).display();
            let remedy = if self.program.to_string_lossy().contains('/') {
                "check the path, and that the file may be executed"
            } else {
                "give its path, or add its folder to PATH"
            };
            return Err(CliError::failed(
                format!("the program {name} was not found"),
                remedy,
            ));
        }
        if self.plan.nsys {
            nsys::check()?;
        }
        Ok(())
    }

    /// The command as a shell would take it, environment first.
    pub(super) fn shown(&self) -> String {
        let words: Vec<String> = self.command.iter().map(quoted).collect();
        let config = self.config.as_deref().map_or(String::new(), |config| {
            format!("{ENVIRONMENT}={} \\\n", shell_words::quote(config))
        });
        format!("{config}{}\n", words.join(" "))
    }
}

/// As a shell would take it. An option with a value needs no quotes for its sign, which `shell_words` gives it.
pub(super) fn quoted(word: impl AsRef<OsStr>) -> String {
    let text = word.as_ref().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+".contains(c);
    if text.starts_with("--") && text.chars().all(plain) {
        return text.into_owned();
    }
    shell_words::quote(&text).into_owned()
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

/// The folder with its whole path, where that can be written in a flag; else as given.
fn absolute(folder: &Path) -> String {
    let whole: Option<PathBuf> = path::absolute(folder).ok();
    whole
        .as_deref()
        .and_then(Path::to_str)
        .map_or_else(|| folder.to_string_lossy().into_owned(), Into::into)
}
