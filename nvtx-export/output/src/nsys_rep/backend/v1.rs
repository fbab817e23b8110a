//! The older ABI: a stream names its domain and scope, and texts are separate payloads that the
//! event points to.

use super::payload::{self, Dialect, Payload, Texts};
use super::sys::v1::*;
use super::sys::*;
use super::{CallError, result_name, text};
use crate::nsys_rep::event::Event;
use crate::nsys_rep::rows::{Family, Row};
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

/// Ids within each domain.
const KINDS: u64 = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 1;
const MESSAGE: u64 = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 2;
const TEXT: u64 = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 3;
const EVENT: u64 = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 4;

/// The functions of a backend that are used. All of them are present.
pub(in super::super) struct Core {
    session_begin: unsafe extern "C" fn(
        *mut nvtxwSessionHandle_t,
        *const nvtxwSessionAttributes_t,
    ) -> nvtxwResultCode_t,
    session_end: unsafe extern "C" fn(nvtxwSessionHandle_t) -> nvtxwResultCode_t,
    stream_open: unsafe extern "C" fn(
        *mut nvtxwStreamHandle_t,
        nvtxwSessionHandle_t,
        *const nvtxwStreamAttributes_t,
    ) -> nvtxwResultCode_t,
    stream_close: unsafe extern "C" fn(nvtxwStreamHandle_t) -> nvtxwResultCode_t,
    schema_register: unsafe extern "C" fn(
        nvtxwStreamHandle_t,
        *const nvtxPayloadSchemaAttr_t,
    ) -> nvtxwResultCode_t,
    enum_register: unsafe extern "C" fn(
        nvtxwStreamHandle_t,
        *const nvtxPayloadEnumAttr_t,
    ) -> nvtxwResultCode_t,
    event_write: unsafe extern "C" fn(
        nvtxwStreamHandle_t,
        *const nvtxPayloadData_t,
        usize,
    ) -> nvtxwResultCode_t,
}

impl Core {
    /// Copies the functions from a backend's table.
    ///
    /// # Safety
    /// `table` is an `nvtxwInterfaceCore_t` of at least the size that it begins with.
    pub(super) unsafe fn from_table(table: *const c_void) -> Result<Core, String> {
        // SAFETY: the caller's promise.
        let size = unsafe { table.cast::<usize>().read() };
        if size < size_of::<nvtxwInterfaceCore_t>() {
            return Err(format!("its interface CORE_V1 has {size} bytes, too few"));
        }
        // SAFETY: the caller's promise, and it is large enough.
        let table = unsafe { table.cast::<nvtxwInterfaceCore_t>().read() };
        let lacks = |name: &str| format!("its interface CORE_V1 lacks {name}");
        Ok(Core {
            session_begin: table.SessionBegin.ok_or_else(|| lacks("SessionBegin"))?,
            session_end: table.SessionEnd.ok_or_else(|| lacks("SessionEnd"))?,
            stream_open: table.StreamOpen.ok_or_else(|| lacks("StreamOpen"))?,
            stream_close: table.StreamClose.ok_or_else(|| lacks("StreamClose"))?,
            schema_register: table
                .SchemaRegister
                .ok_or_else(|| lacks("SchemaRegister"))?,
            enum_register: table.EnumRegister.ok_or_else(|| lacks("EnumRegister"))?,
            event_write: table.EventWrite.ok_or_else(|| lacks("EventWrite"))?,
        })
    }
}

fn checked(call: &'static str, code: nvtxwResultCode_t) -> Result<(), CallError> {
    if code == NVTXW_RESULT_SUCCESS {
        return Ok(());
    }
    let name = result_name(&RESULTS, code);
    Err(CallError { call, code, name })
}

/// An open session.
pub(in super::super) struct Session<'b> {
    core: &'b Core,
    handle: nvtxwSessionHandle_t,
    stream: Option<nvtxwStreamHandle_t>,
    described: FxHashSet<Family>,
    ended: bool,
}

impl<'b> Session<'b> {
    pub(super) fn begin(
        core: &'b Core,
        name: &CStr,
        config: Option<&CStr>,
    ) -> Result<Self, CallError> {
        let attributes = nvtxwSessionAttributes_t {
            structSize: size_of::<nvtxwSessionAttributes_t>(),
            name: name.as_ptr(),
            configString: config.map_or(null(), CStr::as_ptr),
        };
        let mut handle = nvtxwSessionHandle_t { opaque: null_mut() };
        // SAFETY: the attributes hold C strings that live through the call, and the handle is
        // written.
        let code = unsafe { (core.session_begin)(&mut handle, &attributes) };
        checked("SessionBegin", code)?;
        Ok(Session {
            core,
            handle,
            stream: None,
            described: FxHashSet::default(),
            ended: false,
        })
    }

