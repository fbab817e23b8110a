//! A thread's access to the file.

use super::protocol::{self, Pen};
use super::shared::Shared;
use crate::record::Encode;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

/// A thread's access to a file, returned by [`ProfWriter::lane`](crate::file::ProfWriter::lane).
/// When it is dropped, another thread can reuse its lane.
#[derive(Debug)]
pub struct Lane {
    shared: Arc<Shared>,
    /// `None` if all lanes were taken.
    pen: Option<Pen>,
    /// Keeps two threads from using a lane at the same time.
    not_sync: PhantomData<Cell<()>>,
}

impl Lane {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Lane {
            pen: shared.take_pen(),
            shared,
            not_sync: PhantomData,
        }
    }

    /// Writes a record. Returns `false` if it was dropped, which is counted with the reason. Never
    /// blocks and never allocates.
    ///
    /// A record that is larger than [`FRAME_MAX`](crate::record::FRAME_MAX), or than a block, is
    /// dropped. In a forked child nothing is written or counted.
    #[inline]
    pub fn write<R: Encode>(&mut self, record: &R) -> bool {
        if !self.shared.is_ours() {
            return false;
        }
        match &mut self.pen {
            Some(pen) => pen
                .write(&*self.shared, R::INFO.code, record.frame_size(), |to| {
                    record.put_frame(to);
                })
                .is_ok(),
            None => {
                protocol::refuse(&*self.shared);
                false
            }
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(pen) = self.pen.take() {
            self.shared.return_pen(pen);
        }
    }
}
