//! Routines of dense linear algebra with cuSOLVER's and cuBLAS's arguments: matrices by columns.
#![allow(unsafe_code, reason = "reads and writes by address")]

mod dense;
mod general;
mod rotations;
mod scalar;

use dense::Dense;
use scalar::{Complex64, Scalar};

use super::Machine;
use super::access::Space;
use super::code::Code;

/// A matrix in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) start: u64,
    pub(crate) rows: u64,
    pub(crate) columns: u64,
    /// Elements from one column to the next.
    pub(crate) step: u64,
}

/// The type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    /// Whether they, or their parts, are `double`; else `float`.
    pub(crate) is_double: bool,
    pub(crate) is_complex: bool,
}

/// `float`.
pub(crate) const S: Elements = Elements::new(false, false);
/// `double`.
pub(crate) const D: Elements = Elements::new(true, false);
/// `cuComplex`.
pub(crate) const C: Elements = Elements::new(false, true);
/// `cuDoubleComplex`.
pub(crate) const Z: Elements = Elements::new(true, true);

impl Elements {
    const fn new(is_double: bool, is_complex: bool) -> Elements {
        Elements {
            is_double,
            is_complex,
        }
    }

    /// Bytes of a real number, or of a part of a complex one.
    fn part(self) -> u64 {
        if self.is_double { 8 } else { 4 }
    }

    /// Bytes of an element.
    pub(crate) fn width(self) -> u64 {
        if self.is_complex {
            2 * self.part()
        } else {
            self.part()
        }
    }
}

/// One call of a routine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolverCall {
    pub(crate) routine: Routine,
    pub(crate) elements: Elements,
    /// The address of `info`, one for each matrix of a batch; 0 if none.
    pub(crate) info: u64,
    pub(crate) workspace: Workspace,
    /// Whether this is the last kernel that the library launches for the call, which does nothing.
    pub(crate) is_rest: bool,
}

/// Memory that a routine works in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workspace {
    /// Address and bytes on the device.
    pub(crate) device: (u64, u64),
    /// The address on the host, and the content of that memory until the routine has run; 0 if
    /// there is no memory.
    pub(crate) host: (u64, u64),
}

impl Workspace {
    pub(crate) const NONE: Workspace = Workspace {
        device: (0, 0),
        host: (0, 0),
    };
}

/// A routine. Batches are vectors of addresses of matrices, and `At::start` is the address of such
/// a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Routine {
    Potrf {
        a: At,
        upper: bool,
    },
    Getrf {
        a: At,
        pivots: u64,
    },
    Getrs {
        a: At,
        pivots: u64,
        b: At,
        transposed: bool,
    },
    Geqrf {
        a: At,
        tau: u64,
    },
    Orgqr {
        a: At,
        tau: u64,
        reflections: u64,
    },
    Syevd {
        a: At,
        values: u64,
        upper: bool,
        vectors: bool,
    },
    Geev {
        a: At,
        values: Eigenvalues,
        vectors: Option<At>,
    },
    Gesvd {
        a: At,
        s: u64,
        u: Option<At>,
        vt: Option<At>,
    },
    PotrfBatched {
        a: At,
        upper: bool,
        count: u64,
    },
    GetrfBatched {
        a: At,
        pivots: u64,
        count: u64,
    },
    GetrsBatched {
        a: At,
        pivots: u64,
        b: At,
        transposed: bool,
        count: u64,
    },
}

/// The destination of eigenvalues.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Eigenvalues {
    /// Real parts, then imaginary parts.
    Apart(u64),
    Complex(u64),
}

impl Routine {
    /// Its name among those of kernels.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Routine::Potrf { .. } => "potrf",
            Routine::Getrf { .. } => "getrf",
            Routine::Getrs { .. } => "getrs",
            Routine::Geqrf { .. } => "geqrf",
            Routine::Orgqr { .. } => "orgqr",
            Routine::Syevd { .. } => "syevd",
            Routine::Geev { .. } => "geev",
            Routine::Gesvd { .. } => "gesvd",
            Routine::PotrfBatched { .. } => "potrf_batched",
            Routine::GetrfBatched { .. } => "getrf_batched",
            Routine::GetrsBatched { .. } => "getrs_batched",
        }
    }
}

/// The memory of one GPU, for a routine.
struct Memory<'a> {
    machine: &'a Machine,
    gpu: usize,
    elements: Elements,
}

