// What a candidate process wrote on the judge's socket: pure functions over hostile bytes.
#pragma once

#include "backends/judge/zygote/wire.hpp"

#include <cstddef>
#include <cstdint>

namespace kevolve {

// Whether a message of `received` bytes, cut to what fits, was a load report. If so, its text is fit to be printed and
// ends inside the array: the names in it are of the object's choosing.
bool accept_load_report(wire::load_report& report, size_t received);

// Whether a message of `received` bytes, of which the first are at `message`, is exactly this call's token.
bool answers_call(const std::byte* message, size_t received, uint64_t token);

} // namespace kevolve
