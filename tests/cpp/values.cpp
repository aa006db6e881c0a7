/* zerocast.hpp: values, operators, indices, results and failures, each beside a loop or C's own call. */
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "expect.h"

template <typename T> static bool are(const zc::tensor &x, std::initializer_list<T> wanted)
{
    return x.values<T>() == std::vector<T>(wanted);
}

/* ---- Values ---- */

static void share_and_move(const zc::context &ctx)
{
    zc::tensor x = ctx.copy({1.0, 2.0}), y = x, empty;
    static_assert(sizeof(zc::tensor) == sizeof(void *), "a tensor is a pointer");
    EXPECT(x.get() == y.get() && empty.is_empty());
    zc::tensor z = std::move(x);
    EXPECT(x.is_empty() && z.get() == y.get());
    y = y + y;
    const zc::tensor &same = z;
    z = same;
    EXPECT(are<double>(y, {2, 4}) && are<double>(z, {1, 2}));
    zc_scope *scope = zc_scope_begin(ctx.get());
    zc::tensor kept = z * 3;
    zc_scope_end(scope);
    EXPECT(are<double>(kept, {3, 6}) && are<double>(doubled_elsewhere(kept), {6, 12}));
}

static void show_memory_in_place(const zc::context &ctx)
{
    std::vector<float> data = {1, 2, 3, 4, 5, 6};
    zc::tensor x = ctx.view(data, {2, 3}), t = ctx.view(data.data(), {3, 2}, {1, 3}), owned;
    EXPECT(x.data<float>().data() == data.data() && x.dtype() == zc::float32);
    EXPECT(are<float>(t, {1, 4, 2, 5, 3, 6}));
    owned = ctx.take(std::move(data), {6});
    EXPECT(are<int>(owned(ctx.copy({5, 0})), {6, 1}));
    EXPECT(ctx.copy(std::vector<uint16_t>{7, 8}).dtype() == zc::uint16);
    EXPECT(ctx.copy({std::complex<float>(1, 2)}).item<std::complex<double>>() == std::complex<double>(1, 2));
#if __cplusplus >= 202002L
    const auto elements = x.data<float>();
    EXPECT(std::span<const float>(elements.begin(), elements.end())[5] == 6);
#endif
}

/* Elements that a function counts; and one that fails. */
static void read_what_functions_have(const zc::context &ctx)
{
    const auto count_up = [](const int64_t *start, const int64_t *count, int32_t *elements) {
        for (int64_t i = 0; i < count[0]; i++) {
            for (int64_t j = 0; j < count[1]; j++)
                *elements++ = static_cast<int32_t>((start[0] + i) * 100 + start[1] + j);
        }
    };
    const zc::tensor x = ctx.source<int32_t>({50, 20}, count_up, {10, 20});
    EXPECT(are<int>(x(7, {3, 6}), {703, 704, 705}) && sum(x).item<int64_t>() == 1000 * 2450 + 50 * 190);
    const auto fails = [](const int64_t *, const int64_t *, double *) { return "no line"; };
    EXPECT(sentence_of(ctx, [&] { (void)ctx.source<double>({3}, fails).compute(); }) == "from_source: no line");
#if defined(__cpp_exceptions)
    const auto throws = [](const int64_t *, const int64_t *, double *) { throw std::runtime_error("torn"); };
    EXPECT(sentence_of(ctx, [&] { (void)ctx.source<double>({3}, throws).compute(); }) == "from_source: torn");
#endif
}

/* ---- Operations ---- */

