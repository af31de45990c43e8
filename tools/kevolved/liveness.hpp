// Checks that a node does its work, and does not only have a process: its actors are asked.
#pragma once

#include "runtime/node/node.hpp"

#include <chrono>
#include <string>

namespace kevolve {

// Names the actors that do not answer within `limit`; empty if journal, scheduler and campaigns all do. Then the
// actors' threads run, the supervisors have them up and the store can be read.
std::string not_alive(node& n, std::chrono::milliseconds limit);

} // namespace kevolve
