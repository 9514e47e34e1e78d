/* The two random number generators of seeded results. */
#ifndef TB_RANDOM_H
#define TB_RANDOM_H

#include <string.h>

#include "core.h"

/* SplitMix64 (Steele et al. 2014). Each number adds GOLDEN to the state. Only this addition links one number to the
 * next, so a core computes several at once. Four numbers in [0, 1) of 53 bits. */
#define GOLDEN 0x9E3779B97F4A7C15u

TB_INLINE LaneBits lane_bits(uint64_t state) { return (LaneBits){state, state, state, state}; }

TB_INLINE Lanes uniforms_of(LaneBits state) {
    LaneBits z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z = (z ^ (z >> 31)) >> 11;
    /* exact conversion to floats: the two halves of the bits become the low bits of 2^84 and of 2^52 */
    LaneBits high_bits = (z >> 32) | 0x4530000000000000, low_bits = (z & 0xFFFFFFFF) | 0x4330000000000000;
    Lanes high, low;
    memcpy(&high, &high_bits, sizeof high);
    memcpy(&low, &low_bits, sizeof low);
    return ((high - (0x1p84 + 0x1p52)) + low) * 0x1p-53;
}

/* The Mersenne twister MT19937 (Matsumoto & Nishimura 1998), the same stream as NumPy's
 * RandomState(seed).random_sample(). */
enum { TWISTER = 624, TWISTER_SHIFT = 397 };
typedef struct {
    uint32_t key[TWISTER];
    int next;
} Mersenne;

static inline void mersenne_seed(Mersenne *random, uint32_t seed) {
    random->key[0] = seed;
    for (uint32_t k = 1; k < TWISTER; k++)
        random->key[k] = 1812433253u * (random->key[k - 1] ^ (random->key[k - 1] >> 30)) + k;
    random->next = TWISTER;
}

static inline uint32_t mersenne_bits(Mersenne *random) {
    uint32_t *key = random->key;
    if (random->next == TWISTER) {
        for (int k = 0; k < TWISTER; k++) {
            uint32_t joined = (key[k] & 0x80000000u) | (key[(k + 1) % TWISTER] & 0x7FFFFFFFu);
            key[k] = key[(k + TWISTER_SHIFT) % TWISTER] ^ (joined >> 1) ^ (joined & 1 ? 0x9908B0DFu : 0u);
        }
        random->next = 0;
    }
    uint32_t y = key[random->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680u;
    y ^= (y << 15) & 0xEFC60000u;
    return y ^ (y >> 18);
}

static inline double mersenne_uniform(Mersenne *random) {
    double high = (double)(mersenne_bits(random) >> 5);
    return (high * 67108864.0 + (double)(mersenne_bits(random) >> 6)) / 9007199254740992.0;
}

#endif
