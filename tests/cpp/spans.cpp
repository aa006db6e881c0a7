/* zerocast.hpp: elements as an mdspan, by a class template of that shape, and by std::mdspan where it is. */
#include <array>
#include <vector>

#include "expect.h"

namespace
{
/* As much of std::mdspan as others rely on, with the names that the standard gives. */
template <typename Index, size_t count> struct extents_of {
    using index_type = Index;
    static constexpr size_t rank() { return count; }
    explicit extents_of(const std::array<Index, count> &given) : sizes(given) {}
    Index extent(size_t axis) const { return sizes[axis]; }
    std::array<Index, count> sizes;
};

struct strided {
    template <typename E> struct mapping {
        using index_type = typename E::index_type;
        mapping(const E &e, const std::array<index_type, E::rank()> &s) : sizes(e), steps(s) {}
        E sizes;
        std::array<index_type, E::rank()> steps;
    };
};

struct dense {
    template <typename E> struct mapping {
        explicit mapping(const E &e) : sizes(e)
        {
            typename E::index_type step = 1;
            for (size_t a = E::rank(); a-- > 0; step *= e.extent(a))
                steps[a] = step;
        }
        E sizes;
        std::array<typename E::index_type, E::rank()> steps{};
    };
};

template <typename T, typename E, typename Layout> class simple_mdspan
{
  public:
    using element_type = T;
    using extents_type = E;
    using layout_type = Layout;
    using mapping_type = typename Layout::template mapping<E>;
    simple_mdspan(T *data, const mapping_type &map) : data_(data), map_(map) {}
    template <typename... I> T &operator()(I... at) const
    {
        size_t axis = 0, offset = 0;
        ((offset += static_cast<size_t>(at) * static_cast<size_t>(map_.steps[axis++])), ...);
        return data_[offset];
    }
    auto extent(size_t axis) const { return map_.sizes.extent(axis); }
    auto stride(size_t axis) const { return map_.steps[axis]; }
    T *data_handle() const { return data_; }

  private:
    T *data_;
    mapping_type map_;
};

template <typename T, size_t rank, typename Layout = strided> using shown =
    simple_mdspan<const T, extents_of<int, rank>, Layout>;

template <typename M> bool is_refused(const zc::context &ctx, const zc::tensor &x)
{
    return sentence_of(ctx, [&] {
               const M m = x.mdspan<M>();
               EXPECT(m.data_handle() == nullptr && m.extent(0) == 0);
           }).find("mdspan: takes elements in memory") == 0;
}
} /* namespace */

void show_as_mdspan(const zc::context &ctx)
{
    std::vector<float> data(60);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = static_cast<float>(i);
    const zc::tensor x = ctx.view(data, {3, 4, 5});
    const auto whole = x.mdspan<shown<float, 3>>();
    const auto turned = permute_dims(x, {2, 0, 1}).mdspan<shown<float, 3>>();
    const auto part = x({}, {1, 3}, {0, 4}).mdspan<shown<float, 3>>();
    const auto thin = x(1, {2, 3}, {}).mdspan<shown<float, 2>>();
    const auto wide = ctx.view(data, {10, 6})({}, {0, zc::none, 2}).mdspan<shown<float, 2>>();
    const auto right = x.mdspan<shown<float, 3, dense>>();
    EXPECT(whole.data_handle() == data.data() && right.data_handle() == data.data());
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 5; k++) {
                const float wanted = data[static_cast<size_t>(i * 20 + j * 5 + k)];
                EXPECT(whole(i, j, k) == wanted && turned(k, i, j) == wanted && right(i, j, k) == wanted);
                EXPECT(j < 1 || j > 2 || k > 3 || part(i, j - 1, k) == wanted);
                EXPECT(i != 1 || j != 2 || thin(0, k) == wanted);
            }
        }
    }
    EXPECT(wide(9, 2) == 58 && wide.extent(1) == 3 && wide.stride(1) == 2 && thin.stride(0) > 0);
    EXPECT(ctx.zeros({2, 0}).compute().mdspan<shown<double, 2>>().extent(0) == 2);
    EXPECT(is_refused<shown<float, 3>>(ctx, flip(x, 0)));
    EXPECT(is_refused<shown<float, 2>>(ctx, broadcast_to(x(0, 0), {3, 5})));
    EXPECT(is_refused<shown<float, 2>>(ctx, sliding_window_view(x(0, 0), 3)));
    EXPECT(is_refused<shown<float, 2>>(ctx, ctx.view(data, {12, 5})({}, {0, zc::none, 2}))); /* 3 times 2 is above 5 */
    EXPECT((is_refused<shown<float, 3, dense>>(ctx, permute_dims(x, {2, 0, 1}))));
    EXPECT(is_refused<shown<float, 3>>(ctx, x + 1) && is_refused<shown<double, 3>>(ctx, x));
    EXPECT(is_refused<shown<float, 2>>(ctx, x));
#if defined(__cpp_lib_mdspan)
    const auto standard = permute_dims(x, {2, 0, 1}).mdspan<float, 3>();
    EXPECT(standard.extent(0) == 5 && standard.data_handle() == data.data() && standard.stride(0) == 1);
    EXPECT((x.mdspan<std::mdspan<const float, std::extents<int, 3, 4, 5>>>().stride(0) == 20));
#endif
}
