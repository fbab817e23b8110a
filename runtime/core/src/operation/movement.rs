//! Operations of the runtime itself that move elements from one place to another.

use std::sync::LazyLock;

use weft_geometry::{Access, Projection, Tiling};
use weft_trace::record::{Arithmetic, MemoryKind};

use super::arithmetic::Computed;
use super::descriptor::{Body, Declared, Descriptor};
use super::kernels::{CpuTask, Kernels};
use super::role::{Peer, Role};
use crate::error::Cause;
use weft_elements::chain::StepKind;
use weft_elements::copy_elements;

/// Copies elements.
#[derive(Debug, Hash)]
struct CopyElements;

impl Kernels for CopyElements {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        copy_elements(input, out);
        Ok(())
    }
}

/// Locates its operand's memory, and does nothing else.
#[derive(Debug, Hash)]
struct Location;

impl Kernels for Location {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, _task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        Ok(())
    }
}

fn copies(name: &'static str, role: Role) -> Descriptor<CopyElements> {
    Descriptor {
        kernel: "copy",
        role,
        ..Descriptor::new(name, vec![Declared::READ, Declared::WRITE], CopyElements)
    }
}

/// Copies elements (input, out).
pub fn copy() -> Body {
    static COPY: LazyLock<Descriptor<CopyElements>> =
        LazyLock::new(|| copies("copy", Role::Copy).step(StepKind::COPY));
    COPY.wrap_static()
}

/// Loads values of the program (values, out).
pub fn load() -> Body {
    static LOAD: LazyLock<Descriptor<CopyElements>> = LazyLock::new(|| copies("load", Role::Load));
    LOAD.wrap_static()
}

/// Copies elements for the program to read (input, out).
pub fn read() -> Body {
    static READ: LazyLock<Descriptor<CopyElements>> = LazyLock::new(|| copies("read", Role::Read));
    READ.wrap_static()
}

/// Describes an operation of one tile that only locates the memory of its single operand.
fn location(name: &'static str, role: Role, operand: Declared) -> Body {
    let descriptor = Descriptor {
        role,
        ..Descriptor::new(name, vec![operand], Location)
    };
    descriptor.tiled(Tiling::Whole).shared()
}

/// Sends a part of a block to another rank (input).
pub fn send(peer: Peer, part: Projection) -> Body {
    location("send", Role::Send(peer), Declared::read(part))
}

/// Receives a part of a block from another rank (out).
pub fn receive(peer: Peer, part: Projection) -> Body {
    location("receive", Role::Receive(peer), Declared::write(part))
}

/// Gives every rank the elements of a block that only some ranks have (block).
pub fn gather(number: u64) -> Body {
    location("gather", Role::Gather(number), Declared::UPDATE)
}

/// Moves a store to another memory (store); with `alone`, other memories drop their copies.
/// `access` tells whether others may read the store meanwhile.
pub fn move_to(to: MemoryKind, alone: bool, access: Access) -> Body {
    let name = if alone { "offload" } else { "prefetch" };
    let operand = Declared {
        access,
        ..Declared::READ
    };
    let descriptor = Descriptor {
        role: Role::Move { to, alone },
        ..Descriptor::new(name, vec![operand], Location)
    };
    match to {
        // Each GPU gets its part.
        MemoryKind::Framebuffer | MemoryKind::Managed => descriptor.shared(),
        _ => descriptor.tiled(Tiling::Whole).shared(),
    }
}
