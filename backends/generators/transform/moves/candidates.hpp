// Places in a program, and the moves that may apply there.
#pragma once

#include "backends/generators/transform/moves/registry.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// The figures that say how promising a loop looks, from its shape alone.
struct loop_outlook {
  const loop_facts& facts;
  bool is_innermost = false; // of counted loops
  bool is_outermost = false;
  bool rest_of_vectors = false; // runs behind a vectorised loop
  double interest = 1.0;        // what remains after whole blocks matters less, until it is all that is left to improve
  double smooth = 0.0;          // contiguity()
};

// The place that moves are asked about; `loop` stands for site_kind::loop alone, `next` for two loops.
struct site {
  const program& whole;
  const environment& env;
  const stmt& here;
  const stmt* next = nullptr;
  const loop_outlook* loop = nullptr;
};

// Collects the moves that look applicable; lives for one question.
class candidate_list {
public:
  void ask(const move_descriptor& about) { about_ = &about; }
  void add(double weight, std::vector<std::string> args = {}) {
    found_.push_back({made(*about_, std::move(args)), weight});
  }
  // A kind's weight is shared among its parameters, so that many parameters do not crowd out other kinds.
  void each(double weight, const std::string& label, const std::vector<int64_t>& values);
  // Returns true for the first time that it is asked about the key.
  bool once(std::string key) { return seen_.insert(std::move(key)).second; }
  std::vector<choice> take() { return std::move(found_); }

private:
  const move_descriptor* about_ = nullptr;
  std::vector<choice> found_;
  std::set<std::string> seen_;
};

} // namespace kevolve::transform
