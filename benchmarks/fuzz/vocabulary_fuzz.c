/* Learn terms, add those of another vocabulary, write names and sort them. */
#include "vocabularies.h"

/* Learn the lines as terms. Learning them again must give the same nodes. */
static void learn_lines(const uint8_t *data, int64_t size, int64_t longest, Vocabulary *known, int is_damaged) {
    int64_t count = 0, spaces = 0;
    for (int64_t k = 0; k < size; k++) count += data[k] == '\n', spaces += data[k] == ' ';
    int64_t *ends = array(count, 8), terms = 0;
    int32_t *nodes = array(count, 4), *again = array(count, 4);
    for (int64_t k = 0; k < size; k++)
        if (data[k] == '\n') ends[terms++] = k;
    Terms first = {data, size, ends, count, nodes, longest}, second = first;
    second.nodes = again;
    if (!is_damaged) make_room(known, 2 * spaces + count, size / 8);
    int32_t status = tb_learn(&first, known);
    CHECK(status == TB_OK || is_damaged);
    if (!is_damaged) {
        int64_t before = known->size;
        make_room(known, 2 * spaces + count, size / 8);
        CHECK(tb_learn(&second, known) == TB_OK && known->size == before);
        CHECK(memcmp(nodes, again, (size_t)count * 4) == 0);
    }
    free(ends);
    free(nodes);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Input input = {bytes, size};
    int64_t longest = 1 + below(&input, 4), hostile = below(&input, 3) == 0, half;
    Vocabulary known = new_vocabulary(1 << below(&input, 4), below(&input, 4), below(&input, 3));
    Vocabulary other = new_vocabulary(1 << below(&input, 4), below(&input, 4), below(&input, 3));
    Input damages = input;
    half = below(&input, (int64_t)input.left + 1);
    half = least_int(half, (int64_t)input.left);
    uint8_t *first = array(half, 1), *second = array((int64_t)input.left - half, 1);
    memcpy(first, input.bytes, (size_t)half);
    memcpy(second, input.bytes + half, input.left - (size_t)half);
    learn_lines(first, half, longest, &known, 0);
    learn_lines(second, (int64_t)input.left - half, longest, &other, 0);
    if (hostile) damage(&damages, &other);
    Taken taken = {array(other.size, 4), other.size};
    make_room(&known, other.size, other.used);
    int64_t before = known.size;
    int32_t status = tb_absorb(&other, &known, &taken);
    CHECK(status == TB_OK || hostile);
    if (status == TB_OK && !hostile) {
        CHECK(known.size <= before + other.size);
        make_room(&known, other.size, other.used);
        before = known.size;
        CHECK(tb_absorb(&other, &known, &taken) == TB_OK && known.size == before);
    }
    free(sorted_names(&other, (int)hostile));
    free(sorted_names(&known, (int)hostile));
    if (hostile) {
        damage(&damages, &known);
        learn_lines(second, (int64_t)input.left - half, longest, &known, 1);
        free(sorted_names(&known, 1));
    }
    free(taken.nodes);
    free(first);
    free(second);
    free_vocabulary(&known);
    free_vocabulary(&other);
    return 0;
}
