//! The head of a file.

use super::checksum;
use super::error::OpenError;
use super::layout::{
    BLOCK_HEAD, DROPPED_KINDS, Layout, MAGIC, PAGE, SLOT_SIZE, VERSION, VERSION_1, at,
};
use super::run::{RunId, RunInfo};
use crate::id::Rank;
use crate::record::{ClockSample, KINDS};
use crate::time::Timestamp;

/// The contents of the head, without the live words.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) info: RunInfo,
    pub(crate) clocks: ClockSample,
    pub(crate) layout: Layout,
    pub(crate) kinds: Kinds,
    /// Whether the checksum does not match the bytes.
    pub(crate) is_damaged: bool,
}

/// The frames of one kind in this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) name: String,
    /// The number of bytes of all its fields in this file.
    pub(crate) fixed: usize,
    /// Whether the fields of this version are a prefix of those in the file, and the tail is the
    /// same.
    pub(crate) known: bool,
}

/// The kinds of a file, by code.
pub(crate) type Kinds = Vec<Option<Kind>>;

/// Decodes the head of a file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Head, OpenError> {
    let mut from = Cursor { bytes, at: 0 };
    if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) || bytes.is_empty() {
        return Err(OpenError::NotProf);
    }
    from.at = at::VERSION;
    let found = from.u32()?;
    if found != VERSION && found != VERSION_1 {
        return Err(OpenError::Version {
            found,
            known: VERSION,
        });
    }
    let mut layout = Layout {
        dropped_at: None,
        lanes_at: from.u32()? as usize,
        block_size: from.u32()? as usize,
        lanes: from.u32()?,
        blocks_at: usize::try_from(from.u64()?).unwrap_or(usize::MAX),
    };
    let run_id = RunId(from.array()?);
    let rank = Rank::new(from.u16()?).ok_or_else(|| from.wrong("no such rank"))?;
    let (ranks, pid) = (from.u16()?, from.u32()?);
    let clocks = ClockSample {
        before: Timestamp::from_nanos_since_boot(from.u64()? as i64),
        wall: from.u64()? as i64,
        after: Timestamp::from_nanos_since_boot(from.u64()? as i64),
    };
    let text = from.u32()? as usize;
    let (dropped_at, sum) = (from.u32()? as usize, from.u32()?);
    if found == VERSION {
        layout.dropped_at = Some(dropped_at);
    }
    check(&layout, text).map_err(|what| from.wrong(what))?;
    if bytes.len() < layout.blocks_at {
        return Err(OpenError::Truncated {
            at: bytes.len() as u64,
        });
    }

    let covered = bytes.get(..at::CHECKSUM);
    let text = bytes.get(at::TEXT..at::TEXT + text);
    let is_damaged = match (found, covered, text) {
        (VERSION, Some(head), Some(text)) => sum != checksum::of_head(head, text),
        // Layout 1 has zeros here, so the version number is damaged.
        _ => sum != 0 || dropped_at != 0,
    };
    from.at = at::TEXT;
    let (host, boot_id, program) = (from.long()?, from.long()?, from.long()?);
    let kinds = kinds(&mut from)?;
    Ok(Head {
        info: RunInfo {
            run_id,
            rank,
            ranks,
            host,
            boot_id,
            pid,
            program,
        },
        clocks,
        layout,
        kinds,
        is_damaged,
    })
}

fn check(layout: &Layout, text: usize) -> Result<(), &'static str> {
    let lanes_end = (layout.lanes as usize)
        .checked_mul(SLOT_SIZE)
        .and_then(|size| size.checked_add(layout.lanes_at));
    let text_end = at::TEXT.saturating_add(text);
    if text_end > layout.lanes_at {
        return Err("the text overlaps the lane table");
    }
    if let Some(dropped_at) = layout.dropped_at {
        let dropped_end = dropped_at.saturating_add(DROPPED_KINDS * 8);
        if dropped_at < text_end || dropped_end > layout.lanes_at {
            return Err("the counters of dropped records overlap others");
        }
    }
    if lanes_end.is_none_or(|end| end > layout.blocks_at) || layout.blocks_at > u32::MAX as usize {
        return Err("the lane table overlaps the blocks");
    }
    if layout.block_size <= BLOCK_HEAD
        || layout.block_size > u32::MAX as usize
        || !layout.block_size.is_multiple_of(8)
        || !layout.lanes_at.is_multiple_of(8)
        || !layout.blocks_at.is_multiple_of(8)
        || layout.blocks_at < PAGE
    {
        return Err("impossible sizes");
    }
    Ok(())
}

fn kinds(from: &mut Cursor<'_>) -> Result<Kinds, OpenError> {
    let mut kinds = Kinds::new();
    for _ in 0..from.u8()? {
        let code = from.u8()?;
        let (name, tail) = (from.short()?.to_owned(), from.short()?);
        let ours = KINDS.iter().find(|kind| kind.code == code);
        let mut known = ours.is_some_and(|ours| ours.tail.is_empty() || ours.tail == tail);
        let mut left = ours.map_or(&[][..], |ours| ours.fields).iter();
        let mut fixed = 0;
        for _ in 0..from.u8()? {
            let (_, kind, size) = (from.short()?, from.short()?, usize::from(from.u16()?));
            fixed += size;
            known &= left
                .next()
                .is_none_or(|&(_, our_kind, our_size)| (our_kind, our_size) == (kind, size));
        }
        // Fields that earlier versions did not write.
        known &= left.all(|(_, kind, _)| kind.ends_with('?'));
        let index = usize::from(code);
        if kinds.len() <= index {
            kinds.resize(index + 1, None);
        }
        kinds[index] = Some(Kind { name, fixed, known });
    }
    Ok(kinds)
}

/// A reader of consecutive values.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn wrong(&self, what: &'static str) -> OpenError {
        OpenError::Head {
            at: self.at as u64,
            what,
        }
    }

    fn take(&mut self, size: usize) -> Result<&'a [u8], OpenError> {
        let taken = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.get(..size))
            .ok_or(OpenError::Truncated {
                at: self.bytes.len() as u64,
            })?;
        self.at += size;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], OpenError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8, OpenError> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Result<u16, OpenError> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, OpenError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, OpenError> {
        self.array().map(u64::from_le_bytes)
    }

    fn short(&mut self) -> Result<&'a str, OpenError> {
        let size = usize::from(self.u8()?);
        std::str::from_utf8(self.take(size)?).map_err(|_| self.wrong("a name is not UTF-8"))
    }

    fn long(&mut self) -> Result<String, OpenError> {
        let size = usize::from(self.u16()?);
        Ok(String::from_utf8_lossy(self.take(size)?).into_owned())
    }
}
