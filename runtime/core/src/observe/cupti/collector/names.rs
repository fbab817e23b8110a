//! Numbers of the names in activities.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use weft_trace::cupti::ApiKind;
use weft_trace::id::NameId;

use super::super::safe::Names;

/// Returns the name of a CUDA function by kind and number.
pub(super) type Functions = Box<dyn Fn(ApiKind, u32) -> Option<String> + Send>;

/// Names seen so far.
pub(super) struct NameCache {
    names: Names,
    functions: Functions,
    kernels: HashMap<Box<[u8]>, NameId>,
    texts: FxHashMap<&'static str, NameId>,
    calls: FxHashMap<(ApiKind, u32), Option<NameId>>,
}

impl NameCache {
    pub(super) fn new(names: Names, functions: Functions) -> Self {
        NameCache {
            names,
            functions,
            kernels: HashMap::new(),
            texts: FxHashMap::default(),
            calls: FxHashMap::default(),
        }
    }

    /// Returns the number of a kernel's name.
    pub(super) fn kernel(&mut self, name: &[u8]) -> NameId {
        if let Some(id) = self.kernels.get(name) {
            return *id;
        }
        let id = (self.names)(&String::from_utf8_lossy(name));
        self.kernels.insert(name.into(), id);
        id
    }

    /// Returns the number of a fixed name.
    pub(super) fn text(&mut self, name: &'static str) -> NameId {
        *self.texts.entry(name).or_insert_with(|| (self.names)(name))
    }

    /// Returns the number of a function's name; `None` if its calls neither start work nor wait for
    /// any.
    pub(super) fn call(&mut self, kind: ApiKind, function: u32) -> Option<NameId> {
        let known = self.calls.entry((kind, function));
        *known.or_insert_with(|| {
            let name = (self.functions)(kind, function);
            let name = name.unwrap_or_else(|| match kind {
                ApiKind::Driver => format!("cu function {function}"),
                ApiKind::Runtime => format!("cuda function {function}"),
            });
            is_kept(&name).then(|| (self.names)(&name))
        })
    }
}

/// Whether calls of a function are recorded: launches, copies, fills, waits, and functions without
/// a name.
fn is_kept(name: &str) -> bool {
    let verb = name
        .strip_prefix("cuda")
        .or_else(|| name.strip_prefix("cu"));
    let verb = verb.unwrap_or(name);
    let begins = [
        "Launch",
        "Memcpy",
        "Memset",
        "GraphLaunch",
        "MemPrefetch",
        " function",
    ];
    begins.iter().any(|begin| verb.starts_with(begin)) || verb.contains("Synchronize")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_calls_that_start_work_or_wait() {
        for name in [
            "cuLaunchKernel",
            "cudaLaunchKernel_v7000",
            "cuMemcpyDtoHAsync_v2",
            "cuMemsetD32Async",
            "cuGraphLaunch",
            "cuStreamSynchronize",
            "cudaDeviceSynchronize_v3020",
            "cu function 999",
        ] {
            assert!(is_kept(name), "{name}");
        }
        for name in [
            "cuEventRecord",
            "cuMemAlloc_v2",
            "cuGraphCreate",
            "cuCtxGetCurrent",
        ] {
            assert!(!is_kept(name), "{name}");
        }
    }
}
