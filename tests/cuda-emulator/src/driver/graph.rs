//! Graphs.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{NULL, exports, put};
use super::launch::arguments;
use crate::cupti::graphs::{self, NodeEvent};
use crate::machine::code::Code;
use crate::machine::graph::{Graph, NodeBody};
use crate::machine::handle::{Id, Kind, handle, id};
use crate::machine::work::KernelCall;
use crate::machine::{Machine, machine};

/// As `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelNodeParams {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    params: *const *const u8,
    extra: *const u8,
    kernel: u64,
    context: u64,
}

/// As `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct MemsetNodeParams {
    to: u64,
    pitch: usize,
    value: u32,
    width: u32,
    count: usize,
    rows: usize,
}

fn graph_id(graph: u64) -> Result<Id, Code> {
    id(Kind::Graph, graph).map_err(|_| Code::INVALID_VALUE)
}

fn kernel_of(machine: &Machine, params: *const KernelNodeParams) -> Result<KernelCall, Code> {
    if params.is_null() {
        return Err(NULL);
    }
    // SAFETY: the program promises parameters.
    let params = unsafe { params.read() };
    if !params.extra.is_null() || params.kernel != 0 {
        return Err(Code::NOT_SUPPORTED);
    }
    let function = id(Kind::Function, params.function).map_err(|_| Code::INVALID_VALUE)?;
    let mut call = KernelCall {
        function,
        grid: params.grid,
        block: params.block,
        shared_bytes: params.shared_bytes,
        arguments: Vec::new(),
    };
    machine.check_launch(&call)?;
    call.arguments = arguments(machine, function, params.params)?;
    Ok(call)
}

fn add(
    node: *mut u64,
    graph: u64,
    after: *const u64,
    count: usize,
    body: impl FnOnce(&Machine) -> Result<NodeBody, Code>,
) -> Result<(), Code> {
    let mut machine = machine();
    let graph_id = graph_id(graph)?;
    let mut before = Vec::new();
    for at in 0..count {
        // SAFETY: the program promises `count` nodes.
        before.push(
            id(Kind::Node, unsafe { after.add(at).read() }).map_err(|_| Code::INVALID_VALUE)?,
        );
    }
    let body = body(&machine)?;
    let kind = graphs::kind_of(&body);
    let added = machine.add_node(graph_id, &before, body)?;
    drop(machine);
    let added = handle(Kind::Node, added);
    graphs::tell(NodeEvent::Created {
        graph,
        node: added,
        kind,
    });
    put(node, added)
}

fn instantiate(exec: *mut u64, graph: u64) -> Result<(), Code> {
    let mut machine = machine();
    let gpu = machine.here()?;
    let made = machine.instantiate(graph_id(graph)?, gpu)?;
    let Some(content) = machine.execs.get(&made).cloned() else {
        return Err(Code::UNKNOWN);
    };
    drop(machine);
    let made = handle(Kind::Exec, made);
    for node in &content.nodes {
        graphs::tell(NodeEvent::Cloned {
            graph: handle(Kind::Graph, content.graph),
            original_graph: handle(Kind::Graph, content.original),
            node: handle(Kind::Node, node.id),
            original: handle(Kind::Node, node.original),
            kind: graphs::kind_of(&node.body),
            exec: made,
        });
    }
    put(exec, made)
}

exports! {
    fn cuGraphCreate(graph: *mut u64, flags: u32) = 501, |_| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let mut machine = machine();
        let id = machine.number();
        machine.graphs.insert(id, Graph::default());
        put(graph, handle(Kind::Graph, id))
    }

    fn cuGraphAddKernelNode_v2(
        node: *mut u64, graph: u64, after: *const u64, count: usize, params: *const KernelNodeParams,
    ) = 689, |_| {
        add(node, graph, after, count, |machine| Ok(NodeBody::Kernel(kernel_of(machine, params)?)))
    }

    fn cuGraphAddEmptyNode(node: *mut u64, graph: u64, after: *const u64, count: usize) = 526, |_| {
        add(node, graph, after, count, |_| Ok(NodeBody::Empty))
    }

    fn cuGraphAddMemsetNode(
        node: *mut u64, graph: u64, after: *const u64, count: usize, params: *const MemsetNodeParams, _context: u64,
    ) = 506, |_| {
        if params.is_null() {
            return Err(NULL);
        }
        // SAFETY: the program promises parameters.
        let MemsetNodeParams { to, value, width, count: elements, rows, .. } = unsafe { params.read() };
        if rows != 1 || !matches!(width, 1 | 2 | 4) || to % u64::from(width) != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let fill = NodeBody::Fill { to, pattern: value, width: u64::from(width), count: elements as u64 };
        add(node, graph, after, count, |_| Ok(fill))
    }

    fn cuGraphGetNodes(graph: u64, nodes: *mut u64, count: *mut usize) = 534, |_| {
        let machine = machine();
        let content = machine.graphs.get(&graph_id(graph)?).ok_or(Code::INVALID_VALUE)?;
        if count.is_null() {
            return Err(NULL);
        }
        if nodes.is_null() {
            return put(count, content.nodes.len());
        }
        // SAFETY: the program guarantees that it gives the available size.
        let room = unsafe { count.read() };
        for at in 0..room {
            let node = content.nodes.get(at).map_or(0, |node| handle(Kind::Node, node.id));
            put(nodes.wrapping_add(at), node)?;
        }
        put(count, content.nodes.len().min(room))
    }

    fn cuGraphInstantiateWithFlags(exec: *mut u64, graph: u64, _flags: u64) = 643, |_| { instantiate(exec, graph) }

    fn cuGraphUpload(exec: u64, stream: u64) = 580, |_| {
        let mut machine = machine();
        machine.stream_of(stream)?;
        let exec = id(Kind::Exec, exec)?;
        machine.execs.get(&exec).map(drop).ok_or(Code::INVALID_HANDLE)
    }

    fn cuGraphExecKernelNodeSetParams_v2(exec: u64, node: u64, params: *const KernelNodeParams) = 692, |_| {
        let mut machine = machine();
        let exec = id(Kind::Exec, exec).map_err(|_| Code::INVALID_VALUE)?;
        let node = id(Kind::Node, node).map_err(|_| Code::INVALID_VALUE)?;
        let call = kernel_of(&machine, params)?;
        let exec = machine.execs.get_mut(&exec).ok_or(Code::INVALID_VALUE)?;
        let place = exec.nodes.iter_mut().find(|known| known.original == node).ok_or(Code::INVALID_VALUE)?;
        match &mut place.body {
            NodeBody::Kernel(old) => *old = call,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    fn cuGraphLaunch(exec: u64, stream: u64) = 514, |call| {
        let mut machine = machine();
        machine.here()?;
        let stream = machine.stream_of(stream)?;
        machine.launch_graph(id(Kind::Exec, exec)?, stream, call.correlation)
    }

    fn cuGraphDestroy(graph: u64) = 517, |_| {
        machine().graphs.remove(&graph_id(graph)?).map(drop).ok_or(Code::INVALID_VALUE)
    }

    fn cuGraphExecDestroy(exec: u64) = 516, |_| {
        machine().execs.remove(&id(Kind::Exec, exec)?).map(drop).ok_or(Code::INVALID_HANDLE)
    }
}
