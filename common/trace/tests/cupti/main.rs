//! The parser of CUPTI's buffers, compared with NVIDIA's own libraries and headers from pip. No GPU
//! is needed. `tests/cupti/install.sh` installs them where these tests expect them.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code, reason = "NVIDIA's libraries are called")]

mod compile;
mod headers;
mod install;
mod library;
mod walks;
