/*
 * The progress bar: one line on stderr that is drawn over itself while the library computes.
 *
 * It also tells whether anything was computed at all.
 *
 * Invariant: nothing but that line is written, and only on the thread that computes. A bar that nobody asked for is
 * wiped away in the end; one that was asked for stays.
 */
#ifndef ZC_TOOLS_OUTPUT_PROGRESS_BAR_H
#define ZC_TOOLS_OUTPUT_PROGRESS_BAR_H

#include "zerocast.h"

typedef enum zc_progress_bar_choice {
    ZC_PROGRESS_BAR_AUTO, /* where stderr is a terminal and the work lasts over a second */
    ZC_PROGRESS_BAR_ALWAYS,
    ZC_PROGRESS_BAR_NEVER
} zc_progress_bar_choice;

typedef struct zc_progress_bar {
    zc_progress_bar_choice choice;
    bool works;          /* ctx has computed something since this was last set to false */
    double begun, drawn; /* seconds; drawn 0: not yet */
} zc_progress_bar;

/* Watches what ctx computes, and draws meanwhile where `choice` wants it; the bar outlives that. */
void zc_progress_bar_begin(zc_progress_bar *progress, zc_progress_bar_choice choice, zc_context *ctx);

/* Ends the line. To be called when nothing is drawn any more; a progress that is all zero was never begun. */
void zc_progress_bar_end(const zc_progress_bar *progress);

/* The bar as text, from the first column on. */
enum { ZC_PROGRESS_BAR_CELLS = 40, ZC_PROGRESS_BAR_BYTES = ZC_PROGRESS_BAR_CELLS + 16 };
void zc_progress_bar_text(int64_t done, int64_t total, char text[ZC_PROGRESS_BAR_BYTES]);

#endif
