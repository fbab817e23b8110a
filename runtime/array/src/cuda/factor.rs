//! Factorizations of matrices and stacks of matrices, by cuSOLVER, and in batches by cuBLAS.
//!
//! The routines take dense matrices by columns and overwrite them. So operands are copied into
//! scratch memory, by columns, or by rows if the transposed matrix serves as well. Small matrices
//! of a stack go to a routine for batches; each larger one is its own call.

mod key;
mod room;

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

#[cfg(test)]
pub(crate) use key::all;
use key::report;
pub(crate) use key::{FactorKernelKey, defect};
use room::{Order, Room};

use super::nest::Strided;
use super::{DeviceOperand, DeviceTile, Job};
use crate::dtype::DType;
use crate::kernel::factor::{Defect, FactorOp};
use weft_core::cuda::{Address, Factoring, Gemm, Matrix, Routine, Vectors, Work};

/// The most rows of matrices in routines for batches.
const BATCHED: usize = 256;

/// The work of a job, with its memory and routines.
pub(crate) struct Plan {
    pub(crate) work: SmallVec<[Work; 2]>,
    /// The number of bytes of scratch memory before the workspace.
    pub(crate) scratch: usize,
}

impl Plan {
    /// Creates the plan with scratch memory at an address.
    pub(crate) fn new(op: FactorOp, job: &Job<'_>, scratch: Address) -> Plan {
        Plan::build(op, job, scratch, false)
    }

    /// Returns the same plan with scratch memory at address 0 and one of the calls that differ only
    /// in addresses. It has the memory and the routines of the whole plan, and takes as long for a
    /// large stack as for one matrix.
    pub(crate) fn outline(op: FactorOp, job: &Job<'_>) -> Plan {
        Plan::build(op, job, 0, true)
    }

    fn build(op: FactorOp, job: &Job<'_>, scratch: Address, is_outline: bool) -> Plan {
        let mut tiles: SmallVec<[DeviceTile; 5]> = SmallVec::new();
        for operand in job.operands {
            if let DeviceOperand::Tile(tile) = operand {
                tiles.push(*tile);
            }
        }
        let mut build = Build::new(job, &tiles[0], scratch);
        build.is_outline = is_outline;
        match (op, &*tiles) {
            (FactorOp::Cholesky, [a, l]) => build.cholesky(a, l),
            (FactorOp::Solve { vector }, [a, b, x]) => build.solve(a, Some(b), x, vector),
            (FactorOp::Inv, [a, out]) => build.solve(a, None, out, false),
            (FactorOp::Det, [a, out]) => build.det(a, out, None),
            (FactorOp::SlogDet, [a, sign, logarithm]) => build.det(a, sign, Some(logarithm)),
            (FactorOp::Qr, [a, q, r]) => build.qr(a, q, r),
            (FactorOp::Eigh, [a, values, vectors]) => build.eigh(a, values, Some(vectors)),
            (FactorOp::EigValsh, [a, values]) => build.eigh(a, values, None),
            (FactorOp::Eig, [a, values, vectors]) => build.eig(a, values, Some(vectors)),
            (FactorOp::EigVals, [a, values]) => build.eig(a, values, None),
            (FactorOp::Svd, [a, u, s, vt]) => build.svd(a, s, Some([u, vt])),
            (FactorOp::SvdVals, [a, s]) => build.svd(a, s, None),
            (FactorOp::LstSq { vector, cutoff }, [a, b, x, rank, s]) => {
                build.lstsq(a, [b, x], vector, cutoff.0, [rank, s]);
            }
            (op, tiles) => unreachable!("{} has {} operands", op.name(), tiles.len()),
        }
        Plan {
            scratch: build.room.bytes(),
            work: build.work,
        }
    }

    /// Returns the routines of the plan, one of each kind, since those of a kind have the same
    /// sizes.
    pub(crate) fn routines(&self) -> SmallVec<[Factoring; 2]> {
        let mut routines: SmallVec<[Factoring; 2]> = SmallVec::new();
        for work in &self.work {
            let Work::Factor(factoring) = work else {
                continue;
            };
            let kind = std::mem::discriminant(&factoring.routine);
            let is_new = |known: &Factoring| std::mem::discriminant(&known.routine) != kind;
            if routines.iter().all(is_new) {
                routines.push(*factoring);
            }
        }
        routines
    }
}