    pub(super) fn open(&mut self, row: &Row) -> Result<(), CallError> {
        self.close()?;
        let scope = text::ascii_path(&row.scope);
        let name = text::escaped_path(&row.scope);
        let attributes = nvtxwStreamAttributes_t {
            struct_size: size_of::<nvtxwStreamAttributes_t>(),
            name: name.as_ptr(),
            nvtxDomainName: row.family.domain().as_ptr(),
            eventScopePath: scope.as_ptr(),
            orderInterleaving: NVTXW_STREAM_ORDER_INTERLEAVING_NONE,
            orderingType: NVTXW_STREAM_ORDERING_TYPE_PACKED_RANGE_START,
            orderingSkid: NVTXW_STREAM_ORDERING_SKID_NONE,
            orderingSkidAmount: 0,
        };
        let mut stream = nvtxwStreamHandle_t { opaque: null_mut() };
        // SAFETY: the session is under way, the attributes hold C strings that live through the
        // call, and the handle is written.
        let code = unsafe { (self.core.stream_open)(&mut stream, self.handle, &attributes) };
        checked("StreamOpen", code)?;
        self.stream = Some(stream);
        // Registrations apply to the domain, no matter which stream made them.
        if self.described.insert(row.family) {
            self.describe(stream)?;
        }
        Ok(())
    }

    fn describe(&self, stream: nvtxwStreamHandle_t) -> Result<(), CallError> {
        let values = payload::kinds();
        let kinds = payload::enumeration(&values, Some(KINDS));
        // SAFETY: the stream is open; the attributes point to static names and to values that live
        // through the call.
        let code = unsafe { (self.core.enum_register)(stream, &kinds) };
        checked("EnumRegister", code)?;
        let message = [one_text(c"message", NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE)];
        let plain = [one_text(c"text", 0)];
        let entries = payload::entries(Dialect {
            time: NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
            other_time: 0,
            text_flags: NVTX_PAYLOAD_ENTRY_FLAG_POINTER,
            text: NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
            kind: KINDS,
        });
        let referenced = (
            NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC,
            NVTX_PAYLOAD_SCHEMA_FLAG_REFERENCED,
        );
        let fixed = (
            NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
            NVTX_PAYLOAD_SCHEMA_FLAG_NONE,
        );
        for schema in [
            payload::schema(c"weft message", &message, referenced, 0, Some(MESSAGE)),
            payload::schema(c"weft text", &plain, referenced, 0, Some(TEXT)),
            payload::schema(c"weft event", &entries, fixed, payload::SIZE, Some(EVENT)),
        ] {
            // SAFETY: as above.
            let code = unsafe { (self.core.schema_register)(stream, &schema) };
            checked("SchemaRegister", code)?;
        }
        Ok(())
    }

    pub(super) fn write(&mut self, event: &Event<'_>) -> Result<(), CallError> {
        let Some(stream) = self.stream else {
            return Ok(());
        };
        let texts = [event.message, event.file, event.variant].map(text::c);
        let [message, file, variant] = &texts;
        let pointers = Texts {
            message: message.as_ptr().cast(),
            file: file.as_ptr().cast(),
            variant: variant.as_ptr().cast(),
        };
        let event = Payload::new(event, pointers);
        let of_text = |text: &CString, schema| nvtxPayloadData_t {
            schemaId: schema,
            size: text.as_bytes_with_nul().len(),
            payload: text.as_ptr().cast::<c_char>().cast(),
        };
        let payloads = [
            of_text(message, MESSAGE),
            of_text(file, TEXT),
            of_text(variant, TEXT),
            event.data(EVENT),
        ];
        // SAFETY: the stream is open; each payload points to as many bytes as it says, and those of
        // the event point to the others. All live through the call, and the backend copies what it
        // keeps.
        let code = unsafe { (self.core.event_write)(stream, payloads.as_ptr(), payloads.len()) };
        checked("EventWrite", code)
    }

    pub(super) fn close(&mut self) -> Result<(), CallError> {
        let Some(stream) = self.stream.take() else {
            return Ok(());
        };
        // SAFETY: the stream is open, and not used again.
        let code = unsafe { (self.core.stream_close)(stream) };
        checked("StreamClose", code)
    }

    pub(super) fn end(mut self) -> Result<(), CallError> {
        self.close()?;
        self.ended = true;
        // SAFETY: the session is under way, its streams are closed, and it is not used again.
        let code = unsafe { (self.core.session_end)(self.handle) };
        checked("SessionEnd", code)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // The first error is more important than errors of closing.
            let _ = self.close();
            // SAFETY: the session is under way and not used again.
            let _ = unsafe { (self.core.session_end)(self.handle) };
        }
    }
}

/// Returns the entry of a payload that is a single text.
fn one_text(name: &'static CStr, flags: u64) -> nvtxPayloadSchemaEntry_t {
    nvtxPayloadSchemaEntry_t {
        flags: flags | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
        r#type: NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
        name: name.as_ptr(),
        description: null(),
        arrayOrUnionDetail: 0,
        offset: 0,
        semantics: null(),
        reserved: null(),
    }
}
