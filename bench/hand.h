/*
 * The references: what one would write by hand, tuned, for the one expression of a case. Each reads the work's inputs
 * and writes by_hand. Those of chains do the work's part from begin to end, which are multiples of 16 elements (of a
 * row, where there are rows), with ordinary stores or with streaming ones.
 */
#ifndef ZC_BENCH_HAND_H
#define ZC_BENCH_HAND_H

#include "bench/bench.h"

/* hand_chains.c */
bench_reference hand_clamp, hand_clamp_streaming;
bench_reference hand_length, hand_length_streaming;
bench_reference hand_polynomial, hand_polynomial_streaming;
bench_reference hand_normalise, hand_normalise_streaming;
bench_reference hand_gelu, hand_gelu_streaming;
bench_reference hand_exp, hand_five;

/* hand_functions.c */
bench_reference hand_exp_f32, hand_tanh_f32, hand_gelu_f32, hand_exp_f64, hand_tanh_f64, hand_gelu_f64;

/* hand_reductions.c */
bench_reference hand_sum, hand_sum_first, hand_sum_middle, hand_sum_last;
bench_reference hand_sum_of_rows, hand_mean_of_rows, hand_max_of_rows, hand_prod_of_rows;
bench_reference hand_sum_of_exp;
bench_reference hand_softmax, hand_distances8, hand_distances16, hand_distances64;

/* hand_pairs.c */
bench_reference hand_smoothed_3, hand_density_3, hand_nearest_3, hand_distance_3;
bench_reference hand_smoothed_16, hand_density_16, hand_nearest_16, hand_distance_16;
bench_reference hand_smoothed_64, hand_density_64, hand_nearest_64, hand_distance_64;

/* hand_layout.c */
bench_reference hand_copy, hand_fill, hand_fill_streaming;
bench_reference hand_repeat_row, hand_repeat_row_streaming, hand_repeat_column, hand_repeat_column_streaming;
bench_reference hand_transpose, hand_transpose_tiles, hand_transpose_f64, hand_transpose_f64_tiles;
bench_reference hand_transpose_ragged;
bench_reference hand_concat_columns, hand_pad, hand_every_second, hand_reversed;

#endif
