
namespace weft {

// A fold of `float` whose results are rounded to half precision.
template <typename F> struct Halved : F {
    WEFT_INLINE float step(float acc, float term, long long) { return (float)Half(F::step(acc, term, 0)); }
    WEFT_INLINE float join(float a, float b) { return (float)Half(F::join(a, b)); }
};

}  // namespace weft
