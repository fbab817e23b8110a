//! An emulator of NVIDIA's driver, compiler, cuBLAS and CUPTI, for tests on machines without a GPU.
//!
//! [`host`] compiles CUDA C with the system's C++ compiler and runs its kernels on the CPU.

pub mod host;
