//! The creation of a file.

use super::encode;
use super::keeper;
use super::lane::Lane;
use super::map::Map;
use super::options::WriterOptions;
use super::place;
use super::protocol::Counters;
use super::shared::Shared;
use super::sys;
use crate::file::error::{CreateError, FinishError};
use crate::file::run::RunInfo;
use crate::time::sample_clocks;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A `.prof` file that is being written. Clones write to the same file; it is finished by
/// [`Self::finish`], when the last clone is dropped, when the process exits, and on SIGTERM.
#[derive(Clone, Debug)]
pub struct ProfWriter {
    handle: Arc<Handle>,
}

/// The state that all clones share.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    limit: u64,
}

impl ProfWriter {
    /// Creates the file, and reserves space for the first records. If the process has a limit on
    /// file size or address space, the limit of the file may be lower than requested; see
    /// [`Self::limit`].
    ///
    /// # Errors
    /// Returns an error if the path, the limit or the disk do not allow it. Then no new file is
    /// left.
    pub fn create(
        path: &Path,
        info: &RunInfo,
        options: WriterOptions,
    ) -> Result<Self, CreateError> {
        let keeper = keeper::keeper().map_err(CreateError::Keeper)?;
        sys::register_barrier();
        let text = encode::text(info);
        let limit = options.limit.min(sys::largest_file());
        // The limit is mapped at once, and most addresses are for the program.
        let limit = sys::address_space().map_or(limit, |space| limit.min(space / 4));
        let layout = options.layout(text.len(), limit);
        let blocks = layout.blocks_within(limit);
        if blocks == 0 {
            return Err(CreateError::LimitTooSmall {
                path: path.to_owned(),
                limit,
                least: layout.block_at(1),
            });
        }
        let head = encode::encode(info, &sample_clocks(), &layout, &text);
        let file = place::make(path, options.replace, &head, &layout)?;
        let made = Map::new(&file, layout, blocks)
            .map_err(|source| CreateError::Map {
                path: path.to_owned(),
                bytes: layout.block_at(blocks),
                source,
            })
            .and_then(|map| {
                Shared::new(path.to_owned(), file, map, blocks, options.ahead, keeper).map_err(
                    |source| CreateError::Reserve {
                        path: path.to_owned(),
                        bytes: layout.block_at(1),
                        source,
                    },
                )
            })
            .and_then(|shared| {
                let shared = Arc::new(shared);
                keeper
                    .adopt(Arc::clone(&shared))
                    .map_err(CreateError::Keeper)?;
                Ok(shared)
            });
        match made {
            Ok(shared) => Ok(ProfWriter {
                handle: Arc::new(Handle { shared, limit }),
            }),
            Err(error) => {
                // The first error is the one that is reported.
                let _ = fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// Returns the largest size of the file in bytes.
    pub fn limit(&self) -> u64 {
        self.handle.limit
    }

    /// Finishes the file and removes it.
    pub fn discard(self) {
        // The file is removed, so its errors do not matter.
        let _ = self.finish();
        let _ = fs::remove_file(self.handle.shared.path());
    }

    /// Returns a lane for the calling thread. If all lanes are taken, its records are dropped and
    /// counted.
    pub fn lane(&self) -> Lane {
        Lane::new(Arc::clone(&self.handle.shared))
    }

    /// Returns the current counts.
    pub fn counters(&self) -> Counters {
        self.handle.shared.counters()
    }

    /// Returns the last error of reserving space, such as a full disk.
    pub fn reserve_error(&self) -> Option<io::Error> {
        self.handle.shared.trouble()
    }

    /// Finishes the file. Waits for records in flight (100 ms at most), refuses and counts further
    /// ones, and cuts off unused reserved space. A second call returns the current counts.
    ///
    /// # Errors
    /// Returns an error if the file cannot be truncated, or belongs to the parent process.
    pub fn finish(&self) -> Result<Counters, FinishError> {
        self.handle.shared.finish()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Errors are only reported by an explicit `finish`.
        let _ = self.shared.finish();
    }
}
