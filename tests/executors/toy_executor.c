/* An executor of one file and one row, as anybody might add one: it runs stages that store a constant, and no others.
 */
#include "tests/executors/toy_executor.h"

#include <stdlib.h>
#include <string.h>

#include "materialize/execute/executor.h"

static int alive;

int toy_executor_alive(void)
{
    return alive;
}

typedef struct fill {
    const zc_stage *stage;
    char *const *slots;
} fill;

static zc_preparation prepare(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared)
{
    (void)ctx, (void)arena;
    if (!stage->kind->is_elementwise || zc_stage_result(stage)->kind != ZC_VALUE_CONSTANT)
        return ZC_DECLINED;
    fill *f = malloc(sizeof *f); /* from nowhere that the library knows: release() has to end it */
    if (f == NULL)
        return ZC_NOT_PREPARED;
    *f = (fill){stage, slots};
    *prepared = f;
    alive++;
    return ZC_PREPARED;
}

/* Row-major results alone, which all of the test's are. */
static zc_status run(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad_index)
{
    (void)ctx, (void)scratch, (void)bad_index;
    const fill *f = prepared;
    const size_t item = zc_dtype_bytes(f->stage->store.dtype);
    char *to = f->slots[f->stage->store.slot] + (size_t)f->stage->store.offset * item;
    for (int64_t i = 0; i < zc_stage_extent(f->stage, 0, f->stage->rank); i++)
        memcpy(to + (size_t)i * item, zc_stage_result(f->stage)->constant->bytes, item);
    return ZC_OK;
}

static void release(void *prepared)
{
    free(prepared);
    alive--;
}

const zc_stage_executor zc_stage_executor_toy = {.name = "toy", .prepare = prepare, .run = run, .release = release};
