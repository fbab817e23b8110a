//! Graphs: work with dependences, launched at once.

use super::Machine;
use super::code::Code;
use super::handle::Id;
use super::work::{Body, KernelCall, Origin};

/// The work of a node.
#[derive(Clone, Debug)]
pub(crate) enum NodeBody {
    Empty,
    Kernel(KernelCall),
    Fill {
        to: u64,
        pattern: u32,
        width: u64,
        count: u64,
    },
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its number among all objects, also CUPTI's.
    pub(crate) id: Id,
    /// The node that it was cloned from; otherwise itself.
    pub(crate) original: Id,
    pub(crate) body: NodeBody,
    /// Nodes that run before it, by their place in the graph.
    pub(crate) after: Vec<usize>,
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// A graph that can be launched.
#[derive(Clone, Debug)]
pub(crate) struct Exec {
    pub(crate) gpu: usize,
    /// CUPTI's number of the graph that was made for it.
    pub(crate) graph: Id,
    /// The number of the graph that it was instantiated from.
    pub(crate) original: Id,
    pub(crate) nodes: Vec<Node>,
    /// The end of its last launch: two launches never run at the same time.
    last: Option<u64>,
}

impl Machine {
    /// Adds a node to a graph.
    pub(crate) fn add_node(&mut self, graph: Id, after: &[Id], body: NodeBody) -> Result<Id, Code> {
        let id = self.number();
        let content = self.graphs.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        let places: Option<Vec<usize>> = after
            .iter()
            .map(|&before| content.nodes.iter().position(|node| node.id == before))
            .collect();
        let after = places.ok_or(Code::INVALID_VALUE)?;
        content.nodes.push(Node {
            id,
            original: id,
            body,
            after,
        });
        Ok(id)
    }

    /// Instantiates a graph for launches on a GPU: its nodes are clones with their own ids.
    pub(crate) fn instantiate(&mut self, graph: Id, gpu: usize) -> Result<Id, Code> {
        let mut nodes = self
            .graphs
            .get(&graph)
            .ok_or(Code::INVALID_VALUE)?
            .nodes
            .clone();
        for node in &mut nodes {
            if let NodeBody::Kernel(call) = &node.body {
                self.check_launch(call)?;
            }
            node.id = self.number();
        }
        let clone = self.number();
        let id = self.number();
        self.execs.insert(
            id,
            Exec {
                gpu,
                graph: clone,
                original: graph,
                nodes,
                last: None,
            },
        );
        Ok(id)
    }

    /// Launches a graph into a stream: its nodes run in any order that its edges allow, interleaved
    /// with other streams' work.
    pub(crate) fn launch_graph(
        &mut self,
        exec: Id,
        stream: Id,
        correlation: u32,
    ) -> Result<(), Code> {
        let launched = self.execs.get(&exec).ok_or(Code::INVALID_HANDLE)?.clone();
        let number = self
            .streams
            .get(&stream)
            .ok_or(Code::INVALID_HANDLE)?
            .number;
        let origin = Origin {
            correlation,
            stream: number,
            ..Origin::default()
        };
        let begin = self.issue(
            stream,
            launched.last.into_iter().collect(),
            Body::Nothing,
            origin,
        );
        let mut items: Vec<u64> = Vec::new();
        for node in &launched.nodes {
            let mut after: Vec<u64> = node.after.iter().map(|&at| items[at]).collect();
            after.push(begin);
            let body = match &node.body {
                NodeBody::Empty => Body::Nothing,
                NodeBody::Kernel(call) => Body::Kernel(call.clone()),
                &NodeBody::Fill {
                    to,
                    pattern,
                    width,
                    count,
                } => Body::Fill {
                    to,
                    pattern,
                    width,
                    count,
                },
            };
            let origin = Origin {
                graph: launched.graph as u32,
                node: node.id,
                ..origin
            };
            let queue = self.number();
            items.push(self.enqueue(queue, launched.gpu, after, body, origin));
        }
        let end = self.issue(stream, items, Body::Nothing, origin);
        if let Some(exec) = self.execs.get_mut(&exec) {
            exec.last = Some(end);
        }
        Ok(())
    }
}