static void compute_what_loops_do(const zc::context &ctx)
{
    const std::vector<double> a = {0.5, -1, 3, 4, 2, -0.25}, b = {2, 3, -1};
    const zc::tensor x = ctx.view(a, {2, 3}), y = ctx.view(b);
    const auto got = (2 * x - y / 4 + zc::where(x > y, x, -1)).values<double>();
    const auto mixed = (zc::maximum(zc::abs(x), 1) + clip(x, 0, y) - pow(x, 2)).values<double>();
    const auto rows = sum(x * y, 1).values<double>();
    double row = 0;
    for (size_t i = 0; i < a.size(); i++) {
        const double other = b[i % 3], low = a[i] < 0 ? 0 : a[i];
        EXPECT(got[i] == 2 * a[i] - other / 4 + (a[i] > other ? a[i] : -1));
        EXPECT(mixed[i] == std::fmax(std::fabs(a[i]), 1) + (low > other ? other : low) - a[i] * a[i]);
        row = (i % 3 == 0 ? 0 : row) + a[i] * other;
        EXPECT(i % 3 != 2 || rows[i / 3] == row);
    }
    EXPECT((ctx.copy({uint8_t(200), uint8_t(100)}) + 1).dtype() == zc::uint8);
    EXPECT(sum(ctx.copy({uint8_t(200), uint8_t(100)})).item<int>() == 300);
    EXPECT(are<int>(~(ctx.copy({1, 2, 3}) >= 2) | (ctx.copy({1, 2, 3}) == 3), {1, 0, 1}));
    EXPECT(are<int>(~ctx.copy({5, 6}) & 7 ^ 1 << ctx.copy({0, 1}), {3, 3}));
    zc::tensor z = ctx.copy({1.0, 2.0});
    z += 1;
    z *= z;
    z -= ctx.copy({1.0, 1.0});
    z /= 2;
    EXPECT(are<double>(z, {1.5, 4}));
    EXPECT(std::abs((x * std::complex<double>(0, 1))(0, 0).item<std::complex<double>>() -
                    std::complex<double>(0, 0.5)) == 0);
}

static void index_as_numpy(const zc::context &ctx)
{
    const zc::tensor x = ctx.arange(24).reshape({2, 3, 4});
    enum side { left, right };
    EXPECT(x(1, 2, 3).item<int64_t>() == 23 &&
           x(-1, {1, zc::none}, right).values<int64_t>() == (std::vector<int64_t>{17, 21}));
    EXPECT(are<int64_t>(x({}, 0, {zc::none, zc::none, -2}), {3, 1, 15, 13}));
    EXPECT(are<int64_t>(x(zc::ellipsis, left), {0, 4, 8, 12, 16, 20}));
    EXPECT(x(zc::newaxis, 0, zc::ellipsis, zc::newaxis, {1, 3}).rank() == 4);
    EXPECT(x(0, zc::newaxis, {}, {1, 3}).shape(1) == 3);
    EXPECT(are<int64_t>(x(0)(ctx.copy({2, 0}), ctx.copy({3, 1})), {11, 1}));
    EXPECT(are<int64_t>(x[1][0], {12, 13, 14, 15}) && x.T().shape(-1) == 3);
    const std::vector<size_t> shape = {4, 6};
    EXPECT(x.reshape(shape).shape(0) == 4 && broadcast_to(x, {5, 2, 3, 4}).size() == 120);
}

/* Cases that are easily got wrong. */
static void keep_what_is_meant(const zc::context &ctx)
{
    const std::vector<double> d = {1, 2, 3, 4, 5, 6};
    const zc::tensor x = ctx.view(d, {6}), one = ctx.copy({1, 0});
    const zc::index at = one + 1;
    EXPECT(are<double>(x(at), {3, 2}));
    EXPECT(are<double>(ctx.view(d.data() + 5, {6}, {-1}), {6, 5, 4, 3, 2, 1}));
    EXPECT(ctx.view(d.data(), {0, 3}, {3, -1}).size() == 0);
    EXPECT(ctx.random_uniform({3, 4}, 5)(1, 2).item<double>() == ctx.random_uniform({12}, 5)(6).item<double>() &&
           ctx.random_bits({2}).dtype() == zc::uint64 && ctx.random_normal({2}, 1, zc::float32).dtype() == zc::float32);
    EXPECT(ctx.arange(2.5).size() == 3 && ctx.arange(0, 5).dtype() == zc::int64);
    EXPECT(ctx.full({1}, uint64_t(1) << 63, zc::float64).item<double>() == 0x1p63);
    EXPECT(ctx.full({1}, ~uint64_t(0)).item<uint64_t>() == ~uint64_t(0));
    EXPECT(ctx.zeros(x.shape()).size() == 6);
    zc::tensor k = ctx.copy({1, 0}).compute(), a = x, b = ctx.copy({7.0});
    assign(k, k, k);
    EXPECT(are<int>(k, {0, 1}));
    a = std::move(b);
    EXPECT(b.is_empty() && a.item<double>() == 7);
    signed char narrow = 0;
    EXPECT(ctx.full({1}, 300.5).try_item(narrow) != ZC_OK && zc_error_status(ctx.get()) == ZC_OK);
}

