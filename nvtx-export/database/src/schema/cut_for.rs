//! The entry of WEFT_META for the processors for which a source divides operations.

use weft_geometry::Processors;
use weft_model::{CutFor, SourceIndex};

/// The beginning of the key, followed by the number of the source.
const KEY: &str = "divided_for_source_";

/// Returns the key and the value.
pub fn fact(row: &CutFor) -> (String, String) {
    let processors = &row.processors;
    let value = [
        processors.cpus,
        processors.omps,
        processors.omp_threads,
        processors.smallest,
        processors.smallest_omp,
    ];
    let value: Vec<String> = value.iter().map(ToString::to_string).collect();
    (format!("{KEY}{}", row.source.id()), value.join(" "))
}

/// Parses an entry; `None` for other entries.
pub fn parse(key: &str, value: &str) -> Option<CutFor> {
    let id: u32 = key.strip_prefix(KEY)?.parse().ok()?;
    let numbers: Result<Vec<usize>, _> = value.split(' ').map(str::parse).collect();
    let [cpus, omps, omp_threads, smallest, smallest_omp] = numbers.ok()?.try_into().ok()?;
    Some(CutFor {
        source: SourceIndex(id.checked_sub(1)?),
        processors: Processors {
            cpus,
            omps,
            omp_threads,
            smallest,
            smallest_omp,
        },
    })
}
