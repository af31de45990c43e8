// Helpers of the declarations of sections. Private to task_*.cpp.
#pragma once

#include "config/settings.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Returns the enumerator whose name stands at its own place in the list. The name must be one of them.
template <class Enum>
Enum chosen(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Reports a key that has no meaning in its place as a mistake. `what`: where it has one.
inline void only_for(section& s, std::string_view key, bool applies, const std::string& what) {
  if (!applies && s.has(key))
    s.error(key, "only for " + what);
}

} // namespace kevolve
