#include "materialize/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/context.h"

enum { FIRST_ROOM = 1024 };

static bool make_room(zc_text *text, size_t more)
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

void zc_text_add(zc_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        (void)vsnprintf(text->bytes + text->used, (size_t)length + 1, format, again);
        text->used += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

/* A string of its exact size, so that zc_text_free can find out how much to give back. */
char *zc_text_finish(zc_text *text)
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
