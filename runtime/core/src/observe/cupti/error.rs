//! Why CUPTI does not record.

/// Why CUPTI does not record. The program runs on without it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CuptiError {
    /// The library is not there.
    #[error("CUPTI was not found (looked for {looked}): {remedy}")]
    Missing {
        /// What was looked for.
        looked: String,
        /// How to get it.
        remedy: &'static str,
    },
    /// The library has not all the functions that are called.
    #[error("{library} has no {symbol}: use CUPTI of CUDA 12.0 to 13.x")]
    Symbol {
        /// The library.
        library: String,
        /// The function.
        symbol: &'static str,
    },
    /// Its records are not known.
    #[error(
        "{library} is CUPTI of API version {version}, whose records are not known: use that of CUDA 12.0 to 13.x"
    )]
    Version {
        /// The library.
        library: String,
        /// What `cuptiGetVersion` says.
        version: u32,
    },
    /// There is no driver to record.
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
        /// What it returned.
        code: u32,
        /// NVIDIA's name of that.
        name: String,
    },
}
