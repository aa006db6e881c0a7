/* A second translation unit: what the header defines is defined once. */
#include "zerocast.hpp"

zerocast::tensor doubled_elsewhere(const zerocast::tensor &x);

zerocast::tensor doubled_elsewhere(const zerocast::tensor &x) { return x + x; }
