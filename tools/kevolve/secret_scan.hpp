// Finds what must not leave the machine in a text that is about to: secrets that are known, and what looks like one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct known_secret {
  std::string what; // "the node's token"
  std::string value;
};

struct leak {
  size_t line = 0; // from 1 on
  std::string what;
};

std::vector<leak> find_secrets(std::string_view text, const std::vector<known_secret>& known);

} // namespace kevolve
