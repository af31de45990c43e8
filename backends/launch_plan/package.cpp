#include "backends/launch_plan/package.hpp"

#include "runtime/base/codec.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr std::string_view magic = "kevolve-cuda-2\n";
constexpr std::string_view spaces = " \t\r\n";

// `form` shows the expected form, for the error message.
result<candidate_text> split(std::string_view text, std::string_view opening, std::string_view closing,
                             const std::string& form) {
  const auto start = std::min(text.find_first_not_of(spaces), text.size());
  if (!text.substr(start).starts_with(opening))
    return fail(errc::bad_input, "a candidate begins with its launch plan: " + form + ", then the source");
  const auto body = text.find('\n', start);
  const auto end = text.find(closing, start + opening.size());
  if (body == std::string_view::npos || end == std::string_view::npos || end < body)
    return fail(errc::bad_input, "the launch plan does not end: " + form);
  candidate_text out;
  out.plan = std::string{text.substr(body + 1, end - body - 1)};
  out.source = std::string{text};
  out.plan_line =
      1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(body) + 1, '\n'));
  return out;
}

} // namespace

template <class I>
typename I::result_type inspect(I& f, device_package& x) {
  return f(x.modules, x.plan);
}

std::string pack(const device_package& package) {
  return std::string{magic} + encode(package);
}

bool is_device_package(std::string_view bytes) {
  return bytes.starts_with(magic);
}

result<device_package> unpack(std::string_view bytes) {
  if (!is_device_package(bytes))
    return fail(errc::bad_input, "not a device package: expected machine code with its launch plan");
  return decode<device_package>(bytes.substr(magic.size()));
}

result<candidate_text> split_candidate(std::string_view text) {
  return split(text, "/* launch plan", "*/", "/* launch plan, TOML on lines of its own, */");
}

result<candidate_text> split_triton_candidate(std::string_view text) {
  return split(text, R"("""launch plan)", R"(""")", R"("""launch plan, TOML on lines of its own, """)");
}

} // namespace kevolve