static void call_every_kind(const zc::context &ctx)
{
    const zc::tensor x = ctx.copy({3.0, 1.0, 2.0}), y = ctx.linspace(0, 1, 3);
    EXPECT(are<double>(sort(x), {1, 2, 3}) && are<int>(argsort(x, -1, true), {0, 2, 1}));
    const auto [values, places] = top_k(x, 2);
    EXPECT(are<double>(values, {3, 2}) && are<int>(places, {0, 2}));
    EXPECT(are<double>(zc::concat({x, y}), {3, 1, 2, 0, 0.5, 1}) && zc::stack({x, y}, 1).shape(1) == 2);
    EXPECT(are<double>(pad(x, 1), {0, 3, 1, 2, 0}) && are<double>(pad(x, {2}, ZC_PAD_EDGE), {3, 3, 3, 1, 2, 2, 2}));
    EXPECT(zc::einsum("i,i->", {x, y}).item<double>() == 2.5 && vecdot(x, y).item<double>() == 2.5);
    EXPECT(are<double>(grad(sum(x * x), x), {6, 2, 4}) && are<double>(vjp(sum(y), {x, y})[0], {0, 0, 0}));
    EXPECT(median(x).item<double>() == 2 && are<double>(quantile(x, ctx.copy({0.0, 1.0})), {1, 3}));
    EXPECT(var(x).item<double>() == 2.0 / 3 && count_nonzero(x > 1).item<int>() == 2);
    EXPECT(nonzero(x > 1).size() == 1 && unique_all(x)[3].size() == 3 && unstack(ctx.eye(2)).size() == 2);
    EXPECT(split(x, {1, 2})[1].size() == 2 && zc::broadcast_arrays({x, y(0)})[1].size() == 3);
    EXPECT(are<double>(roll(x, 1, 0), {2, 3, 1}) && are<double>(flip(x), {2, 1, 3}));
    EXPECT(are<double>(ctx.eval("x * 2 - y", {{"x", x}, {"y", y}}), {6, 1.5, 3}));
    EXPECT(are<int>(ctx.full({2}, int64_t(1) << 53, zc::uint64) - (int64_t(1) << 53), {0, 0}));
    zc::tensor z = ctx.zeros({3}).compute();
    assign(z, ctx.copy({1}), ctx.copy({5.0}));
    EXPECT(are<double>(z, {0, 5, 0}));
    const auto [total, most] = zc::compute(sum(x), zc::max(x, 0, zc::keepdims));
    EXPECT(total.item<float>() == 6 && most.rank() == 1 && most.data<double>()[0] == 3);
    EXPECT(cost_of(sum(x)).logical_bytes == 8 && !explain(sum(x)).empty());
    std::ostringstream out;
    out << x << " " << x(0);
    EXPECT(out.str() == "[3. 1. 2.] 3.0");
}

