//! The subscriber, and its callbacks.

use std::collections::BTreeSet;
use std::env;
use std::sync::{Mutex, PoisonError};

/// `CUpti_CallbackFunc`.
pub(super) type Function = unsafe extern "C" fn(*mut (), u32, u32, *const ());

/// The subscriber, of which there is at most one.
#[derive(Clone, Debug)]
pub(super) struct Subscriber {
    pub(super) function: Function,
    /// The argument of the function.
    pub(super) data: usize,
    /// Enabled callbacks by domain and number; `u32::MAX` enables the whole domain.
    pub(super) wanted: BTreeSet<(u32, u32)>,
}

/// The subscriber's handle.
const HANDLE: u64 = 0xc0_971_000;
const ALL: u32 = u32::MAX;

const INVALID_PARAMETER: u32 = 1;
const HELD: u32 = 39;

static SUBSCRIBER: Mutex<Option<Subscriber>> = Mutex::new(None);

fn with<R>(use_it: impl FnOnce(&mut Option<Subscriber>) -> R) -> R {
    use_it(&mut SUBSCRIBER.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Adds the subscriber, unless there is one, or a test lets another tool hold CUPTI.
pub(super) fn subscribe(function: Function, data: usize) -> Result<u64, u32> {
    if let Ok(code) = env::var("WEFT_EMULATED_CUPTI_HELD") {
        return Err(code.trim().parse().unwrap_or(HELD));
    }
    with(|subscriber| {
        if subscriber.is_some() {
            return Err(HELD);
        }
        *subscriber = Some(Subscriber {
            function,
            data,
            wanted: BTreeSet::new(),
        });
        Ok(HANDLE)
    })
}

pub(super) fn unsubscribe(handle: u64) -> Result<(), u32> {
    with(|subscriber| {
        let known = subscriber.take().is_some() && handle == HANDLE;
        known.then_some(()).ok_or(INVALID_PARAMETER)
    })
}

/// Enables or disables a callback, or a whole domain without a number.
pub(super) fn enable(on: bool, handle: u64, domain: u32, number: Option<u32>) -> Result<(), u32> {
    with(|subscriber| {
        let subscriber = subscriber
            .as_mut()
            .filter(|_| handle == HANDLE)
            .ok_or(INVALID_PARAMETER)?;
        if !(1..=6).contains(&domain) {
            return Err(INVALID_PARAMETER);
        }
        let one = (domain, number.unwrap_or(ALL));
        if on {
            subscriber.wanted.insert(one);
        } else {
            subscriber.wanted.remove(&one);
        }
        Ok(())
    })
}

/// Returns the subscriber, if this callback is enabled.
pub(super) fn wanting(domain: u32, number: u32) -> Option<Subscriber> {
    with(|subscriber| {
        let wants = |subscriber: &&mut Subscriber| {
            [number, ALL]
                .iter()
                .any(|&one| subscriber.wanted.contains(&(domain, one)))
        };
        subscriber.as_mut().filter(wants).cloned()
    })
}
