/* Shared by all of the core: export of functions, status codes, small arithmetic.
 *
 * A kernel takes structs with named fields and returns a status. It allocates nothing: Python passes the scratch space
 * (the room). It keeps no state between calls. It checks every index from an array before it uses it; only the indices
 * of cells are checked earlier, when `cells` of cells.py makes them.
 */
#ifndef TB_CORE_H
#define TB_CORE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TB_API __declspec(dllexport)
#else
#define TB_API __attribute__((visibility("default")))
#endif

#define TB_INLINE static inline __attribute__((always_inline))

/* The status of a kernel. ERRORS in binding.py has a message for each. */
enum { TB_OK = 0, TB_BAD_INDEX = 1, TB_BAD_CELL = 2, TB_NO_ROOM = 3 };

/* Sums always use four lanes, so that results are the same on all machines. */
enum { LANES = 4 };
typedef double Lanes __attribute__((vector_size(32)));
typedef int64_t LaneMask __attribute__((vector_size(32)));
typedef uint64_t LaneBits __attribute__((vector_size(32)));
typedef int32_t LaneInts __attribute__((vector_size(16)));
typedef double Pair __attribute__((vector_size(16)));

TB_INLINE double least(double x, double y) { return x < y ? x : y; }
TB_INLINE double most(double x, double y) { return x > y ? x : y; }
TB_INLINE double between(double x, double low, double high) { return least(most(x, low), high); }
TB_INLINE int64_t least_int(int64_t x, int64_t y) { return x < y ? x : y; }
TB_INLINE int64_t most_int(int64_t x, int64_t y) { return x > y ? x : y; }
TB_INLINE int64_t between_int(int64_t x, int64_t low, int64_t high) { return least_int(most_int(x, low), high); }

/* A struct that Python fills, and a kernel that it calls, are declared by these two:
 *
 *     TB_STRUCT(LengthSums, { const double *log_z; Size size; double *value; double *slope; })
 *     TB_KERNEL(tb_look_up, const LengthTable *table, const LengthSums *sums);
 *
 * Python may not write to arrays that are const, and fills in each Size itself. structs.c includes all headers with
 * TB_DECLARE, so that the library also contains the text of each declaration, with the size of the struct: binding.py
 * reads it, and nothing is written twice. */
typedef int64_t Size; /* the size of the array before it */

typedef struct {
    int64_t size;
    const char *text;
} Declaration;

#if defined(TB_DECLARE)
#define TB_TEXT(...) #__VA_ARGS__
#define TB_DECLARED(name, size, ...)                     \
    TB_API extern const Declaration tb_declared_##name;  \
    const Declaration tb_declared_##name = {size, TB_TEXT(__VA_ARGS__)};
#define TB_STRUCT(name, ...)          \
    typedef struct __VA_ARGS__ name;  \
    TB_DECLARED(name, sizeof(name), __VA_ARGS__)
#define TB_KERNEL(name, ...) TB_DECLARED(name, 0, __VA_ARGS__) TB_API int32_t name(__VA_ARGS__)
#else
#define TB_STRUCT(name, ...) typedef struct __VA_ARGS__ name;
#define TB_KERNEL(name, ...) TB_API int32_t name(__VA_ARGS__)
#endif

/* LANES consecutive numbers; their address need not be aligned. */
TB_INLINE Lanes lanes_at(const double *x) {
    typedef double Loose __attribute__((vector_size(32), aligned(8), may_alias));
    return *(const Loose *)x;
}

/* Adds to LANES consecutive numbers. */
TB_INLINE void lanes_add(double *x, Lanes y) {
    typedef double Loose __attribute__((vector_size(32), aligned(8), may_alias));
    *(Loose *)x += y;
}

TB_INLINE Lanes lanes_of(double x) { return (Lanes){x, x, x, x}; }

/* The sum of the lanes, in a fixed order. */
TB_INLINE double lanes_sum(Lanes x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* Lane by lane, *yes* where the mask (a comparison of lanes) is true, and *no* elsewhere. */
TB_INLINE Lanes lanes_where(LaneMask mask, Lanes yes, Lanes no) {
    return (Lanes)((mask & (LaneMask)yes) | (~mask & (LaneMask)no));
}

/* Whether the mask is true in any lane. */
TB_INLINE int lanes_any(LaneMask mask) {
#if defined(__AVX2__)
    return __builtin_ia32_movmskpd256((Lanes)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/* Two consecutive numbers. */
TB_INLINE Pair pair_at(const double *x) {
    typedef double Loose __attribute__((vector_size(16), aligned(8), may_alias));
    return *(const Loose *)x;
}

/* Two consecutive numbers, twice. */
TB_INLINE Lanes pair_twice(const double *x) {
    Pair pair = pair_at(x);
    return (Lanes){pair[0], pair[1], pair[0], pair[1]};
}

#endif
