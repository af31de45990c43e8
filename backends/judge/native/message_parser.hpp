// Parses a candidate process's messages on the judge's socket. Pure functions over hostile bytes.
#pragma once

#include "backends/judge/zygote/wire.hpp"

#include <cstddef>
#include <cstdint>

namespace kevolve {

// Returns whether a message of `received` bytes, truncated to the struct, is a load report. If so, makes its text
// printable and terminated, since the object chooses the names in it.
bool accept_load_report(wire::load_report& report, size_t received);

// Returns whether a message of `received` bytes, whose beginning is at `message`, is exactly this call's token.
bool answers_call(const std::byte* message, size_t received, uint64_t token);

} // namespace kevolve
