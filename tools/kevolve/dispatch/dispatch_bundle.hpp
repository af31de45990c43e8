// Makes a bundle of a dispatcher.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/dispatch/dispatch_reading.hpp"
#include "tools/kevolve/dispatch/proof.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Replaces the best kernel in `b` by the dispatcher: source, figures, evidence, and this machine, which measured it.
// `kernels` are those that the regions refer to by index.
result<void> take_dispatcher(bundle_input& b, const dispatch::proof& p, const std::vector<tree_kernel>& kernels,
                             const std::string& flags, const dispatch::regression_rule& rule);
// Does the same with one kernel alone.
result<void> take_kernel(bundle_input& b, const tree_kernel& kernel, const dispatch::judgement& judged,
                         const std::string& flags);

} // namespace kevolve
