#include "materialize/files/npy_header.h"

#include <stdio.h>
#include <string.h>

#include "runtime/dtypes/dtype.h"

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* The order of bytes that this machine has not got. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { FOREIGN_ORDER = '>' };
#else
enum { FOREIGN_ORDER = '<' };
#endif

bool zc_npy_header_begins(const unsigned char *bytes, size_t count)
{
    return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

zc_status zc_npy_header_length(const unsigned char *bytes, size_t count, int64_t *length, zc_reason *why)
{
    if (count < 10 || !zc_npy_header_begins(bytes, count))
        return zc_refuse(why, ZC_ERROR_FORMAT, "not a .npy file");
    int version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0) /* there are 1.0, 2.0 and 3.0 */
        return zc_refuse(why, ZC_ERROR_FORMAT, "version %d.%d of the .npy format is not known", version, bytes[7]);
    if (version == 1) {
        *length = 10 + (int64_t)bytes[8] + ((int64_t)bytes[9] << 8);
    } else {
        if (count < ZC_NPY_PREFIX)
            return zc_refuse(why, ZC_ERROR_FORMAT, "the file ends inside its header");
        *length = ZC_NPY_PREFIX + (int64_t)bytes[8] + ((int64_t)bytes[9] << 8) + ((int64_t)bytes[10] << 16) +
                  ((int64_t)bytes[11] << 24);
    }
    if (*length > ZC_NPY_HEADER_MOST)
        return zc_refuse(why, ZC_ERROR_FORMAT, "a header of %lld bytes is longer than any that is needed",
                         (long long)*length);
    return ZC_OK;
}

/* ---- The dict literal ---- */

typedef struct reader {
    const char *at, *end;
} reader;

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Takes one character if it is next. */
static bool take(reader *r, char wanted)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != wanted)
        return false;
    r->at++;
    return true;
}

/* A string in single or double quotes, without escapes. */
static bool take_string(reader *r, char *out, size_t room)
{
    skip_space(r);
    if (r->at >= r->end || (*r->at != '\'' && *r->at != '"'))
        return false;
    char quote = *r->at++;
    size_t length = 0;
    while (r->at < r->end && *r->at != quote) {
        if (length + 1 >= room || *r->at == '\\')
            return false;
        out[length++] = *r->at++;
    }
    out[length] = '\0';
    return take(r, quote);
}

static bool take_word(reader *r, const char *word)
{
    skip_space(r);
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* A decimal number; Python 2 wrote a trailing L. */
static bool take_number(reader *r, int64_t *out)
{
    skip_space(r);
    bool negative = r->at < r->end && *r->at == '-';
    r->at += negative;
    *out = 0;
    const char *digits = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (!zc_checked_multiply(*out, 10, out) || !zc_checked_add(*out, *r->at - '0', out))
            return false;
    }
    if (negative)
        *out = -*out;
    bool any = r->at > digits;
    if (any && r->at < r->end && *r->at == 'L')
        r->at++;
    return any;
}

/* ---- The three keys ---- */

/* Its kind and its bytes; NumPy has no bfloat16. */
const char *zc_npy_code(zc_dtype dtype)
{
    static const char *const codes[ZC_DTYPE_COUNT] = {
        [ZC_BOOL] = "b1",    [ZC_INT8] = "i1",    [ZC_INT16] = "i2",     [ZC_INT32] = "i4",       [ZC_INT64] = "i8",
        [ZC_UINT8] = "u1",   [ZC_UINT16] = "u2",  [ZC_UINT32] = "u4",    [ZC_UINT64] = "u8",      [ZC_FLOAT32] = "f4",
        [ZC_FLOAT64] = "f8", [ZC_FLOAT16] = "f2", [ZC_COMPLEX64] = "c8", [ZC_COMPLEX128] = "c16",
    };
    return codes[dtype];
}

static zc_status read_descr(reader *r, zc_npy_info *info, zc_reason *why)
{
    char descr[16];
    skip_space(r);
    if (r->at < r->end && *r->at == '[')
        return zc_refuse(why, ZC_ERROR_FORMAT, "structured dtypes are not supported");
    if (!take_string(r, descr, sizeof descr))
        return zc_refuse(why, ZC_ERROR_FORMAT, "the header's descr is not a short string");
    char order = descr[0], kind = order == '\0' ? '\0' : descr[1];
    if (kind == 'O')
        return zc_refuse(why, ZC_ERROR_FORMAT, "pickled objects are refused");
    if (order != '<' && order != '>' && order != '|' && order != '=')
        return zc_refuse(why, ZC_ERROR_FORMAT, "the dtype '%s' has no byte order", descr);
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        const char *code = zc_npy_code((zc_dtype)d);
        if (code == NULL || strcmp(code, descr + 1) != 0)
            continue;
        info->dtype = (zc_dtype)d;
        info->big_endian = order == FOREIGN_ORDER && zc_dtype_bytes((zc_dtype)d) > 1;
        return ZC_OK;
    }
    return zc_refuse(why, ZC_ERROR_FORMAT, "the dtype '%s' is not supported", descr);
}

static zc_status read_order(reader *r, zc_npy_info *info, zc_reason *why)
{
    info->fortran_order = take_word(r, "True");
    if (!info->fortran_order && !take_word(r, "False"))
        return zc_refuse(why, ZC_ERROR_FORMAT, "the header's fortran_order is neither True nor False");
    return ZC_OK;
}