/// Work under construction. Memory is taken before the first routine, since the workspace follows
/// it.
struct Build<'a> {
    job: &'a Job<'a>,
    room: Room,
    work: SmallVec<[Work; 2]>,
    /// Work that follows all other work.
    after: SmallVec<[Work; 2]>,
    dtype: DType,
    /// The size of an element in bytes.
    size: usize,
    /// The number of rows of the matrices.
    rows: usize,
    columns: usize,
    /// The number of matrices of the tile.
    count: usize,
    /// The places of the tile's matrices in the operation's stack.
    places: Places,
    /// Whether one call stands for all that differ only in addresses.
    is_outline: bool,
}

/// The places of a tile's matrices in a stack that is cut along at most one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// The number of the tile's first matrix in the stack.
    pub(super) first: usize,
    /// The number of matrices that are consecutive both in the tile and in the stack.
    pub(super) run: usize,
    /// The number of matrices in the stack from the start of one such run to the next.
    pub(super) step: usize,
}

impl Places {
    /// Returns the places of a tile whose first matrix is at `first`.
    fn new(tile: &[usize], stack: &[usize], first: usize) -> Places {
        let cut = tile.iter().zip(stack).position(|(own, all)| own != all);
        let cut = cut.unwrap_or(0);
        let product = |dims: &[usize]| dims.iter().skip(cut).product::<usize>().max(1);
        Places {
            first,
            run: product(tile),
            step: product(stack),
        }
    }
}

