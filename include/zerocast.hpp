/*
 * zerocast for C++17: tensors as values over zerocast.h, which is the manual of every function.
 *
 *     namespace zc = zerocast;
 *     zc::context ctx;
 *     auto x = ctx.open("digits.npy").astype(zc::float32);
 *     auto d = expand_dims(x, 1) - expand_dims(x, 0);           // (n, n, 64), no memory
 *     zc::tensor nearest = argmin(sum(square(d), 2) + 1e9 * ctx.eye(x.shape(0)), 1).compute();
 *
 * A tensor is one pointer: copies share, and the last one releases. Operators and functions record, as those of C do,
 * so `auto` is safe: there are no expression templates. Numbers are operands beside tensors, and take their dtype.
 * Functions have C's names without the prefix, and are found by their arguments; where C takes a list of axes, all of
 * them are the default: sum(x), sum(x, 1), sum(x, {0, 2}, zc::keepdims). What this header does not have is called with
 * x.get() and tensor::made().
 *
 * Indices: x(i), x({start, stop}), x({start, stop, step}), x({}) for all of an axis, zc::none for a missing bound,
 * zc::newaxis, zc::ellipsis, and tensors of integers (zc_gather()). x({1, -1}, {1, -1}) is NumPy's x[1:-1, 1:-1].
 *
 * Failures are exceptions: zerocast::error with a status and C's sentence; throwing one clears the context. Compiled
 * with -fno-exceptions, a failure is an empty tensor and stays in the context. The try_ functions return a status and
 * never throw.
 *
 * Cost: that of the calls of C. Every result belongs to its value, also where a scope of C is open.
 */
#ifndef ZEROCAST_HPP
#define ZEROCAST_HPP

#include <array>
#include <complex>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "zerocast.h"

/* A namespace for each way to fail: objects of both may be linked together. */
#if defined(__cpp_exceptions)
#define ZEROCAST_VERSION v0_1
#else
#define ZEROCAST_VERSION v0_1_without_exceptions
#endif

