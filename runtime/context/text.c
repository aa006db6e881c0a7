#include "runtime/context/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/context/context.h"
#include "runtime/dtypes/real_text.h"

enum { FIRST_ROOM = 1024, MAX_COLUMNS = 16 };

static bool make_room(zc_text_builder *text, size_t more)
{
    if (text->failed)
        return false;
    size_t room = text->room == 0 ? FIRST_ROOM : text->room;
    while (room < text->used + more + 1)
        room *= 2;
    if (room == text->room)
        return true;
    char *longer = zc_heap_take(text->heap, room);
    if (longer == NULL) {
        text->failed = true;
        return false;
    }
    if (text->bytes != NULL)
        memcpy(longer, text->bytes, text->used);
    zc_heap_give(text->heap, text->bytes, text->room);
    text->bytes = longer;
    text->room = room;
    return true;
}

void zc_text_add(zc_text_builder *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments); /* fails for texts beyond INT_MAX: no such piece is added */
    if (make_room(text, (size_t)length)) {
        (void)vsnprintf(text->bytes + text->used, (size_t)length + 1, format, again);
        text->used += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void zc_text_add_real(zc_text_builder *text, const char *format, double x)
{
    char number[ZC_REAL_TEXT];
    zc_real_print(number, format, x);
    zc_text_add(text, "%s", number);
}

void zc_text_add_axes(zc_text_builder *text, uint64_t axes, const char *between)
{
    for (uint64_t left = axes; left != 0; left &= left - 1)
        zc_text_add(text, "%s%d", left == axes ? "" : between, __builtin_ctzll(left));
}

/* ---- Tables ---- */

typedef struct cell {
    const char *text;
    int length, column;
    char end; /* '\t', or '\n' or NUL of the last one of a line */
} cell;

/* Steps to the next cell; false at the end. Begin with {.text = the table, .column = -1}. */
static bool next_cell(cell *c)
{
    if (c->column >= 0) {
        c->text += c->length + (c->end != '\0');
        c->column = c->end == '\t' ? c->column : -1;
    }
    c->length = (int)strcspn(c->text, "\t\n");
    c->end = c->text[c->length];
    c->column++;
    return *c->text != '\0';
}

static bool is_padded(const cell *c)
{
    return c->end == '\t' && c->column < MAX_COLUMNS;
}

void zc_text_align(zc_text_builder *text, size_t from, unsigned right)
{
    int width[MAX_COLUMNS] = {0};
    if (text->failed || text->used == from)
        return;
    zc_text_builder aligned = {.heap = text->heap};
    for (cell c = {.text = text->bytes + from, .column = -1}; next_cell(&c);) {
        if (is_padded(&c) && width[c.column] < c.length)
            width[c.column] = c.length;
    }
    for (cell c = {.text = text->bytes + from, .column = -1}; next_cell(&c);) {
        int blanks = is_padded(&c) ? width[c.column] - c.length : 0;
        bool is_right = blanks > 0 && (right >> c.column & 1) != 0;
        zc_text_add(&aligned, "%*s%.*s%*s%s", is_right ? blanks : 0, "", c.length, c.text, is_right ? 0 : blanks, "",
                    c.end == '\t' ? "  " : "\n");
    }
    text->used = from;
    text->failed = aligned.failed;
    zc_text_add(text, "%s", aligned.failed ? "" : aligned.bytes);
    zc_heap_give(aligned.heap, aligned.bytes, aligned.room);
}

/* ---- Its end ---- */

/* A string of its exact size, so that zc_text_free can find out how much to give back. */
char *zc_text_finish(zc_text_builder *text)
{
    char *string = text->failed ? NULL : zc_heap_take(text->heap, text->used + 1);
    if (string != NULL) {
        memcpy(string, text->bytes != NULL ? text->bytes : "", text->used);
        string[text->used] = '\0';
    }
    zc_heap_give(text->heap, text->bytes, text->room);
    return string;
}

void zc_text_free(zc_context *ctx, char *text)
{
    if (ctx != NULL && text != NULL)
        zc_heap_give(ctx->heap, text, strlen(text) + 1);
}
