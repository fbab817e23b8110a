//! The launchers of Open MPI and of MPICH.

use std::path::PathBuf;

use super::{Command, tool_by, weft};

/// An `mpirun`.
#[derive(Clone, Debug)]
pub(crate) struct Mpirun {
    /// `openmpi` or `mpich`.
    pub(crate) make: &'static str,
    /// The path.
    pub(crate) path: PathBuf,
}

/// Returns the installed launchers. Prints a message for each missing one. `WEFT_TEST_REQUIRE`
/// names them `openmpi` and `mpich`.
pub(crate) fn mpiruns() -> Vec<Mpirun> {
    let makes = [("openmpi", "mpirun.openmpi"), ("mpich", "mpirun.mpich")];
    let installed = makes.into_iter().filter_map(|(make, program)| {
        Some(Mpirun {
            make,
            path: tool_by(make, program)?,
        })
    });
    installed.collect()
}

impl Mpirun {
    /// Returns the command `weft run` with `ranks` ranks by this launcher.
    pub(crate) fn weft_run(&self, ranks: usize) -> Command {
        let mut command = weft();
        command.args(["run", "--launcher"]).arg(&self.path);
        command.args(["--ranks-per-node", &ranks.to_string()]);
        command
    }

    /// Returns the command of the launcher itself, as a user starts `ranks` ranks by hand.
    pub(crate) fn by_hand(&self, ranks: usize) -> Command {
        let mut command = Command::new(&self.path);
        command.env_remove("WEFT_CONFIG");
        if self.make == "openmpi" {
            command.args([
                "--allow-run-as-root",
                "--oversubscribe",
                "--bind-to",
                "none",
            ]);
        }
        command.args(["-n", &ranks.to_string()]);
        if self.make == "mpich" {
            command.args(["sh", "-c", "sleep 0.3; exec \"$@\"", "sh"]);
        }
        command
    }

    /// Returns the words of a shell script as the ranks' program. MPICH 4.0's launcher occasionally
    /// fails if ranks end before it has connected their inputs, so they begin later there.
    pub(crate) fn script(&self, script: &str) -> [String; 3] {
        let script = match self.make {
            "mpich" => format!("sleep 0.3; {script}"),
            _ => script.to_owned(),
        };
        ["sh".to_owned(), "-c".to_owned(), script]
    }
}
