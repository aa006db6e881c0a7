/* The table of one instruction set: every kernel in its place. */
#include "materialize/kernels/tables/table.h"

#include "materialize/kernels/contract/contract.h"
#include "materialize/kernels/elements/elements.h"
#include "materialize/kernels/sort/sort.h"
#include "materialize/kernels/templates/lanes.h"

#define ZC_NAME_TEXT(isa)  ZC_NAME_TEXT_(isa)
#define ZC_NAME_TEXT_(isa) #isa

#define ZC_ENTRY(NAME, dtype, f) [ZC_##NAME] = ZC_KERNEL_OF(f, dtype),
#define ZC_CAST(TO, to, FROM)    [ZC_##TO][ZC_##FROM] = ZC_KERNEL_OF(cast_##FROM, to),
#define ZC_FLOAT_ENTRIES(f)                                                                                            \
    {                                                                                                                  \
        ZC_EACH_WIDE(ZC_ENTRY, f)                                                                                      \
    }
#define ZC_COMPLEX_ENTRIES(f)                                                                                          \
    {                                                                                                                  \
        ZC_EACH_COMPLEX(ZC_ENTRY, f)                                                                                   \
    }
#define ZC_MOVED_ENTRIES(f)                                                                                            \
    {                                                                                                                  \
        ZC_EACH_MOVED(ZC_ENTRY, f)                                                                                     \
    }
#define ZC_REAL_ENTRIES(f)                                                                                             \
    {                                                                                                                  \
        ZC_EACH_IN(SAME, NO, ZC_ENTRY, f)                                                                              \
    }
#define ZC_NUMBER_ENTRIES(domain, complex, f)                                                                          \
    {                                                                                                                  \
        ZC_EACH_OWN_IN(domain, complex, ZC_ENTRY, f)                                                                   \
    }
#define ZC_BOOL_OR_MOVED_ENTRIES(f)                                                                                    \
    {                                                                                                                  \
        ZC_EACH_NUMBER_MOVED(ZC_ENTRY, f) ZC_EACH_BOOL(ZC_ENTRY, f)                                                    \
    }

/* Elements 16 bits wide are selected as uint16. */
#define ZC_MAP(NAME, domain, complex, f) [NAME] = {ZC_EACH_IN(domain, complex, ZC_ENTRY, f) ZC_MAP_ALSO_##domain(f)},
#define ZC_MAP_ALSO_ANY(f)
#define ZC_MAP_ALSO_ANY_SIGNLESS(f)
#define ZC_MAP_ALSO_NUMBER(f)
#define ZC_MAP_ALSO_SIGNLESS(f)
#define ZC_MAP_ALSO_BLOCKS(f)
#define ZC_MAP_ALSO_BITS(f)
#define ZC_MAP_ALSO_SHIFT(f)
#define ZC_MAP_ALSO_FLOAT(f)
#define ZC_MAP_ALSO_RANGED(f)
#define ZC_MAP_ALSO_FORMAT(f)
#define ZC_MAP_ALSO_TRUTH(f)
#define ZC_MAP_ALSO_SELECT(f) ZC_ENTRY(FLOAT16, uint16, f) ZC_ENTRY(BFLOAT16, uint16, f)

#if defined(ZC_VECTOR_BYTES)
#define ZC_CHAINS &ZC_KERNEL_OF_ALL(chains)
#else
#define ZC_CHAINS NULL
#endif

/* Two vectors of sums to a row; more rows than vector registers do not help. */
#define ZC_CONTRACT(dtype, of_row, of_few, of_squares, bytes)                                                          \
    {                                                                                                                  \
        .block = ZC_KERNEL_OF(contract, dtype), .lanes = ZC_KERNEL_OF(contract_lanes, dtype),                          \
        .inner = ZC_KERNEL_OF(contract_inner, dtype), .batches = ZC_KERNEL_OF(contract_batches, dtype),                \
        .row = (of_row), .narrow = (of_few), .squares = (of_squares), .columns = 2 * ZC_LANE_BYTES / (bytes),          \
        .rows = ZC_LANE_BYTES == 64 ? 12 : 6, .inner_lanes = ZC_INNER_LANES_OF(bytes)                                  \
    }
#define ZC_CONTRACT_FLOATS(dtype, bytes)                                                                               \
    ZC_CONTRACT(dtype, ZC_KERNEL_OF(contract_row, dtype), ZC_KERNEL_OF(contract_narrow, dtype),                        \
                ZC_KERNEL_OF(contract_squares, dtype), bytes)
