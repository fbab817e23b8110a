// Kernels before and after routines of dense linear algebra. Matrices of a stack are dense and
// consecutive; one by columns has element (i, j) at i + j * rows.

namespace weft {

WEFT_INLINE long long first_of_grid() { return blockIdx.x * (long long)blockDim.x + threadIdx.x; }
WEFT_INLINE long long step_of_grid() { return gridDim.x * (long long)blockDim.x; }

// Writes the addresses of `count` parts of `bytes` bytes each.
WEFT_INLINE void set_pointers(unsigned long long first, long long bytes, long long count, unsigned long long *out) {
    for (long long i = first_of_grid(); i < count; i += step_of_grid()) out[i] = first + i * bytes;
}

// Writes ones on the diagonal of each matrix of `rows` by `columns`, and zeros elsewhere;
// `elements` in all.
template <typename T>
WEFT_INLINE void set_identity(T *out, long long rows, long long columns, long long elements) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) {
        const long long at = i % (rows * columns);
        out[i] = (T)(at % rows == at / rows ? 1 : 0);
    }
}

// Writes zeros above the diagonal of each matrix by rows, of `n` by `n`.
template <typename T> WEFT_INLINE void clear_above(T *out, long long n, long long elements) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) {
        const long long at = i % (n * n);
        if (at % n > at / n) out[i] = (T)0;
    }
}

// Copies the upper triangle of each matrix of `rows` by `columns`, which is by columns, to `kept`
// rows of a matrix by rows.
template <typename T>
WEFT_INLINE void take_upper(const T *in, T *out, long long rows, long long columns, long long kept,
                            long long elements) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) {
        const long long matrix = i / (kept * columns), at = i % (kept * columns);
        const long long row = at / columns, column = at % columns;
        out[i] = row > column ? (T)0 : in[matrix * rows * columns + row + column * rows];
    }
}

// Returns the element of a Hermitian matrix on the other side of the diagonal.
template <typename T> WEFT_INLINE T mirrored(T value, bool) { return value; }

// Sets elements that are not finite to 0, and marks their matrices, of `each` elements each: an
// iteration over such an element may not end. With `n` above 0 the lower triangles by rows, of `n`
// by `n`, are those of Hermitian matrices. They become the upper triangles by columns, and elements
// above the diagonals by rows do not mark a matrix.
template <typename T>
WEFT_INLINE void clean(T *array, long long each, long long n, long long elements, int *marks) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) {
        const T value = array[i];
        const long long at = i % each;
        if (value - value == (T)0) {
            if (n > 0) array[i] = mirrored(value, at % n == at / n);
            continue;
        }
        array[i] = (T)0;
        if (n == 0 || at % n <= at / n) marks[i / each] = 1;
    }
}

// Reports that a matrix has no result: the number of the first such matrix in the operation's
// stack, and `defect`. The tile's first matrix has the number `first` there. Runs of `run` matrices
// are consecutive both in the tile and in the stack, and the next run begins `step` numbers later.
// `infos` are the status codes of routines; `marks` may be null. One block of 256 threads.
WEFT_INLINE void report_defect(const int *infos, const int *marks, long long count, long long first, long long run, long long step,
                               long long defect, long long *fault) {
    __shared__ long long lowest[256];
    const int thread = threadIdx.x;
    lowest[thread] = count;
    for (long long i = thread; i < count; i += 256) {
        if (infos[i] > 0 || (marks != 0 && marks[i] != 0)) {
            lowest[thread] = i;
            break;
        }
    }
    __syncthreads();
    if (thread > 0) return;
    long long found = count;
    for (int i = 0; i < 256; ++i) found = lowest[i] < found ? lowest[i] : found;
    if (found == count) return;
    fault[0] = first + found / run * step + found % run;
    fault[1] = defect;
}

// Types of the elements `T`, and conversions.
template <typename T> struct Pivot {
    typedef T Real;
    typedef double Wide;
    WEFT_INLINE Wide wide(T value) { return (double)value; }
    WEFT_INLINE T narrow(Wide value) { return (T)value; }
    WEFT_INLINE double size(Wide value) { return value < 0 ? -value : value; }
    WEFT_INLINE Wide times(Wide value, double factor) { return value * factor; }
    WEFT_INLINE Wide over(Wide value, double divisor) { return value / divisor; }
};

// A product without overflow: `value * 2^power`.
template <typename W> struct Scaled {
    W value;
    long long power;
};

