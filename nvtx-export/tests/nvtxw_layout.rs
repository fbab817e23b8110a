//! The structs and constants of both ABIs of NVTXW, checked against NVIDIA's headers with the C
//! compiler.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]
#![allow(dead_code, reason = "this target uses a part of the helpers")]

#[path = "../../tests/nvtxw/backends.rs"]
mod backends;
#[path = "../output/src/nsys_rep/backend"]
mod bindings {
    pub(crate) mod sys;
}

use bindings::sys::{self, v1, v2};
use std::fs;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

/// A C expression and its value in the bindings.
type Fact = (String, u64);

macro_rules! layout {
    ($facts:ident, $c:literal, $rust:ty { $($field:ident = $name:literal),* $(,)? }) => {
        $facts.push((format!("sizeof({})", $c), size_of::<$rust>() as u64));
        $facts.push((format!("_Alignof({})", $c), align_of::<$rust>() as u64));
        $($facts.push((format!("offsetof({}, {})", $c, $name), offset_of!($rust, $field) as u64));)*
        $($facts.push((
            format!("sizeof((({}*)0)->{})", $c, $name),
            size_of_field(|value: &$rust| &raw const value.$field) as u64,
        ));)*
    };
}

/// Returns the size of the field that a function points to.
fn size_of_field<T, F>(_: impl FnOnce(&T) -> *const F) -> usize {
    size_of::<F>()
}

macro_rules! values {
    ($facts:ident: $($c:ident = $rust:expr),* $(,)?) => {
        $($facts.push((stringify!($c).to_owned(), $rust as u64));)*
    };
}

/// Definitions in `nvToolsExtPayload.h` of both. `field` precedes the name of a field's bit in the
/// newer header.
fn of_payloads(facts: &mut Vec<Fact>, field: &str) {
    layout!(facts, "nvtxPayloadData_t", sys::nvtxPayloadData_t {
        schemaId = "schemaId", size = "size", payload = "payload",
    });
    layout!(facts, "nvtxPayloadSchemaEntry_t", sys::nvtxPayloadSchemaEntry_t {
        flags = "flags", r#type = "type", name = "name", description = "description",
        arrayOrUnionDetail = "arrayOrUnionDetail", offset = "offset", semantics = "semantics",
        reserved = "reserved",
    });
    layout!(facts, "nvtxPayloadSchemaAttr_t", sys::nvtxPayloadSchemaAttr_t {
        fieldMask = "fieldMask", name = "name", r#type = "type", flags = "flags", entries = "entries",
        numEntries = "numEntries", payloadStaticSize = "payloadStaticSize", packAlign = "packAlign",
        schemaId = "schemaId", extension = "extension",
    });
    layout!(facts, "nvtxPayloadEnum_t", sys::nvtxPayloadEnum_t {
        name = "name", value = "value", isFlag = "isFlag",
    });
    layout!(facts, "nvtxPayloadEnumAttr_t", sys::nvtxPayloadEnumAttr_t {
        fieldMask = "fieldMask", name = "name", entries = "entries", numEntries = "numEntries",
        sizeOfEnum = "sizeOfEnum", schemaId = "schemaId", extension = "extension",
    });
    values! { facts:
        NVTX_PAYLOAD_ENTRY_FLAG_POINTER = sys::NVTX_PAYLOAD_ENTRY_FLAG_POINTER,
        NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED = sys::NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
        NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE = sys::NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE,
        NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN = sys::NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN,
        NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END = sys::NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END,
        NVTX_PAYLOAD_ENTRY_TYPE_INT64 = sys::NVTX_PAYLOAD_ENTRY_TYPE_INT64,
        NVTX_PAYLOAD_ENTRY_TYPE_UINT32 = sys::NVTX_PAYLOAD_ENTRY_TYPE_UINT32,
        NVTX_PAYLOAD_ENTRY_TYPE_UINT64 = sys::NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
        NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY = sys::NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY,
        NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB = sys::NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB,
        NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8 = sys::NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
        NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE =
            sys::NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE,
        NVTX_PAYLOAD_SCHEMA_TYPE_STATIC = sys::NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC = sys::NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC,
        NVTX_PAYLOAD_SCHEMA_FLAG_NONE = sys::NVTX_PAYLOAD_SCHEMA_FLAG_NONE,
        NVTX_PAYLOAD_SCHEMA_FLAG_REFERENCED = sys::NVTX_PAYLOAD_SCHEMA_FLAG_REFERENCED,
    }
    for (name, value) in [
        ("NAME", sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME),
        ("TYPE", sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE),
        ("FLAGS", sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS),
        ("ENTRIES", sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES),
        (
            "NUM_ENTRIES",
            sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
        ),
        (
            "STATIC_SIZE",
            sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        ),
        ("SCHEMA_ID", sys::NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID),
    ] {
        facts.push((format!("NVTX_PAYLOAD_SCHEMA_ATTR_{field}{name}"), value));
    }
    for (name, value) in [
        ("NAME", sys::NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME),
        ("ENTRIES", sys::NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES),
        ("NUM_ENTRIES", sys::NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES),
        ("SIZE", sys::NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE),
        ("SCHEMA_ID", sys::NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID),
    ] {
        facts.push((format!("NVTX_PAYLOAD_ENUM_ATTR_{field}{name}"), value));
    }
}

