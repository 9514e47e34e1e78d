/* Which of the two libraries this machine can run. */
#include "core.h"

TB_API int32_t tb_has_avx2(void);

int32_t tb_has_avx2(void) {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}
