/*
 * The progress bar: one line on stderr that is drawn over itself while the library computes.
 *
 * It also tells whether anything was computed at all.
 *
 * Invariant: nothing but that line is written, and only on the thread that computes. A bar that nobody asked for is
 * wiped away in the end; one that was asked for stays.
 */
#ifndef ZC_TOOLS_OUTPUT_PROGRESS_H
#define ZC_TOOLS_OUTPUT_PROGRESS_H

#include "zerocast.h"

typedef enum zc_progress_choice {
    ZC_PROGRESS_AUTO, /* where stderr is a terminal and the work lasts over a second */
    ZC_PROGRESS_ALWAYS,
    ZC_PROGRESS_NEVER
} zc_progress_choice;

typedef struct zc_progress {
    zc_progress_choice choice;
    bool works;          /* ctx has computed something since this was last set to false */
    double begun, drawn; /* seconds; drawn 0: not yet */
} zc_progress;

/* Watches what ctx computes, and draws meanwhile where `choice` wants it; the bar outlives that. */
void zc_progress_begin(zc_progress *progress, zc_progress_choice choice, zc_context *ctx);

/* Ends the line. To be called when nothing is drawn any more; a progress that is all zero was never begun. */
void zc_progress_end(const zc_progress *progress);

/* The bar as text, from the first column on. */
enum { ZC_PROGRESS_CELLS = 40, ZC_PROGRESS_BYTES = ZC_PROGRESS_CELLS + 16 };
void zc_progress_text(int64_t done, int64_t total, char text[ZC_PROGRESS_BYTES]);

#endif
