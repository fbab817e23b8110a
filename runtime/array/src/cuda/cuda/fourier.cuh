// Copies of lines for Fourier transforms, with changes to their elements.

namespace weft {

// Changes to elements: they are multiplied by `scale`, and their imaginary parts by `sign` too.
// Starting at place `known` of a line, they are zeros. At the places `first` and `middle` the
// imaginary part is taken as 0.
template <typename T> struct Change {
    T scale, sign;
    long long known, first, middle;

    __device__ __forceinline__ void make(T value, long long, T &to) const { to = value * scale; }
    __device__ __forceinline__ void make(T value, long long, Complex<T> &to) const { to = Complex<T>{value * scale, (T)0}; }
    __device__ __forceinline__ void make(Complex<T> value, long long place, Complex<T> &to) const {
        const bool is_real = place == first || place == middle;
        to = Complex<T>{value.re * scale, is_real ? (T)0 : value.im * scale * sign};
    }
};

// Operands of the loops are the input, the place in a line, and the output.
template <int E, typename From, typename To, typename T, int D, typename I>
WEFT_INLINE void change(const From *in, To *out, const Change<T> &how, const Walk<E, 3, D, I> &walk) {
    walk.each([&](I begin, const I(&row)[3]) {
        const I(&steps)[3] = walk.loops.step[0];
        From value[E];
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = begin + (I)(k * blockDim.x);
            value[k] = From{};
            if (i < walk.loops.count[0] && row[1] + i * steps[1] < how.known) value[k] = in[row[0] + i * steps[0]];
        }
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = begin + (I)(k * blockDim.x);
            if (i < walk.loops.count[0]) how.make(value[k], row[1] + i * steps[1], out[row[2] + i * steps[2]]);
        }
    });
}

}  // namespace weft
