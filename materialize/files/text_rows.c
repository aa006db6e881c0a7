/*
 * Text in rows as rows of the table of formats: csv, tsv and txt, which differ in what stands between fields. Text has
 * no first bytes of its own, so the ending of a file's name tells it.
 */
#include "materialize/files/bytes/print.h"
#include "materialize/files/bytes/table.h"
#include "materialize/files/file_error.h"
#include "materialize/files/formats.h"
#include "runtime/dtypes/dtype.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"

/* ---- Reading ---- */

/* A table over a file that is mapped into *buffer. */
static zc_status begin_table(zc_heap *heap, const zc_mapped_file *file, const char *column, char delimiter,
                             zc_buffer **buffer, zc_text_table *table, zc_reason *why)
{
    zc_status status = zc_mapped_file_map(file, heap, 0, file->bytes, buffer, why);
    if (status != ZC_OK)
        return status;
    const char *bytes = file->bytes > 0 ? (*buffer)->memory : "";
    *table = (zc_text_table){.bytes = bytes, .count = file->bytes, .delimiter = delimiter, .column = column};
    status = zc_text_begin(table, why);
    if (status != ZC_OK)
        zc_buffer_release(*buffer);
    return status == ZC_OK ? ZC_OK : zc_file_refuse(why, status, file->path);
}

static zc_status read_table(const zc_mapped_file *file, zc_text_table *table, void *elements, zc_progress *progress,
                            zc_reason *why)
{
    const zc_status status = zc_text_read(table, elements, progress, why);
    return status == ZC_ERROR_FORMAT ? zc_file_refuse(why, status, file->path) : status;
}

/* A table of one column has one axis. */
static int shape_of(const zc_text_table *table, int64_t shape[2])
{
    shape[0] = table->rows;
    shape[1] = table->columns;
    return table->columns == 1 ? 1 : 2;
}

static zc_status describe_table(zc_heap *heap, const zc_mapped_file *file, const char *column, char delimiter,
                                zc_file_info *info, zc_reason *why)
{
    zc_buffer *text;
    zc_text_table table;
    zc_progress unseen = {.total = 0};
    zc_status status = begin_table(heap, file, column, delimiter, &text, &table, why);
    if (status != ZC_OK)
        return status;
    status = read_table(file, &table, NULL, &unseen, why);
    *info = (zc_file_info){.dtype = table.dtype, .header_bytes = table.data - table.bytes};
    info->data_bytes = table.count - info->header_bytes;
    info->rank = shape_of(&table, info->shape);
    zc_buffer_release(text);
    return status;
}

