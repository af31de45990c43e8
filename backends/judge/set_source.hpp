// Makes input sets whose arrays stay on a device, where the calls of candidates read them.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/judge_settings.hpp"
#include "backends/protocol.hpp"

#include <vector>

namespace kevolve {

class set_source {
public:
  set_source() = default;
  set_source(const set_source&) = delete;
  set_source& operator=(const set_source&) = delete;
  virtual ~set_source() = default;

  // Returns true if the sets of this shape are made there.
  virtual bool serves(const judge_request& request, const shape_case& shape, edge_kind edge) = 0;
  // Returns a set with values by these options, and what is expected for them. With the reference, `error` receives its
  // error by argument and `reference_ns` the time of its call.
  virtual attempt<input_set> make(const judge_request& request, const request_hooks& hooks, const shape_case& shape,
                                  const draw_options& options, bool with_reference, std::vector<double>* error,
                                  double* reference_ns) = 0;
  // Returns the set with all of its arrays here, like any other; the device keeps them, too.
  virtual attempt<input_set> fetch(const input_set& set) = 0;
  // Runs the reference again on a set that has its outputs. Returns true, by argument, for outputs with other bits.
  virtual attempt<std::vector<bool>> repeat(const input_set& set) = 0;
  // Returns the nanoseconds of one warmed-up call of the reference on such a set, by the device's clock.
  virtual attempt<double> time_reference(const input_set& set) = 0;
  // Returns true if the same is expected of both.
  virtual attempt<bool> same_expected(const input_set& a, const input_set& b) = 0;
  // Returns true if every output of the reference is within these rules, by argument, of what is expected.
  virtual attempt<bool> reference_within(const input_set& set, const std::vector<comparison_rule>& rules) = 0;
  // Gives back the memory of a set that nobody uses again.
  virtual void forget(const input_set& set) = 0;
  // Returns the bytes that the input sets of one shape may take there.
  virtual size_t shape_bytes() const = 0;
};

} // namespace kevolve
