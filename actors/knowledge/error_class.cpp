#include "actors/knowledge/error_class.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace kevolve::knowledge {

namespace {

struct message_row {
  std::string_view words; // of the message, in lower case
  error_class what;
};

// Where several rows fit one line, the first counts: words of a cause stand before words of its effects.
constexpr std::array messages{
    message_row{"undefined reference", error_class::undefined_symbol},
    message_row{"undefined symbol", error_class::undefined_symbol},
    message_row{"unresolved extern", error_class::undefined_symbol},
    message_row{"multiple definition", error_class::undefined_symbol},
    message_row{"needs target feature", error_class::target_feature},
    message_row{"requires target feature", error_class::target_feature},
    message_row{"inlining failed", error_class::target_feature},
    message_row{"not supported on .target", error_class::target_feature},
    message_row{"requires .target", error_class::target_feature},
    message_row{"not supported for the current target", error_class::target_feature},
    message_row{"arch conditional", error_class::target_feature},
    message_row{"not supported in this architecture", error_class::target_feature},
    message_row{"target specific option mismatch", error_class::target_feature},
    message_row{"uses too much shared data", error_class::resource_limit},
    message_row{"too much shared", error_class::resource_limit},
    message_row{"out of resource", error_class::resource_limit},
    message_row{"too many resources", error_class::resource_limit},
    message_row{"exceeds triton maximum tensor numel", error_class::resource_limit},
    message_row{"exceeds the limit", error_class::resource_limit},
    message_row{"shared memory", error_class::resource_limit},
    message_row{"registers", error_class::resource_limit},
    message_row{"threads a block", error_class::resource_limit},
    message_row{"misaligned", error_class::alignment},
    message_row{"alignment", error_class::alignment},
    message_row{"aligned", error_class::alignment},
    message_row{"constexpr", error_class::constexpr_needed},
    message_row{"constant expression", error_class::constexpr_needed},
    message_row{"must be a constant", error_class::constexpr_needed},
    message_row{"must be a power of 2", error_class::constexpr_needed},
    message_row{"argument to intrinsic must be", error_class::constexpr_needed},
    message_row{"argument should be a value from", error_class::constexpr_needed},
    message_row{"is not allowed", error_class::forbidden},
    message_row{"may not be used", error_class::forbidden},
    message_row{"is refused", error_class::forbidden},
    message_row{"are refused", error_class::forbidden},
    message_row{"not permitted", error_class::forbidden},
    message_row{"forbidden", error_class::forbidden},
    message_row{"undeclared", error_class::undeclared},
    message_row{"unknown type name", error_class::undeclared},
    message_row{"file not found", error_class::undeclared},
    message_row{"no such file", error_class::undeclared},
    message_row{"is undefined", error_class::undeclared},
    message_row{"is not defined", error_class::undeclared},
    message_row{"nameerror", error_class::undeclared},
    message_row{"no member named", error_class::undeclared},
    message_row{"has no member", error_class::undeclared},
    message_row{"has no attribute", error_class::undeclared},
    message_row{"incompatible", error_class::type_mismatch},
    message_row{"invalid operands", error_class::type_mismatch},
    message_row{"no suitable conversion", error_class::type_mismatch},
    message_row{"no operator", error_class::type_mismatch},
    message_row{"cannot convert", error_class::type_mismatch},
    message_row{"no matching function", error_class::type_mismatch},
    message_row{"too few arguments", error_class::type_mismatch},
    message_row{"too many arguments", error_class::type_mismatch},
    message_row{"mismatch", error_class::type_mismatch},
    message_row{"cannot make_shape_compatible", error_class::type_mismatch},
    message_row{"conflicting types", error_class::type_mismatch},
    message_row{"typeerror", error_class::type_mismatch},
    message_row{"but is re-assigned to", error_class::type_mismatch},
    message_row{"expected", error_class::syntax},
    message_row{"syntax", error_class::syntax},
    message_row{"unterminated", error_class::syntax},
    message_row{"extraneous", error_class::syntax},
    message_row{"indentationerror", error_class::syntax},
};

bool is_error_line(std::string_view line) {
  return line.find("error") != std::string_view::npos || line.find("undefined") != std::string_view::npos;
}

error_class class_of(std::string_view line) {
  const auto* found = std::find_if(messages.begin(), messages.end(),
                                   [&](const auto& row) { return line.find(row.words) != std::string_view::npos; });
  return found == messages.end() ? error_class::other : found->what;
}

} // namespace

error_class classify_error(std::string_view text) {
  std::string small{text};
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view rest = small;
  // The first line that states an error decides. Python states it in the last line: then the whole text does.
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (is_error_line(line))
      if (const auto what = class_of(line); what != error_class::other)
        return what;
  }
  return class_of(small);
}

} // namespace kevolve::knowledge