#define ZC_CONTRACT_COMPLEX(dtype, bytes) ZC_CONTRACT(dtype, ZC_KERNEL_OF(contract_row, dtype), NULL, NULL, bytes)
#define ZC_CONTRACT_OTHERS(dtype, bytes)  ZC_CONTRACT(dtype, NULL, NULL, NULL, bytes)
#define ZC_CONTRACT_ALL                                                                                                \
    {                                                                                                                  \
        [ZC_FLOAT32] = ZC_CONTRACT_FLOATS(float32, 4), [ZC_FLOAT64] = ZC_CONTRACT_FLOATS(float64, 8),                  \
        [ZC_COMPLEX64] = ZC_CONTRACT_COMPLEX(complex64, 8), [ZC_COMPLEX128] = ZC_CONTRACT_COMPLEX(complex128, 16),     \
        [ZC_INT8] = ZC_CONTRACT_OTHERS(uint8, 1), [ZC_UINT8] = ZC_CONTRACT_OTHERS(uint8, 1),                           \
        [ZC_INT16] = ZC_CONTRACT_OTHERS(uint16, 2), [ZC_UINT16] = ZC_CONTRACT_OTHERS(uint16, 2),                       \
        [ZC_INT32] = ZC_CONTRACT_OTHERS(uint32, 4), [ZC_UINT32] = ZC_CONTRACT_OTHERS(uint32, 4),                       \
        [ZC_INT64] = ZC_CONTRACT_OTHERS(uint64, 8), [ZC_UINT64] = ZC_CONTRACT_OTHERS(uint64, 8),                       \
    }

#define ZC_LOG_SUMS(NAME, dtype)                                                                                       \
    [ZC_##NAME] = {ZC_KERNEL_OF(log_sum_lift, dtype), ZC_KERNEL_OF(log_sum_absorb, dtype),                             \
                   ZC_KERNEL_OF(log_sum_join, dtype)}

#if defined(ZC_KEYS_HEADER)
#define ZC_SORT_KERNELS(dtype, most)                                                                                   \
    {                                                                                                                  \
        most, ZC_KERNEL_OF(sort_few, dtype), ZC_KERNEL_OF(sort_divide, dtype), ZC_KERNEL_OF(sort_to_keys, dtype),      \
            ZC_KERNEL_OF(sort_from_keys, dtype), ZC_KERNEL_OF(sort_rows, dtype), ZC_KERNEL_OF(sort_find, dtype)        \
    }
#define ZC_SORTS                                                                                                       \
    {                                                                                                                  \
        ZC_SORT_KERNELS(uint32, 4 * ZC_VECTOR_BYTES), ZC_SORT_KERNELS(uint64, 2 * ZC_VECTOR_BYTES)                     \
    }
#else
#define ZC_SORTS                                                                                                       \
    {                                                                                                                  \
        {.most = 0},                                                                                                   \
        {                                                                                                              \
            .most = 0                                                                                                  \
        }                                                                                                              \
    }
#endif

#if defined(ZC_HAS_PAIRS_IN_ONE)
#define ZC_PAIRS_IN_ONE ZC_KERNEL_OF(contract, pairs_in_one)
#else
#define ZC_PAIRS_IN_ONE NULL
#endif
#if defined(ZC_HAS_FOURS)
#define ZC_FOURS                                                                                                       \
    {                                                                                                                  \
        ZC_KERNEL_OF(contract, fours), ZC_KERNEL_OF(contract, fours_of_signed)                                         \
    }
#else
#define ZC_FOURS                                                                                                       \
    {                                                                                                                  \
        NULL, NULL                                                                                                     \
    }
#endif
#if defined(ZC_HAS_TILES)
#define ZC_TILES                                                                                                       \
    {                                                                                                                  \
        .multiply = ZC_KERNEL_OF_ALL(tiles), .interleave = ZC_KERNEL_OF_ALL(interleave_tiles)                          \
    }
#else
#define ZC_TILES                                                                                                       \
    {                                                                                                                  \
        .multiply = NULL                                                                                               \
    }
#endif
#if defined(ZC_VECTOR_BYTES)
#define ZC_GROUPS                                                                                                      \
    {                                                                                                                  \
        .pairs = ZC_KERNEL_OF(contract, pairs), .pairs_in_one = ZC_PAIRS_IN_ONE, .fours = ZC_FOURS,                    \
        .fit = ZC_KERNEL_OF_ALL(fit), .pair = ZC_KERNEL_OF_ALL(pair), .part = ZC_KERNEL_OF_ALL(part),                  \
        .four = ZC_KERNEL_OF_ALL(four), .flip = ZC_KERNEL_OF_ALL(flip), .part_fours = ZC_KERNEL_OF_ALL(part_fours),    \
    }