static void take_numbers_and_short_forms(const zc::context &ctx)
{
    const zc::tensor x = ctx.copy({3.0, 1.0, 2.0}), sorted = ctx.copy({1, 3, 5});
    const size_t five = 5;
    EXPECT(are<double>(pad(x, 1, ZC_PAD_CONSTANT, 7), {7, 3, 1, 2, 7}) && are<double>(pad(x, 0, 2), {3, 1, 2, 0, 0}));
    EXPECT(are<double>(pad(x, 1, 0, ZC_PAD_CONSTANT, x(1)), {1, 3, 1, 2}) &&
           pad(ctx.eye(2), {1, 0}, {0, 3}).shape(1) == 5);
    EXPECT(are<double>(update(x, 1, 9), {3, 9, 2}) &&
           are<double>(update(x, places(x)({1, 3}), 4, ZC_UPDATE_ADD), {3, 5, 6}));
    EXPECT(are<double>(take(x, {2, 0}, 0), {2, 3}) && take(x, -1, 0).item<double>() == 2);
    EXPECT(searchsorted(sorted, 4).item<int>() == 2 && are<int>(searchsorted(sorted, sorted, true), {1, 2, 3}));
    EXPECT(searchsorted(x, ctx.copy({2.5}), false, argsort(x)).item<int>() == 2);
    EXPECT(are<double>(quantile(x, {0, 0.5, 1}), {1, 2, 3}) && quantile(ctx.eye(3), {0.1, 0.9}, 1).shape(0) == 2);
    EXPECT(split(x, 3).size() == 3 && split(x, 3)[2].item<double>() == 2 && split(x, {3}).size() == 1);
    EXPECT(split(ctx.arange(100), std::vector<int64_t>(100, 1))[99].item<int>() == 99);
    EXPECT(are<double>(vjp(x * x, {x}, ctx.copy({1.0, 0.0, 2.0}))[0], {6, 0, 8}));
    EXPECT(ctx.eye(3, zc::float32).dtype() == zc::float32 && ctx.eye(2, 3, zc::int8).shape(1) == 3);
    EXPECT(ctx.linspace(0, 1, 3, zc::float32).dtype() == zc::float32 && ctx.arange(5, zc::int8).dtype() == zc::int8);
    EXPECT(are<int>(ctx.arange(1, five, uint8_t(2)), {1, 3}) && ctx.arange(0, 2.5).size() == 3 &&
           ctx.arange(five).size() == 5);
    EXPECT(ctx.arange(0, five).dtype() == zc::int64 && ctx.arange(0, 1, 0.25).dtype() == zc::float64);
    EXPECT(x(0).item<std::complex<float>>() == 3.0F &&
           (x(0) * std::complex<double>(0, 1)).item<std::complex<float>>() == std::complex<float>(0, 3));
    zc::tensor z = ctx.zeros({3}).compute();
    assign(z, 1, 5);
    assign(z, places(z)({2, zc::none}), x(0));
    EXPECT(are<double>(z, {0, 5, 3}));
    std::complex<float> narrow = 7;
    EXPECT(ctx.full({}, (1 << 24) + 1).try_item(narrow) == ZC_ERROR_OVERFLOW && narrow == 7.0F);
    EXPECT((ctx.full({}, 1 + 0x1p-40) * std::complex<double>(0, 1)).try_item(narrow) == ZC_ERROR_OVERFLOW &&
           narrow == 7.0F);
}

static void write_memory_and_files(const zc::context &ctx)
{
    const zc::tensor x = ctx.arange(6).reshape({2, 3});
    std::vector<int16_t> frame(8, -1);
    x.copy_at(frame.data(), {4, 1});
    EXPECT(frame == std::vector<int16_t>{0, 1, 2, -1, 3, 4, 5, -1});
    x.copy_at(frame.data() + 4, {-4, 1}); /* from the bottom up */
    EXPECT(frame == std::vector<int16_t>{3, 4, 5, -1, 0, 1, 2, -1});
    x({}, {0, 0}).copy_at(frame.data(), {4, 1});
    EXPECT(sentence_of(ctx, [&] { x.copy_at(frame.data(), {4}); }).find("copy_at: ") == 0);
    EXPECT(sentence_of(ctx, [&] { x.copy_at(frame.data(), {0, 1}); }).find("materialize_into: ") == 0);
    EXPECT(sentence_of(ctx, [&] { zc::tensor().copy_at(frame.data(), {1}); }).find("NULL") != std::string::npos);
    zc::save({{"count", x(0)}, {"half", x(1) / 2}}, "members.npz");
    const zc::named_tensors members = ctx.open_members("members.npz");
    EXPECT(members.size() == 2 && members[0].first == "count" && members[1].first == "half");
    EXPECT(are<int>(members[0].second, {0, 1, 2}) && are<double>(members[1].second, {1.5, 2, 2.5}));
    std::ofstream("table.csv") << "count,half\n0,1.5\n1,2\n";
    EXPECT(are<double>(ctx.open("table.csv:half"), {1.5, 2}) && ctx.open_members("table.csv")[0].first.empty());
    EXPECT(sentence_of(ctx, [&] { (void)ctx.open_members("no.npz"); }).find("no.npz") != std::string::npos);
    EXPECT(sentence_of(ctx, [&] { zc::save({{"a", x}, {"a", x}}, "twice.npz"); }).find("save") == 0);
}

