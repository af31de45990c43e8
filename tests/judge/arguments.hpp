// Helpers that make contracts for tests.
#pragma once

#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kevolve {

inline argument make_array(std::string name, argument_role role, dtype type, std::vector<std::string> shape) {
  argument a;
  a.name = std::move(name);
  a.role = role;
  a.type = type;
  a.shape = std::move(shape);
  return a;
}

inline argument make_input(std::string name, dtype type, std::vector<std::string> shape, std::string distribution) {
  auto a = make_array(std::move(name), argument_role::input, type, std::move(shape));
  a.fill.distribution = std::move(distribution);
  return a;
}

inline shape_case make_shape(size_map sizes) {
  shape_case s;
  s.sizes = std::move(sizes);
  return s;
}

} // namespace kevolve
