//! The formats of inputs.

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A `.prof` file of Weft.
    WeftProf,
    /// A Legion Prof file, perhaps compressed with gzip or zstd.
    LegionProf,
    /// An SQLite database: an export of Nsight Systems, or a joined one of Weft.
    Sqlite,
    /// A report of Nsight Systems.
    NsysReport,
}

impl Format {
    /// Returns the name of a file of this format in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Format::WeftProf => "a Weft profile",
            Format::LegionProf => "a Legion Prof file",
            Format::Sqlite => "an SQLite database",
            Format::NsysReport => "an nsys report",
        }
    }

    /// Returns the format of a file that begins with `head`: 64 bytes, or all of a shorter file.
    pub fn detect(head: &[u8]) -> Option<Format> {
        if weft_trace::file::is_prof(head) {
            Some(Format::WeftProf)
        } else if head.starts_with(LEGION_MAGIC) {
            Some(Format::LegionProf)
        } else if head.starts_with(SQLITE_MAGIC) {
            Some(Format::Sqlite)
        } else if head.starts_with(REPORT_MAGIC) {
            Some(Format::NsysReport)
        } else {
            None
        }
    }
}

/// The first bytes of every SQLite database.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// The first bytes of every report of Nsight Systems.
const REPORT_MAGIC: &[u8] = b"NVIDIA Tegra Profiler Report";

/// The first bytes of every Legion Prof file.
pub const LEGION_MAGIC: &[u8] = b"FileType: BinaryLegionProf v: ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_formats_by_first_bytes() {
        assert_eq!(
            Format::detect(b"SQLite format 3\0 and more"),
            Some(Format::Sqlite)
        );
        let report = Format::detect(b"NVIDIA Tegra Profiler Report 1.\n");
        assert_eq!(report, Some(Format::NsysReport));
        assert_eq!(Format::detect(b"SQLite format 2\0"), None);
        assert_eq!(Format::detect(b""), None);
    }
}