/* ---- Failures ---- */

#if !defined(__cpp_exceptions)
/* What failed is empty or zero, and the first failure stays until it is cleared. */
static void leave_failures(const zc::context &ctx)
{
    const zc::tensor x = ctx.copy({1.0, 2.5}), failed = sqrt(x + ctx.zeros({3}));
    int value = 7;
    EXPECT(failed.is_empty() && ctx.status() == ZC_ERROR_SHAPE && std::string(ctx.error_text()).find("add: ") == 0);
    EXPECT(ctx.full({}, 300).item<signed char>() == 0 && x.item<int>() == 0 && x.data<float>().data() == nullptr);
    EXPECT(x({0, 1, 1, 1}).is_empty() && x(7).is_empty() && x.shape(9) == 0 && failed.rank() == 0);
    EXPECT(failed.values<double>().empty() && failed.text().empty() && failed.shape().size() == 0);
    EXPECT((x * std::complex<double>(0, 1)).values<double>().empty());
    EXPECT(split(failed, {1, 2})[1].is_empty() && vjp(failed, {x, x})[1].is_empty() &&
           zc::compute(failed, x)[1].is_empty());
    EXPECT(x.try_item(value) == ZC_ERROR_SHAPE && value == 7 && failed.try_save("nowhere.npy") == ZC_ERROR_ARGUMENT);
    EXPECT(ctx.status() == ZC_ERROR_SHAPE && std::string(ctx.error_text()).find("add: ") == 0);
    ctx.clear_error();
    EXPECT(x.try_save("no/such/folder/x.npy") == ZC_ERROR_FILE && ctx.status() == ZC_OK);
    const zc_options many = {nullptr, 0, 5000, ZC_EXECUTOR_TILE, 0, 0, false};
    const zc::context none(many);
    EXPECT(none.get() == nullptr && std::string(none.error_text()).find("context_new: threads") == 0);
    EXPECT(none.copy({1}).is_empty() && none.memory().nodes == 0);
}
#endif