/* Room for the elements that were counted. */
static zc_status make_room(zc_context *ctx, const zc_text_table *table, zc_buffer **buffer, zc_reason *why)
{
    const int64_t item = table->is_truths ? 1 : (int64_t)sizeof(int64_t);
    const int64_t bytes = table->elements * item; /* proven: no more elements than bytes of the file, but for one */
    const zc_status status = zc_kept_make_room(ctx, bytes, why);
    if (status != ZC_OK)
        return status;
    *buffer = zc_buffer_new(ctx->heap, bytes);
    return *buffer != NULL ? ZC_OK : zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

static zc_status fill(zc_context *ctx, const zc_mapped_file *file, zc_text_table *table, zc_file_elements *out,
                      zc_reason *why)
{
    ZC_DEFAULT_FLOATS();
    int64_t shape[2];
    zc_status status = zc_text_count(table, &ctx->progress, why);
    if (status == ZC_OK)
        status = make_room(ctx, table, &out->buffer, why);
    if (status != ZC_OK)
        return status;
    status = read_table(file, table, out->buffer->memory, &ctx->progress, why);
    out->dtype = table->dtype;
    zc_view_row_major(shape_of(table, shape), shape, &out->view);
    if (status != ZC_OK)
        zc_buffer_release(out->buffer);
    return status;
}

static zc_status open_table(zc_context *ctx, const zc_mapped_file *file, const char *column, char delimiter,
                            zc_file_elements *out, zc_reason *why)
{
    zc_buffer *text;
    zc_text_table table;
    zc_status status = begin_table(ctx->heap, file, column, delimiter, &text, &table, why);
    if (status != ZC_OK)
        return status;
    status = fill(ctx, file, &table, out, why);
    zc_buffer_release(text);
    return status;
}

/* ---- Writing ---- */

static zc_status accept(const zc_file_array *array, zc_reason *why)
{
    if (zc_dtype_is_complex(array->dtype))
        return zc_refuse(why, ZC_ERROR_DTYPE, "text holds no %s; save the real and the imaginary part",
                         zc_dtype_name(array->dtype));
    if (array->rank > 2)
        return zc_refuse(why, ZC_ERROR_SHAPE, "text has rows and columns, and the array %d axes; reshape it to two",
                         array->rank);
    return ZC_OK;
}

enum { ROOM = 1 << 14 };

/* Text on its way to the file. */
typedef struct printing {
    char delimiter;
    int64_t columns, column; /* of the element that comes next */
    int used;
    char text[ROOM];
} printing;

static zc_status begin_file(zc_file_writer *w, char delimiter, zc_reason *why)
{
    const zc_file_array *array = w->arrays;
    printing *p = w->state = zc_heap_take(w->heap, sizeof *p);
    if (p == NULL)
        return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    p->delimiter = delimiter;
    p->columns = array->rank < 2 ? 1 : array->shape[1];
    p->column = p->used = 0;
    const zc_status status = zc_replaced_file_expect(w->file, array->bytes, why);
    if (status != ZC_OK)
        zc_heap_give(w->heap, p, sizeof *p);
    return status;
}

static zc_status flush(const zc_file_writer *w, zc_reason *why)
{
    printing *p = w->state;
    const int used = p->used;
    p->used = 0;
    return zc_replaced_file_write(w->file, p->text, (size_t)used, why);
}

static zc_status write_elements(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    ZC_DEFAULT_FLOATS();
    printing *p = w->state;
    for (int64_t i = 0; i < count; i++) {
        p->used += zc_text_print(w->arrays->dtype, elements, i, p->text + p->used);
        p->column = p->column + 1 == p->columns ? 0 : p->column + 1;
        p->text[p->used++] = p->column == 0 ? '\n' : p->delimiter;
        const zc_status status = p->used > ROOM - ZC_TEXT_ELEMENT_BYTES - 1 ? flush(w, why) : ZC_OK;
        if (status != ZC_OK)
            return status;
    }
    return ZC_OK;
}

static zc_status end(zc_file_writer *w, zc_status status, zc_reason *why)
{
    if (status == ZC_OK)
        status = flush(w, why);
    zc_heap_give(w->heap, w->state, sizeof(printing));
    return status;
}

/* ---- The rows ---- */

static zc_status describe_csv(zc_heap *heap, const zc_mapped_file *file, const char *column, zc_file_info *info,
                              zc_reason *why)
{
    return describe_table(heap, file, column, ',', info, why);
}

static zc_status open_csv(zc_context *ctx, const zc_mapped_file *file, const char *column, zc_file_elements *out,
                          zc_reason *why)
{
    return open_table(ctx, file, column, ',', out, why);
}

static zc_status begin_csv(zc_file_writer *w, zc_reason *why)
{
    return begin_file(w, ',', why);
}

static zc_status describe_tsv(zc_heap *heap, const zc_mapped_file *file, const char *column, zc_file_info *info,
                              zc_reason *why)
{
    return describe_table(heap, file, column, '\t', info, why);
}

static zc_status open_tsv(zc_context *ctx, const zc_mapped_file *file, const char *column, zc_file_elements *out,
                          zc_reason *why)
{
    return open_table(ctx, file, column, '\t', out, why);
}

static zc_status begin_tsv(zc_file_writer *w, zc_reason *why)
{
    return begin_file(w, '\t', why);
}

static zc_status describe_txt(zc_heap *heap, const zc_mapped_file *file, const char *column, zc_file_info *info,
                              zc_reason *why)
{
    return describe_table(heap, file, column, ' ', info, why);
}

static zc_status open_txt(zc_context *ctx, const zc_mapped_file *file, const char *column, zc_file_elements *out,
                          zc_reason *why)
{
    return open_table(ctx, file, column, ' ', out, why);
}

static zc_status begin_txt(zc_file_writer *w, zc_reason *why)
{
    return begin_file(w, ' ', why);
}

#define ROW(row)                                                                                                       \
    {                                                                                                                  \
        .name = #row, .endings = row, .picks = true, .describe = describe_##row, .open = open_##row, .accept = accept, \
        .begin = begin_##row, .write = write_elements, .end = end                                                      \
    }

static const char *const csv[] = {"csv", NULL}, *const tsv[] = {"tsv", NULL}, *const txt[] = {"txt", NULL};

extern const zc_file_format zc_csv_format, zc_tsv_format, zc_txt_format;
const zc_file_format zc_csv_format = ROW(csv), zc_tsv_format = ROW(tsv), zc_txt_format = ROW(txt);
