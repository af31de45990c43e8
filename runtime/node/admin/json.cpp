#include "runtime/node/admin/json.hpp"

#include <fmt/core.h>

#include <ctime>

namespace kevolve {

std::string to_text(const json& x) {
  return x.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string to_pretty_text(const json& x) {
  return x.dump(2, ' ', false, json::error_handler_t::replace);
}

json time_json(int64_t since_epoch_ns) {
  if (since_epoch_ns <= 0)
    return nullptr;
  auto seconds = static_cast<std::time_t>(since_epoch_ns / 1'000'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, since_epoch_ns % 1'000'000'000);
}

json or_null(const std::string& text) {
  if (text.empty())
    return nullptr;
  return text;
}

} // namespace kevolve
