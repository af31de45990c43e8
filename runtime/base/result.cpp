#include "runtime/base/result.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace kevolve {

namespace {

constexpr std::array<std::string_view, 16> texts{
    "no error",           "bad input",      "not found",     "conflict",       "unauthorised", "unavailable",
    "timed out",          "cancelled",      "no space left", "read-only",      "corrupt",      "newer format",
    "input/output error", "protocol error", "unsupported",   "internal error",
};
static_assert(texts.size() == static_cast<size_t>(errc::internal) + 1);

} // namespace

std::string to_string(errc code) {
  auto i = static_cast<size_t>(code);
  return std::string{i < texts.size() ? texts[i] : "unknown error"};
}

std::string to_string(const failure& x) {
  return x.detail.empty() ? to_string(x.code) : to_string(x.code) + ": " + x.detail;
}

failure from_errno(int error_number, std::string what) {
  auto code = errc::io;
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
      code = errc::no_space;
      break;
    case EROFS:
    case EACCES:
    case EPERM:
      code = errc::read_only;
      break;
    case ENOENT:
      code = errc::not_found;
      break;
    case ETIMEDOUT:
      code = errc::timed_out;
      break;
    default:
      break;
  }
  return {code, std::move(what) + ": " + std::strerror(error_number)};
}

} // namespace kevolve