impl<'a> Build<'a> {
    fn new(job: &'a Job<'a>, a: &DeviceTile, scratch: Address) -> Build<'a> {
        let dims = a.layout.shape.dims();
        let (stack, matrix) = dims.split_at(dims.len() - 2);
        let whole = job.whole;
        Build {
            job,
            room: Room::new(scratch),
            work: SmallVec::new(),
            after: SmallVec::new(),
            dtype: a.dtype,
            size: a.dtype.size(),
            rows: matrix[0],
            columns: matrix[1],
            count: stack.iter().product(),
            places: Places::new(stack, whole.dims(), whole.ravel(&job.first[..whole.rank()])),
            is_outline: false,
        }
    }

    fn is_batch(&self) -> bool {
        self.count > 1 && self.rows <= BATCHED
    }

    /// The numbers of the matrices that have a call of their own.
    fn calls(&self) -> Range<usize> {
        0..if self.is_outline {
            self.count.min(1)
        } else {
            self.count
        }
    }

    /// Returns the size in bytes of a stack of matrices with `elements` elements each.
    fn bytes(&self, elements: usize) -> usize {
        self.count * elements * self.size
    }

    /// Returns the address of matrix `at` of a dense stack.
    fn part(&self, first: Address, elements: usize, at: usize) -> Address {
        first + (at * elements * self.size) as u64
    }

    /// Returns the address of the values of matrix `at` among those of a stack.
    fn values(first: Address, elements: usize, at: usize, dtype: DType) -> Address {
        first + (at * elements * dtype.size()) as u64
    }

    fn infos(&mut self) -> Address {
        self.room.take(4 * self.count)
    }

    fn info(infos: Address, at: usize) -> Address {
        infos + 4 * at as u64
    }

    fn factor(&mut self, routine: Routine, info: Address) {
        self.work.push(Work::Factor(Factoring {
            routine,
            dtype: self.dtype,
            info,
            workspace: self.room.workspace(),
        }));
    }

    /// Returns the address of a dense copy of a stack of matrices.
    fn copied(&mut self, tile: &DeviceTile, axes: usize, order: Order) -> Address {
        let (to, work) = self.room.copy_in(tile, axes, order);
        self.work.extend(work);
        to
    }

    /// Returns the address of a dense stack whose elements become those of an output.
    fn output(&mut self, tile: &DeviceTile, axes: usize, order: Order) -> Address {
        let (from, work) = self.room.copy_out(tile, axes, order);
        self.after.extend(work);
        from
    }

    /// Returns the address of an array with the addresses of the matrices of a dense stack.
    fn pointers(&mut self, first: Address, elements: usize) -> Address {
        let out = self.room.take(8 * self.count);
        let bytes = (elements * self.size) as u64;
        let args = smallvec![first, bytes, self.count as u64, out];
        self.work
            .push(FactorKernelKey::Pointers.over(self.count, args));
        out
    }

    fn identity(&mut self, out: Address, rows: usize, columns: usize) {
        let elements = self.count * rows * columns;
        if elements > 0 {
            let args = smallvec![out, rows as u64, columns as u64, elements as u64];
            self.work
                .push(FactorKernelKey::Identity(self.dtype).over(elements, args));
        }
    }

    fn report(&mut self, infos: Address, marks: Address, defect: Defect) {
        let work = report(self.job, [infos, marks], self.count, self.places, defect);
        self.work.push(work);
    }

    fn end(&mut self) {
        let after = std::mem::take(&mut self.after);
        self.work.extend(after);
    }

    fn cholesky(&mut self, a: &DeviceTile, l: &DeviceTile) {
        let (n, elements) = (self.rows, self.rows * self.rows);
        if n == 0 || self.count == 0 {
            return;
        }
        // The lower triangle by rows is the upper one of the transposed matrix by columns, whose
        // factor is the transposed result.
        let out = self.output(l, 2, Order::Rows);
        self.work.extend(Room::copy_to(a, out, 2, Order::Rows));
        if self.dtype.is_complex() {
            let diagonals = self.count * n;
            let args = smallvec![out, n as u64, diagonals as u64];
            let key = FactorKernelKey::MakeDiagonalReal(self.dtype);
            self.work.push(key.over(diagonals, args));
        }
        let infos = self.infos();
        if self.is_batch() {
            let a = self.pointers(out, elements);
            let count = self.count;
            self.factor(Routine::PotrfBatched { n, a, count }, infos);
        } else {
            for at in self.calls() {
                let a = self.part(out, elements, at);
                self.factor(Routine::Potrf { n, a }, Build::info(infos, at));
            }
        }
        self.report(infos, 0, Defect::NotPositiveDefinite);
        let all = self.count * elements;
        let args = smallvec![out, n as u64, all as u64];
        self.work
            .push(FactorKernelKey::ClearAbove(self.dtype).over(all, args));
        self.end();
    }

    /// Factors the matrices at `a` into triangles, with exchanges at `pivots`. Returns the
    /// addresses of the matrices if they are a batch.
    fn triangles(&mut self, a: Address, pivots: Address, infos: Address) -> Address {
        let (n, elements) = (self.rows, self.rows * self.rows);
        if self.is_batch() {
            let a = self.pointers(a, elements);
            let count = self.count;
            let routine = Routine::GetrfBatched {
                n,
                a,
                pivots,
                count,
            };
            self.factor(routine, infos);
            return a;
        }
        for at in self.calls() {
            let routine = Routine::Getrf {
                n,
                a: self.part(a, elements, at),
                pivots: pivots + (8 * n * at) as u64,
            };
            self.factor(routine, Build::info(infos, at));
        }
        0
    }

    /// Solves for right sides, which are the identity if `b` is `None`.
    fn solve(&mut self, a: &DeviceTile, b: Option<&DeviceTile>, x: &DeviceTile, vector: bool) {
        let n = self.rows;
        let axes = if vector { 1 } else { 2 };
        let sides = match vector {
            true => 1,
            false => *x.layout.shape.dims().last().unwrap_or(&1),
        };
        if n == 0 || sides == 0 || self.count == 0 {
            return;
        }
        let out = self.output(x, axes, Order::Columns);
        let a = self.copied(a, 2, Order::Columns);
        match b {
            Some(b) => self
                .work
                .extend(Room::copy_to(b, out, axes, Order::Columns)),
            None => self.identity(out, n, n),
        }
        let pivots = self.room.take(8 * n * self.count);
        let infos = self.infos();
        let sides_info = self.infos();
        let b = match self.is_batch() {
            true => self.pointers(out, n * sides),
            false => 0,
        };
        let batch = self.triangles(a, pivots, infos);
        if self.is_batch() {
            let count = self.count;
            let routine = Routine::GetrsBatched {
                n,
                sides,
                a: batch,
                pivots,
                b,
                count,
            };
            self.factor(routine, sides_info);
        } else {
            for at in self.calls() {
                let routine = Routine::Getrs {
                    n,
                    sides,
                    a: self.part(a, n * n, at),
                    pivots: pivots + (8 * n * at) as u64,
                    b: self.part(out, n * sides, at),
                };
                self.factor(routine, Build::info(sides_info, at));
            }
        }
        self.report(infos, 0, Defect::Singular);
        self.end();
    }

    fn det(&mut self, a: &DeviceTile, out: &DeviceTile, logarithms: Option<&DeviceTile>) {
        let (n, count) = (self.rows, self.count);
        if count == 0 {
            return;
        }
        let values = self.output(out, 0, Order::Rows);
        let sizes = logarithms.map_or(0, |tile| self.output(tile, 0, Order::Rows));
        let a = self.copied(a, 2, Order::Columns);
        let pivots = self.room.take(8 * n * count);
        let infos = self.infos();
        if n > 0 {
            self.triangles(a, pivots, infos);
        }
        let key = FactorKernelKey::Pivots {
            dtype: self.dtype,
            logarithms: logarithms.is_some(),
            is_batch: self.is_batch(),
        };
        let mut args = smallvec![a, pivots, infos, n as u64, count as u64];
        args.extend([values, sizes]);
        self.work.push(key.pivots(count, args));
        self.end();
    }

    fn qr(&mut self, a: &DeviceTile, q: &DeviceTile, r: &DeviceTile) {
        let (m, n, k) = (self.rows, self.columns, self.rows.min(self.columns));
        if k == 0 || self.count == 0 {
            return;
        }
        let a = self.copied(a, 2, Order::Columns);
        let upper = self.output(r, 2, Order::Rows);
        let tau = self.room.take(self.bytes(k));
        let infos = self.infos();
        for at in self.calls() {
            let routine = Routine::Geqrf {
                m,
                n,
                a: self.part(a, m * n, at),
                tau: self.part(tau, k, at),
            };
            self.factor(routine, Build::info(infos, at));
        }
        let all = self.count * k * n;
        let mut args = smallvec![a, upper];
        args.extend([m, n, k, all].map(|count| count as u64));
        self.work
            .push(FactorKernelKey::TakeUpper(self.dtype).over(all, args));
        for at in self.calls() {
            let routine = Routine::Orgqr {
                m,
                k,
                a: self.part(a, m * n, at),
                tau: self.part(tau, k, at),
            };
            self.factor(routine, Build::info(infos, at));
        }
        // The result is the first columns of each matrix.
        let columns = room::dense(q, 2, Order::Columns, a, m * n);
        self.work.extend(weft_core::cuda::copy(&columns, q));
        self.end();
    }

    /// Marks matrices with elements that are not finite, and replaces these elements. With
    /// `triangle`, matrices are Hermitian and by rows: only the lower triangle is checked, and it
    /// becomes the upper one by columns.
    fn clean(&mut self, a: Address, triangle: bool) -> Address {
        let marks = self.room.take(4 * self.count);
        let each = self.rows * self.columns;
        let n = if triangle { self.rows } else { 0 };
        self.work.push(Work::Fill {
            to: marks,
            pattern: 0,
            width: 4,
            count: self.count,
        });
        let all = self.count * each;
        let args = smallvec![a, each as u64, n as u64, all as u64, marks];
        self.work
            .push(FactorKernelKey::Clean(self.dtype).over(all, args));
        marks
    }

    fn eigh(&mut self, a: &DeviceTile, values: &DeviceTile, vectors: Option<&DeviceTile>) {
        let n = self.rows;
        if n == 0 || self.count == 0 {
            return;
        }
        let w = self.output(values, 1, Order::Rows);
        // The lower triangle by rows becomes the upper one by columns. The vectors replace it, by
        // columns.
        let own = self.copied(a, 2, Order::Rows);
        let marks = self.clean(own, true);
        let infos = self.infos();
        for at in self.calls() {
            let routine = Routine::Syevd {
                n,
                a: self.part(own, n * n, at),
                values: Build::values(w, n, at, self.dtype.real()),
                vectors: vectors.is_some(),
            };
            self.factor(routine, Build::info(infos, at));
        }
        self.report(infos, marks, Defect::NoConvergence);
        if let Some(vectors) = vectors {
            let columns = room::dense(vectors, 2, Order::Columns, own, n * n);
            self.work.extend(weft_core::cuda::copy(&columns, vectors));
        }
        self.end();
    }

    fn eig(&mut self, a: &DeviceTile, values: &DeviceTile, vectors: Option<&DeviceTile>) {
        let n = self.rows;
        if n == 0 || self.count == 0 {
            return;
        }
        let is_real = !self.dtype.is_complex();
        let w = self.output(values, 1, Order::Rows);
        let own = self.copied(a, 2, Order::Columns);
        let marks = self.clean(own, false);
        let infos = self.infos();
        // The routine packs the vectors of real matrices.
        let packed = (is_real && vectors.is_some()).then(|| self.room.take(self.bytes(n * n)));
        let order = if is_real { Order::Rows } else { Order::Columns };
        let out = vectors.map(|tile| self.output(tile, 2, order));
        for at in self.calls() {
            let made = packed.or(out);
            let routine = Routine::Geev {
                n,
                a: self.part(own, n * n, at),
                values: Build::values(w, n, at, self.dtype.complex()),
                vectors: made.map(|first| self.part(first, n * n, at)),
            };
            self.factor(routine, Build::info(infos, at));
        }
        self.report(infos, marks, Defect::NoConvergence);
        if let (Some(packed), Some(out)) = (packed, out) {
            let all = self.count * n * n;
            let args = smallvec![packed, w, out, n as u64, all as u64];
            self.work
                .push(FactorKernelKey::UnpackVectors(self.dtype).over(all, args));
        }
        self.end();
    }

    fn svd(&mut self, a: &DeviceTile, s: &DeviceTile, vectors: Option<[&DeviceTile; 2]>) {
        let (rows, columns) = (self.rows, self.columns);
        if self.count == 0 {
            return;
        }
        if rows == 0 || columns == 0 {
            // There are as many vectors as rows or columns, or none, if the matrix has no elements.
            for tile in vectors.into_iter().flatten() {
                if tile.layout.shape.is_empty() {
                    continue;
                }
                let side = *tile.layout.shape.dims().last().unwrap_or(&0);
                let out = self.output(tile, 2, Order::Rows);
                self.identity(out, side, side);
            }
            return self.end();
        }
        let values = self.output(s, 1, Order::Rows);
        // A matrix by rows is its transpose by columns, whose factors are transposed and exchanged.
        let order = if rows > columns {
            Order::Columns
        } else {
            Order::Rows
        };
        let mut parts = [0; 2];
        let mut all = false;
        if let Some(tiles) = vectors {
            parts = tiles.map(|tile| self.output(tile, 2, order));
            let [wide, tall] = tiles.map(|tile| tile.layout.shape.dims());
            all = wide.last() > Some(&columns) || tall[tall.len() - 2] > rows;
        }
        let wanted = match (vectors, all) {
            (None, _) => Vectors::None,
            (Some(_), false) => Vectors::Thin,
            (Some(_), true) => Vectors::All,
        };
        if order == Order::Rows {
            parts.reverse();
        }
        self.values_and_vectors(a, order, values, parts, wanted);
        self.end();
    }

    /// Computes singular values and vectors of all matrices, which are taken by columns or as their
    /// transposes.
    fn values_and_vectors(
        &mut self,
        a: &DeviceTile,
        order: Order,
        values: Address,
        [u, vt]: [Address; 2],
        vectors: Vectors,
    ) {
        let (m, n) = match order {
            Order::Columns => (self.rows, self.columns),
            Order::Rows => (self.columns, self.rows),
        };
        let wide = if vectors == Vectors::All { m } else { n };
        let a = self.copied(a, 2, order);
        let marks = self.clean(a, false);
        let infos = self.infos();
        for at in self.calls() {
            let part = |first: Address, elements| match vectors {
                Vectors::None => 0,
                _ => self.part(first, elements, at),
            };
            let routine = Routine::Gesvd {
                m,
                n,
                a: self.part(a, m * n, at),
                s: Build::values(values, n, at, self.dtype.real()),
                u: part(u, m * wide),
                vt: part(vt, n * n),
                vectors,
            };
            self.factor(routine, Build::info(infos, at));
        }
        self.report(infos, marks, Defect::NoConvergence);
    }

    fn lstsq(
        &mut self,
        a: &DeviceTile,
        [b, x]: [&DeviceTile; 2],
        vector: bool,
        cutoff: f64,
        [rank, s]: [&DeviceTile; 2],
    ) {
        let (rows, columns, k) = (self.rows, self.columns, self.rows.min(self.columns));
        let axes = if vector { 1 } else { 2 };
        let sides = match vector {
            true => 1,
            false => *x.layout.shape.dims().last().unwrap_or(&1),
        };
        if self.count == 0 {
            return;
        }
        let solution = self.output(x, axes, Order::Rows);
        let ranks = self.room.take(8 * self.count);
        let ranks_out = room::dense(rank, 0, Order::Rows, ranks, 1);
        let zeros = |to: Address, bytes: usize| Work::Fill {
            to,
            pattern: 0,
            width: 4,
            count: bytes / 4,
        };
        if k == 0 {
            let bytes = self.bytes(columns * sides);
            self.work
                .extend((bytes > 0).then(|| zeros(solution, bytes)));
            self.work.push(zeros(ranks, 8 * self.count));
            self.work.extend(weft_core::cuda::copy(&ranks_out, rank));
            return self.end();
        }
        let values = self.output(s, 1, Order::Rows);
        let right = self.copied(b, axes, Order::Rows);
        let along = self.room.take(self.bytes(k * sides));
        let (u, vt) = (
            self.room.take(self.bytes(rows * k)),
            self.room.take(self.bytes(k * columns)),
        );
        let is_tall = rows > columns;
        match is_tall {
            true => {
                self.values_and_vectors(a, Order::Columns, values, [u, vt], Vectors::Thin);
            }
            false => self.values_and_vectors(a, Order::Rows, values, [vt, u], Vectors::Thin),
        }
        if self.dtype.is_complex() {
            // The products take transposed matrices, of which only conjugates are wanted.
            for (start, elements) in [(u, rows * k), (vt, k * columns)] {
                let all = self.count * elements;
                let args = smallvec![start, all as u64];
                self.work
                    .push(FactorKernelKey::Conjugate(self.dtype).over(all, args));
            }
        }
        // The matrix is by rows, or by columns if it is tall. A product takes either of them
        // transposed.
        let matrix = |start: Address, rows: usize, columns: usize, by_columns: bool| Matrix {
            start,
            step: if by_columns { rows } else { columns },
            is_transposed: by_columns,
        };
        if sides > 0 {
            for at in self.calls() {
                self.work.push(Work::Gemm(Gemm {
                    dtype: self.dtype,
                    rows: k,
                    columns: sides,
                    inner: rows,
                    // The transpose of a matrix by columns is one by rows.
                    a: matrix(self.part(u, rows * k, at), k, rows, !is_tall),
                    b: matrix(self.part(right, rows * sides, at), rows, sides, false),
                    c: matrix(self.part(along, k * sides, at), k, sides, false),
                }));
            }
        }
        let all = (self.count * k * sides).max(1);
        let mut args = smallvec![along, values];
        args.extend([k, sides, self.count].map(|count| count as u64));
        args.extend([cutoff.to_bits(), ranks]);
        self.work
            .push(FactorKernelKey::Divide(self.dtype).over(all, args));
        if sides > 0 {
            for at in self.calls() {
                self.work.push(Work::Gemm(Gemm {
                    dtype: self.dtype,
                    rows: columns,
                    columns: sides,
                    inner: k,
                    a: matrix(self.part(vt, k * columns, at), columns, k, !is_tall),
                    b: matrix(self.part(along, k * sides, at), k, sides, false),
                    c: matrix(
                        self.part(solution, columns * sides, at),
                        columns,
                        sides,
                        false,
                    ),
                }));
            }
        }
        self.work.extend(weft_core::cuda::copy(&ranks_out, rank));
        self.end();
    }
}

/// Returns the address of the first element of a tile.
fn start(tile: &DeviceTile) -> Address {
    Strided::from_tile(tile).first
}