static zc_status read_shape(reader *r, zc_npy_info *info, zc_reason *why)
{
    info->rank = 0;
    if (!take(r, '('))
        return zc_refuse(why, ZC_ERROR_FORMAT, "the header's shape is not a tuple");
    while (!take(r, ')')) {
        if (info->rank == ZC_MAX_RANK)
            return zc_refuse(why, ZC_ERROR_FORMAT, "the rank is above %d", ZC_MAX_RANK);
        if (!take_number(r, &info->shape[info->rank++]))
            return zc_refuse(why, ZC_ERROR_FORMAT, "the header's shape holds something else than int64 numbers");
        if (!take(r, ',')) {
            if (info->rank == 1 || !take(r, ')'))
                return zc_refuse(why, ZC_ERROR_FORMAT, "the header's shape is not a tuple");
            return ZC_OK;
        }
    }
    return ZC_OK;
}

typedef zc_status read_key(reader *r, zc_npy_info *info, zc_reason *why);

static zc_status read_dict(reader *r, zc_npy_info *info, zc_reason *why)
{
    static const char *const names[] = {"descr", "fortran_order", "shape"};
    static read_key *const readers[] = {read_descr, read_order, read_shape};
    bool seen[3] = {false, false, false};
    if (!take(r, '{'))
        return zc_refuse(why, ZC_ERROR_FORMAT, "the header is not a dict");
    while (!take(r, '}')) {
        char name[16];
        int key = 0;
        if (!take_string(r, name, sizeof name))
            return zc_refuse(why, ZC_ERROR_FORMAT, "the header has a key that is not descr, fortran_order or shape");
        while (key < 3 && strcmp(name, names[key]) != 0)
            key++;
        if (key == 3 || seen[key] || !take(r, ':'))
            return zc_refuse(why, ZC_ERROR_FORMAT, "the header's key '%s' is unknown, repeated or without a value",
                             name);
        seen[key] = true;
        zc_status status = readers[key](r, info, why);
        if (status != ZC_OK)
            return status;
        if (!take(r, ',')) {
            if (!take(r, '}'))
                return zc_refuse(why, ZC_ERROR_FORMAT, "the header is not a dict");
            break;
        }
    }
    skip_space(r);
    if (!seen[0] || !seen[1] || !seen[2] || r->at != r->end)
        return zc_refuse(why, ZC_ERROR_FORMAT, "the header %s",
                         r->at != r->end ? "goes on after its dict" : "lacks descr, fortran_order or shape");
    return ZC_OK;
}

zc_status zc_npy_header_parse(const unsigned char *bytes, size_t count, zc_npy_info *info, zc_reason *why)
{
    *info = (zc_npy_info){.rank = 0};
    zc_status status = zc_npy_header_length(bytes, count, &info->header_bytes, why);
    if (status != ZC_OK)
        return status;
    if ((uint64_t)info->header_bytes > count)
        return zc_refuse(why, ZC_ERROR_FORMAT, "the file ends inside its header");
    info->version = bytes[6];
    const char *text = (const char *)bytes;
    reader r = {text + (info->version == 1 ? 10 : ZC_NPY_PREFIX), text + info->header_bytes};
    status = read_dict(&r, info, why);
    if (status != ZC_OK)
        return status;
    int64_t size;
    status = zc_shape_size(info->rank, info->shape, &size, why);
    if (status == ZC_OK)
        status = zc_shape_bytes(size, zc_dtype_bytes(info->dtype), &info->data_bytes, why);
    return status == ZC_OK ? ZC_OK : ZC_ERROR_FORMAT;
}

/* ---- Writing ---- */

enum { HEADER_ALIGNMENT = 64, GROWTH_DIGITS = 21 };

size_t zc_npy_header_write(char *bytes, zc_dtype dtype, int rank, const int64_t *shape)
{
    size_t used = 10;
    used += (size_t)snprintf(bytes + used, ZC_NPY_HEADER_ROOM - used,
                             "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                             zc_dtype_bytes(dtype) > 1 ? '<' : '|', zc_npy_code(dtype));
    int digits = 0;
    for (int a = 0; a < rank; a++) {
        int written = snprintf(bytes + used, ZC_NPY_HEADER_ROOM - used, "%lld%s", (long long)shape[a],
                               a + 1 < rank ? ", "
                               : rank == 1  ? ","
                                            : "");
        if (a == 0)
            digits = written - (rank == 1 ? 1 : 2);
        used += (size_t)written;
    }
    used += (size_t)snprintf(bytes + used, ZC_NPY_HEADER_ROOM - used, "), }");
    /* NumPy leaves room for the first extent to grow in place, then fills up to the alignment. */
    for (int i = digits; rank > 0 && i < GROWTH_DIGITS; i++)
        bytes[used++] = ' ';
    size_t padding = HEADER_ALIGNMENT - (used + 1) % HEADER_ALIGNMENT;
    memset(bytes + used, ' ', padding);
    used += padding;
    bytes[used++] = '\n';
    memcpy(bytes, magic, sizeof magic);
    bytes[6] = 1;
    bytes[7] = 0;
    bytes[8] = (char)((used - 10) & 0xff);
    bytes[9] = (char)((used - 10) >> 8);
    return used;
}
