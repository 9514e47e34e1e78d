/* SplitMix64 (Steele et al. 2014): the random number generator of seeded results, and its finalizer as a hash. */
#ifndef TB_RANDOM_H
#define TB_RANDOM_H

#include <string.h>

#include "core.h"

#define GOLDEN 0x9E3779B97F4A7C15u

/* The finalizer, of a number or of LANES of them: every bit of z changes half of the bits of the result. */
#define MIX(z) \
    ((z) = ((z) ^ ((z) >> 30)) * 0xBF58476D1CE4E5B9u, (z) = ((z) ^ ((z) >> 27)) * 0x94D049BB133111EBu, (z) ^ ((z) >> 31))

TB_INLINE uint64_t mixed(uint64_t z) { return MIX(z); }

TB_INLINE LaneBits lane_bits(uint64_t state) { return (LaneBits){state, state, state, state}; }

/* Four numbers in [0, 1) of 53 bits. Each number adds GOLDEN to the state, and only this addition links one number to
 * the next, so a core computes several at once. */
TB_INLINE Lanes uniforms_of(LaneBits state) {
    LaneBits z = MIX(state) >> 11;
    /* exact conversion to floats: the two halves of the bits become the low bits of 2^84 and of 2^52 */
    LaneBits high_bits = (z >> 32) | 0x4530000000000000, low_bits = (z & 0xFFFFFFFF) | 0x4330000000000000;
    Lanes high, low;
    memcpy(&high, &high_bits, sizeof high);
    memcpy(&low, &low_bits, sizeof low);
    return ((high - (0x1p84 + 0x1p52)) + low) * 0x1p-53;
}

#endif
