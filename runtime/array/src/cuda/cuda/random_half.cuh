
namespace weft {

WEFT_INLINE Half unit_f16(unsigned long long word) { return Half((float)(int)(word >> 53) * (1.0f / 2048.0f)); }

}  // namespace weft
