#include "materialize/files/file_writer.h"

#include "materialize/files/formats.h"
#include "runtime/dtypes/dtype.h"

zc_status zc_file_writer_begin(zc_file_writer *w, zc_reason *why)
{
    w->current = 0;
    w->state = NULL;
    return w->format->begin(w, why);
}

zc_status zc_file_writer_begin_array(zc_file_writer *w, zc_reason *why)
{
    return w->format->begin_array == NULL ? ZC_OK : w->format->begin_array(w, why);
}

zc_status zc_file_writer_end_array(zc_file_writer *w, zc_reason *why)
{
    zc_status status = w->format->end_array == NULL ? ZC_OK : w->format->end_array(w, why);
    w->current++;
    return status;
}

zc_status zc_file_writer_end(zc_file_writer *w, zc_status status, zc_reason *why)
{
    return w->format->end == NULL ? status : w->format->end(w, status, why);
}

/* Bools may be foreign memory, in which any byte but 0 is true: in a file true is 1. */
static zc_status write_bools(zc_file_writer *w, const unsigned char *bools, int64_t count, zc_reason *why)
{
    unsigned char piece[1 << 14];
    zc_status status = ZC_OK;
    while (count > 0 && status == ZC_OK) {
        const int64_t next = zc_smaller(count, (int64_t)sizeof piece);
        zc_copy_truths(piece, bools, (size_t)next);
        status = w->format->write(w, piece, next, why);
        bools += next;
        count -= next;
    }
    return status;
}

zc_status zc_file_writer_write(zc_file_writer *w, const void *elements, int64_t count, zc_reason *why)
{
    if (w->arrays[w->current].dtype == ZC_BOOL)
        return write_bools(w, elements, count, why);
    return w->format->write(w, elements, count, why);
}
