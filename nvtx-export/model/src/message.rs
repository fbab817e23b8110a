//! Messages between ranks, combined from the records of both sides, and their copies.

use super::{Copy, LossRow, MessageIndex, Recording, RunIndex, Severity, SourceIndex};
use rustc_hash::FxHashSet;
use weft_trace::id::{MemoryId, Uid};
use weft_trace::record::MessageSide;
use weft_trace::time::Timestamp;

/// A message from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// The run that it belongs to.
    pub run: RunIndex,
    /// The sending rank.
    pub from: u16,
    /// The receiving rank.
    pub to: u16,
    /// The number of the message among those from `from` to `to`, from 1.
    pub number: u64,
    /// The sender's record; `None` if its profile or the record is missing.
    pub sent: Option<Side>,
    /// The receiver's record; `None` if its profile or the record is missing.
    pub received: Option<Side>,
}

/// One side of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID, on this side.
    pub uid: Uid,
    /// The operation that needs the data.
    pub operation: Uid,
    /// The memory on this side.
    pub memory: MemoryId,
    /// The number of bytes moved; 0 if the sender had nothing to send.
    pub bytes: u64,
    /// The time of the request.
    pub created: Timestamp,
    /// The time at which the data to send was ready, or the memory to receive into was unused.
    pub ready: Timestamp,
    /// The time at which this side began.
    pub start: Timestamp,
    /// The time at which the data was passed to the network, or delivered by it.
    pub passed: Timestamp,
    /// The time from which the sent data could be overwritten, or the received data could be used.
    pub end: Timestamp,
}

impl Message {
    /// Creates a message with one known side.
    pub fn of_side(
        run: RunIndex,
        side: MessageSide,
        ranks: [u16; 2],
        number: u64,
        row: Side,
    ) -> Self {
        let [own, peer] = ranks;
        let (from, to) = match side {
            MessageSide::Send => (own, peer),
            MessageSide::Receive => (peer, own),
        };
        Message {
            run,
            from,
            to,
            number,
            sent: (side == MessageSide::Send).then_some(row),
            received: (side == MessageSide::Receive).then_some(row),
        }
    }

    /// Returns the known sides, the sender's first.
    pub fn sides(&self) -> impl Iterator<Item = (MessageSide, &Side)> {
        let sent = self.sent.iter().map(|side| (MessageSide::Send, side));
        let received = self
            .received
            .iter()
            .map(|side| (MessageSide::Receive, side));
        sent.chain(received)
    }

    fn key(&self) -> (RunIndex, u16, u16, u64) {
        (self.run, self.from, self.to, self.number)
    }

    /// Adds the missing side from the other record. Returns whether the records complement each
    /// other.
    fn join(&mut self, other: &Message) -> bool {
        match (self.sent, self.received, other.sent, other.received) {
            (Some(_), None, None, received @ Some(_)) => self.received = received,
            (None, Some(_), sent @ Some(_), None) => self.sent = sent,
            _ => return false,
        }
        true
    }

    /// Returns the copy that represents the message. Its row belongs to the receiver, or else to
    /// the sender. It is ready when both sides are, and begins when both have begun.
    fn copy(&self, index: MessageIndex) -> Option<Copy> {
        let (sent, received) = (self.sent.or(self.received)?, self.received.or(self.sent)?);
        Some(Copy {
            source: received.source,
            uid: received.uid,
            operation: received.operation,
            from: Some(sent.memory),
            to: received.memory,
            bytes: received.bytes,
            created: sent.created.min(received.created),
            ready: sent.ready.max(received.ready).min(received.end),
            start: sent.start.max(received.start).min(received.end),
            end: received.end,
            message: Some(index),
        })
    }
}

/// An end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// The rank, if the other end is on another rank.
    pub rank: Option<u16>,
    /// The source that describes the memory. Ranks of a run have equal memories, so it may be the
    /// source of the other end.
    pub source: SourceIndex,
    /// The memory.
    pub memory: MemoryId,
}

impl End {
    /// Returns its name, by the name of its memory.
    pub fn name(&self, memory: impl FnOnce(SourceIndex, MemoryId) -> String) -> String {
        let memory = memory(self.source, self.memory);
        match self.rank {
            Some(rank) => format!("rank {rank} {memory}"),
            None => memory,
        }
    }
}

impl Recording {
    /// Returns the ends of a copy. Fills have no first end.
    pub fn ends(&self, copy: &Copy) -> (Option<End>, End) {
        let message = copy
            .message
            .and_then(|row| self.work.messages.get(row.0 as usize));
        let source = |side: Option<Side>| side.map_or(copy.source, |side| side.source);
        let end = |rank, source, memory| End {
            rank,
            source,
            memory,
        };
        match message {
            Some(message) => {
                let from = |memory| end(Some(message.from), source(message.sent), memory);
                (
                    copy.from.map(from),
                    end(Some(message.to), source(message.received), copy.to),
                )
            }
            None => (
                copy.from.map(|memory| end(None, copy.source, memory)),
                end(None, copy.source, copy.to),
            ),
        }
    }

