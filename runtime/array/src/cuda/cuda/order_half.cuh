
namespace weft {

template <> struct Order<Half> {
    typedef unsigned short Word;
    static constexpr Word SIGN = 0x8000;
    WEFT_INLINE bool is_nan(Half value) { return (value.bits & 0x7fff) > 0x7c00; }
    WEFT_INLINE Word key(Half value) {
        const Word bits = is_nan(value) ? (Word)(value.bits & ~SIGN) : value.bits;
        return bits & SIGN ? (Word)~bits : (Word)(bits | SIGN);
    }
    WEFT_INLINE Half value(Word key) { return Half::of_bits(key & SIGN ? (Word)(key ^ SIGN) : (Word)~key); }
    WEFT_INLINE Word rank(Half value) {
        return is_nan(value) ? (Word)0xffff : (value.bits & 0x7fff) == 0 ? SIGN : key(value);
    }
};

}  // namespace weft
