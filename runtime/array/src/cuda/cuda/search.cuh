// Places of values in a sorted vector.

namespace weft {

// Sets `out` to the number of elements of `sorted` before a value; with `right` equal ones count
// too. Operands of the loops are the values and the output.
template <int E, typename T, int D, typename I>
WEFT_INLINE void search(const T *sorted, long long step, long long length, bool right, const T *values, long long *out,
                        const Walk<E, 2, D, I> &walk) {
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
        for (long long count = length; count > 0;) {
            const long long half = count / 2;
#pragma unroll
            for (int k = 0; k < E; ++k) {
                const long long at = low[k] + half;
                const Word other = Order<T>::rank(sorted[(at < length ? at : length - 1) * step]);
                const bool is_before = at < length && (right ? other <= word[k] : other < word[k]);
                if (is_before) low[k] = at + 1;
            }
            count = half;
        }
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = first + (I)(k * blockDim.x);
            if (i < walk.loops.count[0]) out[row[1] + i * steps[1]] = low[k];
        }
    });
}

}  // namespace weft
