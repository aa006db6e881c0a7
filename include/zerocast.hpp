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
 * zc::newaxis, zc::ellipsis; positions along an axis, as a tensor of integers or a std::vector of them; and masks,
 * tensors of bools, which are computed there and then. x({1, -1}, {1, -1}) is NumPy's x[1:-1, 1:-1], and axes of
 * positions stand where NumPy puts them: in front, where anything but positions and integers is between these.
 *
 * Failures are exceptions: zerocast::error with a status and C's sentence; throwing one clears the context. Compiled
 * with -fno-exceptions, every function that fails gives what is empty or zero (a tensor, tensors, a span, a vector, a
 * text, a number), which what is made of it is then, too, and records the failure: context::status() and error_text()
 * tell the first one until clear_error(), zc_error_status(nullptr) that of calls without a context. The try_ functions
 * never throw: they return a status, change what they are given on success alone, and record nothing.
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

#if __cplusplus > 202002L && defined(__has_include)
#if __has_include(<mdspan>)
#include <mdspan>
#endif
#endif

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
[[noreturn]] inline void fail(zc_context *, zc_status status, const char *sentence) { throw error(status, sentence); }

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
inline void fail(zc_context *ctx, zc_status status, const char *sentence) noexcept
{
    (void)zc_error_record(ctx, status, sentence);
}
inline void raise(zc_context *) noexcept {} /* C has recorded it */
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
/* A function that reads a source, and each thread's last sentence. */
template <typename T, typename Read> class reader
{
  public:
    explicit reader(Read &&read) : read_(std::move(read)) {}
    static const char *call(void *user, const int64_t *start, const int64_t *count, void *elements) noexcept
    {
        reader *self = static_cast<reader *>(user);
#if defined(__cpp_exceptions)
        try {
            return self->run(start, count, static_cast<T *>(elements));
        } catch (const std::exception &failure) {
            static thread_local std::string sentence;
            sentence = failure.what();
            return sentence.c_str();
        } catch (...) {
            return "the function threw something";
        }
#else
        return self->run(start, count, static_cast<T *>(elements));
#endif
    }
    static void end(void *user) noexcept { delete static_cast<reader *>(user); }

  private:
    const char *run(const int64_t *start, const int64_t *count, T *elements)
    {
        if constexpr (std::is_void<decltype(read_(start, count, elements))>::value) {
            read_(start, count, elements);
            return nullptr;
        } else {
            return read_(start, count, elements);
        }
    }
    Read read_;
};

/* The lowest and the highest element that strides lead to, 0 and -1 where there is none; false where memory has no such
 * elements. */
