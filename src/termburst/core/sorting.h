/* A stable sort of structs that allocates no memory. */
#ifndef TB_SORTING_H
#define TB_SORTING_H

#include "core.h"

enum { SORTED_RUN = 12 }; /* length of the runs that are sorted by insertion */

/* Defines name(items, spare, size). comes_after(&a, &b) is whether a must come after b. Runs are sorted by insertion,
 * then merged through `spare`. The sort ends, with some order, even if comes_after is inconsistent. */
#define TB_SORT(name, Item, comes_after)                                                            \
    static void name(Item *items, Item *spare, int64_t size) {                                      \
        for (int64_t first = 0; first < size; first += SORTED_RUN) {                                \
            int64_t end = least_int(first + SORTED_RUN, size);                                      \
            for (int64_t k = first + 1; k < end; k++) {                                             \
                Item item = items[k];                                                               \
                int64_t at = k;                                                                     \
                for (; at > first && comes_after(&items[at - 1], &item); at--) items[at] = items[at - 1]; \
                items[at] = item;                                                                   \
            }                                                                                       \
        }                                                                                           \
        for (int64_t width = SORTED_RUN; width < size; width *= 2) {                                \
            for (int64_t first = 0; first < size; first += 2 * width) {                             \
                int64_t middle = least_int(first + width, size), last = least_int(first + 2 * width, size); \
                int64_t left = first, right = middle;                                               \
                for (int64_t k = first; k < last; k++) {                                            \
                    if (right >= last || (left < middle && !comes_after(&items[left], &items[right])))  \
                        spare[k] = items[left++];                                                   \
                    else                                                                            \
                        spare[k] = items[right++];                                                  \
                }                                                                                   \
            }                                                                                       \
            for (int64_t k = 0; k < size; k++) items[k] = spare[k];                                 \
        }                                                                                           \
    }

#endif
