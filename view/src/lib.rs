//! The server of `weft view`: one page, and the answers to its requests.
//!
//! [`respond`] maps a [`Request`] to a [`Response`] over a [`Site`]; [`serve`] serves it on a port
//! of this machine. The protocol is described in `docs/view-protocol.md`.

mod api;
mod by_column;
mod database;
mod embed;
mod http;
mod page;
mod picture;
mod respond;
mod serve;
mod site;
mod source_root;
mod state;
mod why;

pub use embed::{Embedded, LARGEST, embed};
pub use http::{Method, Request, Response};
pub use picture::{Look, Picture, draw, paint};
pub use respond::respond;
pub use serve::{Limits, Server, serve, serve_within};
pub use site::Site;
pub use source_root::SourceRoot;
pub use state::{Options, State, ViewError};
pub use why::{Part, Why};
