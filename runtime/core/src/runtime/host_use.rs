//! Operations that run on the host in runs with GPUs, since GPUs have no code for them.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use weft_config::HostUse;

use super::Core;
use crate::device::cuda::Gpus;
use crate::error::CallError;
use crate::operation::{Fusion, Operand, Request, Role};
use crate::say::say;
use crate::scope::Scope;
use crate::site::Site;
use crate::words;

/// The places in the program whose operations were reported.
#[derive(Debug, Default)]
pub(crate) struct HostUses {
    reported: Mutex<HashSet<(&'static str, u32, &'static str)>>,
}

impl HostUses {
    /// Whether this is the first report of an operation at a place.
    fn is_first(&self, call: Site, operation: &'static str) -> bool {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        reported.insert((call.file(), call.line(), operation))
    }
}

impl Core {
    /// Reports an operation that computes and for which only the host has code, as planned.
    ///
    /// # Errors
    /// Returns an error if the plan forbids such operations.
    pub(super) fn report_host_use(&self, request: &Request) -> Result<(), CallError> {
        let Some(gpus) = &self.gpus else {
            return Ok(());
        };
        // All ranks run the same operations: the lines of the first one are enough.
        let is_first_rank = self
            .plan
            .launch
            .as_ref()
            .is_none_or(|launch| launch.rank == 0);
        let is_silent = match self.plan.host_use {
            HostUse::Quiet => true,
            HostUse::Warn => !is_first_rank,
            HostUse::Error => false,
        };
        if is_silent {
            return Ok(());
        }
        let Some(why) = reason(gpus, request) else {
            return Ok(());
        };
        let operation = request.body.name;
        if self.plan.host_use == HostUse::Error {
            return Err(CallError::Host { operation, why });
        }
        let call = request.call;
        if self.host_uses.is_first(call, operation) {
            say(format_args!(
                "weft: {operation} at {}:{} runs on the host: {why}; its arrays are copied to main memory and back (WEFT_HOST=quiet: no such lines)",
                call.file(),
                call.line()
            ));
        }
        Ok(())
    }
}

/// Returns the reason why GPUs do not run an operation; `None` if they do, or if the program asked
/// for CPUs.
fn reason(gpus: &Gpus, request: &Request) -> Option<String> {
    let body = &request.body;
    let computes = matches!(body.role, Role::Compute | Role::Copy);
    let is_on_cpus = request.scope.is_some_and(Scope::is_on_cpus);
    // The operation that a part belongs to has begun: a part is never refused.
    let is_part = request.parent.is_some();
    if !computes || is_on_cpus || is_part || gpus.has_code(body, &request.operands) {
        return None;
    }
    if body.kernels.is_body() && body.kernels.gpu().is_none() {
        return Some("its task has no body for GPUs".into());
    }
    let has_kernel = match &body.fusion {
        Fusion::Step { kind, .. } => kind.has_cuda(),
        Fusion::Alone | Fusion::Fold(_) | Fusion::FoldLines(_) => body.kernels.gpu().is_some(),
    };
    if body.role == Role::Compute && !has_kernel {
        return Some("it has no code for GPUs".into());
    }
    let all: Vec<_> = request.operands.iter().map(Operand::dtype).collect();
    let takes_them = body.kernels.gpu().is_none_or(|gpu| gpu.takes(&all));
    if takes_them && let Some(lack) = gpus.driver.lacks(body) {
        return Some(lack.to_string());
    }
    let mut dtypes: Vec<&str> = Vec::new();
    for operand in &request.operands {
        let name = words::dtype(operand.dtype());
        if !dtypes.contains(&name) {
            dtypes.push(name);
        }
    }
    Some(format!("GPUs have no code for {}", dtypes.join(", ")))
}
