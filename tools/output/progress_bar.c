#include "tools/output/progress_bar.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double seconds_before_first = 1.0, seconds_between = 0.1;

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void zc_progress_bar_text(int64_t done, int64_t total, char text[ZC_PROGRESS_BAR_BYTES])
{
    double part = total > 0 ? (double)done / (double)total : 1.0;
    char cells[ZC_PROGRESS_BAR_CELLS + 1];
    int filled = (int)(part * (int)ZC_PROGRESS_BAR_CELLS);
    for (int i = 0; i < ZC_PROGRESS_BAR_CELLS; i++)
        cells[i] = i < filled ? '#' : ' ';
    cells[ZC_PROGRESS_BAR_CELLS] = '\0';
    (void)snprintf(text, ZC_PROGRESS_BAR_BYTES, "\r[%s] %3d %%", cells, (int)(part * 100));
}

static bool watch(void *user, int64_t done, int64_t total)
{
    zc_progress_bar *progress = user;
    progress->works = true;
    if (progress->choice == ZC_PROGRESS_BAR_NEVER)
        return true;
    double time = now();
    bool is_early = progress->choice == ZC_PROGRESS_BAR_AUTO && time - progress->begun < seconds_before_first;
    if (is_early || (progress->drawn > 0 && time - progress->drawn < seconds_between))
        return true;
    char text[ZC_PROGRESS_BAR_BYTES];
    zc_progress_bar_text(done, total, text);
    fputs(text, stderr);
    progress->drawn = time;
    return true;
}

void zc_progress_bar_begin(zc_progress_bar *progress, zc_progress_bar_choice choice, zc_context *ctx)
{
    bool is_seen = choice != ZC_PROGRESS_BAR_AUTO || isatty(STDERR_FILENO) == 1;
    *progress = (zc_progress_bar){.choice = is_seen ? choice : ZC_PROGRESS_BAR_NEVER, .begun = now()};
    zc_set_progress(ctx, watch, progress);
}

void zc_progress_bar_end(const zc_progress_bar *progress)
{
    if (progress->drawn <= 0)
        return;
    if (progress->choice == ZC_PROGRESS_BAR_ALWAYS)
        fputc('\n', stderr);
    else
        fprintf(stderr, "\r%*s\r", ZC_PROGRESS_BAR_BYTES - 1, "");
}
