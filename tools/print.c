#include "tools/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/digits.h"
#include "tools/elements.h"

enum { THRESHOLD = 1000, EDGE = 3, PRECISION = 8, LINE = 75, WORD = DIGITS_BYTES };

/* How every element of an array is written: a common layout, found from all that are shown. */
typedef struct layout {
    zc_dtype dtype;
    bool is_scientific;
    int left;      /* columns before the point, or of the whole integer */
    int right;     /* after the point, the exponent included */
    int precision; /* digits after the point */
} layout;

typedef struct printer {
    FILE *out;
    layout layout;
    const void *data; /* of what is shown, dense */
    int rank;
    int64_t shown[ZC_MAX_RANK]; /* items per axis */
    bool cut[ZC_MAX_RANK];      /* whether items are left out after the first EDGE */
    int64_t next;               /* element to write */
} printer;

/* ---- The layout ---- */

static int larger(int a, int b) {
    return a > b ? a : b;
}

static void fit_integers(layout *l, const void *data, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        char word[32];
        int length = element_kind_of(l->dtype) == ELEMENT_SIGNED
                         ? snprintf(word, sizeof word, "%lld", (long long)element_signed(l->dtype, data, i))
                         : snprintf(word, sizeof word, "%llu", (unsigned long long)element_unsigned(l->dtype, data, i));
        l->left = larger(l->left, length);
    }
}

/* Scientific when positional digits would not show the numbers side by side. */
static bool wants_scientific(const layout *l, const void *data, int64_t count) {
    double most = 0, least = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = fabs(element_float(l->dtype, data, i));
        if (!isfinite(size) || size == 0)
            continue;
        most = size > most ? size : most;
        least = least == 0 || size < least ? size : least;
    }
    double ratio = least == 0 ? 0 : most / least;
    if (l->dtype == ZC_FLOAT32)
        ratio = (double)((float)most / (float)least);
    return least != 0 && (most >= 1e8 || least < 1e-4 || ratio > 1000);
}

static void fit_number(layout *l, double x) {
    char word[WORD];
    bool is_float32 = l->dtype == ZC_FLOAT32;
    if (l->is_scientific)
        digits_scientific(word, x, is_float32, PRECISION);
    else
        digits_positional(word, x, is_float32, PRECISION);
    const char *point = strchr(word, '.'), *e = strchr(word, 'e');
    int fraction = (int)(e != NULL ? e - point - 1 : (long)strlen(point + 1));
    l->left = larger(l->left, (int)(point - word));
    l->precision = larger(l->precision, fraction);
    l->right = larger(l->right, e != NULL ? (int)strlen(e) : 0);
}

static void fit_floats(layout *l, const void *data, int64_t count) {
    bool any_finite = false;
    int special = 0;
    l->is_scientific = wants_scientific(l, data, count);
    for (int64_t i = 0; i < count; i++) {
        double x = element_float(l->dtype, data, i);
        if (isfinite(x))
            fit_number(l, x);
        else
            special = larger(special, isinf(x) && x < 0 ? 4 : 3);
        any_finite |= isfinite(x);
    }
    l->right += any_finite ? l->precision : 0;
    l->left = larger(l->left, special == 0 ? 0 : special - (l->right + 1));
}

