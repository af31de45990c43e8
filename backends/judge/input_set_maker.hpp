// Makes input sets with their expected outputs: draws the data, and runs reference and oracle on it.
#pragma once

#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/draw_ahead.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/judge_settings.hpp"
#include "backends/judge/reference_process.hpp"
#include "backends/judge/set_source.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/protocol.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// The number of sets: at least `least`, at most `most`; between them until the time or the bytes are spent.
struct input_set_count {
  size_t least = 4;
  size_t most = 32;
  std::chrono::milliseconds patience{1500};
};

// Called with each input set when it is made, while its arrays are where they were made. An error ends the making.
using set_visitor = std::function<attempt<void>(const input_sets& inputs, const input_set& set)>;

// The sets of planned draws. Draws that are not made in time are counted.
struct planned_sets {
  std::string purpose; // keeps them apart in the cache, with the constants that the plan follows
  std::vector<double> constants;
  std::function<draw_plan()> plan;
  std::chrono::milliseconds patience{1000};
  // A draw on which the reference fails is an error that names the draw; else it is discarded and counted.
  bool strict = false;
};
// The purpose of sets whose weights have the values of the module that they come from.
inline constexpr const char* with_own_weights = "own weights";
inline constexpr size_t most_redrawn = 64; // draws for a shape that stand in no set

// Returns the seed of static arguments: the same as long as this judge lives, so that no two sets differ in them.
uint64_t static_seed(const judge_request& request);

// Returns options for new random inputs, static arguments apart.
draw_options fresh_draw(const judge_request& request);

// Runs reference and oracle in an arena that no candidate maps.
class input_set_maker {
public:
  input_set_maker(reference_launcher launch, const judge_settings& settings, shared_arena& arena,
                  input_set_cache& cache, const judge_request& request, const request_hooks& hooks,
                  set_source* device = nullptr);

  // `purpose` keeps input sets apart that must not share data: "screening", "confirm", "screen".
  attempt<std::shared_ptr<const input_sets>> get(const shape_case& shape, edge_kind edge, const std::string& purpose,
                                                 const input_set_count& size, const set_visitor& visit = {});
  attempt<std::shared_ptr<const input_sets>> get_planned(const planned_sets& wanted);
  // Replaces a usual set that get() returned by one with new values, in the same memory.
  attempt<void> redraw(const std::shared_ptr<const input_sets>& inputs, size_t set);
  // One set with chosen data; `error` receives the reference's error by argument.
  attempt<input_set> make_set(const shape_case& shape, const draw_options& options, bool with_reference,
                              std::vector<double>* error, double* reference_ns);
  // Does the same, but the arrays may stay on the device.
  attempt<input_set> make_set_anywhere(const shape_case& shape, const draw_options& options, bool with_reference);
  set_source* device() const { return device_; }
  // Returns the names of the arguments that the request has own values for: "w, b"; empty if there are none.
  std::string own_weights() const;
  // Computes the reference's outputs on the same data once more, by argument, compact.
  attempt<std::vector<expected_output>> run_again(const input_set& set);
  // Returns the time in which reference and oracle have run here so far, without waits for a processor.
  std::chrono::nanoseconds worked() const { return worked_; }

private:
  attempt<input_set> finish_set(const shape_case& shape, result<drawn_call> drawn, bool with_reference,
                                std::vector<double>* error, double* reference_ns);
  // Refuses the task, at its admission, if the data of a call contradict one of its assertions.
  attempt<void> holds_assertions(const shape_case& shape, const call_data& data, const arena_layout& layout);
  // Makes a set on the device; with its arrays here, too, if null submissions are compared with it: a usual one at an
  // admission.
  attempt<input_set> make_there(const shape_case& shape, const draw_options& options, bool with_reference,
                                std::vector<double>* error, double* reference_ns);
  bool there(const shape_case& shape, edge_kind edge) const {
    return device_ != nullptr && device_->serves(request_, shape, edge);
  }
  attempt<void> make_planned(const adversarial_draw& draw, bool strict, input_sets& out);
  // Adds the error that one more rounding of the floating inputs causes, by argument.
  attempt<void> add_rounding_error(input_set& set);
  // Refuses a shape that this machine has no memory for, as far as its sizes tell.
  attempt<void> fits(const shape_case& shape) const;
  attempt<void> ready(size_t bytes);
  attempt<double> call(reference_process& process, const std::string& who, const contract& task, const call_data& data,
                       const arena_layout& layout, std::vector<expected_output>& outputs);
  attempt<double> run(bool oracle, const contract& task, const call_data& data, const arena_layout& layout,
                      std::vector<expected_output>& outputs);

  reference_launcher launch_;
  const judge_settings& settings_;
  shared_arena& arena_;
  input_set_cache& cache_;
  const judge_request& request_;
  const request_hooks& hooks_;
  set_source* device_;
  contract promoted_;
  id128 identity_;
  own_values own_;
  std::unique_ptr<reference_process> reference_;
  std::unique_ptr<reference_process> oracle_;
  std::unique_ptr<reference_process> checked_; // the reference with its assertions checked; at an admission
  size_t ready_bytes_ = 0;
  std::chrono::nanoseconds worked_{0};
};

} // namespace kevolve
