// Secret inputs with their expected outputs, made before any candidate meets them and kept between requests.
#pragma once

#include "backends/judge/call_data.hpp"
#include "backends/judge/comparison.hpp"
#include "backends/judge/disturbance.hpp"
#include "backends/judge/draw_ahead.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/reference_process.hpp"
#include "backends/judge/sandboxed_process.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/judge/zygote_client.hpp"
#include "backends/protocol.hpp"

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

struct judge_settings {
  std::string zygote_path;
  int core = 0;                               // where single-threaded candidates and the judge run
  std::vector<int> thread_cores;              // where candidates of tasks with threads run
  size_t cache_bytes = size_t{1} << 30U;      // of pools kept between requests
  size_t shape_bytes = size_t{192} << 20U;    // of one pool
  size_t draw_threads = 0;                    // other cores that draw inputs while the reference works
  uint64_t memory_bytes = uint64_t{1} << 30U; // a candidate's address space beside its arguments
  noise_limits calm;                          // beyond them a timing session is repeated
};

// What a running request may ask and tell the outside.
struct request_hooks {
  std::function<void(const std::string& stage)> progress;
  std::function<bool()> cancelled;
  std::chrono::steady_clock::time_point deadline;
};

struct input_set {
  uint64_t number = 0; // never another's in this process
  call_data data;
  arena_layout layout;
  std::vector<expected_output> expected;     // by argument; empty unless written
  std::vector<byte_buffer> reference_output; // by argument, compact; empty if the reference was not run on it
  bool by_oracle = false;                    // what is expected; else it is what the reference gave
  std::vector<double> error_scale;           // by argument: on an edge, what tolerances are relative to; else empty

  // What the reference gave for an argument; none: it was not run on this set.
  const byte_buffer* given_by_reference(size_t argument) const {
    if (!by_oracle)
      return &expected[argument].values;
    return reference_output[argument].empty() ? nullptr : &reference_output[argument];
  }
};

// What of an expected output is infinite or NaN, in the output's type, and may not be; none: `which` is empty.
struct not_finite_output {
  std::string which;
  bool only_the_oracle = false; // … while the reference's own is finite
  bool differ = false;          // the two find other elements infinite or NaN, where such are allowed
};

struct input_sets {
  shape_case shape;
  edge_kind edge = edge_kind::none;
  std::vector<input_set> sets;
  std::vector<double> reference_error; // by argument, against the oracle
  double reference_max_abs = 0.0;
  std::vector<double> reference_ns;
  not_finite_output not_finite; // of the first set that has one
  size_t redrawn = 0;           // draws that gave one, and stand in no set
  size_t left_out = 0;          // sets of larger values that gave one, and stand for nothing
  size_t bytes = 0;

  double typical_reference_ns() const;
  size_t largest_layout() const;
};

// How many sets: at least `least`, at most `most`; between them until the time or the bytes are spent.
struct input_set_count {
  size_t least = 4;
  size_t most = 32;
  std::chrono::milliseconds patience{1500};
};

// How far an output of a set may be from what is expected.
comparison_rule rule_for_output(const contract& task, const input_sets& pool, const input_set& set, size_t argument);

// Elements of an output that count: all, or the prefix its extent names.
int64_t counted_elements(const contract& task, const input_set& set, size_t argument);

// Of the first output that has one.
not_finite_output find_not_finite(const contract& task, const input_set& set);

// "3 of 40 draws of inputs …"; empty: every draw stands.
std::string redrawn(const std::vector<std::shared_ptr<const input_sets>>& pools);

// "2 of 10 sets left out: …"; empty: the operator is finite in all of them.
std::string left_out(const input_sets& pool);

// Least recently used pools go first.
class input_set_cache {
public:
  explicit input_set_cache(size_t limit) : limit_(limit) {}
  std::shared_ptr<const input_sets> find(const id128& key);
  void keep(const id128& key, std::shared_ptr<const input_sets> pool);
  size_t bytes() const { return bytes_; }

private:
  struct entry {
    id128 key;
    std::shared_ptr<const input_sets> pool;
  };
  size_t limit_;
  size_t bytes_ = 0;
  std::list<entry> entries_;
};

// What static arguments are drawn from: the same as long as this judge lives, so that no two sets differ in them.
uint64_t static_seed(const judge_request& request);

// New random inputs, static arguments apart.
draw_options fresh_draw(const judge_request& request);

// Native objects, each in a locked process of its own.
reference_launcher native_launcher(zygote_client& zygote, const judge_settings& settings);

// Runs reference and oracle in an arena that no candidate maps.
class input_set_maker {
public:
  input_set_maker(reference_launcher launch, const judge_settings& settings, shared_arena& arena,
                  input_set_cache& cache, const judge_request& request, const request_hooks& hooks);

  // `purpose` keeps pools apart that must not share data: "screening", "confirm", "screen".
  attempt<std::shared_ptr<const input_sets>> get(const shape_case& shape, edge_kind edge, const std::string& purpose,
                                                 const input_set_count& size);
  // One set with chosen data; `error` receives the reference's error by argument.
  attempt<input_set> make_set(const shape_case& shape, const draw_options& options, bool with_reference,
                              std::vector<double>* error, double* reference_ns);
  // The reference's outputs on the same data once more, by argument, compact.
  attempt<std::vector<expected_output>> run_again(const input_set& set);

private:
  attempt<input_set> finish_set(const shape_case& shape, result<drawn_call> drawn, bool with_reference,
                                std::vector<double>* error, double* reference_ns);
  // Whether the machine has the memory for sets of this shape, as far as its sizes tell.
  attempt<void> fits(const shape_case& shape) const;
  attempt<void> ready(size_t bytes);
  attempt<double> run(bool oracle, const contract& task, const call_data& data, const arena_layout& layout,
                      std::vector<expected_output>& outputs);

  reference_launcher launch_;
  const judge_settings& settings_;
  shared_arena& arena_;
  input_set_cache& cache_;
  const judge_request& request_;
  const request_hooks& hooks_;
  contract promoted_;
  id128 identity_;
  std::unique_ptr<reference_process> reference_;
  std::unique_ptr<reference_process> oracle_;
  size_t ready_bytes_ = 0;
};

} // namespace kevolve
