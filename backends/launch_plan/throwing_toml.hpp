// Includes toml++ with assertions that throw. Invalid text such as "[@task]" triggers its assertions, and release
// builds would turn them into compiler assumptions. Plans are untrusted text. config/document.cpp does the same.
#pragma once

#include <stdexcept>

namespace {
[[noreturn]] inline void refuse_assertion(const char* condition) {
  throw std::logic_error{condition};
}
} // namespace
#undef NDEBUG
#define TOML_ASSERT(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : refuse_assertion(#condition))
#include <toml++/toml.h>
