//! Making a file.

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

/// A `.prof` file that is being written. Clones write to the same file; it is finished by [`Self::finish`], when the
/// last clone is dropped, when the process exits, and on SIGTERM.
#[derive(Clone, Debug)]
pub struct ProfWriter {
    handle: Arc<Handle>,
}

/// What all clones have together.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    limit: u64,
}

impl ProfWriter {
    /// Makes the file. Space for the first records is reserved. Where the size of files or the address space of the process is
    /// limited, the file may grow to less than was asked for; see [`Self::limit`].
    ///
    /// # Errors
    /// Where the path, the limit or the disk do not allow it; then there is no file that was not there before.
    pub fn create(
        path: &Path,
        info: &RunInfo,
        options: WriterOptions,
    ) -> Result<Self, CreateError> {
        let keeper = keeper::keeper().map_err(CreateError::Keeper)?;
        sys::register_barrier();
        let text = encode::text(info);
        let limit = options.limit.min(sys::largest_file());
        // The limit is mapped at once; most of the addresses are for the program.
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
                // The first error is the one to tell.
                let _ = fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// Bytes that the file may grow to.
    pub fn limit(&self) -> u64 {
        self.handle.limit
    }

    /// Finishes the file and removes it.
    pub fn discard(self) {
        // Whatever was wrong with it is gone with it.
        let _ = self.finish();
        let _ = fs::remove_file(self.handle.shared.path());
    }

    /// A lane for the calling thread. Where all are taken, what is written to it is dropped and counted.
    pub fn lane(&self) -> Lane {
        Lane::new(Arc::clone(&self.handle.shared))
    }

    /// The counts so far.
    pub fn counters(&self) -> Counters {
        self.handle.shared.counters()
    }

    /// Why space could not be reserved, the last time it could not: the disk was full, for example.
    pub fn reserve_error(&self) -> Option<io::Error> {
        self.handle.shared.trouble()
    }

    /// Finishes the file: waits for records in flight (100 ms at most), refuses further ones, counting them, and cuts
    /// off the space reserved ahead. Again: the counts so far.
    ///
    /// # Errors
    /// Where the file cannot be cut, or belongs to the parent process.
    pub fn finish(&self) -> Result<Counters, FinishError> {
        self.handle.shared.finish()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Whoever wants to know calls finish.
        let _ = self.shared.finish();
    }
}
