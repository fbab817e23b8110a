//! Copies of a `.prof` file with records left out or moved, made by the real reader and the real
//! writer.

use std::path::Path;

use weft_trace::file::{Counters, Prof, ProfWriter, RunInfo, WriterOptions};
use weft_trace::record::{Encode, KindInfo, Name, Record};

/// A record of any kind, for the writer.
struct Any<'a>(Record<'a>);

impl Encode for Any<'_> {
    // The writer uses the frame, which holds the kind's own code.
    const INFO: KindInfo = Name::INFO;

    fn frame_size(&self) -> usize {
        self.0.frame_size()
    }

    fn put_frame(&self, to: &mut [u8]) {
        self.0.put_frame(to);
    }
}

/// Writes the records that `choose` selects from all records of `from` to `to`, in that order. The
/// new file is marked complete, unless the limit of `options` drops records.
pub(crate) fn rewrite<'a>(
    from: &'a Prof,
    to: &Path,
    options: WriterOptions,
    choose: impl FnOnce(Vec<Record<'a>>) -> Vec<Record<'a>>,
) -> Counters {
    rewrite_as(from, from.info(), to, options, choose)
}

/// Rewrites a file as [`rewrite`] does, as the profile of another rank or run.
pub(crate) fn rewrite_as<'a>(
    from: &'a Prof,
    info: &RunInfo,
    to: &Path,
    options: WriterOptions,
    choose: impl FnOnce(Vec<Record<'a>>) -> Vec<Record<'a>>,
) -> Counters {
    let options = WriterOptions {
        replace: true,
        ..options
    };
    let writer = ProfWriter::create(to, info, options).expect("a new file");
    let mut lane = writer.lane();
    for record in choose(from.records().collect()) {
        lane.write(&Any(record));
    }
    drop(lane);
    writer.finish().expect("a finished file")
}