namespace zerocast
{
inline namespace ZEROCAST_VERSION
{

class tensor;

/* ---- Dtypes ---- */

constexpr zc_dtype boolean = ZC_BOOL, int8 = ZC_INT8, int16 = ZC_INT16, int32 = ZC_INT32, int64 = ZC_INT64,
                   uint8 = ZC_UINT8, uint16 = ZC_UINT16, uint32 = ZC_UINT32, uint64 = ZC_UINT64, float16 = ZC_FLOAT16,
                   bfloat16 = ZC_BFLOAT16, float32 = ZC_FLOAT32, float64 = ZC_FLOAT64, complex64 = ZC_COMPLEX64,
                   complex128 = ZC_COMPLEX128;

namespace detail
{
template <typename T> constexpr zc_dtype integer_dtype()
{
    constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<zc_dtype>((std::is_signed<T>::value ? ZC_INT8 : ZC_UINT8) + log2);
}
template <typename T> struct dtype_of {
    static_assert(std::is_integral<T>::value && sizeof(T) <= 8, "no dtype has elements of this type");
    static constexpr zc_dtype value = integer_dtype<T>();
};
template <> struct dtype_of<bool> {
    static constexpr zc_dtype value = ZC_BOOL;
};
template <> struct dtype_of<float> {
    static constexpr zc_dtype value = ZC_FLOAT32;
};
template <> struct dtype_of<double> {
    static constexpr zc_dtype value = ZC_FLOAT64;
};
template <> struct dtype_of<std::complex<float>> {
    static constexpr zc_dtype value = ZC_COMPLEX64;
};
template <> struct dtype_of<std::complex<double>> {
    static constexpr zc_dtype value = ZC_COMPLEX128;
};
} /* namespace detail */

/* The dtype whose elements are T. */
template <typename T> constexpr zc_dtype dtype_of = detail::dtype_of<typename std::remove_cv<T>::type>::value;

/* ---- Failures ---- */

class error : public std::runtime_error
{
  public:
    error(zc_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
    zc_status status() const noexcept { return status_; }

  private:
    zc_status status_;
};

/* A limit refuses: ZC_ERROR_BUDGET. */
class budget_error : public error
{
  public:
    budget_error(const std::string &text, const zc_budget &budget) : error(ZC_ERROR_BUDGET, text), budget_(budget) {}
    const zc_budget &budget() const noexcept { return budget_; }

  private:
    zc_budget budget_;
};

/* Stopped by zc_cancel() or a report of progress: ZC_CANCELLED. */
class cancelled : public error
{
  public:
    explicit cancelled(const std::string &text) : error(ZC_CANCELLED, text) {}
};

namespace detail
{
#if defined(__cpp_exceptions)
[[noreturn]] inline void fail(zc_status status, const char *sentence) { throw error(status, sentence); }

/* Throws the failure of a context, or of the thread where that has none. */
[[noreturn]] inline void raise(zc_context *ctx)
{
    ctx = ctx != nullptr && zc_error_status(ctx) != ZC_OK ? ctx : nullptr;
    const zc_status status = zc_error_status(ctx) != ZC_OK ? zc_error_status(ctx) : ZC_ERROR_ARGUMENT;
    const std::string text = zc_error_text(ctx);
    zc_budget budget = {};
    const bool is_budget = zc_error_budget(ctx, &budget);
    zc_error_clear(ctx);
    if (is_budget)
        throw budget_error(text, budget);
    if (status == ZC_CANCELLED)
        throw cancelled(text);
    throw error(status, text);
}
#else
inline void fail(zc_status, const char *) noexcept {}
inline void raise(zc_context *) noexcept {}
#endif

inline void check(zc_status status, zc_context *ctx)
{
    if (status != ZC_OK)
        raise(ctx);
}
} /* namespace detail */

/* ---- Lists: shapes, axes ---- */

/* An extent, a bound, a position: an integer or an enumerator. */
struct dim {
    template <typename T, typename std::enable_if<(std::is_integral<T>::value || std::is_enum<T>::value) &&
                                                      !std::is_same<T, bool>::value,
                                                  int>::type = 0>
    constexpr dim(T number) noexcept
        : value(number > static_cast<T>(0) && static_cast<uint64_t>(number) > INT64_MAX
                    ? INT64_MAX /* which every function refuses */
                    : static_cast<int64_t>(number))
    {
    }
    int64_t value;
};

template <typename T> class span;

/* A shape, or other numbers of axes: {2, 3}, a vector of integers, one integer. */
class dims
{
  public:
    dims() noexcept : count_(0), values_{} {}
    dims(std::initializer_list<dim> list) noexcept : dims() { take(list); }
    template <typename T, typename std::enable_if<std::is_constructible<dim, T>::value, int>::type = 0>
    dims(T only) noexcept : dims()
    {
        take(std::initializer_list<dim>{only});
    }
    template <typename T> dims(const std::vector<T> &list) noexcept : dims() { take(list); }
    template <typename T, size_t count> dims(const std::array<T, count> &list) noexcept : dims() { take(list); }
    template <typename T> dims(const span<T> &list) noexcept : dims() { take(list); }
    int count() const noexcept { return count_; }
    const int64_t *data() const noexcept { return values_; }

  private:
    template <typename List> void take(const List &list) noexcept
    {
        for (const auto &number : list) { /* one more than any rank is refused by every function */
            if (count_ <= ZC_MAX_RANK)
                values_[count_++] = dim(number).value;
        }
    }
    int count_;
    int64_t values_[ZC_MAX_RANK + 1];
};

namespace detail
{
/* An axis that int does not hold is one that no tensor has. */
template <typename T> constexpr int clamp_axis(T axis) noexcept
{
    return dim(axis).value > INT32_MAX   ? INT32_MAX
           : dim(axis).value < INT32_MIN ? INT32_MIN
                                         : static_cast<int>(dim(axis).value);
}
} /* namespace detail */

/* Axes: all of them, one, or a list. */
class axes
{
  public:
    axes() noexcept : count_(-1), values_{} {}
    template <typename T,
              typename std::enable_if<std::is_integral<T>::value && !std::is_same<T, bool>::value, int>::type = 0>
    axes(T only) noexcept : count_(1), values_{detail::clamp_axis(only)}
    {
    }
    axes(std::initializer_list<int> list) noexcept : count_(0), values_{}
    {
        for (int axis : list) {
            if (count_ <= ZC_MAX_RANK)
                values_[count_++] = axis;
        }
    }
    axes(bool) = delete; /* sum(x, 1, zc::keepdims), not sum(x, true) */
    int count() const noexcept { return count_; }
    const int *data() const noexcept { return values_; }

  private:
    int count_; /* -1: all */
    int values_[ZC_MAX_RANK + 1];
};

enum reduced : bool { dropdims = false, keepdims = true };

/* ---- Indices ---- */

constexpr int64_t none = ZC_NONE; /* a missing bound */
struct newaxis_t {
};
struct ellipsis_t {
};
constexpr newaxis_t newaxis{};
constexpr ellipsis_t ellipsis{};

/* The index of an axis in x(...). */
class index
{
  public:
    enum kind { all, single, range, new_axis, dots, positions, absent };
    index() noexcept : kind_(all) {}
    template <typename T, typename std::enable_if<std::is_constructible<dim, T>::value, int>::type = 0>
    index(T at) noexcept : kind_(single), start_(dim(at).value)
    {
    }
    index(std::initializer_list<dim> bounds) noexcept : kind_(range), count_(bounds.size())
    {
        const dim *b = bounds.begin();
        start_ = count_ > 0 ? b[0].value : none;
        stop_ = count_ > 1 ? b[1].value : none;
        step_ = count_ > 2 && b[2].value != none ? b[2].value : 1;
    }
    index(const index &other) noexcept
        : kind_(other.kind_), count_(other.count_), start_(other.start_), stop_(other.stop_), step_(other.step_),
          at_(zc_retain(other.at_))
    {
    }
    index &operator=(const index &) = delete;
    ~index() { zc_release(at_); }
    index(newaxis_t) noexcept : kind_(new_axis) {}
    index(ellipsis_t) noexcept : kind_(dots) {}
    inline index(const tensor &at) noexcept;
    static index nothing() noexcept
    {
        index i;
        i.kind_ = absent;
        return i;
    }

  private:
    friend class tensor;
    bool takes_axis() const noexcept { return kind_ <= range || kind_ == positions; }
    kind kind_;
    size_t count_ = 0; /* of bounds */
    int64_t start_ = none, stop_ = none, step_ = 1;
    zc_tensor *at_ = nullptr; /* of positions; held, so that it may come from a temporary */
};

/* ---- Elements in memory ---- */

/* Elements in a row that somebody else holds; a std::span of C++20 is made of one. */
template <typename T> class span
{
  public:
    span(T *data, size_t size) noexcept : data_(data), size_(size) {}
    T *data() const noexcept { return data_; }
    size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](size_t i) const noexcept { return data_[i]; }

  private:
    T *data_;
    size_t size_;
};

/* ---- Tensors ---- */

namespace detail
{
template <typename T> struct is_complex : std::false_type {
};
template <typename T> struct is_complex<std::complex<T>> : std::true_type {
};
template <typename T> using is_operand =
    std::integral_constant<bool,
                           std::is_base_of<tensor, T>::value || std::is_arithmetic<T>::value || is_complex<T>::value>;
/* Operands of an operation: tensors and numbers, one of them a tensor at least. */
template <typename... A> using operands =
    typename std::enable_if<(is_operand<A>::value && ...) && (std::is_base_of<tensor, A>::value || ...), int>::type;

inline zc_tensor *weak(zc_context *ctx, bool number) { return zc_weak_bool(ctx, number); }
inline zc_tensor *weak(zc_context *ctx, std::complex<double> z) { return zc_weak_complex(ctx, z.real(), z.imag()); }
template <typename T> zc_tensor *weak(zc_context *ctx, const std::complex<T> &z)
{
    return zc_weak_complex(ctx, static_cast<double>(z.real()), static_cast<double>(z.imag()));
}
template <typename T>
typename std::enable_if<std::is_floating_point<T>::value, zc_tensor *>::type weak(zc_context *ctx, T number)
{
    return zc_weak_float(ctx, static_cast<double>(number));
}
template <typename T>
typename std::enable_if<std::is_integral<T>::value && !std::is_same<T, bool>::value, zc_tensor *>::type
weak(zc_context *ctx, T number)
{
    return std::is_signed<T>::value ? zc_weak_int(ctx, static_cast<int64_t>(number))
                                    : zc_weak_uint(ctx, static_cast<uint64_t>(number));
}
} /* namespace detail */

class tensor
{
  public:
    tensor() noexcept = default;
    tensor(const tensor &other) noexcept : t_(zc_retain(other.t_)) {}
    tensor(tensor &&other) noexcept : t_(std::exchange(other.t_, nullptr)) {}
    tensor &operator=(const tensor &other) &noexcept { return *this = tensor(other); } /* x(0) = y would do nothing */
    tensor &operator=(tensor &&other) &noexcept
    {
        tensor taken(std::move(other));
        std::swap(t_, taken.t_);
        return *this;
    }
    ~tensor() { zc_release(t_); }

    /* Takes over the result of a function of C, which failed where it is NULL: for what this header does not have. */
    static tensor made(zc_tensor *t, zc_context *ctx)
    {
        if (t == nullptr)
            detail::raise(ctx);
        tensor result;
        result.t_ = zc_keep(t);
        return result;
    }
    const zc_tensor *get() const noexcept { return t_; }
    zc_tensor *release() noexcept { return std::exchange(t_, nullptr); }
    zc_context *context() const noexcept { return t_ != nullptr ? zc_context_of(t_) : nullptr; }
    bool is_empty() const noexcept { return t_ == nullptr; }
    explicit operator bool() const = delete; /* a comparison is a tensor: any(a == b).item<bool>() */

    /* Properties of a tensor that is not empty. */
    zc_dtype dtype() const noexcept { return zc_dtype_of(t_); }
    int rank() const noexcept { return zc_rank(t_); }
    int64_t size() const noexcept { return zc_size(t_); }
    span<const int64_t> shape() const &noexcept { return {zc_shape(t_), static_cast<size_t>(rank())}; }
    int64_t shape(int axis) const
    {
        const int at = axis < 0 ? axis + rank() : axis;
        if (at < 0 || at >= rank())
            detail::fail(ZC_ERROR_AXIS, "shape: the tensor does not have that axis");
        return at < 0 || at >= rank() ? 0 : zc_shape(t_)[at];
    }

    /* ---- Views ---- */

    tensor operator()(const index &i0, const index &i1 = index::nothing(), const index &i2 = index::nothing(),
                      const index &i3 = index::nothing(), const index &i4 = index::nothing(),
                      const index &i5 = index::nothing(), const index &i6 = index::nothing(),
                      const index &i7 = index::nothing()) const
    {
        const index *const list[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
        int count = 0;
        while (count < 8 && list[count]->kind_ != index::absent)
            count++;
        return at(list, count);
    }
    tensor operator[](const index &i) const { return (*this)(i); }
    tensor T() const { return made(zc_matrix_transpose(t_), context()); }
    tensor astype(zc_dtype dtype) const { return made(zc_astype(t_, dtype), context()); }
    tensor reshape(const dims &shape) const { return made(zc_reshape(t_, shape.count(), shape.data()), context()); }

    /* ---- Results: each of these computes ---- */

    tensor compute() const
    {
        zc_tensor *out = nullptr;
        detail::check(zc_materialize(t_, &out), context());
        return out != nullptr ? made(out, context()) : tensor();
    }
    /* The status is all that a try_ function leaves of a failure. */
    zc_status try_compute(tensor &out) const noexcept
    {
        zc_tensor *computed = nullptr;
        const zc_status status = zc_materialize(t_, &computed);
        if (status == ZC_OK)
            out.take(computed);
        return forget(status);
    }

    /* The number of a tensor of one element, exactly: what T does not hold is refused (ZC_ERROR_OVERFLOW). */
    template <typename T> T item() const
    {
        T value{};
        const zc_status status = read(value);
        if (status == ZC_ERROR_OVERFLOW && zc_error_status(context()) == ZC_OK)
            detail::fail(status, "item: the type does not hold the number");
        detail::check(status, context());
        return value;
    }
    template <typename T> zc_status try_item(T &value) const noexcept { return forget(read(value)); }

  private:
    template <typename T> zc_status read(T &value) const noexcept
    {
        if constexpr (detail::is_complex<T>::value) {
            return copy(dtype_of<T>, &value, sizeof value);
        } else if constexpr (std::is_floating_point<T>::value) {
            double number = 0;
            const zc_status status = zc_item(t_, &number);
            const bool is_held = static_cast<double>(static_cast<T>(number)) == number || number != number;
            return status != ZC_OK ? status : is_held ? (value = static_cast<T>(number), ZC_OK) : ZC_ERROR_OVERFLOW;
        } else {
            static_assert(std::is_integral<T>::value, "an item is a number");
            int64_t number = 0;
            if (t_ != nullptr && dtype() == ZC_UINT64 && dtype_of<T> == ZC_UINT64)
                return copy(ZC_UINT64, &value, sizeof value);
            const zc_status status = zc_item_int64(t_, &number);
            const bool is_held = static_cast<int64_t>(static_cast<T>(number)) == number &&
                                 (number < 0) == (static_cast<T>(number) < T(0));
            return status != ZC_OK ? status : is_held ? (value = static_cast<T>(number), ZC_OK) : ZC_ERROR_OVERFLOW;
        }
    }

  public:
    /* The elements in row-major order, as astype() converts them. */
    template <typename T> std::vector<T> values() const
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements; take unsigned char");
        std::vector<T> list(t_ != nullptr ? static_cast<size_t>(size()) : 0);
        copy_to(list.data(), list.size());
        return list;
    }
    template <typename T> void copy_to(T *data, size_t count) const
    {
        detail::check(copy(dtype_of<T>, data, count * sizeof(T)), context());
    }
    template <typename T> zc_status try_copy_to(T *data, size_t count) const noexcept
    {
        return forget(copy(dtype_of<T>, data, count * sizeof(T)));
    }
    std::string text() const
    {
        char *text = nullptr;
        detail::check(zc_text(t_, &text), context());
        const std::string copied = text != nullptr ? text : "";
        zc_text_free(context(), text);
        return copied;
    }
    void save(const std::string &path) const { detail::check(zc_save(t_, path.c_str()), context()); }

    /* ---- Elements that are in memory ---- */

    /* Those of a dense, row-major tensor of that dtype which exists: as compute() gives. */
    template <typename T> span<const T> data() const &
    {
        const bool is_here = t_ != nullptr && zc_is_view(t_) && dtype() == dtype_of<T> && is_row_major();
        if (!is_here)
            detail::fail(ZC_ERROR_ARGUMENT, "data: takes what compute() gave, in its own dtype");
        return {is_here ? static_cast<const T *>(zc_data(t_)) : nullptr, is_here ? static_cast<size_t>(size()) : 0};
    }

  private:
    zc_status forget(zc_status status) const noexcept
    {
        if (status != ZC_OK)
            zc_error_clear(context());
        return status;
    }
    void take(zc_tensor *t) noexcept
    {
        zc_release(t_);
        t_ = zc_keep(t);
    }
    zc_status copy(zc_dtype dtype, void *data, size_t bytes) const noexcept
    {
        return zc_copy_to(t_, dtype, data, bytes);
    }
    bool is_row_major() const noexcept
    {
        int64_t step = 1;
        for (int a = rank() - 1; a >= 0; a--) {
            if (zc_shape(t_)[a] != 1 && zc_strides(t_)[a] != step && size() > 0)
                return false;
            step *= zc_shape(t_)[a];
        }
        return true;
    }
    tensor at(const index *const *list, int count) const
    {
        int used = 0, axis = 0, gathered = 0, where[8] = {};
        const zc_tensor *positions[8] = {};
        for (int i = 0; i < count; i++)
            used += list[i]->takes_axis() ? 1 : 0;
        int dots = 0;
        for (int i = 0; i < count; i++)
            dots += list[i]->kind_ == index::dots ? 1 : 0;
        const bool fits = t_ != nullptr && used <= rank() && dots <= 1;
        if (!fits)
            detail::fail(ZC_ERROR_ARGUMENT, "index: more indices than axes, a second ellipsis, or an empty tensor");
        tensor seen = fits ? *this : tensor();
        for (int i = 0; i < count && seen.t_ != nullptr; i++) {
            const index &at = *list[i];
            if (at.kind_ == index::range && at.count_ > 3) {
                detail::fail(ZC_ERROR_ARGUMENT, "index: a range has a start, a stop and a step");
                return tensor();
            }
            if (at.kind_ == index::single)
                seen = made(zc_index(seen.t_, axis--, at.start_), context());
            else if (at.kind_ == index::range)
                seen = made(zc_slice(seen.t_, axis, at.start_, at.stop_, at.step_), context());
            else if (at.kind_ == index::new_axis)
                seen = made(zc_expand_dims(seen.t_, axis), context());
            else if (at.kind_ == index::dots)
                axis += rank() - used - 1;
            else if (at.kind_ == index::positions) {
                where[gathered] = axis;
                positions[gathered++] = at.at_;
            }
            axis++;
        }
        return gathered > 0 ? made(zc_gather(seen.t_, gathered, where, positions), context()) : seen;
    }
    zc_tensor *t_ = nullptr;
};

inline index::index(const tensor &at) noexcept : kind_(positions), at_(tensor(at).release()) {}

/* ---- Functions ---- */

namespace detail
{
/* An operand of a call: the handle of a tensor, or a constant that ends with the call. */
class handle
{
  public:
    handle(const tensor &x, zc_context *) noexcept : t(x.get()) {}
    template <typename T, typename std::enable_if<!std::is_base_of<tensor, T>::value, int>::type = 0>
    handle(const T &number, zc_context *ctx) noexcept
        : own_(ctx != nullptr ? zc_keep(weak(ctx, number)) : nullptr), t(own_)
    {
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    ~handle() { zc_release(own_); }

  private:
    zc_tensor *own_ = nullptr;

  public:
    const zc_tensor *const t;
};

inline zc_context *context_of(const tensor &x) noexcept { return x.context(); }
template <typename T>
typename std::enable_if<!std::is_base_of<tensor, T>::value, zc_context *>::type context_of(const T &) noexcept
{
    return nullptr;
}
template <typename... A> zc_context *context_among(const A &...a) noexcept
{
    zc_context *ctx = nullptr;
    (void)((ctx = context_of(a)) || ...);
    return ctx;
}

/* Calls a function of C with tensors and numbers. */
template <typename F, typename... A> tensor call(F *function, const A &...a)
{
    zc_context *ctx = context_among(a...);
    return tensor::made(function(handle(a, ctx).t...), ctx);
}

/* Calls a function of C with a tensor and what is none. */
template <typename F, typename... A> tensor with(F *function, const tensor &x, A... a)
{
    return tensor::made(function(x.get(), a...), x.context());
}

template <size_t count> using handles = std::array<const zc_tensor *, count>;

/* Makes tensors of what a function that gives several has put into a list. */
template <size_t count>
std::array<tensor, count> several(zc_status status, const std::array<zc_tensor *, count> &out, zc_context *ctx)
{
    std::array<tensor, count> result;
    check(status, ctx);
    for (size_t i = 0; i < count && status == ZC_OK; i++)
        result[i] = tensor::made(out[i], ctx);
    return result;
}

/* The same of one. */
template <typename F> tensor one(zc_context *ctx, const F &function)
{
    zc_tensor *out = nullptr;
    check(function(&out), ctx);
    return out != nullptr ? tensor::made(out, ctx) : tensor();
}

/* The same of as many as there are when it runs. */
template <typename F> std::vector<tensor> listed(size_t count, zc_context *ctx, const F &function)
{
    std::vector<zc_tensor *> out(count + 1, nullptr); /* a place also where there are none */
    std::vector<tensor> result;
    const zc_status status = function(out.data());
    for (size_t i = 0; i < count && status == ZC_OK; i++)
        result.push_back(tensor::made(out[i], ctx));
    check(status, ctx);
    return result;
}

inline std::vector<const zc_tensor *> list_of(const std::vector<tensor> &tensors)
{
    std::vector<const zc_tensor *> list;
    for (const tensor &t : tensors)
        list.push_back(t.get());
    return list;
}
inline zc_context *context_in(const std::vector<tensor> &tensors) noexcept
{
    for (const tensor &t : tensors) {
        if (!t.is_empty())
            return t.context();
    }
    return nullptr;
}
} /* namespace detail */

#define ZEROCAST_UNARY(name)                                                                                           \
    inline tensor name(const tensor &x) { return detail::call(zc_##name, x); }
#define ZEROCAST_BINARY(name)                                                                                          \
    template <typename A, typename B, detail::operands<A, B> = 0> tensor name(const A &a, const B &b)                  \
    {                                                                                                                  \
        return detail::call(zc_##name, a, b);                                                                          \
    }
#define ZEROCAST_TERNARY(name)                                                                                         \
    template <typename A, typename B, typename C, detail::operands<A, B, C> = 0>                                       \
    tensor name(const A &a, const B &b, const C &c)                                                                    \
    {                                                                                                                  \
        return detail::call(zc_##name, a, b, c);                                                                       \
    }
#define ZEROCAST_REDUCTION(name)                                                                                       \
    inline tensor name(const tensor &x, const axes &over = {}, reduced keep = dropdims)                                \
    {                                                                                                                  \
        return detail::with(zc_##name, x, over.count(), over.data(), static_cast<bool>(keep));                         \
    }
#define ZEROCAST_OPERATOR(symbol, name)                                                                                \
    template <typename A, typename B, detail::operands<A, B> = 0> tensor operator symbol(const A &a, const B &b)       \
    {                                                                                                                  \
        return detail::call(zc_##name, a, b);                                                                          \
    }
#define ZEROCAST_ASSIGNMENT(symbol, name)                                                                              \
    template <typename B, detail::operands<tensor, B> = 0> tensor &operator symbol(tensor &a, const B &b)              \
    {                                                                                                                  \
        return a = detail::call(zc_##name, a, b);                                                                      \
    }

ZEROCAST_UNARY(positive)
ZEROCAST_UNARY(negative)
ZEROCAST_UNARY(abs)
ZEROCAST_UNARY(sign)
ZEROCAST_UNARY(square)
ZEROCAST_UNARY(relu)
ZEROCAST_UNARY(floor)
ZEROCAST_UNARY(ceil)
ZEROCAST_UNARY(trunc)
ZEROCAST_UNARY(round)
ZEROCAST_UNARY(isfinite)
ZEROCAST_UNARY(isinf)
ZEROCAST_UNARY(isnan)
ZEROCAST_UNARY(signbit)
ZEROCAST_UNARY(reciprocal)
ZEROCAST_UNARY(sqrt)
ZEROCAST_UNARY(rsqrt)
ZEROCAST_UNARY(cbrt)
ZEROCAST_UNARY(exp)
ZEROCAST_UNARY(exp2)
ZEROCAST_UNARY(expm1)
ZEROCAST_UNARY(log)
ZEROCAST_UNARY(log2)
ZEROCAST_UNARY(log10)
ZEROCAST_UNARY(log1p)
ZEROCAST_UNARY(sin)
ZEROCAST_UNARY(cos)
ZEROCAST_UNARY(tan)
ZEROCAST_UNARY(asin)
ZEROCAST_UNARY(acos)
ZEROCAST_UNARY(atan)
ZEROCAST_UNARY(sinh)
ZEROCAST_UNARY(cosh)
ZEROCAST_UNARY(tanh)
ZEROCAST_UNARY(asinh)
ZEROCAST_UNARY(acosh)
ZEROCAST_UNARY(atanh)
ZEROCAST_UNARY(erf)
ZEROCAST_UNARY(gelu)
ZEROCAST_UNARY(gelu_tanh)
ZEROCAST_UNARY(sigmoid)
ZEROCAST_UNARY(silu)
ZEROCAST_UNARY(softplus)
ZEROCAST_UNARY(real)
ZEROCAST_UNARY(imag)
ZEROCAST_UNARY(conj)
ZEROCAST_UNARY(angle)
ZEROCAST_UNARY(logical_not)
ZEROCAST_UNARY(bitwise_invert)
ZEROCAST_UNARY(copy)
ZEROCAST_UNARY(matrix_transpose)
ZEROCAST_UNARY(places)
ZEROCAST_UNARY(variable)
ZEROCAST_UNARY(stop_gradient)

ZEROCAST_BINARY(add)
ZEROCAST_BINARY(subtract)
ZEROCAST_BINARY(multiply)
ZEROCAST_BINARY(divide)
ZEROCAST_BINARY(floor_divide)
ZEROCAST_BINARY(remainder)
ZEROCAST_BINARY(pow)
ZEROCAST_BINARY(minimum)
ZEROCAST_BINARY(maximum)
ZEROCAST_BINARY(copysign)
ZEROCAST_BINARY(nextafter)
ZEROCAST_BINARY(hypot)
ZEROCAST_BINARY(logaddexp)
ZEROCAST_BINARY(atan2)
ZEROCAST_BINARY(complex)
ZEROCAST_BINARY(equal)
ZEROCAST_BINARY(not_equal)
ZEROCAST_BINARY(less)
ZEROCAST_BINARY(less_equal)
ZEROCAST_BINARY(greater)
ZEROCAST_BINARY(greater_equal)
ZEROCAST_BINARY(logical_and)
ZEROCAST_BINARY(logical_or)
ZEROCAST_BINARY(logical_xor)
ZEROCAST_BINARY(bitwise_and)
ZEROCAST_BINARY(bitwise_or)
ZEROCAST_BINARY(bitwise_xor)
ZEROCAST_BINARY(bitwise_left_shift)
ZEROCAST_BINARY(bitwise_right_shift)
ZEROCAST_BINARY(isin)
ZEROCAST_BINARY(matmul)
ZEROCAST_BINARY(outer)

ZEROCAST_TERNARY(clip)
ZEROCAST_TERNARY(fma)
ZEROCAST_TERNARY(lerp)
ZEROCAST_TERNARY(where)

ZEROCAST_REDUCTION(sum)
ZEROCAST_REDUCTION(prod)
ZEROCAST_REDUCTION(mean)
ZEROCAST_REDUCTION(max)
ZEROCAST_REDUCTION(min)
ZEROCAST_REDUCTION(any)
ZEROCAST_REDUCTION(all)
ZEROCAST_REDUCTION(argmax)
ZEROCAST_REDUCTION(argmin)
ZEROCAST_REDUCTION(count_nonzero)
ZEROCAST_REDUCTION(logsumexp)

/* Division is true division; for masks and integers &, | and ~. */
ZEROCAST_OPERATOR(+, add)
ZEROCAST_OPERATOR(-, subtract)
ZEROCAST_OPERATOR(*, multiply)
ZEROCAST_OPERATOR(/, divide)
ZEROCAST_OPERATOR(&, bitwise_and)
ZEROCAST_OPERATOR(|, bitwise_or)
ZEROCAST_OPERATOR(^, bitwise_xor)
ZEROCAST_OPERATOR(<<, bitwise_left_shift)
ZEROCAST_OPERATOR(>>, bitwise_right_shift)
ZEROCAST_OPERATOR(==, equal)
ZEROCAST_OPERATOR(!=, not_equal)
ZEROCAST_OPERATOR(<, less)
ZEROCAST_OPERATOR(<=, less_equal)
ZEROCAST_OPERATOR(>, greater)
ZEROCAST_OPERATOR(>=, greater_equal)
ZEROCAST_ASSIGNMENT(+=, add)
ZEROCAST_ASSIGNMENT(-=, subtract)
ZEROCAST_ASSIGNMENT(*=, multiply)
ZEROCAST_ASSIGNMENT(/=, divide)
ZEROCAST_ASSIGNMENT(&=, bitwise_and)
ZEROCAST_ASSIGNMENT(|=, bitwise_or)
ZEROCAST_ASSIGNMENT(^=, bitwise_xor)
inline tensor operator-(const tensor &x) { return negative(x); }
inline tensor operator+(const tensor &x) { return positive(x); }
inline tensor operator~(const tensor &x)
{
    return x.is_empty() || x.dtype() != boolean ? bitwise_invert(x) : logical_not(x);
}

#undef ZEROCAST_UNARY
#undef ZEROCAST_BINARY
#undef ZEROCAST_TERNARY
#undef ZEROCAST_REDUCTION
#undef ZEROCAST_OPERATOR
#undef ZEROCAST_ASSIGNMENT

/* ---- Functions with arguments of their own ---- */

inline tensor var(const tensor &x, const axes &over = {}, double correction = 0, reduced keep = dropdims)
{
    return detail::with(zc_var, x, over.count(), over.data(), correction, static_cast<bool>(keep));
}
inline tensor std_dev(const tensor &x, const axes &over = {}, double correction = 0, reduced keep = dropdims)
{
    return detail::with(zc_std, x, over.count(), over.data(), correction, static_cast<bool>(keep));
}
tensor var(const tensor &, const axes &, reduced) = delete; /* correction comes before: var(x, 1, 0, zc::keepdims) */
tensor std_dev(const tensor &, const axes &, reduced) = delete;
tensor vector_norm(const tensor &, const axes &, reduced) = delete; /* vector_norm(x, 1, 2, zc::keepdims) */
inline tensor vector_norm(const tensor &x, const axes &over = {}, double order = 2, reduced keep = dropdims)
{
    return detail::with(zc_vector_norm, x, over.count(), over.data(), static_cast<bool>(keep), order);
}
inline tensor softmax(const tensor &x, int axis = -1) { return detail::with(zc_softmax, x, axis); }
inline tensor log_softmax(const tensor &x, int axis = -1) { return detail::with(zc_log_softmax, x, axis); }
inline tensor softmax_sum(const tensor &scores, const tensor &values, int axis = -1)
{
    return tensor::made(zc_softmax_sum(scores.get(), values.get(), axis), detail::context_among(scores, values));
}
inline tensor trace(const tensor &x, int64_t offset = 0, int axis1 = 0, int axis2 = 1)
{
    return detail::with(zc_trace, x, offset, axis1, axis2);
}
inline tensor diff(const tensor &x, int axis = -1, int64_t times = 1) { return detail::with(zc_diff, x, axis, times); }
inline tensor cumulative_sum(const tensor &x, int axis, bool include_initial = false)
{
    return detail::with(zc_cumulative_sum, x, axis, include_initial);
}
inline tensor cumulative_prod(const tensor &x, int axis, bool include_initial = false)
{
    return detail::with(zc_cumulative_prod, x, axis, include_initial);
}
inline tensor vecdot(const tensor &a, const tensor &b, int axis = -1)
{
    return tensor::made(zc_vecdot(a.get(), b.get(), axis), detail::context_among(a, b));
}
inline tensor tensordot(const tensor &a, const tensor &b, const axes &of_a, const axes &of_b)
{
    return tensor::made(
        zc_tensordot(a.get(), b.get(), of_a.count(), of_a.data(), of_a.count() == of_b.count() ? of_b.data() : nullptr),
        detail::context_among(a, b));
}
inline tensor grad(const tensor &y, const tensor &x)
{
    return tensor::made(zc_grad(y.get(), x.get()), detail::context_among(y, x));
}
inline tensor astype(const tensor &x, zc_dtype dtype) { return x.astype(dtype); }
inline tensor bitcast(const tensor &x, zc_dtype dtype) { return detail::with(zc_bitcast, x, dtype); }
inline tensor broadcast_to(const tensor &x, const dims &shape)
{
    return detail::with(zc_broadcast_to, x, shape.count(), shape.data());
}
inline tensor reshape(const tensor &x, const dims &shape) { return x.reshape(shape); }
inline tensor permute_dims(const tensor &x, const axes &order)
{
    return detail::with(zc_permute_dims, x, order.count(), order.data());
}
inline tensor swapaxes(const tensor &x, int axis1, int axis2) { return detail::with(zc_swapaxes, x, axis1, axis2); }
inline tensor moveaxis(const tensor &x, int source, int destination)
{
    return detail::with(zc_moveaxis, x, source, destination);
}
inline tensor expand_dims(const tensor &x, int axis) { return detail::with(zc_expand_dims, x, axis); }
inline tensor squeeze(const tensor &x, const axes &over)
{
    return detail::with(zc_squeeze, x, over.count(), over.data());
}
inline tensor flip(const tensor &x, const axes &over = {})
{
    return detail::with(zc_flip, x, over.count(), over.data());
}
inline tensor rot90(const tensor &x, int64_t k = 1, int axis1 = 0, int axis2 = 1)
{
    return detail::with(zc_rot90, x, k, axis1, axis2);
}
inline tensor diagonal(const tensor &x, int64_t offset = 0, int axis1 = 0, int axis2 = 1)
{
    return detail::with(zc_diagonal, x, offset, axis1, axis2);
}
inline tensor sliding_window_view(const tensor &x, const dims &window, const axes &over = {})
{
    return detail::with(zc_sliding_window_view, x, window.count(), window.data(), over.count(), over.data());
}
inline tensor as_strided(const tensor &x, const dims &shape, const dims &strides, int64_t offset = 0)
{
    const int64_t *steps = shape.count() == strides.count() ? strides.data() : nullptr;
    return detail::with(zc_as_strided, x, shape.count(), shape.data(), steps, offset);
}
inline tensor tile(const tensor &x, const dims &times) { return detail::with(zc_tile, x, times.count(), times.data()); }
inline tensor repeat(const tensor &x, int64_t times, int axis) { return detail::with(zc_repeat, x, times, axis); }
inline tensor tril(const tensor &x, int64_t k = 0) { return detail::with(zc_tril, x, k); }
inline tensor triu(const tensor &x, int64_t k = 0) { return detail::with(zc_triu, x, k); }
inline tensor take(const tensor &x, const tensor &at, int axis)
{
    return tensor::made(zc_take(x.get(), at.get(), axis), detail::context_among(x, at));
}
inline tensor take_along_axis(const tensor &x, const tensor &at, int axis)
{
    return tensor::made(zc_take_along_axis(x.get(), at.get(), axis), detail::context_among(x, at));
}
inline tensor roll(const tensor &x, const dims &shifts, const axes &over)
{
    return detail::with(zc_roll, x, over.count(), over.count() == shifts.count() ? shifts.data() : nullptr,
                        over.data());
}

/* Pads by as many elements on both sides of each axis, of all axes where one number is given. */
inline tensor pad(const tensor &x, const dims &width, zc_pad_mode mode = ZC_PAD_CONSTANT, const tensor &value = {})
{
    const dims all(std::vector<int64_t>(static_cast<size_t>(x.is_empty() ? 0 : x.rank()), width.data()[0]));
    const dims &by = width.count() == 1 ? all : width;
    return detail::with(zc_pad, x, by.count(), by.data(), by.data(), mode, value.get());
}
inline tensor update(const tensor &x, const tensor &at, const tensor &values, zc_update_op op = ZC_UPDATE_SET)
{
    return tensor::made(zc_update(x.get(), at.get(), values.get(), op), detail::context_among(x, at, values));
}
inline tensor concat(const std::vector<tensor> &tensors, int axis = 0)
{
    zc_context *ctx = detail::context_in(tensors);
    const auto list = detail::list_of(tensors);
    return tensor::made(zc_concat(ctx, static_cast<int>(list.size()), list.data(), axis), ctx);
}
inline tensor stack(const std::vector<tensor> &tensors, int axis = 0)
{
    zc_context *ctx = detail::context_in(tensors);
    const auto list = detail::list_of(tensors);
    return tensor::made(zc_stack(ctx, static_cast<int>(list.size()), list.data(), axis), ctx);
}
inline tensor einsum(const std::string &subscripts, const std::vector<tensor> &tensors)
{
    zc_context *ctx = detail::context_in(tensors);
    const auto list = detail::list_of(tensors);
    return tensor::made(zc_einsum(ctx, subscripts.c_str(), static_cast<int>(list.size()), list.data()), ctx);
}

/* Shows each along the shape that all of them meet in. */
inline std::vector<tensor> broadcast_arrays(const std::vector<tensor> &tensors)
{
    const auto list = detail::list_of(tensors);
    return detail::listed(list.size(), detail::context_in(tensors), [&](zc_tensor **out) {
        return zc_broadcast_arrays(static_cast<int>(list.size()), list.data(), out);
    });
}

/* Coordinates of a grid; `swaps` puts the second axis first, as NumPy's indexing="xy" does. */
inline std::vector<tensor> meshgrid(const std::vector<tensor> &tensors, bool swaps = true)
{
    const auto list = detail::list_of(tensors);
    return detail::listed(list.size(), detail::context_in(tensors), [&](zc_tensor **out) {
        return zc_meshgrid(static_cast<int>(list.size()), list.data(), swaps, out);
    });
}

/* Parts along an axis: as many as there are sizes. */
inline std::vector<tensor> split(const tensor &x, const dims &sizes, int axis = 0)
{
    return detail::listed(static_cast<size_t>(sizes.count()), x.context(),
                          [&](zc_tensor **out) { return zc_split(x.get(), axis, sizes.count(), sizes.data(), out); });
}
inline std::vector<tensor> unstack(const tensor &x, int axis = 0)
{
    const int rank = x.is_empty() ? 0 : x.rank(), at = axis < 0 ? axis + rank : axis;
    const size_t count = at >= 0 && at < rank ? static_cast<size_t>(x.shape(at)) : 1;
    return detail::listed(count, x.context(),
                          [&](zc_tensor **out) { return zc_unstack(x.get(), axis, static_cast<int>(count), out); });
}

/* The gradients of sum(y * delta) by each of x, zeros by what y does not depend on; an empty delta is 1. */
inline std::vector<tensor> vjp(const tensor &y, const std::vector<tensor> &x, const tensor &delta = {})
{
    const auto list = detail::list_of(x);
    return detail::listed(list.size(), y.is_empty() ? detail::context_in(x) : y.context(), [&](zc_tensor **out) {
        return zc_vjp(y.get(), delta.get(), static_cast<int>(list.size()), list.data(), out);
    });
}

/* Puts values at places of x, in place where nothing else refers to its elements (zc_assign()). */
inline void assign(tensor &x, const tensor &at, const tensor &values)
{
    zc_context *ctx = detail::context_among(x, at, values);
    const tensor places = at, numbers = values; /* x may be one of them */
    zc_tensor *t = x.release();
    const zc_status status = zc_assign(&t, places.get(), numbers.get());
    x = t != nullptr ? tensor::made(t, ctx) : tensor();
    detail::check(status, ctx);
}

/* ---- Before anything runs ---- */

inline zc_cost cost_of(const tensor &x)
{
    zc_cost cost = {};
    detail::check(zc_cost_of(x.get(), &cost), x.context());
    return cost;
}
inline std::string explain(const tensor &x, zc_format format = ZC_TEXT)
{
    char *text = nullptr;
    detail::check(zc_explain(x.get(), format, &text), x.context());
    const std::string copied = text != nullptr ? text : "";
    zc_text_free(x.context(), text);
    return copied;
}

/* ---- Functions that compute when they are called ---- */

/* Elements that differ only along broadcast axes are computed and stored once (zc_compact()). */
inline tensor compact(const tensor &x)
{
    return detail::one(x.context(), [&](zc_tensor **out) { return zc_compact(x.get(), out); });
}
inline tensor sort(const tensor &x, int axis = -1, bool descending = false)
{
    return detail::one(x.context(), [&](zc_tensor **out) { return zc_sort(x.get(), axis, descending, out); });
}

inline tensor argsort(const tensor &x, int axis = -1, bool descending = false)
{
    return detail::one(x.context(), [&](zc_tensor **out) { return zc_argsort(x.get(), axis, descending, out); });
}

/* Values, positions. */
inline std::array<tensor, 2> top_k(const tensor &x, int64_t k, int axis = -1, bool largest = true)
{
    std::array<zc_tensor *, 2> out = {};
    const zc_status status = zc_top_k(x.get(), k, axis, largest, &out[0], &out[1]);
    return detail::several(status, out, x.context());
}
inline tensor searchsorted(const tensor &sorted, const tensor &x, bool right = false)
{
    return detail::one(detail::context_among(sorted, x),
                       [&](zc_tensor **out) { return zc_searchsorted(sorted.get(), x.get(), right, nullptr, out); });
}
inline tensor unique_values(const tensor &x)
{
    return detail::one(x.context(), [&](zc_tensor **out) { return zc_unique_values(x.get(), out); });
}

/* Values, counts. */
inline std::array<tensor, 2> unique_counts(const tensor &x)
{
    std::array<zc_tensor *, 2> out = {};
    const zc_status status = zc_unique_counts(x.get(), &out[0], &out[1]);
    return detail::several(status, out, x.context());
}

/* Values, the position of each element among them. */
inline std::array<tensor, 2> unique_inverse(const tensor &x)
{
    std::array<zc_tensor *, 2> out = {};
    const zc_status status = zc_unique_inverse(x.get(), &out[0], &out[1]);
    return detail::several(status, out, x.context());
}

/* Values, first positions, the position of each element among the values, counts. */
inline std::array<tensor, 4> unique_all(const tensor &x)
{
    std::array<zc_tensor *, 4> out = {};
    const zc_status status = zc_unique_all(x.get(), &out[0], &out[1], &out[2], &out[3]);
    return detail::several(status, out, x.context());
}

/* q: a number between 0 and 1, or a tensor of such. */
template <typename Q, detail::operands<tensor, Q> = 0>
tensor quantile(const tensor &x, const Q &q, const axes &over = {}, reduced keep = dropdims, bool skip_nan = false)
{
    return detail::one(x.context(), [&](zc_tensor **out) {
        return zc_quantile(x.get(), detail::handle(q, x.context()).t, over.count(), over.data(),
                           static_cast<bool>(keep), skip_nan, out);
    });
}
inline tensor median(const tensor &x, const axes &over = {}, reduced keep = dropdims, bool skip_nan = false)
{
    return detail::one(x.context(), [&](zc_tensor **out) {
        return zc_median(x.get(), over.count(), over.data(), static_cast<bool>(keep), skip_nan, out);
    });
}

/* The positions of elements that are not 0, a tensor for each axis. */
inline std::vector<tensor> nonzero(const tensor &x)
{
    return detail::listed(x.is_empty() ? 0 : static_cast<size_t>(x.rank()), x.context(),
                          [&](zc_tensor **out) { return zc_nonzero(x.get(), out); });
}

/* Computes several in one run, which shares what they are made of: auto [loss, next] = zc::compute(l, w - g); */
template <typename... T> std::array<tensor, sizeof...(T)> compute(const T &...x)
{
    const detail::handles<sizeof...(T)> list = {x.get()...};
    std::array<zc_tensor *, sizeof...(T)> out = {};
    const zc_status status = zc_materialize_all(static_cast<int>(sizeof...(T)), list.data(), out.data());
    return detail::several(status, out, detail::context_among(x...));
}

template <typename C, typename Traits>
std::basic_ostream<C, Traits> &operator<<(std::basic_ostream<C, Traits> &out, const tensor &x)
{
    return out << x.text().c_str();
}

/* ---- Contexts ---- */

/* The heap, the settings and the failures of one thread. Tensors stay valid for reading when it has ended. */
class context
{
  public:
    explicit context(const zc_options &options = {}) : ctx_(zc_context_new(&options))
    {
        if (ctx_ == nullptr)
            detail::raise(nullptr);
    }
    context(context &&other) noexcept : ctx_(std::exchange(other.ctx_, nullptr)) {}
    context &operator=(context &&other) noexcept
    {
        std::swap(ctx_, other.ctx_);
        return *this;
    }
    ~context() { zc_context_free(ctx_); }
    zc_context *get() const noexcept { return ctx_; }

    /* ---- Memory of the program's ---- */

    /* Shows elements in place, which stay where they are, and as they are, as long as tensors use them. */
    template <typename T> tensor view(const T *data, const dims &shape) const
    {
        return import(data, bytes_of<T>(shape) / sizeof(T), shape, nullptr);
    }
    template <typename T> tensor view(const std::vector<T> &data) const { return view(data, dims(data.size())); }
    template <typename T> tensor view(const std::vector<T> &data, const dims &shape) const
    {
        return import(data.data(), data.size(), shape, nullptr);
    }
    template <typename T, typename... A> tensor view(std::vector<T> &&, const A &...) const = delete;
    template <typename T, typename... A> tensor view(const std::vector<T> &&, const A &...) const = delete;

    /* Shows elements at strides of any sign, counted in elements from data. */
    template <typename T> tensor view(const T *data, const dims &shape, const dims &strides) const
    {
        int64_t low = 0, high = 0;
        bool fits = shape.count() == strides.count(), is_empty = false;
        for (int a = 0; a < shape.count() && fits; a++) {
            int64_t reach = 0, &end = strides.data()[a] < 0 ? low : high;
            is_empty = is_empty || shape.data()[a] <= 0;
            fits = !__builtin_mul_overflow(shape.data()[a] - 1, strides.data()[a], &reach) &&
                   (is_empty || !__builtin_add_overflow(end, reach, &end));
        }
        fits = fits && (is_empty || high < (INT64_MAX >> 5) + (low < -(INT64_MAX >> 5) ? -(INT64_MAX >> 5) : low));
        if (!fits) {
            detail::fail(ZC_ERROR_ARGUMENT, "view: takes a stride for each axis, and elements that memory has");
            return tensor();
        }
        if (is_empty)
            low = 0, high = -1;
        return import(data + low, static_cast<size_t>(high - low + 1), shape, strides.data(), -low);
    }

    /* Keeps a vector as long as tensors use it. */
    template <typename T> tensor take(std::vector<T> &&data, const dims &shape) const
    {
        auto *kept = new std::vector<T>(std::move(data));
        const auto end = [](void *user, void *) { delete static_cast<std::vector<T> *>(user); };
        return tensor::made(zc_import(ctx_, dtype_of<T>, shape.count(), shape.data(), nullptr, 0, kept->data(),
                                      kept->size() * sizeof(T), end, kept),
                            ctx_);
    }
    template <typename T> tensor copy(const T *data, const dims &shape) const
    {
        return tensor::made(zc_from_data(ctx_, dtype_of<T>, shape.count(), shape.data(), data, bytes_of<T>(shape)),
                            ctx_);
    }
    template <typename T> tensor copy(const std::vector<T> &data) const { return copy(data, dims(data.size())); }
    template <typename T> tensor copy(const std::vector<T> &data, const dims &shape) const
    {
        return tensor::made(
            zc_from_data(ctx_, dtype_of<T>, shape.count(), shape.data(), data.data(), data.size() * sizeof(T)), ctx_);
    }
    template <typename T> tensor copy(std::initializer_list<T> data) const
    {
        return copy(data.begin(), dims(data.size()));
    }

    /* ---- Elements that are computed ---- */

    template <typename T> tensor full(const dims &shape, T value, zc_dtype dtype = dtype_of<T>) const
    {
        if (std::is_unsigned<T>::value && static_cast<uint64_t>(value) > INT64_MAX) {
            const uint64_t element = static_cast<uint64_t>(value);
            const tensor one = tensor::made(zc_constant(ctx_, ZC_UINT64, &element), ctx_);
            return broadcast_to(dtype == ZC_UINT64 ? one : one.astype(dtype), shape);
        }
        zc_tensor *t = std::is_integral<T>::value
                           ? zc_full_int64(ctx_, shape.count(), shape.data(), dtype, static_cast<int64_t>(value))
                           : zc_full(ctx_, shape.count(), shape.data(), dtype, static_cast<double>(value));
        return tensor::made(t, ctx_);
    }
    tensor zeros(const dims &shape, zc_dtype dtype = float64) const { return full(shape, 0, dtype); }
    tensor ones(const dims &shape, zc_dtype dtype = float64) const { return full(shape, 1, dtype); }
    template <typename T> tensor arange(T stop) const { return arange(T(0), stop); }
    /* int64 of integers, else float64. */
    template <typename T> tensor arange(T start, T stop, T step = T(1)) const
    {
        if constexpr (std::is_integral<T>::value)
            return tensor::made(zc_arange_int64(ctx_, dim(start).value, dim(stop).value, dim(step).value), ctx_);
        else
            return arange(start, stop, step, float64);
    }
    tensor arange(double start, double stop, double step, zc_dtype dtype) const
    {
        return tensor::made(zc_arange(ctx_, start, stop, step, dtype), ctx_);
    }
    tensor linspace(double start, double stop, int64_t count, bool endpoint = true, zc_dtype dtype = float64) const
    {
        return tensor::made(zc_linspace(ctx_, start, stop, count, endpoint, dtype), ctx_);
    }
    tensor eye(int64_t rows, int64_t columns = -1, int64_t k = 0, zc_dtype dtype = float64) const
    {
        return tensor::made(zc_eye(ctx_, rows, columns < 0 ? rows : columns, k, dtype), ctx_);
    }
    tensor open(const std::string &path) const { return tensor::made(zc_open(ctx_, path.c_str()), ctx_); }

    /* The command's language: ctx.eval("w - 0.1 * g", {{"w", w}, {"g", g}}). */
    tensor eval(const std::string &expression, const std::vector<std::pair<std::string, tensor>> &named = {}) const
    {
        std::string names;
        std::vector<const zc_tensor *> list;
        for (const auto &one : named) {
            names += names.empty() ? one.first : ", " + one.first;
            list.push_back(one.second.get());
        }
        return tensor::made(
            zc_eval(ctx_, expression.c_str(), names.c_str(), static_cast<int>(list.size()), list.data()), ctx_);
    }

    /* Brings a tensor of another context here: from another thread, by reference. */
    tensor adopt(const tensor &x) const { return tensor::made(zc_adopt(ctx_, x.get()), ctx_); }
    zc_memory memory() const noexcept { return zc_memory_usage(ctx_); }
    void cancel() const noexcept { zc_cancel(ctx_); }

  private:
    template <typename T> static size_t bytes_of(const dims &shape) noexcept
    {
        size_t bytes = sizeof(T);
        for (int a = 0; a < shape.count(); a++)
            bytes *= static_cast<size_t>(shape.data()[a]); /* what overflows is another number than the shape's */
        return bytes;
    }
    template <typename T>
    tensor import(const T *data, size_t count, const dims &shape, const int64_t *strides, int64_t offset = 0) const
    {
        return tensor::made(zc_import(ctx_, dtype_of<T>, shape.count(), shape.data(), strides, offset, data,
                                      count * sizeof(T), nullptr, nullptr),
                            ctx_);
    }
    zc_context *ctx_;
};

} /* namespace ZEROCAST_VERSION */
} /* namespace zerocast */

#undef ZEROCAST_VERSION

#endif
