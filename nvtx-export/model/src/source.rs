//! Inputs and the runs they belong to.

use std::fmt;
use std::path::PathBuf;

/// An input: a row of [`Recording::sources`](super::Recording::sources). Written to files as index
/// + 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceIndex(pub u32);

impl SourceIndex {
    /// Returns its number in outputs.
    pub const fn id(self) -> i64 {
        self.0 as i64 + 1
    }
}

/// A run, within which UIDs are unique. Each input without a run id is its own run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunIndex(pub u32);

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// A `.prof` file of Weft.
    WeftProf,
    /// A profile of Legion Prof, which Legate writes.
    LegionProf,
    /// An SQLite export of Nsight Systems.
    NsysSqlite,
    /// A report of Nsight Systems, converted by the installed `nsys`.
    NsysReport,
}

impl SourceKind {
    /// Returns its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            SourceKind::WeftProf => "weft-prof",
            SourceKind::LegionProf => "legion-prof",
            SourceKind::NsysSqlite => "nsys-sqlite",
            SourceKind::NsysReport => "nsys-rep",
        }
    }

    /// Returns the kind with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            SourceKind::WeftProf,
            SourceKind::LegionProf,
            SourceKind::NsysSqlite,
            SourceKind::NsysReport,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }

    /// Returns whether Nsight Systems recorded it.
    pub const fn is_nsys(self) -> bool {
        matches!(self, SourceKind::NsysSqlite | SourceKind::NsysReport)
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An input.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file, as named by the user.
    pub path: PathBuf,
    /// Its kind.
    pub kind: SourceKind,
    /// The run it belongs to.
    pub run: RunIndex,
    /// The run id in the file, 32 hexadecimal digits; `None` if it has none.
    pub run_id: Option<String>,
    /// The rank that wrote it.
    pub rank: Option<u16>,
    /// Number of ranks of the run.
    pub ranks: Option<u16>,
    /// The machine it was recorded on.
    pub host: Option<String>,
    /// The boot of that machine, within which CLOCK_MONOTONIC is one clock.
    pub boot_id: Option<String>,
    /// The process.
    pub pid: Option<u32>,
    /// The program.
    pub program: Option<String>,
    /// The SQLite database to copy tables of Nsight Systems from.
    pub database: Option<PathBuf>,
    /// The wall clock (ns since 1970-01-01 UTC) when its own clock read 0.
    pub wall_at_zero: Option<i64>,
    /// Whether records of it are known to be missing.
    pub lossy: bool,
}
