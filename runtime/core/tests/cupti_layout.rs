//! Checks the runtime's declarations of CUPTI against NVIDIA's headers, by the C compiler.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "this target uses a part of the shared file")]

#[path = "../../../common/trace/tests/cupti/compile.rs"]
mod compile;
#[path = "../../../common/trace/tests/cupti/install.rs"]
mod install;
#[path = "../src/observe/cupti/sys.rs"]
mod sys;

use std::mem::offset_of;

use sys::{CUpti_GraphData, CUpti_ResourceData};

fn facts() -> Vec<(String, usize)> {
    let mut facts: Vec<(String, usize)> = Vec::new();
    macro_rules! offsets {
        ($($type:ident { $($field:ident),* $(,)? })*) => {$($(
            facts.push((
                concat!("offsetof(", stringify!($type), ", ", stringify!($field), ")").to_owned(),
                offset_of!($type, $field),
            ));
        )*)*};
    }
    macro_rules! constants {
        ($($name:ident),* $(,)?) => {$(
            facts.push((stringify!($name).to_owned(), sys::$name as usize));
        )*};
    }
    offsets! {
        CUpti_ResourceData { context, resourceHandle, resourceDescriptor }
        CUpti_GraphData {
            graph, originalGraph, node, originalNode, nodeType, dependency, graphExec,
        }
    }
    constants!(
        CUPTI_SUCCESS,
        CUPTI_ERROR_MAX_LIMIT_REACHED,
        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
        CUPTI_CB_DOMAIN_DRIVER_API,
        CUPTI_CB_DOMAIN_RUNTIME_API,
        CUPTI_CB_DOMAIN_RESOURCE,
        CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
        CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
        CUPTI_ACTIVITY_FLAG_FLUSH_FORCED,
        CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM,
    );
    facts.push((
        "sizeof(CUpti_GraphData)".to_owned(),
        size_of::<CUpti_GraphData>(),
    ));
    facts
}

#[test]
fn called_functions_match_cuda_13_0() {
    if let Some(install) = install::cuda_13() {
        compile::check(&install, facts());
    }
}

#[test]
fn called_functions_match_cuda_12_4() {
    if let Some(install) = install::cuda_12() {
        compile::check(&install, facts());
    }
}
