// The provider of the test with many simultaneous streams.
#pragma once

#include <cstddef>
#include <string>

namespace kevolve::test {

inline constexpr size_t pieces_of_a_stream = 400;

// Prints the port, the path and a line end. A line on its input lets the streams continue; the input's end ends it.
// Without a certificate, it serves plain HTTP.
int serve_streams(const std::string& certificate, const std::string& key, const std::string& piece);

} // namespace kevolve::test
