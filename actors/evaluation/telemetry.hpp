// Words of a candidate's source that a kernel has little use for. Telemetry alone: it is stored with the compile for
// whoever looks at a surprise, and decides nothing.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Identifiers outside comments and literals, sorted, each once, with blanks between.
std::string noteworthy_words(std::string_view source);

} // namespace kevolve
