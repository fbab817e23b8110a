//! The newer ABI: domains, scopes and texts are registered, and a row's schema says whether its
//! ranges nest.

use super::payload::{self, Dialect, Payload, Texts};
use super::sys::v2::*;
use super::sys::*;
use super::{CallError, TimeSource, result_name, text};
use crate::nsys_rep::event::Event;
use crate::nsys_rep::rows::{Family, Row};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

/// The functions of a backend that are used. All of them are present.
pub(in super::super) struct Core {
    session_begin: unsafe extern "C" fn(
        *const nvtxwSessionAttributes_t,
        *mut nvtxwSessionHandle_t,
    ) -> nvtxwResultCode_t,
    session_end: unsafe extern "C" fn(nvtxwSessionHandle_t) -> nvtxwResultCode_t,
    domain_register: unsafe extern "C" fn(
        nvtxwSessionHandle_t,
        *const nvtxwDomainAttributes_t,
        *mut nvtxDomainHandle_t,
    ) -> nvtxwResultCode_t,
    category_register:
        unsafe extern "C" fn(nvtxDomainHandle_t, u32, *const c_char) -> nvtxwResultCode_t,
    string_register: unsafe extern "C" fn(
        nvtxDomainHandle_t,
        *const c_char,
        *mut nvtxStringHandle_t,
    ) -> nvtxwResultCode_t,
    scope_register: unsafe extern "C" fn(
        nvtxDomainHandle_t,
        *const nvtxScopeAttr_t,
        *mut u64,
    ) -> nvtxwResultCode_t,
    schema_register: unsafe extern "C" fn(
        nvtxDomainHandle_t,
        *const nvtxPayloadSchemaAttr_t,
        *mut u64,
    ) -> nvtxwResultCode_t,
    enum_register: unsafe extern "C" fn(
        nvtxDomainHandle_t,
        *const nvtxPayloadEnumAttr_t,
        *mut u64,
    ) -> nvtxwResultCode_t,
    stream_open: unsafe extern "C" fn(
        nvtxwSessionHandle_t,
        *const nvtxwStreamAttributes_t,
        *mut nvtxwStreamHandle_t,
    ) -> nvtxwResultCode_t,
    stream_close: unsafe extern "C" fn(nvtxwStreamHandle_t) -> nvtxwResultCode_t,
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
    /// `table` is an `nvtxwInterface_v2_t`.
    pub(super) unsafe fn from_table(table: *const c_void) -> Result<Core, String> {
        // SAFETY: the caller's promise; its size never changes.
        let table = unsafe { table.cast::<nvtxwInterface_t>().read() };
        let lacks = |name: &str| format!("its interface version 2 lacks {name}");
        Ok(Core {
            session_begin: table.SessionBegin.ok_or_else(|| lacks("SessionBegin"))?,
            session_end: table.SessionEnd.ok_or_else(|| lacks("SessionEnd"))?,
            domain_register: table
                .DomainRegister
                .ok_or_else(|| lacks("DomainRegister"))?,
            category_register: table
                .CategoryRegister
                .ok_or_else(|| lacks("CategoryRegister"))?,
            string_register: table
                .StringRegister
                .ok_or_else(|| lacks("StringRegister"))?,
            scope_register: table.ScopeRegister.ok_or_else(|| lacks("ScopeRegister"))?,
            schema_register: table
                .SchemaRegister
                .ok_or_else(|| lacks("SchemaRegister"))?,
            enum_register: table.EnumRegister.ok_or_else(|| lacks("EnumRegister"))?,
            stream_open: table.StreamOpen.ok_or_else(|| lacks("StreamOpen"))?,
            stream_close: table.StreamClose.ok_or_else(|| lacks("StreamClose"))?,
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

/// Checks the code of a call that a report can do without. Returns whether the backend supports it.
fn tried(call: &'static str, code: nvtxwResultCode_t) -> Result<bool, CallError> {
    if code == NVTXW_RESULT_NOT_SUPPORTED {
        return Ok(false);
    }
    checked(call, code).map(|()| true)
}

/// A domain with its registrations.
struct Domain {
    handle: nvtxDomainHandle_t,
    /// The type of `kind`.
    kind: u64,
    /// Schemas of rows that do not nest, and that do; 0 until needed.
    schemas: [u64; 2],
    texts: FxHashMap<Box<str>, nvtxStringHandle_t>,
}

/// An open session.
pub(in super::super) struct Session<'b> {
    core: &'b Core,
    handle: nvtxwSessionHandle_t,
    times: TimeSource,
    categories: Vec<CString>,
    domains: FxHashMap<Family, Domain>,
    /// The open row: its stream, family and schema.
    open: Option<(nvtxwStreamHandle_t, Family, u64)>,
    ended: bool,
}

impl<'b> Session<'b> {
    pub(super) fn begin(
        core: &'b Core,
        name: &CStr,
        config: Option<&CStr>,
        times: TimeSource,
        categories: &[&str],
    ) -> Result<Self, CallError> {
        let attributes = nvtxwSessionAttributes_t {
            structSize: size_of::<nvtxwSessionAttributes_t>(),
            name: name.as_ptr(),
            configString: config.map_or(null(), CStr::as_ptr),
        };
        let mut handle = null_mut();
        // SAFETY: the attributes hold C strings that live through the call, and the handle is
        // written.
        let code = unsafe { (core.session_begin)(&attributes, &mut handle) };
        checked("SessionBegin", code)?;
        Ok(Session {
            core,
            handle,
            times,
            categories: categories.iter().map(|name| text::c(name)).collect(),
            domains: FxHashMap::default(),
            open: None,
            ended: false,
        })
    }

    pub(super) fn open(&mut self, row: &Row) -> Result<(), CallError> {
        self.close()?;
        let domain = match self.domains.remove(&row.family) {
            Some(domain) => domain,
            None => self.domain(row.family)?,
        };
        let domain = self.domains.entry(row.family).or_insert(domain);
        let schema = &mut domain.schemas[usize::from(row.nested)];
        if *schema == 0 {
            *schema = event_schema(self.core, domain.handle, domain.kind, row.nested)?;
        }
        let schema = *schema;
        let path = text::escaped_path(&row.scope);
        let attributes = nvtxScopeAttr_t {
            structSize: size_of::<nvtxScopeAttr_t>(),
            path: path.as_ptr(),
            parentScope: NVTX_SCOPE_ROOT,
            scopeId: NVTX_SCOPE_NONE,
        };
        let mut scope = NVTX_SCOPE_NONE;
        // SAFETY: the domain lives as long as the session; the path lives through the call, and the
        // id is written.
        let code = unsafe { (self.core.scope_register)(domain.handle, &attributes, &mut scope) };
        if !tried("ScopeRegister", code)? {
            scope = NVTX_SCOPE_NONE;
        }
        let attributes = nvtxwStreamAttributes_t {
            structSize: size_of::<nvtxwStreamAttributes_t>(),
            name: path.as_ptr(),
            domain: domain.handle,
            scopeId: scope,
            timeDomainId: match self.times {
                TimeSource::WallClock => NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME,
                TimeSource::Unknown => NVTX_TIME_DOMAIN_ID_NONE,
            },
            orderInterleaving: NVTXW_STREAM_ORDER_INTERLEAVING_NONE,
            orderingType: NVTXW_STREAM_ORDERING_TYPE_PACKED_RANGE_START,
            orderingSkid: NVTXW_STREAM_ORDERING_SKID_NONE,
            orderingSkidAmount: 0,
        };
        let mut stream = null_mut();
        // SAFETY: the session is under way; domain and name live through the call, and the handle
        // is written.
        let code = unsafe { (self.core.stream_open)(self.handle, &attributes, &mut stream) };
        checked("StreamOpen", code)?;
        self.open = Some((stream, row.family, schema));
        Ok(())
    }

    /// Registers a domain, its categories and the enumeration of kinds.
    fn domain(&self, family: Family) -> Result<Domain, CallError> {
        let attributes = nvtxwDomainAttributes_t {
            structSize: size_of::<nvtxwDomainAttributes_t>(),
            name: family.domain().as_ptr(),
        };
        let mut handle = null_mut();
        // SAFETY: the session is under way; the name is static, and the handle is written.
        let code = unsafe { (self.core.domain_register)(self.handle, &attributes, &mut handle) };
        checked("DomainRegister", code)?;
        for (number, name) in (1..).zip(&self.categories) {
            // SAFETY: the domain is registered, and the name lives through the call.
            let code = unsafe { (self.core.category_register)(handle, number, name.as_ptr()) };
            if !tried("CategoryRegister", code)? {
                break;
            }
        }
        let values = payload::kinds();
        let mut kind = 0;
        let attributes = payload::enumeration(&values, None);
        // SAFETY: the domain is registered; values and their names live through the call, and the
        // id is written.
        let code = unsafe { (self.core.enum_register)(handle, &attributes, &mut kind) };
        if !tried("EnumRegister", code)? {
            kind = NVTX_PAYLOAD_ENTRY_TYPE_UINT32;
        }
        Ok(Domain {
            handle,
            kind,
            schemas: [0; 2],
            texts: FxHashMap::default(),
        })
    }

    pub(super) fn write(&mut self, event: &Event<'_>) -> Result<(), CallError> {
        let Some((stream, family, schema)) = self.open else {
            return Ok(());
        };
        let Some(domain) = self.domains.get_mut(&family) else {
            return Ok(());
        };
        let texts = Texts {
            message: registered(self.core, domain, event.message)?,
            file: registered(self.core, domain, event.file)?,
            variant: registered(self.core, domain, event.variant)?,
        };
        let event = Payload::new(event, texts);
        let payloads = [event.data(schema)];
        // SAFETY: the stream is open; the payload has as many bytes as it says and lives through
        // the call, and its handles are of the stream's domain.
        let code = unsafe { (self.core.event_write)(stream, payloads.as_ptr(), payloads.len()) };
        checked("EventWrite", code)
    }

    pub(super) fn close(&mut self) -> Result<(), CallError> {
        let Some((stream, ..)) = self.open.take() else {
            return Ok(());
        };
        // SAFETY: the stream is open, and not used again.
        let code = unsafe { (self.core.stream_close)(stream) };
        checked("StreamClose", code)
    }

    pub(super) fn end(mut self) -> Result<(), CallError> {
        self.close()?;
        self.ended = true;
        // SAFETY: the session is under way, its streams are closed, and neither it nor its domains
        // are used again.
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

fn event_schema(
    core: &Core,
    domain: nvtxDomainHandle_t,
    kind: u64,
    nested: bool,
) -> Result<u64, CallError> {
    let entries = payload::entries(Dialect {
        time: NVTX_PAYLOAD_ENTRY_TYPE_INT64,
        other_time: NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
        text_flags: 0,
        text: NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE,
        kind,
    });
    let (name, flags) = if nested {
        (c"weft event", NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP)
    } else {
        (
            c"weft event that may overlap",
            NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND,
        )
    };
    let fixed = (NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, flags);
    let attributes = payload::schema(name, &entries, fixed, payload::SIZE, None);
    let mut id = 0;
    // SAFETY: the domain is registered; entries and names live through the call, and the id is
    // written.
    let code = unsafe { (core.schema_register)(domain, &attributes, &mut id) };
    checked("SchemaRegister", code)?;
    Ok(id)
}

/// Returns the handle of a text in a domain.
fn registered(
    core: &Core,
    domain: &mut Domain,
    text: &str,
) -> Result<nvtxStringHandle_t, CallError> {
    if let Some(handle) = domain.texts.get(text) {
        return Ok(*handle);
    }
    let c = text::c(text);
    let mut handle = null_mut();
    // SAFETY: the domain is registered; the text lives through the call, and the handle is written.
    let code = unsafe { (core.string_register)(domain.handle, c.as_ptr(), &mut handle) };
    checked("StringRegister", code)?;
    domain.texts.insert(text.into(), handle);
    Ok(handle)
}
