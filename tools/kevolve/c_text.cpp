// Texts of C functions and of flags about them, read without a compiler.
#include "tools/kevolve/c_task.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>
#include <sstream>

namespace kevolve {

std::pair<int, std::string> compiler_error(const std::string& words) {
  static const std::regex form{R"(^[^:]*:(\d+):\d+: (?:fatal )?error: (.*))"};
  std::smatch found;
  if (!std::regex_search(words, found, form))
    return {0, words};
  int line = 0;
  const auto digits = found[1].str();
  std::from_chars(digits.data(), digits.data() + digits.size(), line);
  return {line, found[2].str()};
}

result<std::map<std::string, int64_t>> sizes_of(const std::vector<std::string>& texts) {
  std::map<std::string, int64_t> out;
  for (const auto& text : texts) {
    std::istringstream parts{text};
    for (std::string part; std::getline(parts, part, ',');) {
      const auto equals = part.find('=');
      int64_t value = 0;
      const auto* end = part.data() + part.size();
      if (equals == std::string::npos || equals == 0 || std::from_chars(part.data() + equals + 1, end, value).ptr != end
          || equals + 1 == part.size() || value < 1)
        return fail(errc::bad_input,
                    "--size " + text + ": expected NAME=NUMBER with a number of at least 1, such as rows=4096");
      out[part.substr(0, equals)] = value;
    }
  }
  return out;
}

std::vector<std::pair<std::string, int>> functions_in(const std::string& text) {
  static const std::regex head{
      R"(^(?:extern\s+"C"\s+)?(?!static\b|typedef\b|struct\b|else\b|return\b)[A-Za-z_][\w\s\*]*?\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*(?:noexcept\s*)?\{)"};
  std::vector<std::pair<std::string, int>> out;
  int line = 1;
  for (size_t at = 0; at < text.size(); ++line) {
    std::smatch found;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto stop = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), at + 4000));
    if (std::isalpha(static_cast<unsigned char>(text[at])) != 0
        && std::regex_search(begin, stop, found, head, std::regex_constants::match_continuous))
      out.emplace_back(found[1].str(), line);
    const auto end = text.find('\n', at);
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return out;
}

} // namespace kevolve
