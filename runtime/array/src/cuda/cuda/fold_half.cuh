
namespace weft {

template <> struct Limits<Half> {
    WEFT_INLINE Half lowest() { return Half::of_bits(0xfc00); }
    WEFT_INLINE Half highest() { return Half::of_bits(0x7c00); }
};

}  // namespace weft
