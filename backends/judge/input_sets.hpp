// Secret inputs with their expected outputs, made before any candidate meets them and kept between requests.
#pragma once

#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/call_data.hpp"
#include "backends/judge/comparison.hpp"
#include "backends/judge/geometry.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/ids.hpp"

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

struct judge_request;

// An element of an expected output that is infinite or NaN, in the output's type, and may not be. `which` is empty if
// there is none.
struct not_finite_output {
  std::string which;
  bool only_the_oracle = false; // … while the reference's own is finite
  bool differ = false;          // the two find other elements infinite or NaN, where such are allowed
};

// The arrays of a set that lie on a device only; see set_source.hpp.
struct remote_arrays {
  // Bytes by argument; 0: nothing of this kind lies there alone.
  std::vector<size_t> inputs;
  std::vector<size_t> expected;
  std::vector<size_t> reference;
  std::string recipe; // draws the inputs again
  std::shared_ptr<const judge_request> made_for;
  not_finite_output not_finite; // of the expected outputs
  std::vector<double> scale;    // by argument: scale_of_errors() of the expected output

  size_t bytes() const;
};

struct input_set {
  uint64_t number = 0; // never another's in this process
  call_data data;
  arena_layout layout;
  std::vector<expected_output> expected;     // by argument; empty unless written
  std::vector<byte_buffer> reference_output; // by argument, compact; empty if the reference was not run on it
  bool by_oracle = false;                    // what is expected; else it is what the reference gave
  std::vector<double> error_scale;           // by argument: on an edge, what tolerances are relative to; else empty
  // The name and the choices of an adversarial draw. By argument, the error that the reference has on it or that one
  // more rounding of the inputs causes.
  std::string draw;
  std::vector<value_choice> chosen;
  std::vector<double> own_error;
  bool of_held_out_shape = false;
  std::shared_ptr<const remote_arrays> remote;   // null: every array is here
  std::shared_ptr<const input_set> fetched_from; // the set on a device that this one is a copy of

  // Returns the bytes of the arrays that are here.
  size_t bytes() const;
  // Return the bytes of an argument's arrays, here or on a device.
  size_t input_bytes(size_t argument) const;
  size_t expected_bytes(size_t argument) const;
  size_t reference_bytes(size_t argument) const;
  // Returns what the reference gave for an argument; null if it was not run on this set.
  const byte_buffer* given_by_reference(size_t argument) const {
    if (!by_oracle)
      return &expected[argument].values;
    return reference_output[argument].empty() ? nullptr : &reference_output[argument];
  }
};

struct input_sets {
  shape_case shape; // of adversarial draws, which have many: that of the last

  edge_kind edge = edge_kind::none;
  std::vector<input_set> sets;
  std::vector<double> reference_error; // by argument, against the oracle
  double reference_max_abs = 0.0;
  std::vector<double> reference_ns;
  not_finite_output not_finite; // of the first set that has one
  size_t redrawn = 0;           // draws that gave one, and stand in no set
  size_t left_out = 0;          // sets of larger values that gave one, and stand for nothing
  draw_counts draws;            // of adversarial draws
  size_t bytes = 0;
  bool memory_bound = false; // more sets were wanted and do not fit
  bool own_weights = false;  // weights have the module's own values, not drawn ones

  double typical_reference_ns() const;
  size_t largest_layout() const;
};

// Returns a number that no other set of this process has.
uint64_t next_set_number();

// Returns how far an output of a set may be from what is expected.
comparison_rule rule_for_output(const contract& task, const input_sets& inputs, const input_set& set, size_t argument);

// Returns the number of an output's elements that count: all, or the prefix its extent names.
int64_t counted_elements(const contract& task, const input_set& set, size_t argument);

// Returns true if reference and oracle may differ in what is infinite, or in exact values that hang on comparing
// floating ones: both then run on every set.
bool may_differ(const contract& task);

// Returns the finding on the first output that has one.
not_finite_output find_not_finite(const contract& task, const input_set& set);

// Returns text such as "3 of 40 draws of inputs …"; empty: every draw stands.
std::string redrawn(const std::vector<std::shared_ptr<const input_sets>>& all_inputs);

// Returns text such as "2 of 10 sets left out: …"; empty: the operator is finite in all of them.
std::string left_out(const input_sets& inputs);

// Keeps input sets between requests. The least recently used go first.
class input_set_cache {
public:
  explicit input_set_cache(size_t limit) : limit_(limit) {}
  std::shared_ptr<const input_sets> find(const id128& key);
  // Drops these sets, if they are there.
  void forget(const std::shared_ptr<const input_sets>& inputs);
  void keep(const id128& key, std::shared_ptr<const input_sets> inputs);
  size_t bytes() const { return bytes_; }

private:
  struct entry {
    id128 key;
    std::shared_ptr<const input_sets> inputs;
  };
  size_t limit_;
  size_t bytes_ = 0;
  std::list<entry> entries_;
};

} // namespace kevolve
