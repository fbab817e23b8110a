//! GPUs and their primary contexts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::env;

use super::Machine;
use super::arena::Arena;
use super::code::Code;
use super::handle::{Id, Kind, handle, id};

/// One GPU with its primary context, the only one it can have.
pub(crate) struct Gpu {
    pub(crate) memory: Arena,
    /// The number of retains of the context, which exists while it is not 0.
    pub(crate) retained: u32,
    /// The first failure on it, which every later call returns.
    pub(crate) sticky: Option<Code>,
    /// GPUs whose memory kernels of this one may access.
    pub(crate) peers: BTreeSet<usize>,
    /// The stream with handle 0.
    pub(crate) null_stream: Option<Id>,
}

/// Compute capability of all GPUs: that of an H200.
pub(crate) const CAPABILITY: (u32, u32) = (9, 0);

/// Returns a number from the environment.
pub(super) fn number(name: &str, otherwise: u64) -> u64 {
    let given = env::var(name).ok();
    given
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(otherwise)
}

/// Returns `$WEFT_EMULATED_GPUS` (1) GPUs of `$WEFT_EMULATED_GPU_MIB` (256) each; of these the ones
/// in `$CUDA_VISIBLE_DEVICES`, up to its first invalid number.
pub(super) fn gpus() -> Vec<Gpu> {
    let present = number("WEFT_EMULATED_GPUS", 1);
    let bytes = number("WEFT_EMULATED_GPU_MIB", 256) << 20;
    let visible = match env::var("CUDA_VISIBLE_DEVICES") {
        Err(_) => present as usize,
        Ok(list) => {
            let mut seen = BTreeSet::new();
            list.split(',')
                .map_while(|text| text.trim().parse::<u64>().ok())
                .take_while(|&one| one < present && seen.insert(one))
                .count()
        }
    };
    (0..visible)
        .map_while(|_| {
            let memory = Arena::new(bytes)?;
            let peers = BTreeSet::new();
            Some(Gpu {
                memory,
                retained: 0,
                sticky: None,
                peers,
                null_stream: None,
            })
        })
        .collect()
}

/// Returns the handle of a GPU's context.
pub(crate) fn context(gpu: usize) -> u64 {
    handle(Kind::Context, gpu as u64 + 1)
}

thread_local! {
    static CURRENT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Returns the calling thread's current context; 0 if there is none.
pub(crate) fn current() -> u64 {
    CURRENT.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

/// Replaces the current context; 0 leaves none.
pub(crate) fn set_current(context: u64) {
    CURRENT.with_borrow_mut(|stack| {
        stack.pop();
        if context != 0 {
            stack.push(context);
        }
    });
}

/// Pushes a context onto the stack.
pub(crate) fn push_current(context: u64) {
    CURRENT.with_borrow_mut(|stack| stack.push(context));
}

/// Pops the current context and returns it.
pub(crate) fn pop_current() -> Result<u64, Code> {
    CURRENT
        .with_borrow_mut(Vec::pop)
        .ok_or(Code::INVALID_CONTEXT)
}

impl Machine {
    /// Returns the GPU of a device number.
    pub(crate) fn device(&self, device: i32) -> Result<usize, Code> {
        let gpu = usize::try_from(device).map_err(|_| Code::INVALID_DEVICE)?;
        (gpu < self.gpus.len())
            .then_some(gpu)
            .ok_or(Code::INVALID_DEVICE)
    }

    /// Returns the GPU of an existing context.
    pub(crate) fn gpu_of(&self, context: u64) -> Result<usize, Code> {
        let id = id(Kind::Context, context).map_err(|_| Code::INVALID_CONTEXT)?;
        let gpu = (id as usize)
            .checked_sub(1)
            .filter(|&gpu| gpu < self.gpus.len());
        let gpu = gpu.ok_or(Code::INVALID_CONTEXT)?;
        if self.gpus[gpu].retained == 0 {
            return Err(Code::CONTEXT_IS_DESTROYED);
        }
        Ok(gpu)
    }

    /// Returns the GPU of the calling thread's context, if nothing has failed on it.
    pub(crate) fn here(&self) -> Result<usize, Code> {
        let gpu = self.gpu_of(current())?;
        self.healthy(gpu)?;
        Ok(gpu)
    }

    /// Returns the GPU's first failure, if any.
    pub(crate) fn healthy(&self, gpu: usize) -> Result<(), Code> {
        match self.gpus[gpu].sticky {
            Some(code) => Err(code),
            None => Ok(()),
        }
    }

    /// Ends a context with its memory, streams, events and kernels.
    pub(crate) fn end_context(&mut self, gpu: usize) {
        self.drop_work(gpu);
        let starts: Vec<u64> = self.gpus[gpu]
            .memory
            .allocations()
            .map(|one| one.start)
            .collect();
        for start in starts {
            // Writes beyond it are reported when the program itself frees it.
            let _ = self.gpus[gpu].memory.give(start);
        }
        self.streams.retain(|_, stream| stream.gpu != gpu);
        self.events.retain(|_, event| event.gpu != gpu);
        self.modules.retain(|_, module| module.gpu != gpu);
        self.functions.retain(|_, function| function.gpu != gpu);
        let one = &mut self.gpus[gpu];
        one.retained = 0;
        one.sticky = None;
        one.peers.clear();
        one.null_stream = None;
    }
}
