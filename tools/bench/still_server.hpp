// What any server of the same pages costs: it takes each page from a node once, and answers with those bytes.
#pragma once

#include "tools/bench/polling.hpp"

namespace kevolve::bench {

// The pages `what` names are the node's at that port. Prints the port it listens on itself; until standard input ends.
int serve_still(const polling& what);

} // namespace kevolve::bench
