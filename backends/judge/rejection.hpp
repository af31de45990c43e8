// The refusal of an object under judgement.
#pragma once

#include "runtime/base/verdict.hpp"

#include <map>
#include <string>

namespace kevolve {

struct rejection {
  verdict result = verdict::none;
  std::string rule;
  std::string detail;
  std::map<std::string, std::string> evidence;
};

} // namespace kevolve
