//! The payload of an event, and the schema that describes its bytes to tools. It is equal in both
//! ABIs, except for texts.

use super::super::event::{Event, EventKind};
use super::sys::*;
use std::ffi::{CStr, c_void};
use std::ptr::null;

/// The payload. Texts have the form of the ABI: pointers to other payloads, or handles.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Payload {
    start: i64,
    end: i64,
    created: i64,
    ready: i64,
    uid: u64,
    operation: u64,
    launch: u64,
    bytes: u64,
    message: *const c_void,
    file: *const c_void,
    variant: *const c_void,
    line: u32,
    color: u32,
    category: u32,
    kind: u32,
}

impl Payload {
    pub(super) fn new(event: &Event<'_>, texts: Texts) -> Payload {
        Payload {
            start: event.times.start,
            end: event.times.end,
            created: event.times.created,
            ready: event.times.ready,
            uid: event.uid,
            operation: event.operation,
            launch: event.launch,
            bytes: event.bytes,
            message: texts.message,
            file: texts.file,
            variant: texts.variant,
            line: event.line,
            color: event.color,
            category: event.category,
            kind: event.kind as u32,
        }
    }

    /// Returns a reference to the payload for `EventWrite`, valid until the payload moves.
    pub(super) fn data(&self, schema: u64) -> nvtxPayloadData_t {
        nvtxPayloadData_t {
            schemaId: schema,
            size: size_of::<Payload>(),
            payload: (&raw const *self).cast(),
        }
    }
}

/// The texts of an event, in the form of the ABI.
#[derive(Clone, Copy)]
pub(super) struct Texts {
    pub(super) message: *const c_void,
    pub(super) file: *const c_void,
    pub(super) variant: *const c_void,
}

/// The types and roles of entries in an ABI.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    /// The type of times.
    pub(super) time: u64,
    /// The flags of the times that are neither begin nor end.
    pub(super) other_time: u64,
    /// The flags of texts.
    pub(super) text_flags: u64,
    /// The type of texts.
    pub(super) text: u64,
    /// The id of [`kinds`], or the type of a plain number if it could not be registered.
    pub(super) kind: u64,
}

/// Returns the entries of the schema of [`Payload`].
pub(super) fn entries(dialect: Dialect) -> [nvtxPayloadSchemaEntry_t; 15] {
    let entry =
        |name: &'static CStr, offset: usize, r#type: u64, flags: u64| nvtxPayloadSchemaEntry_t {
            flags,
            r#type,
            name: name.as_ptr(),
            description: null(),
            arrayOrUnionDetail: 0,
            offset: offset as u64,
            semantics: null(),
            reserved: null(),
        };
    macro_rules! entries {
        ($($field:ident: $type:expr, $flags:expr;)*) => {
            [$(entry(
                const {
                    match CStr::from_bytes_with_nul(concat!(stringify!($field), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    }
                },
                std::mem::offset_of!(Payload, $field),
                $type,
                $flags,
            )),*]
        };
    }
    let time = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP;
    let message = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE | dialect.text_flags;
    entries! {
        start: dialect.time, time | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN;
        end: dialect.time, time | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END;
        created: dialect.time, dialect.other_time;
        ready: dialect.time, dialect.other_time;
        uid: NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 0;
        operation: NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 0;
        launch: NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 0;
        bytes: NVTX_PAYLOAD_ENTRY_TYPE_UINT64, 0;
        message: dialect.text, message;
        file: dialect.text, dialect.text_flags;
        variant: dialect.text, dialect.text_flags;
        line: NVTX_PAYLOAD_ENTRY_TYPE_UINT32, 0;
        color: NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, 0;
        category: NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, 0;
        kind: dialect.kind, 0;
    }
}

/// Returns a schema. `id` is set if the caller chooses it.
pub(super) fn schema(
    name: &'static CStr,
    entries: &[nvtxPayloadSchemaEntry_t],
    (r#type, flags): (u64, u64),
    size: usize,
    id: Option<u64>,
) -> nvtxPayloadSchemaAttr_t {
    let mut mask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME
        | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE
        | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS
        | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES
        | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    if size != 0 {
        mask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    }
    if id.is_some() {
        mask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
    }
    nvtxPayloadSchemaAttr_t {
        fieldMask: mask,
        name: name.as_ptr(),
        r#type,
        flags,
        entries: entries.as_ptr(),
        numEntries: entries.len(),
        payloadStaticSize: size,
        packAlign: 0,
        schemaId: id.unwrap_or(0),
        extension: std::ptr::null_mut(),
    }
}

/// Size of a payload in bytes.
pub(super) const SIZE: usize = size_of::<Payload>();

/// Returns the values of `kind`.
pub(super) fn kinds() -> [nvtxPayloadEnum_t; EventKind::ALL.len()] {
    EventKind::ALL.map(|kind| nvtxPayloadEnum_t {
        name: kind.name().as_ptr(),
        value: kind as u64,
        isFlag: 0,
    })
}

/// Returns the enumeration of `kind`. `id` is set if the caller chooses it.
pub(super) fn enumeration(values: &[nvtxPayloadEnum_t], id: Option<u64>) -> nvtxPayloadEnumAttr_t {
    let mut mask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME
        | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES
        | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES
        | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
    if id.is_some() {
        mask |= NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
    }
    nvtxPayloadEnumAttr_t {
        fieldMask: mask,
        name: c"weft kind".as_ptr(),
        entries: values.as_ptr(),
        numEntries: values.len(),
        sizeOfEnum: size_of::<u32>(),
        schemaId: id.unwrap_or(0),
        extension: std::ptr::null_mut(),
    }
}
