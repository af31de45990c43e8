// Reads the data files of these tests.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "backends/llm/protocol/wire.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace kevolve::llm::testing {

using json = nlohmann::json;

std::string read_data(const std::string& name);
json read_table(const std::string& name);

// Decodes a stream whose bytes arrive in pieces of `piece`, including its end.
reply decode_stream(wire_format f, std::string_view bytes, size_t piece);

} // namespace kevolve::llm::testing
