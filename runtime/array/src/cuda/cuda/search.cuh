// Places of values in a sorted vector, and interpolation between points.

namespace weft {

// A sorted vector.
template <typename T>
struct Sorted {
    const T *first;
    long long step, length;

    __device__ __forceinline__ T operator[](long long at) const { return first[at * step]; }
};

// Calls `emit` with each value, the number of elements of `sorted` before it (with `right`, equal
// ones count too), and the place of the output. Operands of the loops are the values and the
// output.
template <int E, typename T, int D, typename I, typename Emit>
WEFT_INLINE void search_each(const Sorted<T> &sorted, bool right, const T *values, const Walk<E, 2, D, I> &walk,
                             const Emit &emit) {
    typedef typename Order<T>::Word Word;
    walk.each([&](I first, const I(&row)[2]) {
        const I(&steps)[2] = walk.loops.step[0];
        Word word[E];
        long long low[E];
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = first + (I)(k * blockDim.x);
            word[k] = i < walk.loops.count[0] ? Order<T>::rank(values[row[0] + i * steps[0]]) : 0;
            low[k] = 0;
        }
        // All searches take the same steps, so that their loads are in flight together.
        for (long long count = sorted.length; count > 0;) {
            const long long half = count / 2;
#pragma unroll
            for (int k = 0; k < E; ++k) {
                const long long at = low[k] + half;
                const Word other = Order<T>::rank(sorted[at < sorted.length ? at : sorted.length - 1]);
                const bool is_before = at < sorted.length && (right ? other <= word[k] : other < word[k]);
                if (is_before) low[k] = at + 1;
            }
            count = half;
        }
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = first + (I)(k * blockDim.x);
            if (i < walk.loops.count[0]) emit(values[row[0] + i * steps[0]], low[k], row[1] + i * steps[1]);
        }
    });
}

// Sets `out` to the number of elements of `sorted` before a value.
template <int E, typename T, int D, typename I>
WEFT_INLINE void search(const Sorted<T> &sorted, bool right, const T *values, long long *out,
                        const Walk<E, 2, D, I> &walk) {
    search_each<E>(sorted, right, values, walk, [&](T, long long place, I to) { out[to] = place; });
}

// Sets `out` to the function that joins the points of `x` and `y` by straight lines, as NumPy's
// `interp`. Bit 0 of `given` says that `left` is the result before the first point, bit 1 that
// `last` is the one after the last point.
template <int E, int D, typename I>
WEFT_INLINE void interpolate(const Sorted<double> &x, const double *y_first, long long y_step, long long given,
                             double left, double last, const double *values, double *out,
                             const Walk<E, 2, D, I> &walk) {
    const Sorted<double> y = {y_first, y_step, x.length};
    const long long end = x.length - 1;
    search_each<E>(x, true, values, walk, [&](double value, long long place, I to) {
        const long long point = place - 1;
        double found;
        if (value != value) {
            found = end == 0 ? y[0] : value;
        } else if (point < 0) {
            found = given & 1 ? left : y[0];
        } else if (value > x[end]) {
            found = given & 2 ? last : y[end];
        } else if (point == end || x[point] == value) {
            found = y[point];
        } else {
            const double slope = (y[point + 1] - y[point]) / (x[point + 1] - x[point]);
            found = slope * (value - x[point]) + y[point];
            // If a value is infinite, starts from the other end. Between equal values the result is
            // that value.
            if (found != found) found = slope * (value - x[point + 1]) + y[point + 1];
            if (found != found && y[point] == y[point + 1]) found = y[point];
        }
        out[to] = found;
    });
}

}  // namespace weft
