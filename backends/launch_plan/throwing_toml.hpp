// toml++, with its assertions as exceptions: it asserts what a text may well get wrong, such as "[@task]", and in
// release builds would tell the compiler to take it for granted. Plans are hostile text. As config/document.cpp does.
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
