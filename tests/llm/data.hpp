// The data files beside these tests.
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

// All that a stream yields when its bytes come in pieces of `piece`, its end included.
reply decode_stream(wire_format f, std::string_view bytes, size_t piece);

} // namespace kevolve::llm::testing
