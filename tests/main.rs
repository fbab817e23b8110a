//! End-to-end tests: the built binaries and their output files.

mod advise;
#[path = "nvtxw/backends.rs"]
mod backends;
mod costs;
mod crash;
mod cuda_examples;
mod cuda_host;
mod diff;
#[path = "support/emulator.rs"]
mod emulator;
mod export_files;
mod export_interrupted;
mod export_legion;
mod export_nsys_rep;
mod export_outputs;
mod export_places;
mod export_reports;
#[path = "support/graph.rs"]
mod graph;
mod incomplete;
mod invariants;
mod launch;
mod launch_lines;
mod launch_profiles;
mod layering;
mod loss;
mod mistakes;
mod modules;
mod nsys;
mod nvtx;
mod oom;
mod query;
mod readme;
mod recordings;
mod run_flags;
mod run_info;
mod run_nsys;
mod run_outputs;
mod run_program;
mod simulate;
mod support;
mod tables;
mod threshold;
#[path = "../nvtx-export/tests/tools.rs"]
mod tools;
mod view;
