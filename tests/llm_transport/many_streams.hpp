// The other side of the test of many streams at once.
#pragma once

#include <cstddef>
#include <string>

namespace kevolve::test {

inline constexpr size_t pieces_of_a_stream = 400;

// Prints the port, the path and a line end; a line on its input lets the streams go on, the input's end ends it. An
// empty certificate: plain.
int serve_streams(const std::string& certificate, const std::string& key, const std::string& piece);

} // namespace kevolve::test