#else
#define ZC_GROUPS                                                                                                      \
    {                                                                                                                  \
        .pairs = NULL                                                                                                  \
    }
#endif

const zc_kernels ZC_KERNEL_OF_ALL(kernels) = {
    .name = ZC_NAME_TEXT(ZC_ISA),
    .chains = ZC_CHAINS,
    .map =
        {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_MAP(ZC_OP_##NAME, domain, complex, map_##name)
#include "runtime/ops/ops.def"
#undef ZC_OP
            [ZC_OP_BITCAST] = ZC_BOOL_OR_MOVED_ENTRIES(map_copy),
            [ZC_OP_COPY] = ZC_BOOL_OR_MOVED_ENTRIES(map_copy),
            [ZC_OP_REAL] = ZC_COMPLEX_ENTRIES(map_real),
            [ZC_OP_IMAG] = ZC_COMPLEX_ENTRIES(map_imag),
            [ZC_OP_CONJ] = ZC_COMPLEX_ENTRIES(map_conj),
            /* by the operands' dtype, which is that of the parts */
            [ZC_OP_COMPLEX] = {ZC_ENTRY(FLOAT32, complex64, map_complex) ZC_ENTRY(FLOAT64, complex128, map_complex)},
        },
    .cast =
        {
#define ZC_DTYPE(NAME, name, type, KIND, width, value) ZC_EACH_DTYPE(ZC_IS_SIGNLESS_FROM_##KIND, ZC_CAST, NAME)
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE
        },
    .run =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = {ZC_EACH_IN(accumulator, SAME, ZC_ENTRY, run_##combine)},
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
        },
    .rows =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = {ZC_EACH_IN(accumulator, SAME, ZC_ENTRY, rows_##combine)},
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
        },
    .columns =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = {ZC_EACH_OWN_IN(accumulator, SAME, ZC_ENTRY, columns_##combine)},
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
        },
    .tree =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = {ZC_EACH_OWN_IN(accumulator, SAME, ZC_ENTRY, tree_##combine)},
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
        },
    .log_sums = {ZC_LOG_SUMS(FLOAT32, float32), ZC_LOG_SUMS(FLOAT64, float64)},
    .row_dot = {ZC_FLOAT_ENTRIES(row_dot_product), ZC_FLOAT_ENTRIES(row_dot_distance),
                ZC_FLOAT_ENTRIES(row_dot_magnitude)},
    .row_panel = {ZC_FLOAT_ENTRIES(row_panel_product), ZC_FLOAT_ENTRIES(row_panel_distance),
                  ZC_FLOAT_ENTRIES(row_panel_magnitude)},
    .contract = ZC_CONTRACT_ALL,
    .groups = ZC_GROUPS,
    .tiles = ZC_TILES,
    .find = ZC_REAL_ENTRIES(find),
    .count = ZC_KERNEL_OF_ALL(count),
    .extreme = {ZC_REAL_ENTRIES(smallest), ZC_REAL_ENTRIES(largest)},
    .pack = ZC_MOVED_ENTRIES(pack),
    .unpack = ZC_BOOL_OR_MOVED_ENTRIES(unpack),
    .spread = ZC_MOVED_ENTRIES(spread),
    .gather = ZC_MOVED_ENTRIES(gather),
    .deal = ZC_MOVED_ENTRIES(deal),
    .transpose = {ZC_KERNEL_OF(transpose, 1), ZC_KERNEL_OF(transpose, 2), ZC_KERNEL_OF(transpose, 4),
                  ZC_KERNEL_OF(transpose, 8), ZC_KERNEL_OF(transpose, 16)},
    .lines = ZC_KERNEL_OF_ALL(lines),
    .stream = ZC_KERNEL_OF_ALL(stream),
    .fence = ZC_KERNEL_OF_ALL(fence),
    .are_inside = ZC_KERNEL_OF_ALL(are_inside),
    .check = ZC_KERNEL_OF_ALL(check_index),
    .update =
        {
#define ZC_UPDATE(NAME, name, op) [ZC_UPDATE_##NAME] = ZC_NUMBER_ENTRIES(NUMBER, NO, update_##name),
#include "runtime/ops/updates.def"
#undef ZC_UPDATE
        },
    .scan = {ZC_NUMBER_ENTRIES(SIGNLESS, SAME, scan_sum), ZC_NUMBER_ENTRIES(SIGNLESS, SAME, scan_product)},
    .recurrence = ZC_FLOAT_ENTRIES(recurrence),
    .index = ZC_KERNEL_OF_ALL(fill_index),
    .sort = ZC_SORTS,
};
