//! The command lines of launchers.
//!
//! Sources: mpirun(1) of Open MPI 4.1 and 5.0, mpiexec(1) of MPICH 4 (Hydra), srun(1) of Slurm,
//! jsrun(1) of IBM's Job Step Manager.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use weft_config::machine::tool;

use crate::error::CliError;

/// The program that starts the ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Launcher {
    /// `mpirun`, under any name.
    Mpirun {
        /// The program as given.
        program: String,
        /// The MPI library that it belongs to.
        make: MpiVendor,
    },
    /// `srun` of Slurm.
    Srun,
    /// IBM's.
    Jsrun,
}

/// Makes of `mpirun`, which take different options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MpiVendor {
    OpenMpi,
    Mpich,
}

/// The number of ranks to start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// Machines.
    pub(super) nodes: u16,
    /// Ranks on each machine.
    pub(super) per_node: u16,
    /// Ranks in all.
    pub(super) all: u16,
}

/// The options of a launcher's command line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options {
    /// Whether Weft, not the launcher, binds ranks to cores.
    pub(super) binds_cpus: bool,
    /// Whether Weft binds ranks to memory.
    pub(super) binds_memory: bool,
    /// Whether the program reads from the terminal, as debuggers do.
    pub(super) is_interactive: bool,
    /// Whether this process is root's.
    pub(super) is_root: bool,
}

impl Launcher {
    /// Returns the launcher of this name, as in `--launcher`.
    pub(super) fn from_name(name: &str) -> Result<Launcher, CliError> {
        Ok(match name {
            "srun" => Launcher::Srun,
            "jsrun" => Launcher::Jsrun,
            program => Launcher::Mpirun {
                program: program.to_owned(),
                make: make_of(program)?,
            },
        })
    }

    /// Returns the program's name.
    pub(super) fn program(&self) -> &str {
        match self {
            Launcher::Mpirun { program, .. } => program,
            Launcher::Srun => "srun",
            Launcher::Jsrun => "jsrun",
        }
    }

    /// Checks that the launcher can be started.
    pub(super) fn check(&self) -> Result<(), CliError> {
        match tool::find_program(self.program().as_ref()) {
            Some(_) => Ok(()),
            None => Err(missing(self.program())),
        }
    }

    /// Returns the status of a run whose launcher ended with `status` after a signal that asks
    /// processes to end. Open MPI's launcher then ends with 1, regardless of the status of its
    /// ranks. MPICH's ends with the signal's number if that ended the ranks, with 255 after a
    /// second signal, and otherwise with the ranks' status.
    pub(super) fn status_after(&self, signal: u8, status: u8) -> u8 {
        let made = match self {
            Launcher::Mpirun { make, .. } => Some(*make),
            Launcher::Srun | Launcher::Jsrun => None,
        };
        match made {
            Some(MpiVendor::OpenMpi) if status == 1 => 128 + signal,
            Some(MpiVendor::Mpich) if status == signal || status == 255 => 128 + signal,
            _ => status,
        }
    }

    /// Returns the words before the command of each rank. `variables` are the names of variables
    /// that its environment must have.
    pub(super) fn words(
        &self,
        counts: Counts,
        options: Options,
        variables: &[String],
        extra: &[String],
    ) -> Vec<OsString> {
        let [nodes, per_node, all] =
            [counts.nodes, counts.per_node, counts.all].map(|count| count.to_string());
        let mut words: Vec<String> = vec![self.program().to_owned()];
        let mut add = |more: &[&str]| words.extend(more.iter().map(|&word| word.to_owned()));
        match self {
            // Ranks may exceed slots: ranks themselves report the cost, which Open MPI's own limit
            // does not consider.
            Launcher::Mpirun {
                make: MpiVendor::OpenMpi,
                ..
            } => {
                add(&["-n", &all, "--map-by"]);
                add(&[&format!("ppr:{per_node}:node:OVERSUBSCRIBE")]);
                add(&["--bind-to", "none"]);
                if options.is_root {
                    add(&["--allow-run-as-root"]);
                }
                for name in variables {
                    add(&["-x", name]);
                }
            }
            // It forwards the whole environment.
            Launcher::Mpirun {
                make: MpiVendor::Mpich,
                ..
            } => add(&[
                "-n", &all, "-ppn", &per_node, "-bind-to", "none", "-genvall",
            ]),
            Launcher::Srun => {
                add(&["-N", &nodes, "-n", &all, "--ntasks-per-node", &per_node]);
                add(&["--kill-on-bad-exit=1", "--export=ALL"]);
                if options.binds_cpus {
                    add(&["--cpu-bind=none"]);
                }
                if options.binds_memory {
                    add(&["--mem-bind=none"]);
                }
                if options.is_interactive {
                    add(&["--pty"]);
                }
            }
            // One resource set for each node, with all its resources. It forwards the whole
            // environment.
            Launcher::Jsrun => {
                add(&["-n", &nodes, "-r", "1", "-a", &per_node]);
                add(&["-c", "ALL_CPUS", "-g", "ALL_GPUS", "-b", "none", "-X", "1"]);
            }
        }
        words.extend_from_slice(extra);
        words.into_iter().map(Into::into).collect()
    }
}

