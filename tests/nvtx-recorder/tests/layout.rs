//! Checks the client's layouts and constants against NVIDIA's own headers with the C compiler.
//!
//! The headers come with `pip install nvidia-nvtx`; `NVTX_INCLUDE` names the folder that holds
//! `nvtx3/`.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failed setup fails the test, and skipped tests are reported"
)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[path = "support/skip.rs"]
mod skip;
#[path = "../../../runtime/core/src/observe"]
mod observe {
    pub(crate) mod nvtx;
}

use observe::nvtx::sys::*;
use skip::skip;

/// Pairs of a C expression and the client's value.
fn facts() -> Vec<(String, u64)> {
    macro_rules! list {
        ($list:ident: sizes $($rust:ty = $c:literal),*; offsets $($field:ident),*; values $($value:ident),* $(,)?) => {
            $($list.push((format!("sizeof({})", $c), size_of::<$rust>() as u64));)*
            $($list.push((
                format!("offsetof(nvtxEventAttributes_t, {})", stringify!($field)),
                std::mem::offset_of!(nvtxEventAttributes_t, $field) as u64,
            ));)*
            $($list.push((stringify!($value).to_owned(), $value as u64));)*
        };
    }
    let mut facts = Vec::new();
    list! {
        facts:
        sizes
            nvtxEventAttributes_t = "nvtxEventAttributes_t",
            nvtxMessageValue_t = "nvtxMessageValue_t",
            nvtxPayload_t = "((nvtxEventAttributes_t*)0)->payload",
            nvtxDomainHandle_t = "nvtxDomainHandle_t",
            nvtxStringHandle_t = "nvtxStringHandle_t",
            nvtxRangeId_t = "nvtxRangeId_t",
            NvtxExportTableCallbacks = "NvtxExportTableCallbacks",
            NvtxExportTableVersionInfo = "NvtxExportTableVersionInfo",
            std::ffi::c_uint = "NvtxCallbackModule";
        offsets version, size, category, colorType, color, payloadType, reserved0, payload, messageType, message;
        values
            NVTX_VERSION, NVTX_EVENT_ATTRIB_STRUCT_SIZE,
            NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB,
            NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_REGISTERED,
            NVTX_PAYLOAD_UNKNOWN, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
            NVTX_ETID_CALLBACKS, NVTX_ETID_VERSIONINFO,
            NVTX_CB_MODULE_CORE, NVTX_CB_MODULE_CUDA, NVTX_CB_MODULE_OPENCL, NVTX_CB_MODULE_CUDART,
            NVTX_CB_MODULE_CORE2, NVTX_CB_MODULE_SYNC,
            NVTX_CBID_CORE_SIZE, NVTX_CBID_CUDA_SIZE, NVTX_CBID_OPENCL_SIZE, NVTX_CBID_CUDART_SIZE,
            NVTX_CBID_CORE2_SIZE, NVTX_CBID_SYNC_SIZE,
            NVTX_CBID_CORE_NameOsThreadA,
            NVTX_CBID_CORE2_DomainMarkEx, NVTX_CBID_CORE2_DomainRangeStartEx,
            NVTX_CBID_CORE2_DomainRangeEnd, NVTX_CBID_CORE2_DomainRangePushEx,
            NVTX_CBID_CORE2_DomainRangePop, NVTX_CBID_CORE2_DomainNameCategoryA,
            NVTX_CBID_CORE2_DomainRegisterStringA, NVTX_CBID_CORE2_DomainCreateA,
            NVTX_CBID_CORE2_DomainDestroy, NVTX_CBID_CORE2_Initialize,
    }
    let versions = [
        (
            "version",
            std::mem::offset_of!(NvtxExportTableVersionInfo, version),
        ),
        (
            "SetInjectionNvtxVersion",
            std::mem::offset_of!(NvtxExportTableVersionInfo, SetInjectionNvtxVersion),
        ),
    ];
    for (field, offset) in versions {
        facts.push((
            format!("offsetof(NvtxExportTableVersionInfo, {field})"),
            offset as u64,
        ));
    }
    facts
}

#[test]
fn layouts_and_constants_match_the_headers() {
    let Some(include) = headers() else {
        skip(
            "nvtx-headers",
            "NVIDIA's headers are not here: pip install nvidia-nvtx, or set NVTX_INCLUDE",
        );
        return;
    };
    if Command::new("cc").arg("--version").output().is_err() {
        skip("cc", "no C compiler is here");
        return;
    }
    let facts = facts();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("facts.c");
    let program = folder.path().join("facts");
    let prints: String = facts
        .iter()
        .map(|(expression, _)| {
            format!("  printf(\"%llu\\n\", (unsigned long long)({expression}));\n")
        })
        .collect();
    let text = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include <nvtx3/nvToolsExt.h>\nint main(void) {{\n{prints}  return 0;\n}}\n"
    );
    fs::write(&source, text).expect("a written source");
    let compiled = Command::new("cc")
        .arg("-I")
        .arg(&include)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-ldl")
        .output()
        .expect("a started compiler");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let output = Command::new(&program).output().expect("a started program");
    assert!(output.status.success());
    let answers: Vec<u64> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    assert_eq!(answers.len(), facts.len());
    for ((expression, ours), theirs) in facts.into_iter().zip(answers) {
        assert_eq!(ours, theirs, "{expression}");
    }
}

/// The folder above `nvtx3/nvToolsExt.h`.
fn headers() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("NVTX_INCLUDE") {
        return Some(PathBuf::from(folder));
    }
    let ask = "import nvidia, os; [print(os.path.join(r, d)) for p in nvidia.__path__ \
               for r in [os.path.join(p, n) for n in os.listdir(p)] for d in ['include'] \
               if os.path.isfile(os.path.join(r, d, 'nvtx3', 'nvToolsExt.h'))]";
    let output = Command::new("python3").args(["-c", ask]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(PathBuf::from)
}
