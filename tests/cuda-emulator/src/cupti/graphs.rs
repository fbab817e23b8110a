//! Callbacks about the nodes of graphs.
#![allow(unsafe_code, reason = "calls the client")]

use super::callbacks::{self};
use crate::machine::context;
use crate::machine::graph::NodeBody;

/// `CUPTI_CB_DOMAIN_RESOURCE`, and its callbacks.
const RESOURCE: u32 = 3;
const NODE_CREATED: u32 = 13;
const NODE_CLONED: u32 = 20;

/// An event of a node, with the program's handles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeEvent {
    Created {
        graph: u64,
        node: u64,
        kind: u32,
    },
    Cloned {
        graph: u64,
        original_graph: u64,
        node: u64,
        original: u64,
        kind: u32,
        exec: u64,
    },
}

/// `CUgraphNodeType`.
pub(crate) fn kind_of(body: &NodeBody) -> u32 {
    match body {
        NodeBody::Kernel(_) => 0,
        NodeBody::Fill { .. } => 2,
        NodeBody::Empty => 5,
    }
}

/// As `CUpti_GraphData`.
#[repr(C)]
#[derive(Default)]
struct GraphData {
    graph: u64,
    original_graph: u64,
    node: u64,
    original: u64,
    kind: u32,
    dependency: u64,
    exec: u64,
}

/// As `CUpti_ResourceData`.
#[repr(C)]
struct ResourceData {
    context: u64,
    stream: u64,
    descriptor: *const GraphData,
}

/// Calls the subscriber, on the calling thread, before the driver's function returns.
pub(crate) fn tell(event: NodeEvent) {
    let (number, data) = match event {
        NodeEvent::Created { graph, node, kind } => (
            NODE_CREATED,
            GraphData {
                graph,
                node,
                kind,
                ..GraphData::default()
            },
        ),
        NodeEvent::Cloned {
            graph,
            original_graph,
            node,
            original,
            kind,
            exec,
        } => {
            let data = GraphData {
                graph,
                original_graph,
                node,
                original,
                kind,
                dependency: 0,
                exec,
            };
            (NODE_CLONED, data)
        }
    };
    let Some(subscriber) = callbacks::wanting(RESOURCE, number) else {
        return;
    };
    let resource = ResourceData {
        context: context::current(),
        stream: 0,
        descriptor: &raw const data,
    };
    // SAFETY: the client registered this function; the data lives until it returns.
    unsafe {
        (subscriber.function)(
            subscriber.data as *mut (),
            RESOURCE,
            number,
            (&raw const resource).cast(),
        )
    };
}