fn of_v1() -> Vec<Fact> {
    let mut facts = Vec::new();
    of_payloads(&mut facts, "");
    layout!(facts, "nvtxwSessionAttributes_t", sys::nvtxwSessionAttributes_t {
        structSize = "struct_size", name = "name", configString = "configString",
    });
    layout!(facts, "nvtxwSessionHandle_t", v1::nvtxwSessionHandle_t { opaque = "opaque" });
    layout!(facts, "nvtxwStreamHandle_t", v1::nvtxwStreamHandle_t { opaque = "opaque" });
    layout!(facts, "nvtxwStreamAttributes_t", v1::nvtxwStreamAttributes_t {
        struct_size = "struct_size", name = "name", nvtxDomainName = "nvtxDomainName",
        eventScopePath = "eventScopePath", orderInterleaving = "orderInterleaving",
        orderingType = "orderingType", orderingSkid = "orderingSkid",
        orderingSkidAmount = "orderingSkidAmount",
    });
    layout!(facts, "nvtxwEventScopeAttributes_t", v1::nvtxwEventScopeAttributes_t {
        struct_size = "struct_size", path = "path", scopeId = "scopeId",
    });
    layout!(facts, "nvtxwInterfaceCore_t", v1::nvtxwInterfaceCore_t {
        struct_size = "struct_size", SessionBegin = "SessionBegin", SessionEnd = "SessionEnd",
        StreamOpen = "StreamOpen", StreamClose = "StreamClose",
        EventScopeRegister = "EventScopeRegister", SchemaRegister = "SchemaRegister",
        EnumRegister = "EnumRegister", EventWrite = "EventWrite",
    });
    values! { facts:
        NVTX_PAYLOAD_ENTRY_FLAG_EVENT_TIMESTAMP = sys::NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
        NVTX_PAYLOAD_ENTRY_TYPE_SCHEMA_ID_STATIC_START = sys::NVTX_PAYLOAD_SCHEMA_ID_STATIC_START,
        NVTXW3_STREAM_ORDER_INTERLEAVING_NONE = sys::NVTXW_STREAM_ORDER_INTERLEAVING_NONE,
        NVTXW3_STREAM_ORDERING_TYPE_PACKED_RANGE_START =
            sys::NVTXW_STREAM_ORDERING_TYPE_PACKED_RANGE_START,
        NVTXW3_STREAM_ORDERING_SKID_NONE = sys::NVTXW_STREAM_ORDERING_SKID_NONE,
        NVTXW3_INTERFACE_ID_CORE_V1 = v1::NVTXW3_INTERFACE_ID_CORE_V1,
    }
    for (code, name) in v1::RESULTS.iter().enumerate() {
        facts.push((format!("NVTXW3_RESULT_{name}"), code as u64));
    }
    facts
}