inline bool reach_of(const dims &shape, const dims &strides, int64_t &low, int64_t &high) noexcept
{
    bool fits = shape.count() == strides.count(), is_empty = false;
    low = high = 0;
    for (int a = 0; a < shape.count() && fits; a++) {
        int64_t reach = 0, &end = strides.data()[a] < 0 ? low : high;
        is_empty = is_empty || shape.data()[a] <= 0;
        fits = !__builtin_mul_overflow(shape.data()[a] - 1, strides.data()[a], &reach) &&
               (is_empty || !__builtin_add_overflow(end, reach, &end));
    }
    fits = fits && (is_empty || high < (INT64_MAX >> 5) + (low < -(INT64_MAX >> 5) ? -(INT64_MAX >> 5) : low));
    if (is_empty)
        low = 0, high = -1;
    return fits;
}
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
    index(const index &other)
        : kind_(other.kind_), count_(other.count_), start_(other.start_), stop_(other.stop_), step_(other.step_),
          is_list_(other.is_list_), list_(other.list_), at_(zc_retain(other.at_))
    {
    }
    index &operator=(const index &) = delete;
    ~index() { zc_release(at_); }
    index(newaxis_t) noexcept : kind_(new_axis) {}
    index(ellipsis_t) noexcept : kind_(dots) {}
    inline index(const tensor &at) noexcept;
    template <typename T> index(const std::vector<T> &at) : kind_(positions), is_list_(true)
    {
        for (const T &position : at)
            list_.push_back(dim(position).value);
    }
    static index nothing() noexcept
    {
        index i;
        i.kind_ = absent;
        return i;
    }

  private:
    friend class tensor;
    bool is_mask() const noexcept { return at_ != nullptr && zc_dtype_of(at_) == ZC_BOOL; }
    int axes_taken() const noexcept
    {
        return kind_ <= range ? 1 : kind_ != positions ? 0 : is_mask() ? zc_rank(at_) : 1;
    }
    kind kind_;
    size_t count_ = 0; /* of bounds */
    int64_t start_ = none, stop_ = none, step_ = 1;
    bool is_list_ = false; /* of positions: numbers, not a tensor */
    std::vector<int64_t> list_;
    zc_tensor *at_ = nullptr; /* of positions that are a tensor; held, so that it may come from a temporary */
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
template <typename... A> using numbers = typename std::enable_if<(std::is_arithmetic<A>::value && ...), int>::type;
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

    /* Properties, which an empty tensor does not have. */
    zc_dtype dtype() const { return exists("dtype: the tensor is empty") ? zc_dtype_of(t_) : ZC_BOOL; }
    int rank() const { return exists("rank: the tensor is empty") ? zc_rank(t_) : 0; }
    int64_t size() const { return exists("size: the tensor is empty") ? zc_size(t_) : 0; }
    span<const int64_t> shape() const &
    {
        const bool is_here = exists("shape: the tensor is empty");
        return {is_here ? zc_shape(t_) : nullptr, is_here ? static_cast<size_t>(zc_rank(t_)) : 0};
    }
    int64_t shape(int axis) const
    {
        if (!exists("shape: the tensor is empty"))
            return 0;
        const int at = axis < 0 ? axis + zc_rank(t_) : axis;
        if (at >= 0 && at < zc_rank(t_))
            return zc_shape(t_)[at];
        detail::fail(context(), ZC_ERROR_AXIS, "shape: the tensor does not have that axis");
        return 0;
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
    zc_status try_compute(tensor &out) const noexcept
    {
        zc_tensor *computed = nullptr;
        const zc_status status = quietly([&] { return zc_materialize(t_, &computed); });
        if (status == ZC_OK)
            out.take(computed);
        return status;
    }

    /* The number of a tensor of one element, exactly: what T does not hold is refused (ZC_ERROR_OVERFLOW). */
    template <typename T> T item() const
    {
        T value{};
        const zc_status status = read(value);
        if (status == ZC_ERROR_OVERFLOW && zc_error_status(context()) == ZC_OK)
            detail::fail(context(), status, "item: the type does not hold the number");
        detail::check(status, context());
        return value;
    }
    template <typename T> zc_status try_item(T &value) const noexcept
    {
        return quietly([&] { return read(value); });
    }

  private:
    template <typename T> zc_status read(T &value) const noexcept
    {
        if constexpr (detail::is_complex<T>::value) {
            return read_complex(value);
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
    template <typename T> zc_status read_complex(std::complex<T> &value) const noexcept
    {
        std::complex<double> number = 0;
        const bool is_real = t_ != nullptr && zc_dtype_of(t_) != ZC_COMPLEX64 && zc_dtype_of(t_) != ZC_COMPLEX128;
        double real = 0;
        const zc_status status = is_real ? read(real) : copy(ZC_COMPLEX128, &number, sizeof number);
        if (is_real)
            number = real;
        const auto holds = [](double part) {
            return static_cast<double>(static_cast<T>(part)) == part || part != part;
        };
        if (status == ZC_OK && !(holds(number.real()) && holds(number.imag())))
            return ZC_ERROR_OVERFLOW;
        if (status == ZC_OK)
            value = {static_cast<T>(number.real()), static_cast<T>(number.imag())};
        return status;
    }

  public:
    /* The elements in row-major order, as astype() converts them. */
    template <typename T> std::vector<T> values() const
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements; take unsigned char");
        std::vector<T> list(t_ != nullptr ? static_cast<size_t>(size()) : 0);
        const zc_status status = copy(dtype_of<T>, list.data(), list.size() * sizeof(T));
        detail::check(status, context());
        return status == ZC_OK ? list : std::vector<T>();
    }
    template <typename T> void copy_to(T *data, size_t count) const
    {
        detail::check(copy(dtype_of<T>, data, count * sizeof(T)), context());
    }
    template <typename T> zc_status try_copy_to(T *data, size_t count) const noexcept
    {
        return quietly([&] { return copy(dtype_of<T>, data, count * sizeof(T)); });
    }
    /* The same into memory of the program's at strides, counted in elements from data: pitched rows, flipped ones. The
     * caller answers for the memory that they lead to; without strides elements are written row-major. */
    template <typename T> void copy_at(T *data, const dims &strides) const
    {
        const tensor x = t_ != nullptr && zc_dtype_of(t_) != dtype_of<T> ? astype(dtype_of<T>) : *this;
        if (x.t_ == nullptr)
            return detail::check(zc_copy_to(nullptr, dtype_of<T>, data, 0), nullptr);
        int64_t low = 0, high = 0;
        if (!detail::reach_of(x.shape(), strides, low, high))
            return detail::fail(context(), ZC_ERROR_ARGUMENT, "copy_at: takes a stride for each axis, within memory");
        const size_t bytes = static_cast<size_t>(high - low + 1) * sizeof(T);
        detail::check(zc_materialize_into(x.t_, data + low, bytes, strides.data(), -low), context());
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
    zc_status try_save(const std::string &path) const noexcept
    {
        return quietly([&] { return zc_save(t_, path.c_str()); });
    }

    /* ---- Elements that are in memory ---- */

    /* Those of a dense, row-major tensor of that dtype which exists: as compute() gives. */
    template <typename T> span<const T> data() const &
    {
        const bool is_here = shows<T>() && is_row_major();
        if (!is_here)
            detail::fail(context(), ZC_ERROR_ARGUMENT, "data: takes what compute() gave, in its own dtype");
        return {is_here ? static_cast<const T *>(zc_data(t_)) : nullptr,
                is_here ? static_cast<size_t>(zc_size(t_)) : 0};
    }

    /* Those of a tensor of that dtype and rank which exists, at its strides, as an mdspan of const elements: M is
     * std::mdspan of any extents and layout, or another class template of its shape, such as Kokkos::mdspan. Refused
     * are strides that the layout does not have: those that are not positive, and of layout_stride those that, in order
     * of size, do not span the axis before (windows, and every second column of five); compute() has others. */
    template <typename M> M mdspan() const &
    {
        using T = typename M::element_type;
        using mapping = typename M::mapping_type;
        using number = typename M::extents_type::index_type;
        constexpr size_t rank = M::extents_type::rank();
        constexpr bool strided =
            std::is_constructible<mapping, typename M::extents_type, std::array<number, rank>>::value;
        static_assert(std::is_const<T>::value, "elements of a tensor are not written to");
        std::array<number, rank> extents{}, strides{};
        const bool is_here = shows<T>() && static_cast<size_t>(zc_rank(t_)) == rank && take_extents(extents, strides) &&
                             (strided || is_row_major());
        if (!is_here)
            detail::fail(context(), ZC_ERROR_ARGUMENT,
                         "mdspan: takes elements in memory, of that dtype and rank, at strides that the layout has");
        for (size_t a = 0; a < rank && !is_here; a++)
            extents[a] = 0, strides[a] = 1;
        const T *first = is_here ? static_cast<T *>(zc_data(t_)) : nullptr;
        if constexpr (strided)
            return M(first, mapping(typename M::extents_type(extents), strides));
        else
            return M(first, mapping(typename M::extents_type(extents)));
    }
#if defined(__cpp_lib_mdspan)
    template <typename T, size_t rank> auto mdspan() const &
    {
        return mdspan<std::mdspan<const T, std::dextents<int64_t, rank>, std::layout_stride>>();
    }
#endif

  private:
    friend class context;
    /* Runs what returns a status, and forgets its failure, but none that was there before. */
    template <typename F> zc_status quietly(const F &function) const noexcept
    {
        zc_context *ctx = context();
        const bool had_failed = ctx != nullptr && zc_error_status(ctx) != ZC_OK;
        const zc_status status = function();
        if (status != ZC_OK && !had_failed)
            zc_error_clear(ctx);
        return status;
    }
    bool exists(const char *sentence) const
    {
        if (t_ == nullptr)
            detail::fail(nullptr, ZC_ERROR_ARGUMENT, sentence);
        return t_ != nullptr;
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
    template <typename T> bool shows() const noexcept
    {
        return t_ != nullptr && zc_is_view(t_) && zc_dtype_of(t_) == dtype_of<T>;
    }
    bool is_row_major() const noexcept
    {
        int64_t step = 1;
        for (int a = zc_rank(t_) - 1; a >= 0; a--) {
            if (zc_shape(t_)[a] != 1 && zc_strides(t_)[a] != step && zc_size(t_) > 0)
                return false;
            step *= zc_shape(t_)[a];
        }
        return true;
    }

    /* Takes extents, and a positive stride for every axis; false where the strides, in their order, do not each span
     * the axis before, as layouts of mdspan do. */
    template <typename List> bool take_extents(List &extents, List &strides) const noexcept
    {
        const int64_t *shape = zc_shape(t_), *steps = zc_strides(t_);
        const int rank = zc_rank(t_);
        for (int a = 0; a < rank; a++) {
            const bool is_moving = shape[a] > 1 && zc_size(t_) > 0;
            extents[static_cast<size_t>(a)] = static_cast<typename List::value_type>(shape[a]);
            strides[static_cast<size_t>(a)] = static_cast<typename List::value_type>(is_moving ? steps[a] : 1);
            if (is_moving && steps[a] <= 0)
                return false;
        }
        int64_t least = 0, room = 1; /* the stride of the axis before, and times its extent */
        for (int left = rank; left > 0; left--) {
            int64_t next = INT64_MAX, extent = 0;
            for (int a = 0; a < rank; a++) {
                if (shape[a] < 2 || zc_size(t_) == 0 || steps[a] <= least || steps[a] > next)
                    continue;
                if (steps[a] == next)
                    return false;
                next = steps[a], extent = shape[a];
            }
            if (extent == 0)
                break;
            if (next < room)
                return false;
            least = next, room = next * extent;
        }
        return true;
    }

    struct gathering; /* what x(...) gathers behind its views */
    inline tensor gather(const index *const *list, int count, int left) const;
    tensor at(const index *const *list, int count) const
    {
        int used = 0, dots = 0, positions = 0;
        for (int i = 0; i < count; i++) {
            used += list[i]->axes_taken();
            dots += list[i]->kind_ == index::dots ? 1 : 0;
            positions += list[i]->kind_ == index::positions ? 1 : 0;
        }
        if (t_ == nullptr || used > zc_rank(t_) || dots > 1) {
            detail::fail(context(), ZC_ERROR_ARGUMENT,
                         t_ == nullptr ? "index: the tensor is empty"
                                       : "index: more indices than axes, or two ellipses");
            return tensor();
        }
        if (positions == 0) {
            tensor seen = *this;
            for (int i = 0, axis = 0; i < count && seen.t_ != nullptr; i++)
                seen = seen.narrowed(*list[i], axis, zc_rank(t_) - used);
            return seen;
        }
        return gather(list, count, zc_rank(t_) - used);
    }

    /* The view by an index that is no position, which moves axis behind what it shows. */
    tensor narrowed(const index &at, int &axis, int left) const
    {
        if (at.kind_ == index::range && at.count_ > 3) {
            detail::fail(context(), ZC_ERROR_ARGUMENT, "index: a range has a start, a stop and a step");
            return tensor();
        }
        if (at.kind_ == index::single)
            return made(zc_index(t_, axis, at.start_), context());
        const int before = axis;
        axis += at.kind_ == index::dots ? left : 1;
        if (at.kind_ == index::range)
            return made(zc_slice(t_, before, at.start_, at.stop_, at.step_), context());
        return at.kind_ == index::new_axis ? made(zc_expand_dims(t_, before), context()) : *this;
    }
    zc_tensor *t_ = nullptr;
};

/* Positions along axes of what the other indices show. */
struct tensor::gathering {
    tensor seen;
    int axis = 0, count = 0, where[ZC_MAX_RANK] = {};
    tensor positions[ZC_MAX_RANK];
    bool is_in_run = false, is_behind_run = false, is_apart = false; /* of integers and positions */

    /* Notes the kind of the next index: integers and positions are apart where another one is between them. */
    void meet(bool is_position) noexcept
    {
        is_apart = is_apart || (is_position && is_behind_run);
        is_behind_run = is_behind_run || (is_in_run && !is_position);
        is_in_run = is_in_run || is_position;
    }

    /* Adds the positions of an index, one for each axis of a mask. */
    bool collect(const index &at)
    {
        zc_context *ctx = seen.context();
        zc_tensor *found[ZC_MAX_RANK] = {};
        const int taken = at.axes_taken();
        const int64_t size = static_cast<int64_t>(at.list_.size());
        const char *wrong = at.at_ == nullptr && !at.is_list_ ? "index: a tensor of positions is empty" : nullptr;
        for (int a = 0; at.is_mask() && a < taken; a++) {
            if (zc_shape(at.at_)[a] != zc_shape(seen.t_)[axis + a])
                wrong = "index: a mask has another shape than the axes that it is for";
        }
        if (wrong != nullptr)
            detail::fail(ctx, ZC_ERROR_ARGUMENT, wrong);
        else if (at.is_mask())
            detail::check(zc_nonzero(at.at_, found), ctx);
        else if (at.is_list_)
            found[0] = zc_from_data(ctx, ZC_INT64, 1, &size, at.list_.data(), at.list_.size() * sizeof(int64_t));
        else
            found[0] = zc_retain(at.at_);
        if (wrong != nullptr || found[0] == nullptr)
            return false;
        for (int a = 0; a < taken; a++) {
            where[count] = axis++;
            positions[count++] = made(found[a], ctx);
        }
        return true;
    }
    tensor gathered() const
    {
        const zc_tensor *list[ZC_MAX_RANK] = {};
        for (int i = 0; i < count; i++)
            list[i] = positions[i].t_;
        zc_context *ctx = seen.context();
        const tensor result = made(zc_gather(seen.t_, count, where, list), ctx);
        const bool is_side_by_side = where[count - 1] - where[0] == count - 1;
        if (result.t_ == nullptr || !is_apart || !is_side_by_side || where[0] == 0)
            return result; /* zc_gather() has put the axes of positions where NumPy does */
        const int rank = zc_rank(result.t_), before = where[0], moved = rank - zc_rank(seen.t_) + count;
        int order[ZC_MAX_RANK] = {};
        for (int a = 0; a < rank; a++)
            order[a] = a < moved ? before + a : a < moved + before ? a - moved : a;
        return made(zc_permute_dims(result.t_, rank, order), ctx);
    }
};

inline tensor tensor::gather(const index *const *list, int count, int left) const
{
    gathering g;
    g.seen = *this;
    for (int i = 0; i < count && g.seen.t_ != nullptr; i++) {
        const index &at = *list[i];
        g.meet(at.kind_ == index::single || at.kind_ == index::positions);
        if (at.kind_ != index::positions)
            g.seen = g.seen.narrowed(at, g.axis, left);
        else if (!g.collect(at))
            return tensor();
    }
    return g.seen.t_ != nullptr ? g.gathered() : tensor();
}

using named_tensors = std::vector<std::pair<std::string, tensor>>;

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

/* Fails in the header itself. */
inline tensor refused(const tensor &x, const char *sentence)
{
    if (x.is_empty())
        return tensor::made(zc_positive(nullptr), nullptr);
    fail(x.context(), ZC_ERROR_ARGUMENT, sentence);
    return tensor();
}

template <typename T> tensor copied(const std::vector<T> &list, zc_context *ctx)
{
    const int64_t count = static_cast<int64_t>(list.size());
    return tensor::made(zc_from_data(ctx, dtype_of<T>::value, 1, &count, list.data(), list.size() * sizeof(T)), ctx);
}

/* One number stands for all axes of x. */
inline dims for_each_axis(const tensor &x, const dims &list)
{
    const int64_t only = list.data()[0];
    return list.count() != 1 || x.is_empty() ? list : dims(std::vector<int64_t>(static_cast<size_t>(x.rank()), only));
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
    check(status, ctx);
    for (size_t i = 0; i < count; i++)
        result.push_back(status == ZC_OK ? tensor::made(out[i], ctx) : tensor());
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
    if (of_a.count() != of_b.count())
        return detail::refused(a, "tensordot: takes as many axes of a as of b");
    return tensor::made(zc_tensordot(a.get(), b.get(), of_a.count(), of_a.data(), of_b.data()),
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
    if (shape.count() != strides.count())
        return detail::refused(x, "as_strided: takes a stride for each axis");
    return detail::with(zc_as_strided, x, shape.count(), shape.data(), strides.data(), offset);
}
inline tensor tile(const tensor &x, const dims &times) { return detail::with(zc_tile, x, times.count(), times.data()); }
inline tensor repeat(const tensor &x, int64_t times, int axis) { return detail::with(zc_repeat, x, times, axis); }
inline tensor tril(const tensor &x, int64_t k = 0) { return detail::with(zc_tril, x, k); }
inline tensor triu(const tensor &x, int64_t k = 0) { return detail::with(zc_triu, x, k); }
/* Positions: a tensor, a list, or one number, whose axis goes. */
template <typename At, detail::operands<tensor, At> = 0> tensor take(const tensor &x, const At &at, int axis)
{
    return tensor::made(zc_take(x.get(), detail::handle(at, x.context()).t, axis), detail::context_among(x, at));
}
inline tensor take(const tensor &x, const std::vector<int64_t> &at, int axis)
{
    return take(x, detail::copied(at, x.context()), axis);
}
inline tensor take_along_axis(const tensor &x, const tensor &at, int axis)
{
    return tensor::made(zc_take_along_axis(x.get(), at.get(), axis), detail::context_among(x, at));
}
inline tensor roll(const tensor &x, const dims &shifts, const axes &over)
{
    if (over.count() != shifts.count())
        return detail::refused(x, "roll: takes a shift for each axis");
    return detail::with(zc_roll, x, over.count(), shifts.data(), over.data());
}

/* Pads before and after each axis, by one number all of them; where `after` is missing, by as many on both sides. */
inline tensor pad(const tensor &x, const dims &before, const dims &after, zc_pad_mode mode = ZC_PAD_CONSTANT)
{
    const dims low = detail::for_each_axis(x, before), high = detail::for_each_axis(x, after);
    if (low.count() != high.count())
        return detail::refused(x, "pad: takes as many lengths before as behind");
    return detail::with(zc_pad, x, low.count(), low.data(), high.data(), mode, nullptr);
}
inline tensor pad(const tensor &x, const dims &width, zc_pad_mode mode = ZC_PAD_CONSTANT)
{
    return pad(x, width, width, mode);
}
/* The constant mode with a value: a number or a tensor of one element. */
template <typename V, detail::operands<tensor, V> = 0>
tensor pad(const tensor &x, const dims &before, const dims &after, zc_pad_mode mode, const V &value)
{
    const dims low = detail::for_each_axis(x, before), high = detail::for_each_axis(x, after);
    const detail::handle by(value, x.context());
    if (low.count() != high.count() || by.t == nullptr)
        return detail::refused(x, "pad: takes as many lengths before as behind, and a value");
    return detail::with(zc_pad, x, low.count(), low.data(), high.data(), mode, by.t);
}
template <typename V, detail::operands<tensor, V> = 0>
tensor pad(const tensor &x, const dims &width, zc_pad_mode mode, const V &value)
{
    return pad(x, width, width, mode, value);
}

/* Places and values are tensors or numbers: update(x, places(x)({1, 3}), 0). */
template <typename At, typename V, detail::operands<tensor, At, V> = 0>
tensor update(const tensor &x, const At &at, const V &values, zc_update_op op = ZC_UPDATE_SET)
{
    zc_context *ctx = detail::context_among(x, at, values);
    return tensor::made(zc_update(x.get(), detail::handle(at, ctx).t, detail::handle(values, ctx).t, op), ctx);
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

/* Parts along an axis: as many as there are sizes, split(x, {1, 2}), or so many equal ones, split(x, 3). */
inline std::vector<tensor> split(const tensor &x, const std::vector<int64_t> &sizes, int axis = 0)
{
    const int64_t none_at_all = 0;
    return detail::listed(sizes.size(), x.context(), [&](zc_tensor **out) {
        return zc_split(x.get(), axis, static_cast<int>(sizes.size()), sizes.empty() ? &none_at_all : sizes.data(),
                        out);
    });
}
template <typename T,
          typename std::enable_if<std::is_integral<T>::value && !std::is_same<T, bool>::value, int>::type = 0>
std::vector<tensor> split(const tensor &x, T parts, int axis = 0)
{
    const int count = detail::clamp_axis(parts);
    const bool is_count = count > 0 && !x.is_empty() && count <= (x.size() > 0 ? x.size() : INT32_MAX);
    return detail::listed(is_count ? static_cast<size_t>(count) : 1, x.context(),
                          [&](zc_tensor **out) { return zc_split(x.get(), axis, count, nullptr, out); });
}
inline std::vector<tensor> unstack(const tensor &x, int axis = 0)
{
    const int rank = x.is_empty() ? 0 : x.rank(), at = axis < 0 ? axis + rank : axis;
    const size_t count = at >= 0 && at < rank ? static_cast<size_t>(x.shape(at)) : 1;
    return detail::listed(count, x.context(),
                          [&](zc_tensor **out) { return zc_unstack(x.get(), axis, static_cast<int>(count), out); });
}

/* The gradients of sum(y * delta) by each of x, zeros by what y does not depend on; without a delta it is 1. */
inline std::vector<tensor> vjp(const tensor &y, const std::vector<tensor> &x)
{
    const auto list = detail::list_of(x);
    return detail::listed(list.size(), y.is_empty() ? detail::context_in(x) : y.context(), [&](zc_tensor **out) {
        return zc_vjp(y.get(), nullptr, static_cast<int>(list.size()), list.data(), out);
    });
}
inline std::vector<tensor> vjp(const tensor &y, const std::vector<tensor> &x, const tensor &delta)
{
    return vjp(delta.is_empty() ? detail::refused(y, "vjp: delta is empty") : sum(y * delta), x);
}
/* Puts values at places of x, in place where nothing else refers to its elements (zc_assign()). */
template <typename At, typename V, detail::operands<tensor, At, V> = 0>
void assign(tensor &x, const At &at, const V &values)
{
    zc_context *ctx = detail::context_among(x, at, values);
    const At places = at;
    const V numbers = values; /* x may be one of them */
    zc_tensor *t = x.release();
    const zc_status status = zc_assign(&t, detail::handle(places, ctx).t, detail::handle(numbers, ctx).t);
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
template <typename X, detail::operands<tensor, X> = 0>
tensor searchsorted(const tensor &sorted, const X &x, bool right = false)
{
    zc_context *ctx = detail::context_among(sorted, x);
    return detail::one(ctx, [&](zc_tensor **out) {
        return zc_searchsorted(sorted.get(), detail::handle(x, ctx).t, right, nullptr, out);
    });
}
/* sorter: what puts `unsorted` in order, as argsort() gives it. */
inline tensor searchsorted(const tensor &unsorted, const tensor &x, bool right, const tensor &sorter)
{
    if (sorter.is_empty())
        return detail::refused(unsorted, "searchsorted: sorter is empty");
    return detail::one(detail::context_among(unsorted, x), [&](zc_tensor **out) {
        return zc_searchsorted(unsorted.get(), x.get(), right, sorter.get(), out);
    });
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

/* q: a number between 0 and 1, a tensor of such, or a list, whose axis comes first: quantile(x, {0.1, 0.9}, 1). */
template <typename Q, detail::operands<tensor, Q> = 0>
tensor quantile(const tensor &x, const Q &q, const axes &over = {}, reduced keep = dropdims, bool skip_nan = false)
{
    return detail::one(x.context(), [&](zc_tensor **out) {
        return zc_quantile(x.get(), detail::handle(q, x.context()).t, over.count(), over.data(),
                           static_cast<bool>(keep), skip_nan, out);
    });
}
inline tensor quantile(const tensor &x, const std::vector<double> &q, const axes &over = {}, reduced keep = dropdims,
                       bool skip_nan = false)
{
    return quantile(x, detail::copied(q, x.context()), over, keep, skip_nan);
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

/* Computes several in one run and writes them into one file: zc::save({{"w", w}, {"b", b}}, "model.npz"). */
inline void save(const named_tensors &list, const std::string &path)
{
    std::vector<const zc_tensor *> tensors;
    std::vector<const char *> names;
    zc_context *ctx = nullptr;
    for (const auto &[name, x] : list) {
        tensors.push_back(x.get());
        names.push_back(name.c_str());
        ctx = ctx != nullptr ? ctx : x.context();
    }
    detail::check(zc_save_members(static_cast<int>(list.size()), tensors.data(), names.data(), path.c_str()), ctx);
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
        if (!detail::reach_of(shape, strides, low, high)) {
            detail::fail(ctx_, ZC_ERROR_ARGUMENT, "view: takes a stride for each axis, and elements that memory has");
            return tensor();
        }
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

    /* Elements that a function has: read(start, count, elements) writes count[a] indices of each axis a from start[a] on,
     * dense and row-major, to T *elements. It returns nothing and throws what std::exception tells, or returns a
     * sentence that says why it cannot, or nullptr. It is called by one thread of a context at a time; contexts of several
     * threads that share the source may call it at the same time. Kept as long as tensors use it. Axes that chunk has
     * not are read best in any runs. */
    template <typename T, typename Read>
    tensor source(const dims &shape, Read read, const dims &chunk = dims()) const
    {
        using holder = detail::reader<T, Read>;
        int64_t extents[ZC_MAX_RANK];
        for (int a = 0; a < ZC_MAX_RANK; a++)
            extents[a] = a < chunk.count() ? chunk.data()[a] : 1;
        const zc_source source = {new holder(std::move(read)), holder::call, holder::end, extents};
        return tensor::made(zc_from_source(ctx_, dtype_of<T>, shape.count(), shape.data(), &source), ctx_);
    }

    /* ---- Elements that are computed ---- */

    /* No memory: to differentiate by one, take variable() of it, or compute(). */
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
    /* Functions of a seed below 2^32 and of an element's number: windows and machines have the same. */
    tensor random_uniform(const dims &shape, uint64_t seed = 0, zc_dtype dtype = float64) const
    {
        return tensor::made(zc_random_uniform(ctx_, shape.count(), shape.data(), seed, dtype), ctx_);
    }
    tensor random_normal(const dims &shape, uint64_t seed = 0, zc_dtype dtype = float64) const
    {
        return tensor::made(zc_random_normal(ctx_, shape.count(), shape.data(), seed, dtype), ctx_);
    }
    tensor random_bits(const dims &shape, uint64_t seed = 0) const
    {
        return tensor::made(zc_random_bits(ctx_, shape.count(), shape.data(), seed), ctx_);
    }
    /* int64 of integers, else float64. */
    template <typename T> tensor arange(T stop) const { return arange(T(0), stop); }
    template <typename A, typename B, typename S = int, detail::numbers<A, B, S> = 0>
    tensor arange(A start, B stop, S step = 1) const
    {
        if constexpr ((std::is_integral<A>::value && std::is_integral<B>::value && std::is_integral<S>::value))
            return tensor::made(zc_arange_int64(ctx_, dim(start).value, dim(stop).value, dim(step).value), ctx_);
        else
            return arange(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step), float64);
    }
    template <typename T, detail::numbers<T> = 0> tensor arange(T stop, zc_dtype dtype) const
    {
        return arange(0, static_cast<double>(stop), 1, dtype);
    }
    tensor arange(double start, double stop, double step, zc_dtype dtype) const
    {
        return tensor::made(zc_arange(ctx_, start, stop, step, dtype), ctx_);
    }
    tensor linspace(double start, double stop, int64_t count, bool endpoint = true, zc_dtype dtype = float64) const
    {
        return tensor::made(zc_linspace(ctx_, start, stop, count, endpoint, dtype), ctx_);
    }
    tensor linspace(double start, double stop, int64_t count, zc_dtype dtype) const
    {
        return linspace(start, stop, count, true, dtype);
    }
    tensor eye(int64_t rows, int64_t columns, int64_t k = 0, zc_dtype dtype = float64) const
    {
        return tensor::made(zc_eye(ctx_, rows, columns, k, dtype), ctx_);
    }
    tensor eye(int64_t rows, int64_t columns, zc_dtype dtype) const { return eye(rows, columns, 0, dtype); }
    tensor eye(int64_t rows, zc_dtype dtype = float64) const { return eye(rows, rows, 0, dtype); }
    tensor open(const std::string &path) const { return tensor::made(zc_open(ctx_, path.c_str()), ctx_); }

    /* All arrays of a file by name and in its order; that of a file of one, which has none, is "". */
    named_tensors open_members(const std::string &path) const
    {
        named_tensors list;
        const auto take = [](void *user, const char *name, zc_tensor *t) {
            tensor x;
            x.take(t);
            static_cast<named_tensors *>(user)->emplace_back(name != nullptr ? name : "", std::move(x));
            return true;
        };
        detail::check(zc_open_members(ctx_, path.c_str(), take, &list), ctx_);
        return list;
    }

    /* The command's language: ctx.eval("w - 0.1 * g", {{"w", w}, {"g", g}}). */
    tensor eval(const std::string &expression, const named_tensors &named = {}) const
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
    zc_memory memory() const noexcept { return ctx_ != nullptr ? zc_memory_usage(ctx_) : zc_memory(); }
    void cancel() const noexcept
    {
        if (ctx_ != nullptr)
            zc_cancel(ctx_);
    }

    /* The first failure that was recorded and not thrown, of the thread where the context could not be made. */
    zc_status status() const noexcept { return zc_error_status(ctx_); }
    const char *error_text() const noexcept { return zc_error_text(ctx_); }
    void clear_error() const noexcept { zc_error_clear(ctx_); }

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
