//! Iteration over blocks and frames, for arbitrary bytes.

use super::checksum::{self, Seal};
use super::layout::{
    BLOCK_HEAD, BLOCK_MAGIC, BLOCK_SEAL, FINISHED, FINISHED_1, Layout, VERSION_1, at,
};
use crate::record::FRAME_HEAD;

/// The kind and body of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) lane: u32,
    /// Whether a checksum verifies the bytes.
    pub(crate) is_verified: bool,
    pub(crate) code: u8,
    pub(crate) body: &'a [u8],
}

/// The damage found by an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Damage {
    pub(crate) blocks: u64,
    pub(crate) bytes: u64,
}

/// Verifies the checksum of each block. The result is empty if the file has no checksums.
///
/// `is_whole` is whether every block in use has a checksum, so that a missing one is damage.
pub(crate) fn verify(bytes: &[u8], layout: &Layout, is_whole: bool) -> Vec<Seal> {
    if !layout.has_checksums() {
        return Vec::new();
    }
    let blocks = bytes.get(layout.blocks_at..).unwrap_or_default();
    let blocks = blocks.chunks(layout.block_size);
    blocks.map(|block| verify_block(block, is_whole)).collect()
}

fn verify_block(block: &[u8], is_whole: bool) -> Seal {
    let [id, index, commit] = [0, 8, 16].map(|at| word(block, at));
    let used = commit as u32 as usize;
    let frames = block
        .get(BLOCK_HEAD..)
        .and_then(|frames| frames.get(..used));
    // The file was truncated, or the head is damaged. Both are detected when the block is read.
    let Some(frames) = frames else {
        return Seal::Missing;
    };
    let sum = || checksum::of_block(id, index, commit, frames);
    match checksum::check(word(block, BLOCK_SEAL), sum) {
        Seal::Missing if is_whole && id != 0 => Seal::Broken,
        seal => seal,
    }
}

/// All committed frames of a file, without those of blocks with a wrong checksum.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    bytes: &'a [u8],
    layout: Layout,
    seals: &'a [Seal],
    /// The number of the next block.
    next: u64,
    lane: u32,
    is_verified: bool,
    /// The committed frames of the current block that were not returned yet.
    left: &'a [u8],
    damage: Damage,
}

impl<'a> Walk<'a> {
    /// Creates an iterator over a whole file with this `layout`, for which [`verify`] returned
    /// `seals`.
    pub(crate) fn new(bytes: &'a [u8], layout: Layout, seals: &'a [Seal]) -> Self {
        Walk {
            bytes,
            layout,
            seals,
            next: 0,
            lane: 0,
            is_verified: false,
            left: &[],
            damage: Damage::default(),
        }
    }

    /// Returns the damage found so far.
    pub(crate) fn damage(&self) -> Damage {
        self.damage
    }

    /// Advances to the next block; `None` if there is none.
    fn next_block(&mut self) -> Option<()> {
        let index = self.next;
        let start = usize::try_from(self.layout.block_at(index)).ok()?;
        let block = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let block = &block[..block.len().min(self.layout.block_size)];
        self.next += 1;
        self.left = &[];
        let Some((head, frames)) = block.split_at_checked(BLOCK_HEAD) else {
            self.damage.blocks += 1;
            self.damage.bytes += block.len() as u64;
            return Some(());
        };
        let word = |at: usize| word(head, at);
        let (id, commit) = (word(0), word(16));
        if id == 0 && word(8) == 0 && commit == 0 {
            // The block is reserved, or claimed but not begun.
            return Some(());
        }
        let used = commit as u32 as usize;
        let lane = (id >> 32) as u32;
        if id as u32 != BLOCK_MAGIC
            || word(8) != index
            || lane >= self.layout.lanes
            || used > self.layout.room()
        {
            // A block that was claimed but not begun when the process died has only its number.
            if id != 0 || commit != 0 || word(8) != index {
                self.damage.blocks += 1;
                self.damage.bytes += block.len() as u64;
            }
            return Some(());
        }
        let seal = usize::try_from(index).ok();
        let seal = seal.and_then(|index| self.seals.get(index));
        if seal == Some(&Seal::Broken) {
            self.damage.blocks += 1;
            self.damage.bytes += used as u64;
            return Some(());
        }
        self.is_verified = seal == Some(&Seal::Sound);
        self.lane = lane;
        self.left = &frames[..used.min(frames.len())];
        if frames.len() < used {
            self.damage.blocks += 1;
        }
        Some(())
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        loop {
            if self.left.is_empty() {
                self.next_block()?;
                continue;
            }
            let size = match *self.left {
                [low, high, ..] => usize::from(u16::from_le_bytes([low, high])),
                _ => 0,
            };
            if size < FRAME_HEAD || size > self.left.len() {
                self.damage.bytes += self.left.len() as u64;
                self.left = &[];
                continue;
            }
            let (frame, left) = self.left.split_at(size);
            self.left = left;
            return Some(Frame {
                lane: self.lane,
                is_verified: self.is_verified,
                code: frame[2],
                body: &frame[FRAME_HEAD..],
            });
        }
    }
}

/// Returns the eight bytes at `at` as a number; 0 if the bytes end earlier.
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk)
        .map_or(0, |word| u64::from_le_bytes(*word))
}

/// Whether the live words in these first bytes of a file mark it as finished.
pub(crate) fn is_finished(bytes: &[u8]) -> bool {
    let version = word(bytes, at::VERSION) as u32;
    let finished = if version == VERSION_1 {
        FINISHED_1
    } else {
        FINISHED
    };
    word(bytes, at::FINISHED) == finished
}
