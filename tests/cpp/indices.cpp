/* zerocast.hpp: x(...) beside NumPy's rule, written out here element by element, and beside results that NumPy 1.24
 * gave. */
#include <cstdint>
#include <random>
#include <vector>

#include "expect.h"

using ints = std::vector<int64_t>;

namespace
{
enum kind { single, range, newaxis, ellipsis, positions, mask };

/* One index, as the oracle knows it. */
struct one {
    kind is;
    int64_t at, start, stop, step; /* bounds count from 0, or are zc::none */
    ints shape, numbers;           /* of positions, or of a mask */
};

/* Axes of a result: how far each moves in x, or which of the broadcast positions it counts. */
struct axis_of_result {
    int64_t size, start, step;
    int axis; /* of x; -1: new */
};

std::mt19937 draw(20260131);

int64_t below(int64_t n) { return static_cast<int64_t>(draw() % static_cast<uint32_t>(n)); }

int64_t size_of(const ints &shape)
{
    int64_t size = 1;
    for (int64_t extent : shape)
        size *= extent;
    return size;
}

/* Counts in an odometer over a shape; false at its end. */
bool step_in(ints &at, const ints &shape)
{
    for (size_t a = shape.size(); a-- > 0;) {
        if (++at[a] < shape[a])
            return true;
        at[a] = 0;
    }
    return false;
}

/* A mask is its positions, an axis each; x has strides of its shape. */
std::vector<one> without_masks(const std::vector<one> &indices)
{
    std::vector<one> plain;
    for (const one &i : indices) {
        if (i.is != mask) {
            plain.push_back(i);
            continue;
        }
        std::vector<ints> found(i.shape.size());
        ints at(i.shape.size(), 0);
        for (size_t n = 0; n < i.numbers.size(); n++, step_in(at, i.shape)) {
            for (size_t a = 0; a < at.size() && i.numbers[n] != 0; a++)
                found[a].push_back(at[a]);
        }
        for (const ints &numbers : found)
            plain.push_back({positions, 0, 0, 0, 0, {static_cast<int64_t>(numbers.size())}, numbers});
    }
    return plain;
}

/* The shape and elements of x[...], x being 0, 1 ... in row-major order. */
void expected(const ints &x, const std::vector<one> &given, ints &shape, ints &elements)
{
    const std::vector<one> indices = without_masks(given);
    std::vector<axis_of_result> before, behind;
    std::vector<std::pair<int, one>> advanced; /* by axes of x */
    int used = 0, axis = 0;
    size_t first = indices.size(), last = 0;
    bool has_positions = false, is_apart = false;
    for (size_t i = 0; i < indices.size(); i++) {
        used += indices[i].is != newaxis && indices[i].is != ellipsis;
        has_positions = has_positions || indices[i].is == positions;
        if (indices[i].is == single || indices[i].is == positions)
            first = i < first ? i : first, last = i;
    }
    for (size_t i = first; i < last; i++)
        is_apart = is_apart || (indices[i].is != single && indices[i].is != positions);
    const int left = static_cast<int>(x.size()) - used;
    for (size_t i = 0; i <= indices.size(); i++) {
        auto &into = i < first ? before : behind;
        const kind is = i < indices.size() ? indices[i].is : ellipsis;
        bool has_ellipsis = false;
        for (const one &other : indices)
            has_ellipsis = has_ellipsis || other.is == ellipsis;
        if (is == ellipsis) {
            for (int n = 0; n < left && (i < indices.size() || !has_ellipsis); n++, axis++)
                into.push_back({x[static_cast<size_t>(axis)], 0, 1, axis});
        } else if (is == newaxis) {
            into.push_back({1, 0, 0, -1});
        } else if (is == range) {
            const one &r = indices[i];
            int64_t size = 0;
            for (int64_t at = r.start; r.step > 0 ? at < r.stop : at > r.stop; at += r.step)
                size++;
            into.push_back({size, r.start, r.step, axis++});
        } else {
            advanced.push_back({axis++, indices[i]});
        }
    }
    ints meet; /* the shape of all positions, aligned at the right */
    for (const auto &[at, i] : advanced) {
        for (size_t a = 0; a < i.shape.size(); a++) {
            if (meet.size() < i.shape.size())
                meet.insert(meet.begin(), i.shape.size() - meet.size(), 1);
            int64_t &extent = meet[meet.size() - i.shape.size() + a];
            extent = extent == 1 ? i.shape[a] : extent;
        }
    }
    const bool is_in_front = has_positions && is_apart;
    std::vector<axis_of_result> all = is_in_front ? std::vector<axis_of_result>() : before;
    const size_t block = all.size();
    for (int64_t extent : meet)
        all.push_back({extent, 0, 0, -1});
    if (is_in_front)
        all.insert(all.end(), before.begin(), before.end());
    all.insert(all.end(), behind.begin(), behind.end());
    shape.clear();
    for (const axis_of_result &a : all)
        shape.push_back(a.size);
    elements.clear();
    ints at(all.size(), 0);
    for (int64_t n = size_of(shape); n > 0; n--, step_in(at, shape)) {
        ints from(x.size(), 0);
        for (size_t a = 0; a < all.size(); a++) {
            if (all[a].axis >= 0)
                from[static_cast<size_t>(all[a].axis)] = all[a].start + at[a] * all[a].step;
        }
        for (const auto &[where, i] : advanced) {
            int64_t number = 0;
            for (size_t a = 0; a < i.shape.size(); a++) {
                const size_t over = block + meet.size() - i.shape.size() + a;
                number = number * i.shape[a] + (i.shape[a] == 1 ? 0 : at[over]);
            }
            const int64_t p = i.is == single ? i.at : i.numbers[static_cast<size_t>(number)];
            from[static_cast<size_t>(where)] = p < 0 ? p + x[static_cast<size_t>(where)] : p;
        }
        int64_t element = 0;
        for (size_t a = 0; a < x.size(); a++)
            element = element * x[a] + from[a];
        elements.push_back(element);
    }
}

/* Draws an index of the next axes of x, positions of shapes that meet. */
one drawn(const ints &x, size_t axis, const ints &meet)
{
    const int64_t extent = x[axis];
    const auto is = static_cast<kind>(below(6));
    one i = {is == newaxis || is == ellipsis ? range : is, below(2 * extent) - extent, 0, extent, 1, {}, {}};
    if (i.is == range) {
        i.step = below(2) ? 1 : -2;
        i.start = i.step > 0 ? below(extent) : extent - 1, i.stop = i.step > 0 ? extent : -1;
    } else if (i.is == positions) {
        for (size_t a = static_cast<size_t>(below(static_cast<int64_t>(meet.size()) + 1)); a < meet.size(); a++)
            i.shape.push_back(below(3) ? meet[a] : 1);
        for (int64_t n = size_of(i.shape); n > 0; n--)
            i.numbers.push_back(below(2 * extent) - extent);
    } else if (i.is == mask) { /* as many as the positions meet in are true */
        i.shape.assign(x.begin() + static_cast<std::ptrdiff_t>(axis),
                       x.begin() + static_cast<std::ptrdiff_t>(
                                       axis + 1 < x.size() ? axis + 1 + static_cast<size_t>(below(2)) : axis + 1));
        i.numbers.assign(static_cast<size_t>(size_of(i.shape)), 0);
        for (int64_t left = meet.back(); left > 0;) {
            int64_t &place = i.numbers[static_cast<size_t>(below(size_of(i.shape)))];
            left -= place == 0;
            place = 1;
        }
    }
    return i;
}

zc::index made(const zc::context &ctx, const one &i)
{
    const zc::dims shape(i.shape);
    switch (i.is) {
    case single:
        return i.at;
    case range:
        return {i.start, i.stop < 0 ? zc::none : i.stop, i.step};
    case newaxis:
        return zc::newaxis;
    case ellipsis:
        return zc::ellipsis;
    case positions:
        if (i.shape.size() == 1 && i.numbers.size() % 2 == 0)
            return i.numbers;
        return ctx.copy(i.numbers, shape);
    default:
        return ctx.copy(i.numbers, shape) != 0;
    }
}

zc::tensor seen(const zc::tensor &x, std::vector<zc::index> i)
{
    while (i.size() < 8)
        i.push_back(zc::index::nothing());
    return x(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]);
}

