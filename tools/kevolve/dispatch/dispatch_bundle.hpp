// A dispatcher as the kernel of a bundle.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/dispatch/dispatch_reading.hpp"
#include "tools/kevolve/dispatch/proof.hpp"

#include <string>
#include <vector>

namespace kevolve {

// `b`, the best's, becomes the dispatcher's: source, figures, evidence, and the machine that measured, which is this
// one. `kernels`: those that the regions number.
result<void> take_dispatcher(bundle_input& b, const dispatch::proof& p, const std::vector<tree_kernel>& kernels,
                             const std::string& flags);

} // namespace kevolve
