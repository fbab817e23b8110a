//! Reasons why CUPTI does not record.

/// The reason why CUPTI does not record. The program continues without it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CuptiError {
    /// The library is missing.
    #[error("CUPTI was not found (looked for {looked}): {remedy}")]
    Missing {
        /// The paths that were searched.
        looked: String,
        /// The way to install it.
        remedy: &'static str,
    },
    /// The library lacks a function.
    #[error("{library} has no {symbol}: use CUPTI of CUDA 12.0 to 13.x")]
    Symbol {
        /// The library.
        library: String,
        /// The missing function.
        symbol: &'static str,
    },
    /// The layout of its records is unknown.
    #[error(
        "{library} is CUPTI of API version {version}, whose records are not known: use that of CUDA 12.0 to 13.x"
    )]
    Version {
        /// The library.
        library: String,
        /// The result of `cuptiGetVersion`.
        version: u32,
    },
    /// The CUDA driver is missing.
    #[error("there is no CUDA driver to record (libcuda.so.1 cannot be loaded)")]
    NoDriver,
    /// Another tool records already.
    #[error("another tool, such as Nsight Systems, uses CUPTI; GPU work is recorded there")]
    Held,
    /// This process records already.
    #[error(
        "this process already records through CUPTI; finish the first runtime before starting another"
    )]
    Active,
    /// The collector's thread could not be started.
    #[error("a thread for CUPTI's records cannot be started: {0}")]
    Thread(String),
    /// A call failed.
    #[error("{call} returned {code} ({name})")]
    Call {
        /// The function.
        call: &'static str,
        /// The code that it returned.
        code: u32,
        /// NVIDIA's name of the code.
        name: String,
    },
}
