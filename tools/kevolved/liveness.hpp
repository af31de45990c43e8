// Checks that a node does its work, and does not only have a process: its actors are asked.
#pragma once

#include "runtime/node/node.hpp"

#include <chrono>
#include <string>

namespace kevolve {

// Empty if journal, scheduler and campaigns each answer within `limit`: so the actors' threads run, the supervisors
// have them up and the store can be read. Else who does not.
std::string not_alive(node& n, std::chrono::milliseconds limit);

} // namespace kevolve
