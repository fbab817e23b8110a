// Counts the accesses of kernels to device memory: the functions that -fsanitize=thread calls before each access.
// A sector is 32 bytes, the smallest part of a line that a GPU reads from memory.

namespace cuda_shim {

// As `Counter` of host/traffic.rs.
struct Traffic {
    u64 base, span;           // the GPU's addresses; accesses to other memory are not counted
    unsigned *read, *written; // the launch that last touched each sector
    unsigned launch;
    u64 loaded, stored;       // bytes of all accesses
    u64 sectors_read, sectors_written;
};
static Traffic *traffic;

#define WEFT_UNCOUNTED __attribute__((no_sanitize("thread")))

static WEFT_UNCOUNTED void touch(u64 start, u64 bytes, unsigned *seen, u64 *all, u64 *sectors) {
    u64 first = start - traffic->base;
    if (first >= traffic->span || bytes == 0) return;
    *all += bytes;
    for (u64 sector = first / 32; sector <= (first + bytes - 1) / 32; ++sector)
        if (seen[sector] != traffic->launch) {
            seen[sector] = traffic->launch;
            ++*sectors;
        }
}
static WEFT_UNCOUNTED void load(void *from, u64 bytes) {
    if (traffic) touch((u64)from, bytes, traffic->read, &traffic->loaded, &traffic->sectors_read);
}
static WEFT_UNCOUNTED void store(void *to, u64 bytes) {
    if (traffic) touch((u64)to, bytes, traffic->written, &traffic->stored, &traffic->sectors_written);
}

} // namespace cuda_shim

#define WEFT_ACCESS(bytes)                                                                                           \
    extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_read##bytes(void *p) {               \
        ::cuda_shim::load(p, bytes);                                                                                 \
    }                                                                                                                \
    extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_write##bytes(void *p) {              \
        ::cuda_shim::store(p, bytes);                                                                                \
    }                                                                                                                \
    extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_unaligned_read##bytes(void *p) {     \
        ::cuda_shim::load(p, bytes);                                                                                 \
    }                                                                                                                \
    extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_unaligned_write##bytes(void *p) {    \
        ::cuda_shim::store(p, bytes);                                                                                \
    }
WEFT_ACCESS(1)
WEFT_ACCESS(2)
WEFT_ACCESS(4)
WEFT_ACCESS(8)
WEFT_ACCESS(16)
extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_read_range(void *p, unsigned long bytes) {
    ::cuda_shim::load(p, bytes);
}
extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_write_range(void *p, unsigned long bytes) {
    ::cuda_shim::store(p, bytes);
}
extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_init() {}
extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_func_entry(void *) {}
extern "C" __attribute__((visibility("hidden"))) WEFT_UNCOUNTED void __tsan_func_exit() {}

extern "C" __attribute__((visibility("default"))) void weft_emulated_traffic(cuda_shim::Traffic *counter) {
    cuda_shim::traffic = counter;
}
