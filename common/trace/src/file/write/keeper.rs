//! The thread that reserves space for all files of this process, so that recording threads never
//! wait for the disk.

use super::life;
use super::shared::Shared;
use super::sys::{self, Bell, Latest};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The keeper of this process. A forked child creates its own.
static KEEPER: Latest<Keeper> = Latest::none();

#[derive(Debug)]
pub(crate) struct Keeper {
    generation: u64,
    bell: Bell,
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    running: bool,
    open: Vec<Arc<Shared>>,
}

/// Returns the keeper of this process.
pub(crate) fn keeper() -> io::Result<&'static Keeper> {
    life::watch();
    loop {
        let latest = KEEPER.get();
        if let Some(keeper) = latest.filter(|keeper| keeper.is_ours()) {
            return Ok(keeper);
        }
        let new = Keeper {
            generation: life::generation(),
            bell: Bell::new()?,
            files: Mutex::default(),
        };
        KEEPER.replace(latest, new);
    }
}

/// Finishes all open files of this process.
pub(crate) fn finish_all() {
    if let Some(keeper) = KEEPER.get().filter(|keeper| keeper.is_ours()) {
        keeper.finish_all();
    }
}

impl Keeper {
    fn is_ours(&self) -> bool {
        self.generation == life::generation()
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes care of a file from now on.
    pub(crate) fn adopt(&'static self, file: Arc<Shared>) -> io::Result<()> {
        let mut files = self.files();
        if !files.running {
            std::thread::Builder::new()
                .name("weft-prof".to_owned())
                .stack_size(256 << 10)
                .spawn(move || self.run())?;
            files.running = true;
            life::watch_sigterm(&self.bell);
        }
        files.open.push(file);
        drop(files);
        self.wake();
        Ok(())
    }

    /// Removes a finished file.
    pub(crate) fn forget(&self, file: &Shared) {
        self.files()
            .open
            .retain(|open| !std::ptr::eq(Arc::as_ptr(open), file));
    }

    /// Wakes the keeper to attend to its files soon. Never blocks.
    pub(crate) fn wake(&self) {
        self.bell.ring();
    }

    fn run(&self) {
        sys::block_signals();
        let mut next = None;
        loop {
            self.bell.sleep(next);
            if life::terminated() {
                self.finish_all();
                sys::end_by_sigterm();
            }
            let open = self.files().open.clone();
            next = open.iter().filter_map(|file| file.attend()).min();
        }
    }

    fn finish_all(&self) {
        let open = self.files().open.clone();
        for file in open {
            // An error cannot be reported any more. Committed records are in the file, which is
            // marked as unfinished.
            let _ = file.finish();
        }
    }
}
