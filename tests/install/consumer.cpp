// The same program as C++: the header's declarations link, whatever the language.
#include <cstdint>
#include <iostream>
#include <zerocast.h>

int main()
{
    const std::int64_t shape[] = {1000000, 1000000};
    zc_context *ctx = zc_context_new(nullptr);
    zc_tensor *one = zc_full(ctx, 0, nullptr, ZC_FLOAT32, 1);
    zc_tensor *many = zc_broadcast_to(one, 2, shape);
    std::cout << "zerocast " << zc_version() << ": " << zc_size(many) << " elements\n";
    zc_release(many);
    zc_release(one);
    zc_context_free(ctx);
}
