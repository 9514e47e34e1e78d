/* What __builtin_cpu_supports("avx2") asks: part of GCC's and LLVM's run-time libraries, missing from zig's. */
#include <cpuid.h>

/* The layout and the number of the bit are theirs. */
struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

enum { AVX2_BIT = 10 };

int __cpu_indicator_init(void);

int __cpu_indicator_init(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0; /* the operating system does not keep the wide registers */
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2)) __cpu_model.features[0] |= 1u << AVX2_BIT;
    return 0;
}
