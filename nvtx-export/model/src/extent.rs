//! The time span of each source.

use super::{Recording, SourceIndex};
use rustc_hash::FxHashMap;

impl Recording {
    /// Returns the first and the last time of each source that has rows, on its own clock before
    /// the clocks are aligned. Records of CUPTI in the process are on another clock, and are left
    /// out.
    pub fn extents(&self) -> FxHashMap<SourceIndex, (i64, i64)> {
        let mut extents: FxHashMap<SourceIndex, (i64, i64)> = FxHashMap::default();
        self.times(|of, time| {
            if !of.by_cupti {
                let at = time.nanos();
                let extent = extents.entry(of.source).or_insert((at, at));
                *extent = (extent.0.min(at), extent.1.max(at));
            }
        });
        for look in &self.quality.rank_looks {
            let at = look.at.nanos();
            let extent = extents.entry(look.source).or_insert((at, at));
            *extent = (extent.0.min(at), extent.1.max(at));
        }
        extents
    }
}