// Normalizes the value to [1, 2), if it is a normal number.
WEFT_INLINE Scaled<double> normal(Scaled<double> scaled) {
    const unsigned long long bits = (unsigned long long)__double_as_longlong(scaled.value);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0 || exponent == 0x7ff) return scaled;
    const unsigned long long one = (bits & 0x800fffffffffffffull) | 0x3ff0000000000000ull;
    return {__longlong_as_double((long long)one), scaled.power + exponent - 1023};
}

// Returns 2 to a power from -1022 to 1023.
WEFT_INLINE double power_of_two(long long power) { return __longlong_as_double((power + 1023) << 52); }

template <typename T> WEFT_INLINE T unscaled(Scaled<typename Pivot<T>::Wide> scaled) {
    // Beyond the range of exponents every result is 0 or infinite.
    long long power = scaled.power < -3000 ? -3000 : scaled.power > 3000 ? 3000 : scaled.power;
    while (power != 0) {
        const long long step = power < -1000 ? -1000 : power > 1000 ? 1000 : power;
        scaled.value = Pivot<T>::times(scaled.value, power_of_two(step));
        power -= step;
    }
    return Pivot<T>::narrow(scaled.value);
}

// Computes the determinant of each matrix from its triangles and exchanges, or with `logarithms`
// the sign and the logarithm of the magnitude. One block of 128 threads handles a matrix at a time.
template <bool logarithms, typename T, typename P>
WEFT_INLINE void multiply_pivots(const T *triangles, const P *exchanges, const int *infos, long long n, long long count,
                                 T *out, typename Pivot<T>::Real *out_logarithms) {
    typedef typename Pivot<T>::Real Real;
    typedef typename Pivot<T>::Wide Wide;
    __shared__ Wide values[128];
    __shared__ long long powers[128];
    __shared__ double sums[128];
    const int thread = threadIdx.x;
    for (long long matrix = blockIdx.x; matrix < count; matrix += gridDim.x) {
        const T *own = triangles + matrix * n * n;
        const P *exchange = exchanges + matrix * n;
        Scaled<Wide> product = {Wide(1), 0};
        double sum = 0;
        for (long long i = thread; i < n; i += 128) {
            Wide pivot = Pivot<T>::wide(own[i * (n + 1)]);
            if ((long long)exchange[i] != i + 1) product.value = Pivot<T>::times(product.value, -1);
            if (logarithms) {
                const double size = Pivot<T>::size(pivot);
                sum += weft_c_log(size);
                pivot = Pivot<T>::over(pivot, size);
            }
            product.value = product.value * pivot;
            product = normal(product);
        }
        values[thread] = product.value;
        powers[thread] = product.power;
        sums[thread] = sum;
        __syncthreads();
        if (thread == 0) {
            for (int i = 1; i < 128; ++i) {
                product.value = product.value * values[i];
                product.power += powers[i];
                product = normal(product);
                sum += sums[i];
            }
            const bool singular = n > 0 && infos[matrix] > 0;
            out[matrix] = singular ? (T)0 : unscaled<T>(product);
            if (logarithms) out_logarithms[matrix] = singular ? (Real)-__longlong_as_double(0x7ff0000000000000ll) : (Real)sum;
        }
        __syncthreads();
    }
}

// Counts for each matrix the singular values above `cutoff` times the largest one. Divides each of
// `sides` elements of the rows of these values by the value; other rows become 0. `rows` are by
// rows.
template <typename T>
WEFT_INLINE void divide_by_values(T *rows, const typename Pivot<T>::Real *values, long long n, long long sides,
                                  long long count, unsigned long long cutoff, long long *ranks) {
    typedef typename Pivot<T>::Real Real;
    const double part = __longlong_as_double((long long)cutoff);
    for (long long i = first_of_grid(); i < n * sides * count; i += step_of_grid()) {
        const long long matrix = i / (n * sides), row = i % (n * sides) / sides;
        const Real *own = values + matrix * n;
        const bool counts = (double)own[row] > part * (double)own[0];
        rows[i] = counts ? Pivot<T>::narrow(Pivot<T>::over(Pivot<T>::wide(rows[i]), (double)own[row])) : (T)0;
    }
    for (long long matrix = first_of_grid(); matrix < count; matrix += step_of_grid()) {
        const Real *own = values + matrix * n;
        long long rank = 0;
        while (rank < n && (double)own[rank] > part * (double)own[0]) ++rank;
        ranks[matrix] = rank;
    }
}

}  // namespace weft
