/*
 * Sums of products of pairs of rows, of their squared differences or of the magnitudes of these, of one float dtype: of
 * four rows and four others, and, where rows are short, of one row and a panel of others. Included by dtype_tmpl.h with
 * ZC_ROW_DOT the function's name, ZC_TERM(a, b) what is summed, of vectors, and ZC_TERM_ALONE(a, b) of numbers.
 * Undefines them.
 *
 * The rows are read once for several others, and every sum has its own lanes, as the numerics contract has it: only the
 * order in which results are computed is new here. The sums of two (or four, where there are registers enough) rows and
 * four others stay in registers, a vector of their lanes at a time.
 */
#define ZC_DOT(f) ZC_FN(ZC_JOIN(f, ZC_ROW_DOT))

/* The lanes of some rows' sums, from row `first` on, over whole rounds of lanes. */
static void ZC_DOT(row_lanes)(ZC_T (*lanes)[ZC_LANES], const void *const *x, const void *const *y, int64_t whole,
                              ZC_T padding, int first, int lane)
{
    ZC_LANE_VECTOR begin;
    for (int l = 0; l < ZC_PER_VECTOR; l++)
        begin[l] = padding;
    ZC_DOT_EACH_ROW(ZC_DOT_BEGIN_ROW)
    for (int64_t i = 0; i < whole; i += ZC_LANES) {
        ZC_DOT_EACH_COLUMN(ZC_DOT_LOAD_Y, 0)
        ZC_DOT_EACH_ROW(ZC_DOT_LOAD_X)
        ZC_DOT_EACH_ROW(ZC_DOT_ADD_ROW)
    }
    ZC_DOT_EACH_ROW(ZC_DOT_END_ROW)
}

/* The elements that fill no lanes. */
static void ZC_DOT(row_rest)(ZC_T (*lanes)[ZC_LANES], const void *const *x, const void *const *y, int64_t whole,
                             int64_t count)
{
    ZC_T a[ZC_DOT_BLOCK_ROWS][ZC_LANES], b[ZC_DOT_BLOCK_ROWS][ZC_LANES];
    for (int r = 0; r < ZC_DOT_BLOCK_ROWS; r++) {
        const ZC_T *left = (const ZC_T *)x[r] + whole, *right = (const ZC_T *)y[r] + whole;
        for (int l = 0; l < ZC_LANES; l++) { /* masked loads where there are such */
            a[r][l] = l < count ? left[l] : 0;
            b[r][l] = l < count ? right[l] : 0;
        }
    }
    for (int p = 0; p < ZC_DOT_BLOCK_ROWS * ZC_DOT_BLOCK_ROWS; p++) {
        const ZC_T *left = a[p / ZC_DOT_BLOCK_ROWS], *right = b[p % ZC_DOT_BLOCK_ROWS];
        for (int l = 0; l < ZC_LANES; l++) {
            const ZC_T sum = lanes[p][l] + ZC_TERM_ALONE(left[l], right[l]);
            lanes[p][l] = l < count ? sum : lanes[p][l];
        }
    }
}

/* out[p] = the lanes of pair p, folded. The pairs' lanes are transposed, so that whole vectors are added. */
static void ZC_DOT(row_fold)(ZC_T *out, ZC_T (*lanes)[ZC_LANES])
{
    enum { PAIRS = ZC_DOT_BLOCK_ROWS * ZC_DOT_BLOCK_ROWS };
    ZC_T turned[ZC_LANES][PAIRS];
    for (int p = 0; p < PAIRS; p++)
        for (int l = 0; l < ZC_LANES / 2; l++)
            turned[l][p] = lanes[p][l] + lanes[p][l + ZC_LANES / 2];
    for (int half = ZC_LANES / 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            for (int p = 0; p < PAIRS; p++)
                turned[l][p] += turned[l + half][p];
    for (int p = 0; p < PAIRS; p++)
        out[p] = turned[0][p];
}

void ZC_KERNEL(ZC_JOIN(row_dot, ZC_ROW_DOT))(void *out, const void *const *x, const void *const *y, int64_t length,
                                             const void *padding)
{
    const int64_t whole = length / ZC_LANES * ZC_LANES;
    _Alignas(64) ZC_T lanes[ZC_DOT_BLOCK_ROWS * ZC_DOT_BLOCK_ROWS][ZC_LANES];
    for (int first = 0; first < ZC_DOT_BLOCK_ROWS; first += ZC_DOT_ROWS)
        for (int lane = 0; lane < ZC_LANES; lane += ZC_PER_VECTOR)
            ZC_DOT(row_lanes)(lanes, x, y, whole, *(const ZC_T *)padding, first, lane);
    if (whole < length)
        ZC_DOT(row_rest)(lanes, x, y, whole, length - whole);
    ZC_DOT(row_fold)(out, lanes);
}

/* ---- A row and a panel of others, a vector of them at a time ---- */

static inline ZC_LANE_VECTOR ZC_DOT(panel_term)(ZC_T x, const ZC_T *y)
{
    return ZC_TERM(x, *(const ZC_FN(vector_in_memory) *)y);
}

/* Every lane of the sums is a vector of its own. What lanes begin with, -0.0, changes nothing that is added to it, so
 * they begin with their first elements, and lanes that have none are left out. */
/* LCOV_EXCL_BR_START: the lengths of short rows are known where this is inlined */
static inline __attribute__((always_inline)) void ZC_DOT(panel_sums)(void *out, const ZC_T *a, const void *panel,
                                                                     const int64_t length, int64_t others)
{
    for (int64_t c = 0; c < others; c += ZC_PER_VECTOR) {
        const ZC_T *y = (const ZC_T *)panel + c;
        ZC_EACH_LANE(ZC_PANEL_BEGIN)
        for (int64_t i = ZC_LANES; i < length; i += ZC_LANES) {
            ZC_EACH_LANE(ZC_PANEL_ADD)
        }
        ZC_PANEL_FOLD(0, 8)
        ZC_PANEL_FOLD(1, 9)
        ZC_PANEL_FOLD(2, 10)
        ZC_PANEL_FOLD(3, 11)
        ZC_PANEL_FOLD(4, 12)
        ZC_PANEL_FOLD(5, 13)
        ZC_PANEL_FOLD(6, 14)
        ZC_PANEL_FOLD(7, 15)
        ZC_PANEL_FOLD(0, 4)
        ZC_PANEL_FOLD(1, 5)
        ZC_PANEL_FOLD(2, 6)
        ZC_PANEL_FOLD(3, 7)
        ZC_PANEL_FOLD(0, 2)
        ZC_PANEL_FOLD(1, 3)
        ZC_PANEL_FOLD(0, 1)
        memcpy((ZC_T *)out + c, &t0, sizeof t0);
    }
}
/* LCOV_EXCL_BR_STOP */

/* A row that fills its lanes once at most is not asked, for each vector, which of them it has. */
void ZC_KERNEL(ZC_JOIN(row_panel, ZC_ROW_DOT))(void *out, const void *x, const void *panel, int64_t length,
                                               int64_t others)
{
    switch (length) {
        ZC_EACH_LANE(ZC_PANEL_OF)
    default:
        ZC_DOT(panel_sums)(out, x, panel, length, others);
    }
}

#undef ZC_DOT
#undef ZC_ROW_DOT
#undef ZC_TERM
#undef ZC_TERM_ALONE
