//! Routines of dense linear algebra with cuSOLVER's and cuBLAS's arguments: matrices by columns.
#![allow(unsafe_code, reason = "reads and writes by address")]

mod dense;

use dense::Dense;

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

/// One call of a routine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolverCall {
    pub(crate) routine: Routine,
    /// Whether elements are `double`; else `float`.
    pub(crate) is_double: bool,
    /// The address of `info`, one for each matrix of a batch; 0 if none.
    pub(crate) info: u64,
    pub(crate) workspace: Workspace,
    /// Whether this is the last of the kernels that the library launches for the call: it does
    /// nothing.
    pub(crate) is_rest: bool,
}

/// Memory that a routine works in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workspace {
    /// Address and bytes on the device.
    pub(crate) device: (u64, u64),
    /// The address on the host and what stands there until the routine has run; address 0 is no
    /// memory.
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
    is_double: bool,
}

impl Memory<'_> {
    fn width(&self) -> u64 {
        if self.is_double { 8 } else { 4 }
    }

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

    fn floats(&self, start: u64, count: u64) -> Result<Vec<f64>, Code> {
        if self.is_double {
            return self.values(start, count);
        }
        let values: Vec<f32> = self.values(start, count)?;
        Ok(values.into_iter().map(f64::from).collect())
    }

    fn put_floats(&self, start: u64, values: &[f64]) -> Result<(), Code> {
        if self.is_double {
            return self.put(start, values);
        }
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        self.put(start, &values)
    }

    fn matrix(&self, at: At) -> Result<Dense, Code> {
        let mut made = Dense::zeros(at.rows as usize, 0);
        for column in 0..at.columns {
            let start = at.start + column * at.step * self.width();
            made.data.extend(self.floats(start, at.rows)?);
            made.columns += 1;
        }
        Ok(made)
    }

    fn put_matrix(&self, at: At, matrix: &Dense) -> Result<(), Code> {
        for column in 0..at.columns {
            let start = at.start + column * at.step * self.width();
            let first = column as usize * matrix.rows;
            self.put_floats(start, &matrix.data[first..first + at.rows as usize])?;
        }
        Ok(())
    }

    /// The matrices of a batch.
    fn batch(&self, at: At, count: u64) -> Result<Vec<At>, Code> {
        let starts: Vec<u64> = self.values(at.start, count)?;
        Ok(starts.into_iter().map(|start| At { start, ..at }).collect())
    }

    /// Runs the routine; returns `info`, one for each matrix of a batch.
    fn run(&self, routine: &Routine) -> Result<Vec<i32>, Code> {
        let one = |info: i32| Ok(vec![info]);
        match *routine {
            Routine::Potrf { a, upper } => {
                let mut matrix = self.matrix(a)?;
                let info = matrix.potrf(upper);
                self.put_matrix(a, &matrix)?;
                one(info)
            }
            Routine::Getrf { a, pivots } => {
                let mut matrix = self.matrix(a)?;
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
                let mut sides = self.matrix(b)?;
                let exchanges: Vec<i64> = self.values(pivots, a.columns)?;
                self.matrix(a)?.getrs(&exchanges, &mut sides, transposed);
                self.put_matrix(b, &sides)?;
                one(0)
            }
            Routine::Geqrf { a, tau } => {
                let mut matrix = self.matrix(a)?;
                let factors = matrix.geqrf();
                self.put_matrix(a, &matrix)?;
                self.put_floats(tau, &factors)?;
                one(0)
            }
            Routine::Orgqr {
                a,
                tau,
                reflections,
            } => {
                let mut matrix = self.matrix(a)?;
                matrix.orgqr(&self.floats(tau, reflections)?);
                self.put_matrix(a, &matrix)?;
                one(0)
            }
            Routine::Syevd {
                a,
                values,
                upper,
                vectors,
            } => {
                let Some((found, made)) = self.matrix(a)?.syevd(upper) else {
                    // It may not end.
                    return Err(Code::LAUNCH_FAILED);
                };
                self.put_floats(values, &found)?;
                let ruin = vec![f64::NAN; made.data.len()];
                let left = Dense {
                    data: if vectors { made.data } else { ruin },
                    ..made
                };
                self.put_matrix(a, &left)?;
                one(0)
            }
            Routine::Gesvd { a, s, u, vt } => {
                let Some((left, values, right)) = self.matrix(a)?.gesvd() else {
                    return Err(Code::LAUNCH_FAILED);
                };
                let ruin = Dense {
                    data: vec![f64::NAN; (a.rows * a.columns) as usize],
                    ..Dense::zeros(a.rows as usize, a.columns as usize)
                };
                self.put_matrix(a, &ruin)?;
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
                let each = |a| Ok(self.run(&Routine::Potrf { a, upper })?[0]);
                batch.map(each).collect()
            }
            Routine::GetrfBatched { a, pivots, count } => {
                let mut infos = Vec::new();
                for (number, a) in (0_u64..).zip(self.batch(a, count)?) {
                    let mut matrix = self.matrix(a)?;
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
                    let mut sides = self.matrix(b)?;
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
            is_double: call.is_double,
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
        let infos = memory.run(&call.routine)?;
        if call.info != 0 {
            memory.put(call.info, &infos)?;
        }
        Ok(())
    }
}
