#include "materialize/planner/block_length.h"

#include "materialize/kernels/kernels.h"

/* Blocks have about ZC_GROUP_BYTES together, so that they stay in the caches; more, up to ALIGNED_BYTES, where that
 * makes whole rounds, sum blocks or tiles of what is absorbed, or where each block reads more than CACHED_BYTES again.
 * Where a contraction packs its other operand once per block, they have CONTRACTED_ROWS, as far as these have no more
 * than CONTRACTED_BYTES, but at least LEAST_ROWS. */
enum {
    CACHED_BYTES = 1 << 18,
    ALIGNED_BYTES = 1 << 22,
    CONTRACTED_ROWS = 256,
    CONTRACTED_BYTES = 1 << 21,
    LEAST_ROWS = 16
};

/* Blocks of whole chunks of a source have at most CHUNKED_BYTES, and a part of the memory limit. */
enum { CHUNKED_BYTES = 1 << 26, CHUNKED_PART = 8 };

/* Tells a contraction that packs all of an operand once per block: a matrix, or vectors of several batches. */
static bool packs_anew(const zc_group_search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    const zc_value *product = zc_stage_result(stage);
    const uint64_t axis = UINT64_C(1) << s->outer[member][s->group.rank - 1];
    if (!stage->kind->packs_operands)
        return false;
    const uint64_t x = stage->values[product->arg[0]].axes, y = stage->values[product->arg[1]].axes;
    const uint64_t kept = (UINT64_C(1) << stage->kept) - 1, other = (x & axis) == 0 ? x : y;
    return (x & y & axis) == 0 && (other & kept) != 0;
}

/* Bytes that a member reads of a value in each block again. */
static int64_t bytes_anew(const zc_group_search *s, int32_t member, const zc_value *value)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    const int axis = s->outer[member][s->group.rank - 1];
    if (!zc_value_reads(value) || (value->axes >> axis & 1) != 0)
        return 0;
    return zc_stage_extent_along(stage, value->axes) *
           (int64_t)zc_dtype_bytes((zc_dtype)value->dtype); /* proven: at most an input's, or a slot's */
}

/* Number of rows of which a member that absorbs joins a whole tile at once, where it keeps few columns. */
static int64_t rows_of_tile(const zc_group_search *s, int32_t member)
{
    const zc_stage *stage = s->plan->stages[s->member[member]];
    if (!zc_search_absorbs(s, member) || stage->kept == 0)
        return 1;
    const int64_t each = zc_group_elements_each(&s->group, s->outer[member], stage);
    const int64_t elements = each * stage->shape[stage->kept - 1]; /* proven: in the domain */
    return ZC_LEAF / zc_smaller(ZC_LEAF, elements);
}

/* Number of rows that a block has at least, so that what each block packs or reads again is no more than it makes. */
static int64_t least_rows(const zc_group_search *s)
{
    int64_t bytes = 0;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        const int64_t row_bytes = zc_larger(s->row_bytes, 1);
        if (packs_anew(s, m))
            return zc_larger(zc_smaller(CONTRACTED_ROWS, CONTRACTED_BYTES / row_bytes), LEAST_ROWS);
        bytes = zc_larger(bytes, zc_smaller(rows_of_tile(s, m), ALIGNED_BYTES / row_bytes) * row_bytes);
        for (int32_t v = 0; v < stage->value_count; v++)
            bytes = zc_larger(bytes, bytes_anew(s, m, &stage->values[v]));
    }
    const int64_t rows = zc_smaller(bytes, ALIGNED_BYTES) / zc_larger(s->row_bytes, 1);
    return bytes <= CACHED_BYTES ? 1 : zc_larger(rows, 1);
}

/* Number of rows that a contraction sums at once: a round of lanes, two for each of several threads. A power of 2. */
static int64_t rows_to_contract(int threads)
{
    int64_t rows = ZC_LANES;
    while (threads > 1 && rows < 2 * ZC_LANES * (int64_t)threads) /* proven: few threads */
        rows *= 2;
    return rows;
}

/* Tells a member that absorbs a few elements of each row, as of a diagonal. */
static bool absorbs_few(const zc_group_search *s, int32_t member)
{
    enum { PART = 64 };
    const zc_stage *stage = s->plan->stages[s->member[member]];
    const int64_t all = zc_stage_extent(stage, 0, stage->rank), made = zc_search_slot(s, 0)->elements;
    return zc_search_absorbs(s, member) && all <= made / PART;
}

/* Number of rows of which a block has a multiple where a member contracts or absorbs: whole rounds of lanes, or, of
 * rows that are one run, sum blocks that threads share. */
static int64_t rows_at_once(const zc_group_search *s)
{
    const int threads = s->plan->ctx->options.threads;
    int64_t rows = 1;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        const int64_t row = zc_stage_extent(stage, s->outer[m][s->group.rank - 1] + 1, stage->rank);
        const int64_t least = threads > 1 ? ZC_LEAF / zc_smaller(row & -row, ZC_LEAF) : ZC_LANES;
        if (zc_search_absorbs(s, m) && !absorbs_few(s, m))
            rows = zc_larger(zc_larger(rows, ZC_LANES), least); /* powers of 2 */
        if (stage->kind->packs_operands)
            rows = zc_larger(rows, rows_to_contract(threads));
    }
    return rows;
}

/* Rows of the longest chunk of what members read from sources; 1: none of them is longer, or blocks of so many rows
 * take too much memory. */
static int64_t rows_of_chunk(const zc_group_search *s, int64_t most)
{
    int64_t rows = 1;
    for (int32_t m = 0; m < s->group.count; m++) {
        const zc_stage *stage = s->plan->stages[s->member[m]];
        if (stage->kind->chunk != NULL)
            rows = zc_larger(rows, stage->kind->chunk(stage, s->outer[m][s->group.rank - 1]));
    }
    return rows <= most ? rows : 1;
}

/* Makes a length whole chunks of sources and, if these are no more than `most` rows together, a multiple of `step`, a
 * power of 2. */
static int64_t align_to_chunks(const zc_group_search *s, int64_t length, int64_t step)
{
    const int64_t limit = s->plan->ctx->options.memory_limit;
    const int64_t bytes = limit > 0 ? zc_smaller(CHUNKED_BYTES, limit / CHUNKED_PART) : CHUNKED_BYTES;
    const int64_t most = bytes / zc_larger(s->row_bytes, 1), chunk = rows_of_chunk(s, most);
    int64_t both = chunk;
    while (both % step != 0 && both <= most)
        both *= 2; /* proven: few rows */
    const int64_t rows = both <= most ? both : chunk;
    return chunk == 1 ? length : zc_larger(length / rows, 1) * rows; /* proven: few rows */
}

int64_t zc_search_block_length(const zc_group_search *s)
{
    const int64_t all = s->group.extent[s->group.rank - 1], forced = s->plan->ctx->block_length;
    const int64_t most = zc_larger(ZC_GROUP_BYTES / zc_larger(s->row_bytes, 1), least_rows(s)), step = rows_at_once(s);
    if (s->group.length > 0 || forced > 0)
        return zc_smaller(s->group.length > 0 ? s->group.length : forced, all);
    const int64_t rounded = zc_larger(most / step, 1) * step; /* proven: few rows */
    const bool fits = rounded <= most || rounded <= ALIGNED_BYTES / zc_larger(s->row_bytes, 1);
    return zc_smaller(align_to_chunks(s, fits ? rounded : most, step), all);
}
