//! User settings, checked against the machine.
//!
//! The modules follow the path of data:
//!
//! 1. [`flag`]: one table of all flags: name, type of value, default, range, help, and scope.
//! 2. [`flags`]: words from `WEFT_CONFIG` or a command line, parsed by that table. [`legate`]: the
//!    translation of Legate's flags.
//! 3. [`machine`]: cores and memory that this process may use; for `weft info`, also libraries and
//!    tools.
//! 4. [`launch`]: this process's rank and the number of ranks, from its launcher's variables.
//! 5. [`plan`]: flags checked against the machine. The runtime and `weft run` use only the plan.
//! 6. [`folder`]: the folder of a run whose files would replace those of an earlier run.
//!
//! ```
//! use weft_config::{Bytes, Machine, Plan};
//!
//! let machine = Machine { cores: 8, memory_total: Bytes::mib(16_384), memory_available: Bytes::mib(10_000), gpus: 0, shared: None };
//! let plan = Plan::from_words(&["--cpus=2".into(), "--profile".into()], &machine)?;
//! assert_eq!((plan.cpus, plan.sysmem), (2, Bytes::mib(8_000)));
//! assert_eq!(plan.profile_path(0).to_str(), Some("./weft_0.prof"));
//! # Ok::<(), weft_config::ConfigError>(())
//! ```

mod bytes;
pub mod error;
pub mod flag;
pub mod flags;
pub mod folder;
pub mod help;
pub mod launch;
pub mod legate;
pub mod list;
pub mod logging;
pub mod machine;
pub mod plan;
pub mod size;
pub mod value;

pub use bytes::{Bytes, grouped};
pub use error::ConfigError;
pub use launch::Launch;
pub use logging::{Level, LogSpec};
pub use machine::Machine;
pub use plan::{GpuMemory, HostUse, Plan};
pub use size::Size;

/// The environment variable with a program's flags: shell-quoted words.
pub const ENVIRONMENT: &str = "WEFT_CONFIG";