static void fail_in_one_sentence(const zc::context &ctx)
{
    const zc::tensor x = ctx.copy({1.0, 2.5}), large = ctx.full({1}, (int64_t(1) << 53) + 1);
    const zc_options limited = {nullptr, 1000, 1, ZC_EXECUTOR_TILE, 0, 0, false};
    int value = 7;
    float narrow = 7;
    zc::tensor out = x;
    EXPECT(x(1).try_item(value) == ZC_ERROR_OVERFLOW && value == 7);
    zc_error_clear(ctx.get());
    EXPECT(large.try_item(narrow) == ZC_ERROR_OVERFLOW && narrow == 7);
    zc_error_clear(ctx.get());
    EXPECT(zc::tensor().try_compute(out) == ZC_ERROR_ARGUMENT && out.get() == x.get());
    zc_error_clear(nullptr);
    const zc::context small(limited);
    EXPECT(small.zeros({1000}).try_compute(out) == ZC_ERROR_BUDGET);
    zc_error_clear(small.get());
    EXPECT(sentence_of(ctx, [&] { (void)(x + ctx.zeros({3})); }).find("add: shapes (2,) and (3,)") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)(x + zc::tensor()); }) == "add: b is NULL");
    EXPECT(sentence_of(ctx, [&] { (void)sqrt(zc::tensor()); }) == "sqrt: x is NULL");
    EXPECT(sentence_of(ctx, [&] { (void)x.data<float>(); }).find("data: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)x(0, 0); }).find("index: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)x({}, zc::ellipsis, {0, 1}); }).find("index: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)(zc::tensor() + 1); }) == "add: a is NULL");
    EXPECT(sentence_of(ctx, [&] { (void)take(zc::tensor(), x, 0); }) == "take: t is NULL");
    EXPECT(sentence_of(ctx, [&] { (void)ctx.view(&narrow, {2, 3}, {1}); }).find("view: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)x.shape(7); }).find("shape: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)x({0, 1, 1, 1}); }).find("index: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)ctx.full({1}, 300).item<signed char>(); }) ==
           "item: the type does not hold the number");
    EXPECT(sentence_of(ctx, [&] { (void)ctx.eye(2, -2); }).find("eye: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)roll(x, {1, 2}, 0); }).find("roll: takes a shift") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)split(x, 0); }).find("split: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)split(x, -3)[0]; }).find("split: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)x(zc::tensor()); }) == "index: a tensor of positions is empty");
    EXPECT(sentence_of(ctx, [&] { (void)pad(x, 1, ZC_PAD_CONSTANT, zc::tensor()); }).find("pad: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)vjp(x, {x}, zc::tensor())[0]; }).find("vjp: ") == 0);
    EXPECT(sentence_of(ctx, [&] { (void)zc::tensor().dtype(); }) == "dtype: the tensor is empty");
    EXPECT(sentence_of(ctx, [&] { (void)zc::tensor().shape(0); }) == "shape: the tensor is empty");
    EXPECT(sentence_of(ctx, [&] { (void)zc::tensor()(0); }) == "index: the tensor is empty");
    EXPECT(sentence_of(ctx, [&] { (void)pad(zc::tensor(), 1); }).find("t is NULL") != std::string::npos);
    EXPECT(sentence_of(ctx, [&] { (void)ctx.eval("x +"); }).find("eval: syntax error at column 4") == 0);
    EXPECT(sentence_of(ctx, [&] {
               const zc_options many = {nullptr, 0, 5000, ZC_EXECUTOR_TILE, 0, 0, false};
               const zc::context none(many);
           }) == "context_new: threads is 5000, at most 1024");
#if defined(__cpp_exceptions)
    EXPECT(zc_error_status(ctx.get()) == ZC_OK);
    try {
        (void)small.zeros({1000}).compute();
        EXPECT(false);
    } catch (const zc::budget_error &e) {
        EXPECT(e.status() == ZC_ERROR_BUDGET && e.budget().need == 8000 && e.budget().limit == 1000);
    }
    try {
        ctx.cancel();
        (void)x.compute(), (void)(x + 1).compute();
        EXPECT(false);
    } catch (const zc::cancelled &e) {
        EXPECT(e.status() == ZC_CANCELLED);
    }
#else
    leave_failures(ctx);
#endif
}

int main()
{
    zc::context first, ctx;
    ctx = std::move(first);
    share_and_move(ctx);
    show_memory_in_place(ctx);
    read_what_functions_have(ctx);
    compute_what_loops_do(ctx);
    index_as_numpy(ctx);
    index_as_numpy_does(ctx);
    index_at_random(ctx);
    show_as_mdspan(ctx);
    keep_what_is_meant(ctx);
    call_every_kind(ctx);
    take_numbers_and_short_forms(ctx);
    write_memory_and_files(ctx);
    fail_in_one_sentence(ctx);
    EXPECT(ctx.memory().nodes == 0);
    zc::tensor outlives = zc::context().copy({1, 2});
    EXPECT(outlives.data<int>()[1] == 2 && are<int>(ctx.adopt(outlives) + 1, {2, 3}));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
