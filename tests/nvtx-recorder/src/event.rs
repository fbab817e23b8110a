//! The records of calls.

use serde::{Deserialize, Serialize};

/// One line of the output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The time of the call: CLOCK_MONOTONIC, in nanoseconds.
    pub time: u64,
    /// The calling thread, by the system's number.
    pub thread: u32,
    /// The call.
    #[serde(flatten)]
    pub event: Event,
}

/// A call. `domain` is the domain's name, `None` the default domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The tool started; `version` is from the client's version table.
    Attached {
        /// NVTX version of the client.
        version: u32,
    },
    /// `nvtxInitialize`.
    Initialize,
    /// `nvtxDomainCreate`.
    DomainCreate {
        /// Name of the new domain.
        name: String,
    },
    /// `nvtxDomainDestroy`.
    DomainDestroy {
        /// The domain.
        domain: Option<String>,
    },
    /// `nvtxDomainRegisterString`.
    StringRegister {
        /// The domain.
        domain: Option<String>,
        /// The string.
        text: String,
    },
    /// `nvtxNameCategory`, `nvtxDomainNameCategory`.
    CategoryName {
        /// The domain.
        domain: Option<String>,
        /// The category's number.
        category: u32,
        /// Its name.
        name: String,
    },
    /// `nvtxNameOsThread`.
    ThreadName {
        /// The thread that is named.
        named: u32,
        /// Its name.
        name: String,
    },
    /// `nvtxMark`, `nvtxDomainMark`.
    Mark {
        /// The domain.
        domain: Option<String>,
        /// The attributes of the mark.
        attributes: Attributes,
    },
    /// `nvtxRangePush`, `nvtxDomainRangePush`.
    Push {
        /// The domain.
        domain: Option<String>,
        /// Ranges of the domain that were open on the thread.
        level: i32,
        /// The attributes of the range.
        attributes: Attributes,
    },
    /// `nvtxRangePop`, `nvtxDomainRangePop`.
    Pop {
        /// The domain.
        domain: Option<String>,
        /// Level of the range that closed.
        level: i32,
    },
    /// `nvtxRangeStart`, `nvtxDomainRangeStart`.
    Start {
        /// The domain.
        domain: Option<String>,
        /// Number of the range.
        range: u64,
        /// The attributes of the range.
        attributes: Attributes,
    },
    /// `nvtxRangeEnd`, `nvtxDomainRangeEnd`.
    End {
        /// The domain.
        domain: Option<String>,
        /// Number of the range.
        range: u64,
    },
    /// A call against the contract of the headers.
    Fault {
        /// The violation.
        what: String,
    },
}

impl Event {
    /// The name of the variant.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Attached { .. } => "attached",
            Self::Initialize => "initialize",
            Self::DomainCreate { .. } => "domain_create",
            Self::DomainDestroy { .. } => "domain_destroy",
            Self::StringRegister { .. } => "string_register",
            Self::CategoryName { .. } => "category_name",
            Self::ThreadName { .. } => "thread_name",
            Self::Mark { .. } => "mark",
            Self::Push { .. } => "push",
            Self::Pop { .. } => "pop",
            Self::Start { .. } => "start",
            Self::End { .. } => "end",
            Self::Fault { .. } => "fault",
        }
    }
}

/// `nvtxEventAttributes_t`, read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attributes {
    /// The struct's own version.
    pub version: u16,
    /// The struct's own size in bytes.
    pub size: u16,
    /// The category, 0 none.
    pub category: u32,
    /// 0xAARRGGBB, if a colour was given.
    pub color: Option<u32>,
    /// The payload.
    pub payload: Payload,
    /// The message.
    pub message: Message,
}

/// A payload with its type.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// No payload.
    None,
    /// `uint64_t`.
    U64(u64),
    /// `int64_t`.
    I64(i64),
    /// `double`.
    F64(f64),
    /// `uint32_t`.
    U32(u32),
    /// `int32_t`.
    I32(i32),
    /// `float`.
    F32(f32),
}

/// A message with its type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// No message.
    None,
    /// A C string.
    Ascii(String),
    /// A string of `wchar_t`.
    Unicode(String),
    /// The text of a registered string.
    Registered(String),
}

impl Message {
    /// The text, in any of its forms.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Ascii(text) | Self::Unicode(text) | Self::Registered(text) => Some(text),
        }
    }
}