static void write_special(const layout *l, double x, char *word) {
    (void)snprintf(word, WORD, "%*s", l->left + l->right + 1, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

/* All numbers get as many digits after the point, and exponents of the same length. */
static void write_scientific(const layout *l, double x, char *word) {
    char digits[WORD];
    (void)snprintf(digits, sizeof digits, "%.*e", l->precision, x);
    char *e = strchr(digits, 'e');
    int mantissa = (int)(e - digits), before = (int)strspn(digits, "-0123456789");
    int exponent_digits = l->right - l->precision - 2;
    long exponent = strtol(e + 1, NULL, 10);
    (void)snprintf(word, WORD, "%*s%.*s%se%c%0*ld", l->left - before, "", mantissa, digits,
                   l->precision == 0 ? "." : "", exponent < 0 ? '-' : '+', exponent_digits, labs(exponent));
}

static void write_positional(const layout *l, double x, char *word) {
    char digits[WORD];
    digits_positional(digits, x, l->dtype == ZC_FLOAT32, PRECISION);
    int before = (int)strspn(digits, "-0123456789"), length = (int)strlen(digits);
    int left = l->left - before, right = l->right - (length - before - 1);
    (void)snprintf(word, WORD, "%*s%.*s%*s", left, "", length, digits, right, "");
}

static void write_word(const layout *l, const void *data, int64_t i, char *word) {
    switch (element_kind_of(l->dtype)) {
    case ELEMENT_BOOL:
        (void)snprintf(word, WORD, "%s", element_unsigned(l->dtype, data, i) != 0 ? " True" : "False");
        return;
    case ELEMENT_SIGNED:
        (void)snprintf(word, WORD, "%*lld", l->left, (long long)element_signed(l->dtype, data, i));
        return;
    case ELEMENT_UNSIGNED:
        (void)snprintf(word, WORD, "%*llu", l->left, (unsigned long long)element_unsigned(l->dtype, data, i));
        return;
    case ELEMENT_FLOAT:
        break;
    }
    double x = element_float(l->dtype, data, i);
    if (!isfinite(x))
        write_special(l, x, word);
    else if (l->is_scientific)
        write_scientific(l, x, word);
    else
        write_positional(l, x, word);
}

/* ---- Rows and brackets ---- */

typedef struct line {
    int used; /* columns, the separator after the last word included */
    int indent;
    int width;
    int spaces; /* owed before the next word: the padding of the last one and the separator */
} line;

/* Spaces at the end of a line are not written. */
static void add_word(FILE *out, line *l, const char *word) {
    int length = (int)strlen(word), inked = length;
    while (inked > 0 && word[inked - 1] == ' ')
        inked--;
    if (l->used + length > l->width && l->used > l->indent) {
        (void)fprintf(out, "\n%*s", l->indent, "");
        l->used = l->indent;
        l->spaces = 0;
    }
    (void)fprintf(out, "%*s%.*s", l->spaces, "", inked, word);
    l->used += length + 1;
    l->spaces = length - inked + 1;
}

static void print_row(printer *p, int indent, int width) {
    int axis = p->rank - 1;
    line l = {.used = indent, .indent = indent, .width = width - 1};
    for (int64_t i = 0; i < p->shown[axis]; i++) {
        char word[WORD];
        if (p->cut[axis] && i == EDGE)
            add_word(p->out, &l, "...");
        write_word(&p->layout, p->data, p->next++, word);
        add_word(p->out, &l, word);
    }
    (void)fprintf(p->out, "%*s", l.spaces - 1, ""); /* the last word's padding stays inside the bracket */
}

static void print_gap(FILE *out, int newlines, int indent) {
    for (int i = 0; i < newlines; i++)
        (void)fputc('\n', out);
    (void)fprintf(out, "%*s", indent, "");
}

/* Nests as deep as the rank, which is at most ZC_MAX_RANK. */
static void print_axis(printer *p, int axis, int width) {
    int indent = axis + 1, newlines = p->rank - axis - 1;
    (void)fputc('[', p->out);
    if (axis == p->rank - 1) {
        print_row(p, indent, width);
    } else {
        for (int64_t i = 0; i < p->shown[axis]; i++) {
            if (i > 0)
                print_gap(p->out, newlines, indent);
            if (p->cut[axis] && i == EDGE) {
                (void)fputs("...", p->out);
                print_gap(p->out, newlines, indent);
            }
            print_axis(p, axis + 1, width - 1);
        }
    }
    (void)fputc(']', p->out);
}

static void print_scalar(FILE *out, zc_dtype dtype, const void *data) {
    char word[WORD];
    layout l = {.dtype = dtype};
    if (element_kind_of(dtype) == ELEMENT_FLOAT)
        digits_scalar(word, element_float(dtype, data, 0), dtype == ZC_FLOAT32);
    else
        write_word(&l, data, 0, word);
    (void)fputs(word + (word[0] == ' '), out);
}

/* ---- What is shown ---- */

/* The view of the corners: a cut axis becomes two, which end it is and which item of that end. */
static zc_tensor *select_corners(const zc_tensor *t, printer *p) {
    int64_t shape[2 * ZC_MAX_RANK], stride[2 * ZC_MAX_RANK];
    int rank = 0;
    bool summarised = zc_size(t) > THRESHOLD;
    for (int a = 0; a < p->rank; a++) {
        int64_t extent = zc_shape(t)[a], step = zc_strides(t)[a];
        p->cut[a] = summarised && extent > 2 * EDGE;
        p->shown[a] = p->cut[a] ? 2 * EDGE : extent;
        if (p->cut[a]) {
            shape[rank] = 2;
            stride[rank++] = (extent - EDGE) * step;
        }
        shape[rank] = p->cut[a] ? EDGE : extent;
        stride[rank++] = step;
    }
    return zc_as_strided(t, rank, shape, stride, 0);
}

static void print_elements(printer *p, const zc_tensor *shown) {
    p->data = zc_data(shown);
    p->layout = (layout){.dtype = zc_dtype_of(shown)};
    if (p->rank == 0) {
        print_scalar(p->out, p->layout.dtype, p->data);
        return;
    }
    if (element_kind_of(p->layout.dtype) == ELEMENT_FLOAT)
        fit_floats(&p->layout, p->data, zc_size(shown));
    else if (element_kind_of(p->layout.dtype) != ELEMENT_BOOL)
        fit_integers(&p->layout, p->data, zc_size(shown));
    print_axis(p, 0, LINE);
}

zc_status print_tensor(FILE *out, const zc_tensor *t) {
    if (zc_size(t) == 0) {
        (void)fputs("[]\n", out);
        return ZC_OK;
    }
    printer p = {.out = out, .rank = zc_rank(t)};
    zc_tensor *corners = select_corners(t, &p);
    zc_tensor *shown = elements_of(corners);
    if (shown == NULL)
        return zc_error_status(zc_context_of(t));
    print_elements(&p, shown);
    (void)fputc('\n', out);
    zc_release(shown);
    zc_release(corners);
    return ZC_OK;
}

/* ---- JSON ---- */

static void print_json_element(FILE *out, zc_dtype dtype, const void *data, int64_t i) {
    char word[WORD];
    layout l = {.dtype = dtype};
    if (element_kind_of(dtype) == ELEMENT_BOOL) {
        (void)fputs(element_unsigned(dtype, data, i) != 0 ? "true" : "false", out);
    } else if (element_kind_of(dtype) == ELEMENT_FLOAT) {
        double x = element_float(dtype, data, i);
        digits_scalar(word, x, dtype == ZC_FLOAT32);
        (void)fprintf(out, isfinite(x) ? "%s" : "\"%s\"", word);
    } else {
        write_word(&l, data, i, word);
        (void)fputs(word, out);
    }
}

/* Brackets open before an element that begins an axis and close after one that ends it. */
static int axes_at_boundary(const zc_tensor *t, int64_t index) {
    int axes = 0;
    for (int a = zc_rank(t) - 1; a >= 0 && index % zc_shape(t)[a] == 0; a--) {
        index /= zc_shape(t)[a];
        axes++;
    }
    return axes;
}

static void print_brackets(FILE *out, int count, char bracket) {
    for (int i = 0; i < count; i++)
        (void)fputc(bracket, out);
}

/* A tensor without elements: lists down to the axis that is empty. */
static void print_json_empty(FILE *out, const zc_tensor *t, int axis) {
    (void)fputc('[', out);
    for (int64_t i = 0; i < zc_shape(t)[axis]; i++) {
        if (i > 0)
            (void)fputs(", ", out);
        print_json_empty(out, t, axis + 1);
    }
    (void)fputc(']', out);
}

zc_status print_json_data(FILE *out, const zc_tensor *t) {
    if (zc_size(t) == 0) {
        print_json_empty(out, t, 0);
        return ZC_OK;
    }
    zc_tensor *shown = elements_of(t);
    if (shown == NULL)
        return zc_error_status(zc_context_of(t));
    for (int64_t i = 0; i < zc_size(t); i++) {
        if (i > 0)
            (void)fputs(", ", out);
        print_brackets(out, axes_at_boundary(t, i), '[');
        print_json_element(out, zc_dtype_of(t), zc_data(shown), i);
        print_brackets(out, axes_at_boundary(t, i + 1), ']');
    }
    zc_release(shown);
    return ZC_OK;
}
