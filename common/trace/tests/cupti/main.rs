//! The parser of CUPTI's buffers against NVIDIA's own libraries and headers, which pip brings; no GPU is needed.
//! `tests/cupti/install.sh` puts them where these tests look.

#![allow(
    clippy::expect_used,
    reason = "a test fails by panicking, and says where"
)]
#![allow(unsafe_code, reason = "NVIDIA's libraries are called")]

mod compile;
mod headers;
mod install;
mod library;
mod walks;