impl Memory<'_> {
    /// Fails unless the GPU may use these bytes.
    fn check(&self, start: u64, bytes: u64, width: u64) -> Result<(), Code> {
        if !start.is_multiple_of(width) {
            return Err(Code::MISALIGNED_ADDRESS);
        }
        match self.machine.place(start, bytes)? {
            Space::Device(owner)
                if owner == self.gpu || self.machine.gpus[self.gpu].peers.contains(&owner) =>
            {
                Ok(())
            }
            Space::Pinned | Space::Managed => Ok(()),
            _ if bytes == 0 => Ok(()),
            _ => Err(Code::ILLEGAL_ADDRESS),
        }
    }

    /// Values one after the other.
    fn values<T: Copy>(&self, start: u64, count: u64) -> Result<Vec<T>, Code> {
        let width = size_of::<T>() as u64;
        self.check(start, count * width, width)?;
        let first = start as *const T;
        // SAFETY: the range is allocated for this GPU, open and aligned.
        let read = |at: u64| unsafe { first.wrapping_add(at as usize).read() };
        Ok((0..count).map(read).collect())
    }

    fn put<T: Copy>(&self, start: u64, values: &[T]) -> Result<(), Code> {
        let width = size_of::<T>() as u64;
        self.check(start, values.len() as u64 * width, width)?;
        for (at, &value) in values.iter().enumerate() {
            // SAFETY: the range is allocated for this GPU, open and aligned.
            unsafe { (start as *mut T).wrapping_add(at).write(value) };
        }
        Ok(())
    }

    /// Real numbers, or parts of complex ones.
    fn floats(&self, start: u64, count: u64) -> Result<Vec<f64>, Code> {
        if self.elements.is_double {
            return self.values(start, count);
        }
        let values: Vec<f32> = self.values(start, count)?;
        Ok(values.into_iter().map(f64::from).collect())
    }

    fn put_floats(&self, start: u64, values: &[f64]) -> Result<(), Code> {
        if self.elements.is_double {
            return self.put(start, values);
        }
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        self.put(start, &values)
    }

    /// Elements, aligned to their size.
    fn numbers<T: Scalar>(&self, start: u64, count: u64) -> Result<Vec<T>, Code> {
        let part = self.elements.part();
        self.check(start, count * T::PARTS * part, T::PARTS * part)?;
        let parts = self.floats(start, count * T::PARTS)?;
        let each = parts.chunks_exact(T::PARTS as usize);
        Ok(each.map(T::from_parts).collect())
    }

    fn put_numbers<T: Scalar>(&self, start: u64, values: &[T]) -> Result<(), Code> {
        let part = self.elements.part();
        let count = values.len() as u64;
        self.check(start, count * T::PARTS * part, T::PARTS * part)?;
        let parts = values.iter().flat_map(|value| {
            let Complex64 { re, im } = value.complex();
            [re, im].into_iter().take(T::PARTS as usize)
        });
        self.put_floats(start, &parts.collect::<Vec<f64>>())
    }

    fn matrix<T: Scalar>(&self, at: At) -> Result<Dense<T>, Code> {
        let mut made = Dense::zeros(at.rows as usize, 0);
        for column in 0..at.columns {
            let start = at.start + column * at.step * self.elements.width();
            made.data.extend(self.numbers::<T>(start, at.rows)?);
            made.columns += 1;
        }
        Ok(made)
    }

    fn put_matrix<T: Scalar>(&self, at: At, matrix: &Dense<T>) -> Result<(), Code> {
        for column in 0..at.columns {
            let start = at.start + column * at.step * self.elements.width();
            let first = column as usize * matrix.rows;
            self.put_numbers(start, &matrix.data[first..first + at.rows as usize])?;
        }
        Ok(())
    }

    /// Overwrites a matrix that a routine leaves undefined.
    fn ruin<T: Scalar>(&self, at: At) -> Result<(), Code> {
        let mut ruin = Dense::zeros(at.rows as usize, at.columns as usize);
        ruin.data.fill(T::from_real(f64::NAN));
        self.put_matrix(at, &ruin)
    }

    /// The matrices of a batch.
    fn batch(&self, at: At, count: u64) -> Result<Vec<At>, Code> {
        let starts: Vec<u64> = self.values(at.start, count)?;
        Ok(starts.into_iter().map(|start| At { start, ..at }).collect())
    }

    /// Runs the routine; returns `info`, one for each matrix of a batch.
    fn run<T: Scalar>(&self, routine: &Routine) -> Result<Vec<i32>, Code> {
        let one = |info: i32| Ok(vec![info]);
        match *routine {
            Routine::Potrf { a, upper } => {
                let mut matrix = self.matrix::<T>(a)?;
                let info = matrix.potrf(upper);
                self.put_matrix(a, &matrix)?;
                one(info)
            }
            Routine::Getrf { a, pivots } => {
                let mut matrix = self.matrix::<T>(a)?;
                let (exchanges, info) = matrix.getrf();
                self.put_matrix(a, &matrix)?;
                self.put(pivots, &exchanges)?;
                one(info)
            }
            Routine::Getrs {
                a,
                pivots,
                b,
                transposed,
            } => {
                let mut sides = self.matrix::<T>(b)?;
                let exchanges: Vec<i64> = self.values(pivots, a.columns)?;
                self.matrix(a)?.getrs(&exchanges, &mut sides, transposed);
                self.put_matrix(b, &sides)?;
                one(0)
            }
            Routine::Geqrf { a, tau } => {
                let mut matrix = self.matrix::<T>(a)?;
                let factors = matrix.geqrf();
                self.put_matrix(a, &matrix)?;
                self.put_numbers(tau, &factors)?;
                one(0)
            }
            Routine::Orgqr {
                a,
                tau,
                reflections,
            } => {
                let mut matrix = self.matrix::<T>(a)?;
                matrix.orgqr(&self.numbers(tau, reflections)?);
                self.put_matrix(a, &matrix)?;
                one(0)
            }
            Routine::Syevd {
                a,
                values,
                upper,
                vectors,
            } => {
                let Some((found, made)) = self.matrix::<T>(a)?.syevd(upper) else {
                    // It may not end.
                    return Err(Code::LAUNCH_FAILED);
                };
                self.put_floats(values, &found)?;
                match vectors {
                    true => self.put_matrix(a, &made)?,
                    false => self.ruin::<T>(a)?,
                }
                one(0)
            }
            Routine::Geev { a, values, vectors } => {
                let Some(eigen) = self.matrix::<T>(a)?.geev() else {
                    return Err(Code::LAUNCH_FAILED);
                };
                self.ruin::<T>(a)?;
                match values {
                    Eigenvalues::Complex(start) => self.put_numbers(start, &eigen.values)?,
                    Eigenvalues::Apart(start) => {
                        let real = eigen.values.iter().map(|value| value.re);
                        let all = real.chain(eigen.values.iter().map(|value| value.im));
                        self.put_floats(start, &all.collect::<Vec<f64>>())?;
                    }
                }
                if let Some(at) = vectors {
                    self.put_matrix(at, &eigen.packed::<T>())?;
                }
                one(0)
            }
            Routine::Gesvd { a, s, u, vt } => {
                let Some((left, values, right)) = self.matrix::<T>(a)?.gesvd() else {
                    return Err(Code::LAUNCH_FAILED);
                };
                self.ruin::<T>(a)?;
                self.put_floats(s, &values)?;
                for (at, matrix) in [(u, left), (vt, right)] {
                    if let Some(at) = at {
                        self.put_matrix(at, &matrix)?;
                    }
                }
                one(0)
            }
            Routine::PotrfBatched { a, upper, count } => {
                let batch = self.batch(a, count)?.into_iter();
                let each = |a| Ok(self.run::<T>(&Routine::Potrf { a, upper })?[0]);
                batch.map(each).collect()
            }
            Routine::GetrfBatched { a, pivots, count } => {
                let mut infos = Vec::new();
                for (number, a) in (0_u64..).zip(self.batch(a, count)?) {
                    let mut matrix = self.matrix::<T>(a)?;
                    let (exchanges, info) = matrix.getrf();
                    self.put_matrix(a, &matrix)?;
                    let exchanges: Vec<i32> = exchanges.iter().map(|&at| at as i32).collect();
                    self.put(pivots + 4 * number * a.columns, &exchanges)?;
                    infos.push(info);
                }
                Ok(infos)
            }
            Routine::GetrsBatched {
                a,
                pivots,
                b,
                transposed,
                count,
            } => {
                let pairs = self.batch(a, count)?.into_iter().zip(self.batch(b, count)?);
                for (number, (a, b)) in (0_u64..).zip(pairs) {
                    let start = pivots + 4 * number * a.columns;
                    let exchanges: Vec<i32> = self.values(start, a.columns)?;
                    let exchanges: Vec<i64> = exchanges.into_iter().map(i64::from).collect();
                    let mut sides = self.matrix::<T>(b)?;
                    self.matrix(a)?.getrs(&exchanges, &mut sides, transposed);
                    self.put_matrix(b, &sides)?;
                }
                Ok(Vec::new())
            }
        }
    }
}

impl Machine {
    /// Computes the result, in `double`. The contents of the workspace are lost.
    pub(super) fn solver(&mut self, gpu: usize, call: &SolverCall) -> Result<(), Code> {
        if call.is_rest {
            return Ok(());
        }
        self.open_for(gpu);
        let memory = Memory {
            machine: self,
            gpu,
            elements: call.elements,
        };
        let (workspace, bytes) = call.workspace.device;
        let (host, mark) = call.workspace.host;
        // SAFETY: the program promises that its memory stays until the routine has run.
        if host != 0 && unsafe { (host as *const u64).read_unaligned() } != mark {
            return Err(Code::LAUNCH_FAILED);
        }
        if bytes > 0 {
            memory.put(workspace, &vec![0xff_u8; bytes as usize])?;
        }
        let infos = match call.elements.is_complex {
            true => memory.run::<Complex64>(&call.routine)?,
            false => memory.run::<f64>(&call.routine)?,
        };
        if call.info != 0 {
            memory.put(call.info, &infos)?;
        }
        Ok(())
    }
}
