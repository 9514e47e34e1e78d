/* Which of the two libraries this machine can run. */
#include "core.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

TB_API int32_t tb_has_avx2(void);

/* Asks the processor itself, because the run-time library of zig lacks what __builtin_cpu_supports needs. */
int32_t tb_has_avx2(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0; /* the operating system does not save the wide registers */
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2) != 0;
#else
    return 0;
#endif
}
