//! NVTXW in the form of its C headers: names, layouts, constants. Definitions that both ABIs share
//! (`nvToolsExtPayload.h`) are here, the others in [`v1`] and [`v2`].
//!
//! The headers come with the crate `nvtxw` 0.1.0 (`v1`) and with pip's `nvidia-nvtx` 13.5 (`v2`).
//! Tests check every size, offset and constant against the C compiler.

#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "the C headers' own names"
)]

pub(crate) mod v1;
pub(crate) mod v2;

use std::ffi::{c_char, c_void};

/// The return type of all functions: 0, or a code of the ABI.
pub(crate) type nvtxwResultCode_t = i32;
/// Success, in both ABIs.
pub(crate) const NVTXW_RESULT_SUCCESS: nvtxwResultCode_t = 0;

/// The value is a pointer into another payload of the event.
pub(crate) const NVTX_PAYLOAD_ENTRY_FLAG_POINTER: u64 = 1 << 1;
/// An array that ends with a zero element.
pub(crate) const NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED: u64 = 2 << 4;
/// The text that names the event.
pub(crate) const NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE: u64 = 1 << 10;
/// A time. `NVTX_PAYLOAD_ENTRY_FLAG_EVENT_TIMESTAMP` in the older header.
pub(crate) const NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP: u64 = 2 << 10;
/// The time at which a range begins.
pub(crate) const NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN: u64 = 1 << 12;
/// The time at which a range ends.
pub(crate) const NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END: u64 = 2 << 12;

/// `int64_t`.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_INT64: u64 = 17;
/// `uint32_t`.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_UINT32: u64 = 16;
/// `uint64_t`.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_UINT64: u64 = 18;
/// A category's number.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY: u64 = 68;
/// 0xAARRGGBB.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB: u64 = 69;
/// UTF-8 bytes.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8: u64 = 76;
/// A handle of a registered string.
pub(crate) const NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE: u64 = 80;

/// First id of schemas, and of enumerations, that the caller may choose; unique within a domain.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ID_STATIC_START: u64 = 1 << 24;

/// A struct of fixed size.
pub(crate) const NVTX_PAYLOAD_SCHEMA_TYPE_STATIC: u64 = 1;
/// A struct of any size.
pub(crate) const NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC: u64 = 2;

/// No flags.
pub(crate) const NVTX_PAYLOAD_SCHEMA_FLAG_NONE: u64 = 0;
/// Other payloads of the event point into it.
pub(crate) const NVTX_PAYLOAD_SCHEMA_FLAG_REFERENCED: u64 = 1 << 2;

/// Bits of `nvtxPayloadSchemaAttr_t::fieldMask`.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME: u64 = 1 << 1;
/// `type` is set.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE: u64 = 1 << 2;
/// `flags` is set.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS: u64 = 1 << 3;
/// `entries` is set.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES: u64 = 1 << 4;
/// `numEntries` is set.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES: u64 = 1 << 5;
/// `payloadStaticSize` is set.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE: u64 = 1 << 6;
/// `schemaId` is set.
pub(crate) const NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID: u64 = 1 << 8;

/// Bits of `nvtxPayloadEnumAttr_t::fieldMask`.
pub(crate) const NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME: u64 = 1 << 1;
/// `entries` is set.
pub(crate) const NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES: u64 = 1 << 2;
/// `numEntries` is set.
pub(crate) const NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES: u64 = 1 << 3;
/// `sizeOfEnum` is set.
pub(crate) const NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE: u64 = 1 << 4;
/// `schemaId` is set.
pub(crate) const NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID: u64 = 1 << 5;

/// Ordering hint of `nvtxwStreamAttributes_t`, equal in both ABIs: the order holds for the whole
/// stream.
pub(crate) const NVTXW_STREAM_ORDER_INTERLEAVING_NONE: i16 = 0;
/// Ranges are in the order of their begin.
pub(crate) const NVTXW_STREAM_ORDERING_TYPE_PACKED_RANGE_START: i16 = 2;
/// Events are fully sorted.
pub(crate) const NVTXW_STREAM_ORDERING_SKID_NONE: i32 = 0;

/// A payload of an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxPayloadData_t {
    /// Its schema.
    pub(crate) schemaId: u64,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// Its bytes.
    pub(crate) payload: *const c_void,
}

/// An entry of a schema.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxPayloadSchemaEntry_t {
    /// `NVTX_PAYLOAD_ENTRY_FLAG_*`.
    pub(crate) flags: u64,
    /// `NVTX_PAYLOAD_ENTRY_TYPE_*`, or the id of a schema or enumeration.
    pub(crate) r#type: u64,
    /// Its name.
    pub(crate) name: *const c_char,
    /// Its description.
    pub(crate) description: *const c_char,
    /// Length of arrays and strings.
    pub(crate) arrayOrUnionDetail: u64,
    /// Bytes from the start of the payload.
    pub(crate) offset: u64,
    /// More details; null.
    pub(crate) semantics: *const c_void,
    /// Null.
    pub(crate) reserved: *const c_void,
}

/// A schema.
#[repr(C)]
pub(crate) struct nvtxPayloadSchemaAttr_t {
    /// The set fields.
    pub(crate) fieldMask: u64,
    /// Its name.
    pub(crate) name: *const c_char,
    /// `NVTX_PAYLOAD_SCHEMA_TYPE_*`.
    pub(crate) r#type: u64,
    /// `NVTX_PAYLOAD_SCHEMA_FLAG_*`.
    pub(crate) flags: u64,
    /// Its entries.
    pub(crate) entries: *const nvtxPayloadSchemaEntry_t,
    /// Number of entries.
    pub(crate) numEntries: usize,
    /// Size of a payload in bytes.
    pub(crate) payloadStaticSize: usize,
    /// The alignment, as in C's `#pragma pack`; 0 for none.
    pub(crate) packAlign: usize,
    /// Its id, unique within the domain.
    pub(crate) schemaId: u64,
    /// Null.
    pub(crate) extension: *mut c_void,
}

/// A value of an enumeration.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxPayloadEnum_t {
    /// Its name.
    pub(crate) name: *const c_char,
    /// The value.
    pub(crate) value: u64,
    /// Whether it is a bit of a mask.
    pub(crate) isFlag: i8,
}

/// An enumeration.
#[repr(C)]
pub(crate) struct nvtxPayloadEnumAttr_t {
    /// The set fields.
    pub(crate) fieldMask: u64,
    /// Its name.
    pub(crate) name: *const c_char,
    /// Its values.
    pub(crate) entries: *const nvtxPayloadEnum_t,
    /// Number of values.
    pub(crate) numEntries: usize,
    /// Size of a value in bytes.
    pub(crate) sizeOfEnum: usize,
    /// Its id, unique within the domain, schemas included.
    pub(crate) schemaId: u64,
    /// Null.
    pub(crate) extension: *mut c_void,
}

/// The attributes of a session, equal in both ABIs.
#[repr(C)]
pub(crate) struct nvtxwSessionAttributes_t {
    /// Size of this struct (`struct_size` in the older header).
    pub(crate) structSize: usize,
    /// The output's path without its extension.
    pub(crate) name: *const c_char,
    /// Lines `key=value`, or null.
    pub(crate) configString: *const c_char,
}