    /// Returns the side of a message that has this UID; `None` if the copy is not a message.
    pub fn side(&self, copy: &Copy, source: SourceIndex, uid: Uid) -> Option<MessageSide> {
        let message = self.work.messages.get(copy.message?.0 as usize)?;
        let mut sides = message.sides();
        let own = sides.find(|(_, side)| (side.source, side.uid) == (source, uid));
        own.map(|(side, _)| side)
    }

    /// Combines the sides of each message, and adds a copy for each message.
    pub fn pair_messages(&mut self) {
        let mut sides = self.work.messages.take_rows();
        sides.sort_by_key(Message::key);
        for side in sides {
            let last = self.work.messages.last_mut();
            let same = last.filter(|last| last.key() == side.key());
            if !same.is_some_and(|last| last.join(&side)) {
                self.work.messages.push(side);
            }
        }
        let messages = (0..).map(MessageIndex).zip(&self.work.messages);
        self.work
            .copies
            .extend(messages.filter_map(|(index, message)| message.copy(index)));
    }

    /// Counts messages with a missing side: as a loss if the profile that should hold the side was
    /// read.
    pub fn count_one_sided(&mut self) {
        let ranks = self.sources.iter();
        let read: FxHashSet<_> = ranks
            .filter_map(|source| Some((source.run, source.rank?)))
            .collect();
        let (mut lost, mut absent) = (0, 0);
        for message in &self.work.messages {
            let missing = match (message.sent, message.received) {
                (Some(_), Some(_)) => continue,
                (None, _) => message.from,
                (_, None) => message.to,
            };
            match read.contains(&(message.run, missing)) {
                true => lost += 1,
                false => absent += 1,
            }
        }
        let rows = [
            (
                "messages_one_sided",
                Severity::Loss,
                lost,
                "messages between ranks with the record of one side missing from that rank's profile",
            ),
            (
                "messages_of_absent_ranks",
                Severity::Note,
                absent,
                "messages to or from ranks whose profiles were not given",
            ),
        ];
        let rows = rows.into_iter().filter(|(.., value, _)| *value > 0);
        self.quality
            .losses
            .extend(rows.map(|(name, severity, value, meaning)| LossRow {
                source: None,
                name: name.to_owned(),
                severity,
                value,
                meaning: meaning.to_owned(),
            }));
    }

    /// Sets the times of copies that are messages from their sides. All must be on one clock.
    pub fn time_messages(&mut self) {
        for copy in &mut self.work.copies {
            let Some(index) = copy.message else {
                continue;
            };
            let message = self.work.messages.get(index.0 as usize);
            if let Some(timed) = message.and_then(|message| message.copy(index)) {
                *copy = timed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(source: u32, sequence: u64, start: i64, end: i64) -> Side {
        let at = Timestamp::from_nanos_since_boot;
        Side {
            source: SourceIndex(source),
            uid: Uid::from_raw(sequence).unwrap(),
            operation: Uid::from_raw(1).unwrap(),
            memory: MemoryId(0),
            bytes: 8,
            created: at(start - 10),
            ready: at(start - 5),
            start: at(start),
            passed: at(start + 1),
            end: at(end),
        }
    }

    #[test]
    fn pairs_both_sides_of_a_message_in_any_order() {
        let message =
            |side, ranks, number, row| Message::of_side(RunIndex(0), side, ranks, number, row);
        let (sent, received) = (side(0, 7, 100, 150), side(1, 8, 20, 190));
        let mut recording = Recording::default();
        recording.work.messages = vec![
            message(MessageSide::Receive, [1, 0], 2, received),
            message(MessageSide::Receive, [1, 0], 1, side(1, 9, 0, 5)),
            message(MessageSide::Send, [0, 1], 2, sent),
            // The opposite direction, with another number.
            message(MessageSide::Send, [1, 0], 2, side(1, 10, 0, 5)),
        ]
        .into();
        recording.pair_messages();
        let rows = recording.work.messages.iter();
        let rows = rows.map(|row| (row.from, row.to, row.number, row.sides().count()));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [(0, 1, 1, 1), (0, 1, 2, 2), (1, 0, 2, 1)]
        );
        let copy = &recording.work.copies[1];
        assert_eq!(
            (copy.uid, copy.start.nanos(), copy.end.nanos()),
            (received.uid, 100, 190)
        );
        assert_eq!((copy.created.nanos(), copy.ready.nanos()), (10, 95));
        let (from, to) = recording.ends(copy);
        let from = from.unwrap();
        assert_eq!(
            (from.rank, from.source.0, to.rank, to.source.0),
            (Some(0), 0, Some(1), 1)
        );
    }
}
