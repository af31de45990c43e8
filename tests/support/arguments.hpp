// Helpers that make contracts for tests.
#pragma once

#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kevolve {

inline argument array_argument(std::string name, argument_role role, dtype type, std::vector<std::string> shape) {
  argument a;
  a.name = std::move(name);
  a.role = role;
  a.type = type;
  a.shape = std::move(shape);
  return a;
}

inline argument input_argument(std::string name, dtype type, std::vector<std::string> shape, std::string distribution) {
  auto a = array_argument(std::move(name), argument_role::input, type, std::move(shape));
  a.fill.distribution = std::move(distribution);
  return a;
}

inline argument size_argument(std::string name) {
  argument a;
  a.name = std::move(name);
  a.role = argument_role::size;
  a.type = dtype::i64;
  return a;
}

inline shape_case shape_of(std::string name, size_map sizes, bool held_out = false) {
  shape_case s;
  s.name = std::move(name);
  s.sizes = std::move(sizes);
  s.held_out = held_out;
  return s;
}

} // namespace kevolve
