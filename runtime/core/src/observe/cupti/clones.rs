//! The origins of an executable graph's nodes. CUPTI identifies kernels by the executable's nodes;
//! a program adds the original ones.

#![allow(
    unsafe_code,
    reason = "CUPTI calls back with pointers to structs of its headers"
)]

use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::catch_unwind;

use rustc_hash::FxHashMap;

use super::result;
use super::sys::{
    CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, CUpti_GraphData,
    CUpti_ResourceData,
};
use super::tally::{FAILED, count};

thread_local! {
    /// The clones that the thread's [`watch_clones`] has seen so far.
    static SEEN: RefCell<Option<FxHashMap<usize, u64>>> = const { RefCell::new(None) };
}

/// Calls `instantiate`, which makes a graph executable on this thread. Returns CUPTI's ids of the
/// executable's nodes, by the addresses of the nodes they were made from; empty if CUPTI does not
/// record.
pub(crate) fn watch_clones(instantiate: &mut dyn FnMut()) -> FxHashMap<usize, u64> {
    let outer = SEEN.replace(Some(FxHashMap::default()));
    instantiate();
    SEEN.replace(outer).unwrap_or_default()
}

/// Called by CUPTI when a node is cloned, on the thread that clones it.
pub(super) unsafe extern "C" fn on_callback(
    _user: *mut c_void,
    domain: u32,
    callback: u32,
    data: *const c_void,
) {
    if (domain, callback)
        != (
            CUPTI_CB_DOMAIN_RESOURCE,
            CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
        )
    {
        return;
    }
    // A panic must not unwind into CUPTI; nothing in there panics.
    let _ = catch_unwind(|| {
        // SAFETY: a callback of this domain gets this struct, or null.
        let Some(resource) = (unsafe { data.cast::<CUpti_ResourceData>().as_ref() }) else {
            return;
        };
        // SAFETY: and for graphs it points to this one, or null.
        let graph = unsafe {
            resource
                .resourceDescriptor
                .cast::<CUpti_GraphData>()
                .as_ref()
        };
        if let Some(graph) = graph {
            cloned(graph);
        }
    });
}

fn cloned(graph: &CUpti_GraphData) {
    let seen = SEEN.try_with(|seen| {
        let Ok(mut seen) = seen.try_borrow_mut() else {
            return;
        };
        if let Some(seen) = seen.as_mut() {
            let api = result::api().ok();
            // SAFETY: CUPTI has just made the node.
            match api.and_then(|api| unsafe { api.node_id(graph.node) }) {
                Some(id) => drop(seen.insert(graph.originalNode.addr(), id)),
                None => count(&FAILED, 1),
            }
        }
    });
    if seen.is_err() {
        count(&FAILED, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watch_is_empty_without_cupti() {
        let mut calls = 0;
        assert!(watch_clones(&mut || calls += 1).is_empty());
        assert_eq!(calls, 1);
    }
}
