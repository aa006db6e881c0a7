/* Pieces: what each is, by arithmetic, and how it is recorded over the results of those that it needs. */
#include "runtime/graph/scope.h"
#include "runtime/record/record.h"
#include "runtime/split/divide.h"

static const char function[] = "division_record";

/* The family of a piece; NULL: there is no such piece. */
static const zc_family *find_family(const zc_division *s, int64_t i)
{
    int f = 0;
    while (f < s->family_count && i >= s->families[f].first + s->families[f].count) /* proven: pieces */
        f++;
    return i >= 0 && f < s->family_count ? &s->families[f] : NULL;
}

/* The numbers of a range or a join. */
static void find_numbers(const zc_division *s, const zc_family *f, int64_t at, int64_t *begin, int64_t *end)
{
    const int64_t numbers = s->shared[f->of].parted.numbers;
    *begin = at * f->length; /* proven: numbers */
    *end = f->length > numbers - *begin ? numbers : *begin + f->length;
}

static int64_t bytes_of(int64_t elements, zc_dtype dtype)
{
    int64_t bytes;
    return zc_checked_multiply(elements, (int64_t)zc_dtype_bytes(dtype), &bytes) ? bytes : INT64_MAX;
}

static int64_t state_bytes(const zc_parted *p, int64_t begin, int64_t end)
{
    int64_t shape[ZC_MAX_RANK], size, bytes = 0;
    const int rank = zc_parted_shape(p, begin, end, shape);
    (void)zc_shape_size(rank, shape, &size, NULL);
    for (int i = 0; i < p->states; i++)
        bytes = zc_saturating_add(bytes, bytes_of(size, zc_parted_dtype(p, i)));
    return bytes;
}

/* The pieces that give all of the shared nodes that are needed. */
static void set_needs(const zc_division *s, const zc_needs *needs, zc_piece *piece)
{
    piece->need_count = needs->count;
    for (int i = 0; i < needs->count; i++)
        piece->needs[i] = s->shared[needs->at[i]].last;
}

/* The pieces of the family before, which are its ranges, or joins of them. */
static void set_joined(const zc_family *f, int64_t at, zc_piece *piece)
{
    const zc_family *below = f - 1;
    const int64_t first = at * ZC_MOST_JOINED; /* proven: at most the pieces of the family below */
    piece->need_count = (int32_t)zc_smaller(below->count - first, ZC_MOST_JOINED);
    for (int i = 0; i < piece->need_count; i++)
        piece->needs[i] = below->first + first + i;
}

static void describe_block(const zc_division *s, const zc_family *f, int64_t at, zc_piece *piece)
{
    const zc_divided *d = &s->tensors[f->of];
    int64_t size;
    piece->rank = d->t->rank;
    zc_divided_block(d, at, piece->first, piece->count);
    (void)zc_shape_size(piece->rank, piece->count, &size, NULL);
    piece->bytes = bytes_of(size, zc_dtype_of(d->t));
    piece->outputs = 1;
    piece->rule = "block";
    set_needs(s, &d->needs, piece);
}

static void describe_shared(const zc_division *s, const zc_family *f, int64_t at, zc_piece *piece)
{
    const zc_shared *shared = &s->shared[f->of];
    const int64_t number = f->first + at;
    const bool is_last = number == shared->last;
    int64_t begin = 0, end = 0;
    if (f->kind != ZC_PIECE_NODE) {
        find_numbers(s, f, at, &begin, &end);
        piece->rank = 1;
        piece->first[0] = begin;
        piece->count[0] = end - begin;
    }
    piece->outputs = is_last ? 1 : shared->parted.states;
    piece->bytes =
        is_last ? bytes_of(shared->t->size, zc_dtype_of(shared->t)) : state_bytes(&shared->parted, begin, end);
    piece->rule = f->kind == ZC_PIECE_NODE ? "shared_price" : "part";
    if (f->kind == ZC_PIECE_JOIN)
        set_joined(f, at, piece);
    else
        set_needs(s, &shared->needs, piece);
}

static void describe(const zc_division *s, const zc_family *f, int64_t i, zc_piece *piece)
{
    *piece = (zc_piece){.kind = f->kind, .of = f->of};
    if (f->kind == ZC_PIECE_BLOCK)
        describe_block(s, f, i - f->first, piece);
    else
        describe_shared(s, f, i - f->first, piece);
}

static zc_status refuse_piece(const zc_division *s, const char *name, int64_t i)
{
    return zc_fail(s->ctx, ZC_ERROR_ARGUMENT, name, "there is no piece %lld of %lld", (long long)i,
                   (long long)s->pieces);
}

zc_status zc_division_piece(const zc_division *s, int64_t i, zc_piece *piece)
{
    static const char name[] = "division_piece";
    if (s == NULL)
        return zc_fail(NULL, ZC_ERROR_ARGUMENT, name, "s is NULL");
    const zc_family *f = find_family(s, i);
    if (f == NULL)
        return refuse_piece(s, name, i);
    if (piece == NULL)
        return zc_fail(s->ctx, ZC_ERROR_ARGUMENT, name, "there is nowhere to put the result");
    describe(s, f, i, piece);
    return ZC_OK;
}

/* ---- Recording ---- */