/// Returns the make of `mpirun`, by its output for `--version`.
fn make_of(program: &str) -> Result<MpiVendor, CliError> {
    let Some(path) = tool::find_program(program.as_ref()) else {
        return Err(missing(program));
    };
    let output = Command::new(&path)
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    let said = match output {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(cause) => {
            return Err(CliError::failed(
                format!("cannot start {}: {cause}", path.display()),
                "choose another --launcher",
            ));
        }
    };
    make_in(&said).ok_or_else(|| {
        let first = said.lines().next().unwrap_or_default().trim();
        CliError::failed(
            format!(
                "{} is neither Open MPI's nor MPICH's; it printed \"{first}\"",
                path.display()
            ),
            "choose another --launcher, or start `weft run` itself with this launcher and without --launcher",
        )
    })
}

fn make_in(said: &str) -> Option<MpiVendor> {
    // Debian's Open MPI names its run-time environment: `mpirun.openmpi (OpenRTE) 4.1.4`.
    let is = |names: &[&str]| names.iter().any(|name| said.contains(name));
    if is(&["Open MPI", "OpenRTE", "PRRTE"]) {
        Some(MpiVendor::OpenMpi)
    } else if is(&["HYDRA"]) {
        Some(MpiVendor::Mpich)
    } else {
        None
    }
}

fn missing(program: &str) -> CliError {
    let remedy = match program {
        "srun" => "run on a machine of a Slurm cluster",
        "jsrun" => "run on a machine with IBM's LSF",
        _ => "install Open MPI or MPICH (Debian: packages openmpi-bin, mpich), or give its path",
    };
    CliError::failed(format!("the launcher {program} was not found"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(launcher: &Launcher, options: Options) -> String {
        let counts = Counts {
            nodes: 2,
            per_node: 3,
            all: 6,
        };
        let variables = ["LD_LIBRARY_PATH", "WEFT_CONFIG"].map(String::from);
        let words = launcher.words(counts, options, &variables, &["--odd".to_owned()]);
        let words: Vec<String> = words
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        words.join(" ")
    }

    fn mpirun(make: MpiVendor) -> Launcher {
        Launcher::Mpirun {
            program: "mpirun".to_owned(),
            make,
        }
    }

    #[test]
    fn builds_arguments_for_each_launcher() {
        let options = Options::default();
        assert_eq!(
            line(&mpirun(MpiVendor::OpenMpi), options),
            "mpirun -n 6 --map-by ppr:3:node:OVERSUBSCRIBE --bind-to none -x LD_LIBRARY_PATH -x WEFT_CONFIG --odd"
        );
        assert_eq!(
            line(&mpirun(MpiVendor::Mpich), options),
            "mpirun -n 6 -ppn 3 -bind-to none -genvall --odd"
        );
        assert_eq!(
            line(&Launcher::Srun, options),
            "srun -N 2 -n 6 --ntasks-per-node 3 --kill-on-bad-exit=1 --export=ALL --odd"
        );
        assert_eq!(
            line(&Launcher::Jsrun, options),
            "jsrun -n 2 -r 1 -a 3 -c ALL_CPUS -g ALL_GPUS -b none -X 1 --odd"
        );
    }

    #[test]
    fn adds_arguments_for_own_binding_and_terminals() {
        let options = Options {
            binds_cpus: true,
            binds_memory: true,
            is_interactive: true,
            is_root: true,
        };
        assert_eq!(
            line(&Launcher::Srun, options),
            "srun -N 2 -n 6 --ntasks-per-node 3 --kill-on-bad-exit=1 --export=ALL \
             --cpu-bind=none --mem-bind=none --pty --odd"
        );
        assert!(line(&mpirun(MpiVendor::OpenMpi), options).contains(" --allow-run-as-root "));
    }

    #[test]
    fn derives_the_signal_from_the_launcher_status() {
        let [openmpi, mpich] = [MpiVendor::OpenMpi, MpiVendor::Mpich].map(mpirun);
        for (launcher, signal, status, told) in [
            (&openmpi, 2, 1, 130),
            (&openmpi, 15, 1, 143),
            (&openmpi, 2, 0, 0),
            (&mpich, 2, 2, 130),
            (&mpich, 2, 130, 130),
            (&mpich, 2, 255, 130),
            (&mpich, 2, 1, 1),
            (&mpich, 2, 0, 0),
            (&Launcher::Srun, 2, 1, 1),
        ] {
            let found = launcher.status_after(signal, status);
            assert_eq!(found, told, "{launcher:?} {signal} {status}");
        }
    }

    #[test]
    fn detects_launcher_vendors_by_version_text() {
        for (said, make) in [
            ("mpirun (Open MPI) 5.0.3\n", Some(MpiVendor::OpenMpi)),
            ("mpirun.openmpi (OpenRTE) 4.1.4\n", Some(MpiVendor::OpenMpi)),
            (
                "HYDRA build details:\n    Version:    4.0.2\n",
                Some(MpiVendor::Mpich),
            ),
            ("Intel(R) MPI Library for Linux* OS, Version 2021.9", None),
            ("", None),
        ] {
            assert_eq!(make_in(said), make, "{said}");
        }
    }
}
