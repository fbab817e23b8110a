//! The run and the process of a file.

use crate::id::Rank;
use std::fmt;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Read;
use std::str::FromStr;
use thiserror::Error;

/// The id of a run: the same in the files of all its ranks, and different from that of every other
/// run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub [u8; 16]);

impl RunId {
    /// Returns a new id, from the operating system's random numbers.
    pub fn random() -> Self {
        let mut id = [0; 16];
        let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut id));
        if read.is_err() {
            // Without /dev, the random keys of hash maps are used instead.
            for half in id.chunks_exact_mut(8) {
                half.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
            }
        }
        RunId(id)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The error of a text that is not a run id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a run id has 32 hexadecimal digits, not {0:?}")]
pub struct ParseRunIdError(String);

impl FromStr for RunId {
    type Err = ParseRunIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        match u128::from_str_radix(text, 16) {
            Ok(id) if digits => Ok(RunId(id.to_be_bytes())),
            _ => Err(ParseRunIdError(text.to_owned())),
        }
    }
}

/// The process that wrote a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInfo {
    /// The run.
    pub run_id: RunId,
    /// The rank of the process.
    pub rank: Rank,
    /// The number of ranks of the run.
    pub ranks: u16,
    /// The name of the machine.
    pub host: String,
    /// The boot id of the machine. Files with the same boot id share a monotonic clock.
    pub boot_id: String,
    /// The id of the process.
    pub pid: u32,
    /// The path of the program.
    pub program: String,
}

impl RunInfo {
    /// Fills in host, boot id, process id and program. Unreadable values are left empty.
    pub fn of_this_process(run_id: RunId, rank: Rank, ranks: u16) -> Self {
        let kernel = |name: &str| {
            fs::read_to_string(format!("/proc/sys/kernel/{name}"))
                .map(|text| text.trim_end().to_owned())
                .unwrap_or_default()
        };
        RunInfo {
            run_id,
            rank,
            ranks,
            host: kernel("hostname"),
            boot_id: kernel("random/boot_id"),
            pid: std::process::id(),
            program: std::env::current_exe()
                .map(|path| path.to_string_lossy().into_owned())
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_id_survives_round_trip_through_text() {
        let id = RunId::random();
        assert_ne!(id, RunId::random());
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "00", "+0000000000000000000000000000001", "zz"] {
            assert!(wrong.parse::<RunId>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn describes_this_process() {
        let info = RunInfo::of_this_process(RunId::random(), Rank::default(), 1);
        assert_eq!(info.pid, std::process::id());
        assert!(!info.host.is_empty() && !info.boot_id.is_empty() && !info.program.is_empty());
    }
}
