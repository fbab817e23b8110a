//! Tests from inputs to outputs, in one program so that common code is linked once.

mod advise;
#[path = "../../tests/nvtxw/backends.rs"]
mod backends;
mod clocks;
mod cupti;
mod device;
mod gpus;
mod graph;
mod hostile;
mod images;
mod join;
mod legion;
mod legion_output;
mod made;
mod mutated;
mod name_time;
mod nsys;
mod nvtxw;
mod perfetto;
mod prof;
mod projection;
mod query;
mod ranks;
mod roofline;
mod schema;
mod sqlite;
mod stats;
mod support;
mod text;
mod timeline;
mod tools;
mod untimed;
