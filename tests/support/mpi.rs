//! The launchers of Open MPI and of MPICH.

use std::path::PathBuf;

use super::{Command, tool_by, weft};

/// An `mpirun`.
#[derive(Clone, Debug)]
pub(crate) struct Mpirun {
    /// `openmpi` or `mpich`.
    pub(crate) make: &'static str,
    /// Where it is.
    pub(crate) path: PathBuf,
}

/// Those that are installed; of each other one a word is said. `WEFT_TEST_REQUIRE` knows them as `openmpi` and `mpich`.
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
    /// `weft run` with so many ranks by this launcher.
    pub(crate) fn weft_run(&self, ranks: usize) -> Command {
        let mut command = weft();
        command.args(["run", "--launcher"]).arg(&self.path);
        command.args(["--ranks-per-node", &ranks.to_string()]);
        command
    }

    /// The launcher itself, as a user starts so many ranks by hand.
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

    /// The words of a shell's script as the ranks' program. MPICH 4.0's launcher fails now and then where ranks end before it has
    /// connected their inputs: there they begin later.
    pub(crate) fn script(&self, script: &str) -> [String; 3] {
        let script = match self.make {
            "mpich" => format!("sleep 0.3; {script}"),
            _ => script.to_owned(),
        };
        ["sh".to_owned(), "-c".to_owned(), script]
    }
}
