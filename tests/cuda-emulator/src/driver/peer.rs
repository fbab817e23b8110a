//! Access of GPUs to each other's memory.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put};
use crate::machine::code::Code;
use crate::machine::machine;

exports! {
    fn cuDeviceCanAccessPeer(can: *mut i32, device: i32, peer: i32) = 312, |_| {
        let machine = machine();
        let (one, other) = (machine.device(device)?, machine.device(peer)?);
        put(can, i32::from(one != other))
    }

    fn cuDeviceGetP2PAttribute(value: *mut i32, which: u32, device: i32, peer: i32) = 0, |_| {
        let machine = machine();
        let (one, other) = (machine.device(device)?, machine.device(peer)?);
        if one == other {
            return Err(Code::INVALID_DEVICE);
        }
        put(value, i32::from(matches!(which, 1..=4)))
    }

    fn cuCtxEnablePeerAccess(peer: u64, flags: u32) = 313, |_| {
        let mut machine = machine();
        let here = machine.here()?;
        let peer = machine.gpu_of(peer)?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if peer == here {
            return Err(Code::INVALID_DEVICE);
        }
        let is_first = machine.gpus[here].peers.insert(peer);
        is_first.then_some(()).ok_or(Code::PEER_ACCESS_ALREADY_ENABLED)
    }

    fn cuCtxDisablePeerAccess(peer: u64) = 314, |_| {
        let mut machine = machine();
        let here = machine.here()?;
        let peer = machine.gpu_of(peer)?;
        machine.gpus[here].peers.remove(&peer).then_some(()).ok_or(Code::PEER_ACCESS_NOT_ENABLED)
    }
}
