// Types for the CUDA C bodies of tasks.
//
// A body is a function with the task's name, which computes one index of the task's shape:
//
//     __device__ void saxpy(weft::Index<1> i, weft::In<float, 1> x, weft::InOut<float, 1> y, float a) {
//         y(i) += a * x(i);
//     }
//
// or, with the suffix `_block`, one that every thread of a block runs once, for barriers and shared
// memory:
//
//     __device__ void saxpy_block(weft::Task<1> task, weft::In<float, 1> x, weft::InOut<float, 1> y, float a) {
//         for (auto at = task.begin(); at < task.count(); at += task.stride()) {
//             weft::Index<1> i = task.index(at);
//             y(i) += a * x(i);
//         }
//     }
//
// Arrays have global indices: `x(i)` is the element at index `i` of the call's whole array, in any
// tile. A tile has the indices from `x.first(axis)` to `x.end(axis)`, including a halo, and no
// others. `Int` is the type of indices: `int` if all of them fit, else `long long`. Under
// `WEFT_VERIFY` each access is checked, and the first undeclared one is reported to the host.

namespace weft {

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

// One number for each axis.
template <int D> struct Index {
    Int axes[D > 0 ? D : 1];
    __device__ __forceinline__ Int &operator[](int axis) { return axes[axis]; }
    __device__ __forceinline__ Int operator[](int axis) const { return axes[axis]; }
};

// The tile, and the thread in it.
template <int D> struct Task {
    Index<D> firsts, ends, extents;
    // Size of a block's range of indices along each axis; all 0 if threads count through the tile.
    Index<D> block;

    // The tile's first index along an axis, and one past its last.
    __device__ __forceinline__ Int first(int axis) const { return firsts[axis]; }
    __device__ __forceinline__ Int end(int axis) const { return ends[axis]; }
    // The length of an axis of the whole task's shape.
    __device__ __forceinline__ Int extent(int axis) const { return extents[axis]; }
    // The number of indices of the tile.
    __device__ __forceinline__ long long count() const {
        long long all = 1;
        for (int axis = 0; axis < D; ++axis) all *= ends[axis] - firsts[axis];
        return all;
    }
    // Returns whether an index belongs to the tile.
    __device__ __forceinline__ bool has(const Index<D> &i) const {
        for (int axis = 0; axis < D; ++axis)
            if (i[axis] < firsts[axis] || i[axis] >= ends[axis]) return false;
        return true;
    }
    // The number of this thread, and the total number of threads: the start and the step of a loop
    // over the tile.
    __device__ __forceinline__ long long begin() const {
        const unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        return (long long)blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + in_block;
    }
    __device__ __forceinline__ long long stride() const {
        return (long long)gridDim.x * (blockDim.x * blockDim.y * blockDim.z);
    }
    // Returns the index with a number, the last axis fastest. The result is invalid if the number
    // is not below `count()`.
    __device__ __forceinline__ Index<D> index(long long at) const {
        Index<D> i = firsts;
        for (int axis = D - 1; axis >= 0; --axis) {
            const long long length = ends[axis] - firsts[axis];
            const long long rest = axis > 0 ? at / length : 0;
            i[axis] = (Int)(firsts[axis] + (at - rest * length));
            at = rest;
        }
        return i;
    }
    // The first index of the thread's block, if blocks have several axes.
    __device__ __forceinline__ Index<D> corner() const {
        Index<D> i = firsts;
        long long rest = blockIdx.x;
        for (int axis = D - 1; axis >= 0; --axis) {
            const Int blocks = (ends[axis] - firsts[axis] + block[axis] - 1) / block[axis];
            i[axis] = (Int)(firsts[axis] + rest % blocks * block[axis]);
            rest /= blocks;
        }
        return i;
    }
    // The thread's own index. At the tile's end it may be outside of the tile.
    __device__ __forceinline__ Index<D> index() const {
        if (D == 0 || block[D > 0 ? D - 1 : 0] == 0) return index(begin());
        Index<D> i = corner();
        const unsigned threads[3] = {threadIdx.x, threadIdx.y, threadIdx.z};
        for (int back = 0; back < 3 && back < D; ++back) i[D - 1 - back] += (Int)threads[back];
        return i;
    }
};

// Destination of faults: a word of the host, and the number of the array.
struct Watch {
    unsigned long long *word;
    unsigned int operand;
};

// An array, and the tile's part of it.
template <typename T, int D> struct View {
    T *start; // address of the element at index 0 along each axis, which need not be in memory
    Index<D> extents, firsts, ends, steps;
    Watch watch;
    unsigned char *marks; // for an array that is only written: whether each element was written

    // The first index of the tile's part along an axis, including a halo, and one past the last.
    __device__ __forceinline__ Int first(int axis) const { return firsts[axis]; }
    __device__ __forceinline__ Int end(int axis) const { return ends[axis]; }
    // The length of an axis of the whole array.
    __device__ __forceinline__ Int extent(int axis) const { return extents[axis]; }
    // Returns whether the tile has an index.
    __device__ __forceinline__ bool has(const Index<D> &i) const {
        for (int axis = 0; axis < D; ++axis)
            if (i[axis] < firsts[axis] || i[axis] >= ends[axis]) return false;
        return true;
    }
    template <typename... I> __device__ __forceinline__ bool has(Int i, I... more) const {
        return has(indices(i, more...));
    }
    template <typename... I> __device__ __forceinline__ static Index<D> indices(I... i) {
        static_assert(sizeof...(I) == D, "as many indices as the array has axes");
        const Index<D> all = {{(Int)i...}};
        return all;
    }
    // Returns the address of an element, unchecked.
    __device__ __forceinline__ T *place(const Index<D> &i) const {
        Int at = 0;
        for (int axis = 0; axis < D; ++axis) at += i[axis] * steps[axis];
        return start + at;
    }
};

#ifdef WEFT_VERIFY

enum Fault { NONE, READS, WRITES, READS_BEYOND, WRITES_BEYOND, READS_FIRST, UNWRITTEN };

// Reports a fault to the host. Of several faults the one with the lowest number stays, in any order
// of threads.
WEFT_INLINE void tell(const Watch &watch, int fault, unsigned long long detail) {
    const unsigned long long code =
        ((unsigned long long)watch.operand << 56) | ((unsigned long long)fault << 52) | (detail & 0xfffffffffffffULL);
    atomicMax(watch.word, ~code);
}

// The result of a check: no fault, or a fault with its detail.
struct Finding {
    int fault;
    unsigned long long detail;
};

template <typename T, int D>
WEFT_INLINE Finding find(const View<T, D> &view, const Index<D> &i, int inside, int beyond) {
    unsigned long long at = 0;
    for (int axis = 0; axis < D; ++axis) {
        if (i[axis] < 0 || i[axis] >= view.extents[axis]) {
            const unsigned long long detail =
                ((unsigned long long)axis << 48) | ((unsigned long long)(long long)i[axis] & 0xffffffffffffULL);
            return {beyond, detail};
        }
        at = at * (unsigned long long)view.extents[axis] + (unsigned long long)i[axis];
    }
    return {view.has(i) ? NONE : inside, at};
}

// An element that can be written, or none.
template <typename T> struct Element {
    T *place;
    unsigned char *mark;
    Watch watch;
    Finding read, write;

    __device__ __forceinline__ operator T() const {
        if (read.fault != NONE) {
            tell(watch, read.fault, read.detail);
            return T();
        }
        if (mark && !*mark) {
            tell(watch, READS_FIRST, read.detail);
            return T();
        }
        return *place;
    }
    __device__ __forceinline__ const Element &operator=(T value) const {
        if (write.fault != NONE) {
            tell(watch, write.fault, write.detail);
            return *this;
        }
        *place = value;
        if (mark) *mark = 1;
        return *this;
    }
    __device__ __forceinline__ const Element &operator=(const Element &other) const { return *this = (T)other; }
#define WEFT_ASSIGNS(op) \
    template <typename V> __device__ __forceinline__ const Element &operator op##=(V value) const { \
        return *this = (T)((T)*this op value); \
    }
    WEFT_ASSIGNS(+)
    WEFT_ASSIGNS(-)
    WEFT_ASSIGNS(*)
    WEFT_ASSIGNS(/)
    WEFT_ASSIGNS(%)
    WEFT_ASSIGNS(&)
    WEFT_ASSIGNS(|)
    WEFT_ASSIGNS(^)
    WEFT_ASSIGNS(<<)
    WEFT_ASSIGNS(>>)
#undef WEFT_ASSIGNS
    __device__ __forceinline__ const Element &operator++() const { return *this += 1; }
    __device__ __forceinline__ const Element &operator--() const { return *this -= 1; }
};

