// The data of one request, made before the candidate has a process: the sets that it is screened and compared on.
#pragma once

#include "backends/judge/draw_coverage.hpp"
#include "backends/judge/judge_context.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace kevolve {

// Return the sets that an edge is tried with: most of them on the smallest shape, few on another, which may be large.
attempt<std::shared_ptr<const input_sets>> edge_on_smallest(input_set_maker& maker, const shape_case& shape,
                                                            edge_kind edge, const set_visitor& visit = {});
attempt<std::shared_ptr<const input_sets>> edge_on_larger(input_set_maker& maker, const shape_case& shape,
                                                          edge_kind edge, const set_visitor& visit = {});

// Returns the set whose weights have the values of the module that they come from, beside drawn inputs.
attempt<std::shared_ptr<const input_sets>> own_weights_on(input_set_maker& maker, const shape_case& shape);

// Returns why nobody is judged on it; empty if all are.
std::string why_skipped(const input_sets& inputs, const judge_request& request);

// Return the adversarial draws of the task, those at its declared sizes, and those of the candidate's own constants.
planned_sets draws_of_task(const judge_request& request);
planned_sets draws_at_declared_sizes(const judge_request& request);
planned_sets draws_of_candidate(const judge_request& request);
// Returns the draws of each shape that is too large for the above.
std::vector<planned_sets> draws_of_large_shapes(const judge_request& request);

// Adds a set that a candidate was called on, with the counts that its expected outputs hold.
void note_draw(draw_coverage& seen, const contract& task, const input_set& set);

// The number of sets of a compared shape. No process meets a set twice, so that more sets take fewer processes.
struct test_set_sizes {
  input_set_count declared;
  input_set_count held_out;
};

class test_set {
public:
  using input_sets_pointer = std::shared_ptr<const input_sets>;

  test_set(judge_context& c, const test_set_sizes& sizes, const judge_request& request, const request_hooks& hooks);

  attempt<void> gather();
  const std::vector<input_sets_pointer>& all() const { return all_; }
  // Returns the screening sets, the smallest first: most wrong candidates die on it.
  const std::vector<input_sets_pointer>& screens() const { return screens_; }
  // Returns the edge values on the smallest shape.
  const std::vector<input_sets_pointer>& edges() const { return edges_; }
  const std::vector<input_sets_pointer>& compared() const { return compared_; }
  // Makes edge values on any shape: what leaves out its care from some size on passes on the smallest. They are made
  // one at a time, for they may be large.
  attempt<input_sets_pointer> edge_of(const shape_case& shape, edge_kind edge);
  // Returns the adversarial draws, made when they are asked for.
  attempt<std::vector<input_sets_pointer>> planned();
  // Passes on the draws of each large shape in turn, which are made for this and given back; of a screening none.
  attempt<void> each_large(const std::function<attempt<void>(const input_sets_pointer&)>& visit);
  // Puts new values into a set of compared()[index].
  attempt<void> redraw(size_t index, size_t set);
  const shape_case& smallest() const { return smallest_; }
  // Returns the names of the weights that have their module's values in a set of screens(); empty: there is none.
  std::string own_weights() const { return maker_.own_weights(); }
  // Returns the sets of this shape that are compared, or else screened; null if there are none.
  const input_sets* usual_of(const shape_case& shape) const;
  // Returns the shapes, besides the smallest, that edge values are tried on: those that are compared, or all.
  std::vector<const shape_case*> larger() const;
  double reference_max_abs() const { return reference_max_abs_; } // edge cases aside: they err on another scale

private:
  attempt<void> add(attempt<input_sets_pointer> inputs, std::vector<input_sets_pointer>& to);
  attempt<void> add_declared(const char* screen_purpose);

  test_set_sizes sizes_;
  const judge_request& request_;
  input_set_maker maker_;
  std::vector<input_sets_pointer> all_;
  std::vector<input_sets_pointer> screens_;
  std::vector<input_sets_pointer> edges_;
  std::vector<input_sets_pointer> compared_;
  shape_case smallest_;
  double reference_max_abs_ = 0.0;
};

} // namespace kevolve
