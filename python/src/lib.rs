//! Weft's arrays for Python: the module `weft._core`.
//!
//! The parts that must be fast are here: the array with its operators, the universal functions,
//! basic indexing, and the place of each call in the program. The primitives of NumPy's functions
//! are here too; the functions themselves are Python (`python/weft/numpy`).

mod annotate;
mod array;
mod buffer;
mod create;
mod dtype;
mod ending;
mod error;
mod frame;
mod function;
mod hooks;
mod host;
mod index;
mod interrupt;
mod kind;
mod known;
mod lazy;
mod linear;
mod machine;
mod masked;
mod on_thread;
mod operand;
mod operators;
mod pending;
mod plain;
mod primitive;
mod rolled;
mod run;
mod scalar;
mod select;
mod sequence;
mod share;
mod task;
mod ufunc;
mod whole;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        weft::words::provide(super::dtype::WORDS);
        super::interrupt::watch();
        super::ending::watch_interpreter();
        Ok(())
    }

    #[pymodule_export]
    use super::annotate::Scope;
    #[pymodule_export]
    use super::array::Array;
    #[pymodule_export]
    use super::buffer::{from_buffer, to_buffer};
    #[pymodule_export]
    use super::create::{Random, arange, empty, eye, full, linspace, zeros};
    #[pymodule_export]
    use super::dtype::register_dtypes;
    #[pymodule_export]
    use super::ending::pause_threads;
    #[pymodule_export]
    use super::frame::{provenance, register_package};
    #[pymodule_export]
    use super::function::Function;
    #[pymodule_export]
    use super::hooks::register;
    #[pymodule_export]
    use super::host::Fallback;
    #[pymodule_export]
    use super::kind::{NdArray, Number, as_array, as_result, known_number, number_classes};
    #[pymodule_export]
    use super::known::known_classes;
    #[pymodule_export]
    use super::linear::{
        cholesky, det, eig, eigh, eigvals, eigvalsh, einsum, fft, inv, lstsq, matmul, product, qr,
        slogdet, solve, svd, svdvals, tensordot,
    };
    #[pymodule_export]
    use super::machine::{
        kernel_compiler, legate_flags, offload_to, pack_kernels, processors, profile_path, ranks,
        stencil_hint,
    };
    #[pymodule_export]
    use super::plain::{
        allclose_plain, arange_plain, array_equal_plain, array_plain, astype_plain, bincount_plain,
        block_plain, choose_plain, clip_plain, convolve_plain, copyto_plain, cross_plain,
        delete_plain, diagonal_plain, diff_plain, digitize_plain, ediff1d_plain, einsum_plain,
        expand_plain, fill_diagonal_plain, fill_plain, flatten_plain, flip_plain, full_like_plain,
        gradient_plain, inner_plain, insert_plain, interp_plain, isclose_plain, item_plain,
        lexsort_plain, linspace_plain, matvec_plain, mean_plain, median_plain, nan_bound_plain,
        nan_to_num_plain, nonzero_plain, outer_plain, packbits, packbits_plain, pad_plain,
        permute_plain, place_plain, polyval_plain, put_along_plain, put_plain, putmask_plain,
        quantile_plain, ravel_multi_plain, ravel_plain, reduce_plain, repeat_plain, reshape_plain,
        round_plain, scan_plain, searchsorted_plain, sort_in_place_plain, sort_plain,
        squeeze_plain, stack_plain, swapaxes_plain, take_along_plain, take_plain, tile_plain,
        tolist_plain, trapezoid_plain, triangle_plain, unpackbits, unpackbits_plain, unravel_plain,
        var_plain, vecdot_plain, vecmat_plain,
    };
    #[pymodule_export]
    use super::primitive::{
        assign, broadcast_to, cast, concatenate, copy, diagonal, is_same_view, joined, permute,
        reshape, select, selected, shares_store, strided, view,
    };
    #[pymodule_export]
    use super::rolled::roll;
    #[pymodule_export]
    use super::run::{
        abandon, abandon_interrupted, end_by_signal, finish, has_started, pool_status, start,
        wait_all,
    };
    #[pymodule_export]
    use super::select::{
        argwhere, count_at_once, nonzero, put, put_at, put_where, putmask, take, take_at,
        take_where,
    };
    #[pymodule_export]
    use super::sequence::{
        argpartition, argsort, bincount, bincount_below, convolve, histogram, interp, partition,
        quantile, reduce, reduce_segments, scan, searchsorted, sort, unique, unique_all,
    };
    #[pymodule_export]
    use super::share::{borrow, raise_interrupted};
    #[pymodule_export]
    use super::task::{
        BorrowedMemory, DeviceArray, Exchange, Task, TaskContext, end_tasks, has_tasks,
    };
    #[pymodule_export]
    use super::ufunc::{Ufunc, apply, set_checked};
    #[pymodule_export]
    use super::whole::Whole;
}
