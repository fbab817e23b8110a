//! Encoding of the head of a file.

use crate::file::checksum;
use crate::file::layout::{Layout, MAGIC, VERSION, VERSION_1, at};
use crate::file::run::RunInfo;
use crate::record::{ClockSample, KINDS, KindInfo};

/// The most bytes of a string in the head; longer strings are cut.
const STRING_MAX: usize = 4096;

/// Encodes the text of the head for the kinds of this version.
pub(crate) fn text(info: &RunInfo) -> Vec<u8> {
    text_with(info, KINDS)
}

/// Encodes the text of the head for any kinds.
pub(crate) fn text_with(info: &RunInfo, kinds: &[KindInfo]) -> Vec<u8> {
    let mut to = Vec::new();
    for text in [&info.host, &info.boot_id, &info.program] {
        let cut = (0..=STRING_MAX.min(text.len()))
            .rfind(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        to.extend_from_slice(&(cut as u16).to_le_bytes());
        to.extend_from_slice(&text.as_bytes()[..cut]);
    }
    let short = |to: &mut Vec<u8>, text: &str| {
        to.push(text.len() as u8);
        to.extend_from_slice(text.as_bytes());
    };
    to.push(kinds.len() as u8);
    for kind in kinds {
        to.push(kind.code);
        short(&mut to, kind.name);
        short(&mut to, kind.tail);
        to.push(kind.fields.len() as u8);
        for (name, kind, size) in kind.fields {
            short(&mut to, name);
            short(&mut to, kind);
            to.extend_from_slice(&(*size as u16).to_le_bytes());
        }
    }
    to
}

/// Encodes the whole head, with live words of zero.
pub(crate) fn encode(
    info: &RunInfo,
    clocks: &ClockSample,
    layout: &Layout,
    text: &[u8],
) -> Vec<u8> {
    let mut to = vec![0; at::TEXT];
    let mut put = |at: usize, bytes: &[u8]| to[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &MAGIC);
    let version = if layout.has_checksums() {
        VERSION
    } else {
        VERSION_1
    };
    put(at::VERSION, &version.to_le_bytes());
    put(at::LANES_AT, &(layout.lanes_at as u32).to_le_bytes());
    put(at::BLOCK_SIZE, &(layout.block_size as u32).to_le_bytes());
    put(at::LANES, &layout.lanes.to_le_bytes());
    put(at::BLOCKS_AT, &(layout.blocks_at as u64).to_le_bytes());
    put(at::RUN_ID, &info.run_id.0);
    put(at::RANK, &info.rank.get().to_le_bytes());
    put(at::RANKS, &info.ranks.to_le_bytes());
    put(at::PID, &info.pid.to_le_bytes());
    put(at::CLOCKS, &clocks.before.nanos().to_le_bytes());
    put(at::CLOCKS + 8, &clocks.wall.to_le_bytes());
    put(at::CLOCKS + 16, &clocks.after.nanos().to_le_bytes());
    put(at::TEXT_SIZE, &(text.len() as u32).to_le_bytes());
    if let Some(dropped_at) = layout.dropped_at {
        put(at::DROPPED_AT, &(dropped_at as u32).to_le_bytes());
        let sum = checksum::of_head(&to[..at::CHECKSUM], text);
        to[at::CHECKSUM..at::CHECKSUM + 4].copy_from_slice(&sum.to_le_bytes());
    }
    to.extend_from_slice(text);
    to
}
