// Products with matrices.

#define WEFT_INLINE static __device__ __forceinline__

namespace weft {

// Returns the product of two elements. C would multiply 16 bits as `int`, which overflows.
template <typename T> WEFT_INLINE T product(T a, T b) { return a * b; }
WEFT_INLINE unsigned short product(unsigned short a, unsigned short b) {
    return (unsigned short)((unsigned int)a * b);
}

// Neighbouring elements that are read at once.
template <typename T, int W> struct __align__(sizeof(T) * W) Pack {
    T lane[W];
};

// Adds up the values of the threads along x, in the first of them. All threads of the block must
// call this.
template <typename T, int R> WEFT_INLINE void sum_rows(T (&shared)[R][256], int own) {
    for (int half = (int)blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) {
#pragma unroll
            for (int r = 0; r < R; ++r) shared[r][own] = shared[r][own] + shared[r][own + half];
        }
    }
}

// Matrix times vector, for dense rows. A block computes `blockDim.y` times `R` rows. `blockDim.x`
// threads share each of them, and read `W` neighbouring elements at a time. Blocks in y are parts
// of `length` columns, a multiple of W. If there are several parts, a result goes to
// `parts[part * rows + row]`, and the last block of some rows adds up those of its rows. The number
// of columns is a multiple of W, and so are steps of rows.
template <typename T, int W, int R>
WEFT_INLINE void matvec_rows(const T *matrix, long long row_step, const T *vector, T *out, long long out_step,
                             long long rows, long long columns, long long length, T *parts,
                             unsigned *tickets) {
    __shared__ T shared[R][256];
    typedef Pack<T, W> P;
    const int own = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const long long first = (blockIdx.x * (long long)blockDim.y + threadIdx.y) * R;
    const T *row[R];
    T acc[R][W];
#pragma unroll
    for (int r = 0; r < R; ++r) {
        // Rows beyond the last one read the last one, and are not written.
        const long long number = first + r < rows ? first + r : rows - 1;
        row[r] = matrix + number * row_step;
#pragma unroll
        for (int w = 0; w < W; ++w) acc[r][w] = (T)0;
    }
    const long long low = blockIdx.y * length;
    const long long end = columns - low < length ? columns : low + length;
    const int step = (int)blockDim.x * W;
    for (long long i = low + (long long)threadIdx.x * W; i < end; i += step) {
        const P x = *reinterpret_cast<const P *>(vector + i);
        P a[R];
#pragma unroll
        for (int r = 0; r < R; ++r) a[r] = *reinterpret_cast<const P *>(row[r] + i);
#pragma unroll
        for (int r = 0; r < R; ++r) {
#pragma unroll
            for (int w = 0; w < W; ++w) acc[r][w] = acc[r][w] + product(a[r].lane[w], x.lane[w]);
        }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
        for (int half = W / 2; half > 0; half /= 2) {
#pragma unroll
            for (int w = 0; w < half; ++w) acc[r][w] = acc[r][w] + acc[r][w + half];
        }
        shared[r][own] = acc[r][0];
    }
    sum_rows<T, R>(shared, own);
    if (gridDim.y > 1) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (threadIdx.x == 0 && first + r < rows) parts[blockIdx.y * rows + first + r] = shared[r][own];
        }
        if (!is_last(tickets + blockIdx.x, gridDim.y)) return;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            T sum = (T)0;
            for (unsigned part = threadIdx.x; first + r < rows && part < gridDim.y; part += blockDim.x) {
                sum = sum + parts[part * rows + first + r];
            }
            shared[r][own] = sum;
        }
        sum_rows<T, R>(shared, own);
    }
    if (threadIdx.x != 0) return;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        if (first + r < rows) out[(first + r) * out_step] = shared[r][own];
    }
}

// The steps of a matrix along its rows and columns.
struct Steps {
    long long down;
    long long right;
};

// Matrix times matrix with any steps. A block of 16 by 16 threads computes a square of 64 by 64
// elements, 4 by 4 for each thread. Blocks are along columns in x, and along rows in y, where there
// may be fewer than needed.
template <typename T>
WEFT_INLINE void matmul(const T *a, Steps as, const T *b, Steps bs, T *c, Steps cs, long long rows, long long columns,
                        long long inner) {
    __shared__ T left[16][65];
    __shared__ T right[16][65];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, own = y * 16 + x;
    const long long column = blockIdx.x * 64LL;
    // Neighbouring threads read along the shorter step.
    const bool along_row = (as.right < 0 ? -as.right : as.right) <= (as.down < 0 ? -as.down : as.down);
    for (long long row = blockIdx.y * 64LL; row < rows; row += gridDim.y * 64LL) {
        T acc[4][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[i][j] = (T)0;
        }
        for (long long k = 0; k < inner; k += 16) {
#pragma unroll
            for (int part = 0; part < 4; ++part) {
                const int at = part * 256 + own;
                const int ka = along_row ? at % 16 : at / 64, ra = along_row ? at / 16 : at % 64;
                const bool has_a = row + ra < rows && k + ka < inner;
                left[ka][ra] = has_a ? a[(row + ra) * as.down + (k + ka) * as.right] : (T)0;
                const int kb = at / 64, cb = at % 64;
                const bool has_b = column + cb < columns && k + kb < inner;
                right[kb][cb] = has_b ? b[(k + kb) * bs.down + (column + cb) * bs.right] : (T)0;
            }
            __syncthreads();
#pragma unroll
            for (int l = 0; l < 16; ++l) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        acc[i][j] = acc[i][j] + product(left[l][y + 16 * i], right[l][x + 16 * j]);
                    }
                }
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const long long r = row + y + 16 * i, s = column + x + 16 * j;
                if (r < rows && s < columns) c[r * cs.down + s * cs.right] = acc[i][j];
            }
        }
    }
}

}  // namespace weft