template <typename T, int D> WEFT_INLINE T read(const View<const T, D> &view, const Index<D> &i) {
    const Finding found = find(view, i, READS, READS_BEYOND);
    if (found.fault == NONE) return *view.place(i);
    tell(view.watch, found.fault, found.detail);
    return T();
}

template <typename T, int D> WEFT_INLINE Element<T> element(const View<T, D> &view, const Index<D> &i) {
    unsigned long long mark = 0;
    for (int axis = 0; axis < D; ++axis)
        mark = mark * (unsigned long long)(view.ends[axis] - view.firsts[axis]) +
               (unsigned long long)(i[axis] - view.firsts[axis]);
    const Finding read = find(view, i, READS, READS_BEYOND);
    const Finding write = find(view, i, WRITES, WRITES_BEYOND);
    return {view.place(i), view.marks ? view.marks + mark : nullptr, view.watch, read, write};
}

#define WEFT_ELEMENT(T) Element<T>

#else

template <typename T, int D> WEFT_INLINE T read(const View<const T, D> &view, const Index<D> &i) {
    return *view.place(i);
}

template <typename T, int D> WEFT_INLINE T &element(const View<T, D> &view, const Index<D> &i) {
    return *view.place(i);
}

#define WEFT_ELEMENT(T) T &

#endif

// An array that is read: `x(i)` is a value.
template <typename T, int D> struct In : View<const T, D> {
    __device__ __forceinline__ T operator()(const Index<D> &i) const { return read<T, D>(*this, i); }
    template <typename... I> __device__ __forceinline__ T operator()(I... i) const {
        return read<T, D>(*this, View<const T, D>::indices(i...));
    }
};

// An array that is written, each element of the tile's part: `y(i) = value`.
template <typename T, int D> struct Out : View<T, D> {
    __device__ __forceinline__ WEFT_ELEMENT(T) operator()(const Index<D> &i) const { return element<T, D>(*this, i); }
    template <typename... I> __device__ __forceinline__ WEFT_ELEMENT(T) operator()(I... i) const {
        return element<T, D>(*this, View<T, D>::indices(i...));
    }
};

// An array that is read and written: `y(i) += value`.
template <typename T, int D> struct InOut : View<T, D> {
    __device__ __forceinline__ WEFT_ELEMENT(T) operator()(const Index<D> &i) const { return element<T, D>(*this, i); }
    template <typename... I> __device__ __forceinline__ WEFT_ELEMENT(T) operator()(I... i) const {
        return element<T, D>(*this, View<T, D>::indices(i...));
    }
};

} // namespace weft