/* A tensor over what was computed of the shared nodes that it is made of. NULL after a failure. */
static zc_tensor *put_needs(const zc_division *s, const zc_tensor *t, const zc_needs *needs,
                            const zc_tensor *const *inputs)
{
    const zc_tensor *nodes[ZC_MOST_NEEDS];
    zc_tensor *out = NULL;
    for (int i = 0; i < needs->count; i++)
        nodes[i] = s->shared[needs->at[i]].t;
    if (zc_substitute(1, &t, needs->count, nodes, inputs, &out) != ZC_OK)
        return NULL;
    return out;
}

/* A node of its own: nothing that is computed of it changes the graph of the split. */
static zc_tensor *copy_of(const zc_division *s, const zc_tensor *t)
{
    return t == NULL ? NULL : zc_tensor_of_node(s->ctx, zc_record_copy(t), function);
}

static void record_join(const zc_division *s, const zc_family *f, const zc_piece *piece, int n,
                        const zc_tensor *const *inputs, zc_tensor **out)
{
    int count = 0;
    int64_t begin[ZC_MOST_JOINED + 1], end = 0;
    zc_tensor *states[ZC_MOST_STATES];
    const zc_shared *shared = &s->shared[f->of];
    for (int i = 0; i < piece->need_count; i++) {
        find_numbers(s, f - 1, piece->needs[i] - (f - 1)->first, &begin[i], &end);
        begin[i + 1] = end;
    }
    if (f->first == shared->last) {
        out[0] = copy_of(s, zc_join(shared->t, piece->need_count, begin, n, inputs));
        return;
    }
    if (zc_join_parts(shared->t, piece->need_count, begin, n, inputs, &count, states) != ZC_OK)
        return;
    for (int i = 0; i < piece->outputs; i++)
        out[i] = states[i];
}

static void record_range(const zc_division *s, const zc_family *f, const zc_piece *piece,
                         const zc_tensor *const *inputs, zc_tensor **out)
{
    int count = 0;
    zc_tensor *states[ZC_MOST_STATES];
    const zc_shared *shared = &s->shared[f->of];
    const zc_tensor *r = put_needs(s, shared->t, &shared->needs, inputs);
    if (r == NULL || zc_part(r, piece->first[0], piece->count[0], &count, states) != ZC_OK)
        return;
    for (int i = 0; i < piece->outputs; i++)
        out[i] = states[i];
}

/* Sets piece->outputs tensors, or NULL after a failure. */
static void record(const zc_division *s, const zc_family *f, const zc_piece *piece, int n,
                   const zc_tensor *const *inputs, zc_tensor **out)
{
    const zc_tensor *t = NULL;
    switch (f->kind) {
    case ZC_PIECE_JOIN:
        record_join(s, f, piece, n, inputs, out);
        return;
    case ZC_PIECE_RANGE:
        record_range(s, f, piece, inputs, out);
        return;
    case ZC_PIECE_NODE:
        t = put_needs(s, s->shared[f->of].t, &s->shared[f->of].needs, inputs);
        break;
    default:
        t = put_needs(s, s->tensors[f->of].t, &s->tensors[f->of].needs, inputs);
        t = t == NULL ? NULL : zc_window_of(t, piece->first, piece->count);
    }
    out[0] = copy_of(s, t);
}

/* All outputs of the pieces that one needs. */
static int count_inputs(const zc_division *s, const zc_piece *piece)
{
    zc_piece need;
    int count = 0;
    for (int i = 0; i < piece->need_count; i++) {
        describe(s, find_family(s, piece->needs[i]), piece->needs[i], &need);
        count += need.outputs;
    }
    return count;
}

static zc_status record_in_scope(const zc_division *s, const zc_family *f, const zc_piece *piece, int n,
                                 const zc_tensor *const *inputs, zc_tensor **out)
{
    const zc_tensor *own[2 * ZC_MOST_NEEDS];
    zc_tensor *made[2] = {NULL, NULL};
    zc_scope *scope = zc_scope_begin(s->ctx);
    bool is_made = scope != NULL;
    for (int i = 0; i < n && is_made; i++) {
        own[i] = zc_adopt(s->ctx, inputs[i]);
        is_made = own[i] != NULL;
    }
    if (is_made)
        record(s, f, piece, n, own, made);
    for (int i = 0; i < piece->outputs; i++)
        is_made = is_made && made[i] != NULL;
    for (int i = 0; i < piece->outputs && is_made; i++)
        out[i] = zc_keep_outside(made[i]);
    zc_scope_end(scope);
    return is_made ? ZC_OK : zc_error_status(s->ctx);
}

zc_status zc_division_record(const zc_division *s, int64_t i, int n, const zc_tensor *const *inputs, zc_tensor *out[2])
{
    zc_piece piece;
    if (out != NULL)
        out[0] = out[1] = NULL;
    if (s == NULL)
        return zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "s is NULL");
    const zc_family *f = find_family(s, i);
    if (f == NULL)
        return refuse_piece(s, function, i);
    if (out == NULL)
        return zc_fail(s->ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the results");
    describe(s, f, i, &piece);
    if (n != count_inputs(s, &piece))
        return zc_fail(s->ctx, ZC_ERROR_ARGUMENT, function, "piece %lld is made of %d inputs, not of %d", (long long)i,
                       count_inputs(s, &piece), n);
    if (zc_refuse_lost_in_list(s->ctx, function, "inputs", n, inputs))
        return ZC_ERROR_ARGUMENT;
    return record_in_scope(s, f, &piece, n, inputs, out);
}
