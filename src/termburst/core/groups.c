#include "groups.h"

int32_t gather_groups(const Cells *cells, const GroupLengths *lengths, int64_t term, const Room *room, Group *out) {
    int64_t used = 0;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    for (int64_t g = 0; g < cells->groups; g++) {
        const int64_t *range = range_of(cells, g, term);
        int32_t status = gather(cells, range[0], range[1], room, &used, &out[g].term);
        if (status != TB_OK) return status;
        out[g].table = lengths->tables + g * PANELS * (DEGREE + 1) * 2;
        out[g].n = lengths->tokens[g];
    }
    return TB_OK;
}

/* clang-format off */
TB_LAYOUT(groups,
    TB_WHOLE(GroupLengths),
    TB_FIELD(GroupLengths, tables),
    TB_FIELD(GroupLengths, tokens),
    TB_FIELD(GroupLengths, groups))