fn of_v2() -> Vec<Fact> {
    let mut facts = Vec::new();
    of_payloads(&mut facts, "FIELD_");
    layout!(facts, "nvtxwSessionAttributes_t", sys::nvtxwSessionAttributes_t {
        structSize = "structSize", name = "name", configString = "configString",
    });
    layout!(facts, "nvtxwDomainAttributes_t", v2::nvtxwDomainAttributes_t {
        structSize = "structSize", name = "name",
    });
    layout!(facts, "nvtxScopeAttr_t", v2::nvtxScopeAttr_t {
        structSize = "structSize", path = "path", parentScope = "parentScope", scopeId = "scopeId",
    });
    layout!(facts, "nvtxwStreamAttributes_t", v2::nvtxwStreamAttributes_t {
        structSize = "structSize", name = "name", domain = "domain", scopeId = "scopeId",
        timeDomainId = "timeDomainId", orderInterleaving = "orderInterleaving",
        orderingType = "orderingType", orderingSkid = "orderingSkid",
        orderingSkidAmount = "orderingSkidAmount",
    });
    layout!(facts, "nvtxwInterface_v2_t", v2::nvtxwInterface_t {
        SessionBegin = "SessionBegin", SessionEnd = "SessionEnd", DomainRegister = "DomainRegister",
        CategoryRegister = "CategoryRegister", StringRegister = "StringRegister",
        ResourceRegister = "ResourceRegister", ScopeRegister = "ScopeRegister",
        SchemaRegister = "SchemaRegister", EnumRegister = "EnumRegister",
        CounterRegister = "CounterRegister", TimeDomainRegister = "TimeDomainRegister",
        StreamOpen = "StreamOpen", StreamClose = "StreamClose", EventWrite = "EventWrite",
        EventBatchWrite = "EventBatchWrite", CounterWrite = "CounterWrite",
        CounterNoValueWrite = "CounterNoValueWrite", CounterBatchWrite = "CounterBatchWrite",
        TimeSyncPointWrite = "TimeSyncPointWrite", TimeSyncPointTableWrite = "TimeSyncPointTableWrite",
        TimestampConversionFactorWrite = "TimestampConversionFactorWrite", reserved = "reserved",
    });
    facts.extend([
        (
            "sizeof(nvtxwSessionHandle_t)".to_owned(),
            size_of::<v2::nvtxwSessionHandle_t>() as u64,
        ),
        (
            "sizeof(nvtxwStreamHandle_t)".to_owned(),
            size_of::<v2::nvtxwStreamHandle_t>() as u64,
        ),
        (
            "sizeof(nvtxDomainHandle_t)".to_owned(),
            size_of::<v2::nvtxDomainHandle_t>() as u64,
        ),
        (
            "sizeof(nvtxStringHandle_t)".to_owned(),
            size_of::<v2::nvtxStringHandle_t>() as u64,
        ),
    ]);
    values! { facts:
        NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP = sys::NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
        NVTX_PAYLOAD_SCHEMA_ID_STATIC_START = sys::NVTX_PAYLOAD_SCHEMA_ID_STATIC_START,
        NVTXW_STREAM_ORDER_INTERLEAVING_NONE = sys::NVTXW_STREAM_ORDER_INTERLEAVING_NONE,
        NVTXW_STREAM_ORDERING_TYPE_PACKED_RANGE_START =
            sys::NVTXW_STREAM_ORDERING_TYPE_PACKED_RANGE_START,
        NVTXW_STREAM_ORDERING_SKID_NONE = sys::NVTXW_STREAM_ORDERING_SKID_NONE,
        NVTXW_INTERFACE_VERSION = v2::NVTXW_INTERFACE_VERSION,
        NVTXW_RESULT_SUCCESS = sys::NVTXW_RESULT_SUCCESS,
        NVTXW_RESULT_NOT_SUPPORTED = v2::NVTXW_RESULT_NOT_SUPPORTED,
        NVTX_SCOPE_NONE = v2::NVTX_SCOPE_NONE,
        NVTX_SCOPE_ROOT = v2::NVTX_SCOPE_ROOT,
        NVTX_TIME_DOMAIN_ID_NONE = v2::NVTX_TIME_DOMAIN_ID_NONE,
        NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME =
            v2::NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME,
        NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP = v2::NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP,
        NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND = v2::NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND,
    }
    for (code, name) in v2::RESULTS.iter().enumerate() {
        facts.push((format!("NVTXW_RESULT_{name}"), code as u64));
    }
    facts
}

/// Checks each fact with the C compiler.
fn check(headers: &Path, includes: &str, mut facts: Vec<Fact>, symbols: &[(&str, &[u8])]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("facts.c"), folder.path().join("facts"));
    for (expression, symbol) in symbols {
        let text = symbol.strip_suffix(b"\0").expect("a C string");
        let text = std::str::from_utf8(text).expect("ASCII");
        facts.push((format!("strcmp({expression}, \"{text}\")"), 0));
    }
    let print = |(expression, _): &Fact| {
        format!("  printf(\"%llu\\n\", (unsigned long long)({expression}));\n")
    };
    let prints: String = facts.iter().map(print).collect();
    let text = format!(
        "#define NVTX_NO_IMPL\n#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n{includes}\n\
         int main(void) {{\n{prints}  return 0;\n}}\n"
    );
    fs::write(&source, text).expect("a written source");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-I"])
        .arg(headers)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("a started compiler");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let output = Command::new(&program).output().expect("a started program");
    let text = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<u64> = text
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    assert_eq!(answers.len(), facts.len());
    for ((expression, ours), theirs) in facts.into_iter().zip(answers) {
        assert_eq!(ours, theirs, "{expression}");
    }
}

#[test]
fn older_abi_matches_the_bundled_header() {
    if let Some(headers) = backends::headers() {
        let includes = "#include <nvtxw3/nvtxw3.h>";
        check(&headers.join("v1"), includes, of_v1(), &[]);
    }
}

#[test]
fn newer_abi_matches_the_pip_header() {
    if let Some(headers) = backends::headers() {
        let includes = "#include <nvtxw3/nvtxw3.h>\n#include <nvtxw3/nvtxw3_loader.h>";
        let variable = format!("{}\0", v2::NVTXW_LIBRARY_ENV_VAR);
        let symbols: [(&str, &[u8]); 2] = [
            ("NVTXW_GET_INTERFACE_SYMBOL_NAME", v2::GET_INTERFACE),
            ("NVTXW_LIBRARY_ENV_VAR", variable.as_bytes()),
        ];
        check(&headers.join("v2"), includes, of_v2(), &symbols);
    }
}