/* Elements weighted by their place, which tells their order, too. */
int64_t weighed(const zc::tensor &x) { return sum(x.reshape({-1}) * (places(x).reshape({-1}) + 1)).item<int64_t>(); }
} /* namespace */

void index_at_random(const zc::context &ctx)
{
    for (int round = 0; round < 2000; round++) {
        ints x, shape, elements;
        for (int64_t rank = 1 + below(4); rank > 0; rank--)
            x.push_back(2 + below(3));
        ints meet = {1 + below(2)};
        if (below(3) == 0)
            meet.insert(meet.begin(), 1 + below(3));
        std::vector<one> indices;
        for (size_t axis = 0; axis < x.size() && below(8) != 0;) {
            indices.push_back(drawn(x, axis, meet));
            axis += indices.back().is == mask ? indices.back().shape.size() : 1;
            if (below(6) == 0)
                indices.push_back({newaxis, 0, 0, 0, 1, {}, {}});
        }
        if (below(3) == 0 && indices.size() < 8) /* where it shows no axis, or those that are left */
            indices.push_back({ellipsis, 0, 0, 0, 1, {}, {}});
        for (size_t i = 0; i < indices.size(); i++) {
            if (indices[i].is != ellipsis && below(12) == 0) {
                bool is_first = true;
                for (const one &other : indices)
                    is_first = is_first && other.is != ellipsis;
                size_t used = 0;
                for (const one &other : indices)
                    used += other.is == newaxis || other.is == ellipsis ? 0 : other.is == mask ? other.shape.size() : 1;
                if (is_first && used == x.size() && indices.size() < 8)
                    indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(i), {ellipsis, 0, 0, 0, 1, {}, {}});
            }
        }
        if (indices.empty() || indices.size() > 8)
            continue;
        std::vector<zc::index> given;
        for (const one &i : indices)
            given.push_back(made(ctx, i));
        expected(x, indices, shape, elements);
        const zc::tensor got = seen(ctx.arange(size_of(x)).reshape(x), given);
        EXPECT(ints(got.shape().begin(), got.shape().end()) == shape);
        EXPECT(got.values<int64_t>() == elements);
    }
}

