// The cost of any server for the same pages: it fetches each page from a node once and then serves those bytes.
#pragma once

#include "tools/bench/polling.hpp"

namespace kevolve::bench {

// Serves the pages named by `what` from the node at that port. Prints its own port and runs until standard input ends.
int serve_still(const polling& what);

} // namespace kevolve::bench
