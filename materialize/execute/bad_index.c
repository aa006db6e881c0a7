#include "materialize/execute/bad_index.h"

void zc_keep_bad_index(zc_bad_index *first, zc_bad_index found)
{
    bool is_first = first->check < 0 || found.check < first->check ||
                    (found.check == first->check && found.position < first->position);
    if (found.check >= 0 && is_first)
        *first = found;
}

const int64_t *zc_check_positions(const zc_kernels *kernels, const zc_stage *stage, int32_t check,
                                  const int64_t *positions, int64_t *room, int64_t n, zc_bad_index *first)
{
    int64_t extent = stage->values[check].extent;
    if (kernels->are_inside(positions, extent, n))
        return positions;
    if (kernels->check(room, positions, extent, n))
        return room;
    for (int64_t i = 0; i < n; i++) {
        if (positions[i] < -extent || positions[i] >= extent)
            zc_keep_bad_index(first, (zc_bad_index){check, positions[i]});
    }
    return room;
}