void index_as_numpy_does(const zc::context &ctx)
{
    const zc::tensor x = ctx.arange(120).reshape({2, 3, 4, 5}), p = ctx.copy({1, 0}),
                     q = ctx.copy({2, 0}).reshape({1, 2});
    const zc::tensor m = remainder(x(0, {}, {}, 0), 3) == 0;
    const struct {
        zc::tensor got;
        ints shape;
        int64_t weighed;
    } cases[] = {
        {x(0, {}, p), {2, 3, 5}, 12890},
        {x({}, 1, {}, p), {2, 2, 4}, 8916},
        {x({}, 1, p), {2, 2, 5}, 14360},
        {x(p, zc::ellipsis, 1), {2, 3, 4}, 14660},
        {x(1, zc::newaxis, p), {2, 1, 4, 5}, 62520},
        {x(p, zc::newaxis, q), {1, 2, 1, 4, 5}, 30120},
        {x({}, p, zc::ellipsis, q), {1, 2, 2, 4}, 6952},
        {x({}, {}, p, zc::ellipsis, q), {1, 2, 2, 3}, 4747},
        {x(0, m), {4, 5}, 7060},
        {x({}, m, 0), {2, 4}, 2520},
        {x({}, m, zc::ellipsis, 1), {4, 2}, 2346},
        {x(0, {}, 1, p), {2, 3}, 611},
        {x({}, ints{2, 0}, {1, zc::none}, ints{0, 4}), {2, 2, 3}, 4768},
        {x(zc::ellipsis, p, 1), {2, 3, 2}, 5558},
        {x({}, 0, zc::ellipsis, 0, p), {2, 2}, 363},
        {x(1, p, q, 0), {1, 2}, 210},
        {x({}, {}, ctx.full({}, 1), zc::ellipsis, p), {2, 2, 3}, 5011},
    };
    for (const auto &c : cases) {
        EXPECT(ints(c.got.shape().begin(), c.got.shape().end()) == c.shape);
        EXPECT(weighed(c.got) == c.weighed);
    }
    const zc::tensor y = ctx.copy({5.0, -1.0, 2.0});
    EXPECT(sum(y(y > 0)).item<int>() == 7 && y(y > 9).size() == 0 && y(ints{}).size() == 0);
    EXPECT(sentence_of(ctx, [&] { (void)x(m); }) == "index: a mask has another shape than the axes that it is for");
    EXPECT(sentence_of(ctx, [&] { (void)y(ints{7}).values<double>(); }).find("7") != std::string::npos);
}
