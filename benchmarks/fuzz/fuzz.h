/* Shared by the harnesses: numbers read from the bytes of the fuzzer, arrays of exactly the requested size, and checks. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t left;
} Input;

static inline uint64_t take(Input *input, int size) {
    uint64_t value = 0;
    for (int k = 0; k < size && input->left > 0; k++, input->left--) value = value << 8 | *input->bytes++;
    return value;
}

/* A number from 0 to `limit` − 1. */
static inline int64_t below(Input *input, int64_t limit) {
    return limit <= 1 ? 0 : (int64_t)(take(input, limit <= 256 ? 1 : limit <= 65536 ? 2 : 4) % (uint64_t)limit);
}

/* A separate array, so that access to one byte too many is detected. */
static inline void *array(int64_t count, size_t size) {
    void *made = calloc((size_t)count + (count == 0), size);
    if (made == NULL) abort();
    return count == 0 ? (free(made), malloc(1)) : made;
}

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                           \
        }                                                                      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
