// The size symbols of a task: size arguments, derived symbols, and their values at every shape, unless they depend on
// data. Lives while a task file is checked.
#pragma once

#include "config/document.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// Returns "shape[2]".
std::string indexed(const std::string& list, size_t i);

// Returns true if test data is drawn for the argument.
bool is_drawn(const argument& a);

class task_symbols {
public:
  task_symbols(const contract& c, error_list& errors) : c_(c), errors_(errors) {}

  // Reads [derived] and every [[shape]], and reports their errors. Call it before the functions below.
  void resolve();

  // Parses a text and checks its names; nothing if it is empty or wrong. Sums may use arguments before `before`.
  std::optional<expression> expression_at(const std::string& path, const std::string& text, size_t before);

  size_t shapes() const { return values_.size(); }
  // Returns the value at a shape; nothing if it depends on data or the shape is incomplete.
  std::optional<result<int64_t>> value(const expression& e, size_t shape) const;

  // Reports a name that is not valid in C.
  void identifier(const std::string& path, const std::string& name);

private:
  void check_derived();
  void check_shapes();
  bool check_sizes(size_t i);
  size_map with_derived(size_t i);

  const contract& c_;
  error_list& errors_;
  std::vector<std::string> sizes_;   // size arguments
  std::vector<std::string> symbols_; // names that an expression may use
  std::set<std::string> computed_;   // size arguments that [derived] defines
  std::vector<std::pair<std::string, expression>> derived_;
  std::vector<std::optional<size_map>> values_; // per shape; nothing if the shape is incomplete
};

} // namespace kevolve
