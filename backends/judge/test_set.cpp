#include "backends/judge/test_set.hpp"

#include "backends/judge/compared_numbers.hpp"
#include "backends/judge/distributions.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using std::chrono::milliseconds;

constexpr input_set_count screen_size{2, 2, milliseconds{0}};
constexpr input_set_count edge_size{1, 1, milliseconds{0}};
constexpr input_set_count own_weights_size{1, 1, milliseconds{0}};
constexpr input_set_count large_size{large_variants, large_variants, milliseconds{0}};
constexpr input_set_count cancellation_size{3, 3, milliseconds{0}};
// They may be large, and are kept: the variants that tell most.
constexpr input_set_count larger_size{4, 4, milliseconds{0}};

constexpr const char* at_declared_sizes = "declared sizes";

bool is_smaller(const test_set::input_sets_pointer& a, const test_set::input_sets_pointer& b) {
  return a->largest_layout() < b->largest_layout();
}

const input_set_count& draws_of(edge_kind edge) {
  return edge == edge_kind::large ? large_size : edge == edge_kind::cancellation ? cancellation_size : edge_size;
}

} // namespace

attempt<std::shared_ptr<const input_sets>> edge_on_smallest(input_set_maker& maker, const shape_case& shape,
                                                            edge_kind edge, const set_visitor& visit) {
  return maker.get(shape, edge, "edge", draws_of(edge), visit);
}

attempt<std::shared_ptr<const input_sets>> own_weights_on(input_set_maker& maker, const shape_case& shape) {
  return maker.get(shape, edge_kind::none, with_own_weights, own_weights_size);
}

attempt<std::shared_ptr<const input_sets>> edge_on_larger(input_set_maker& maker, const shape_case& shape,
                                                          edge_kind edge, const set_visitor& visit) {
  return maker.get(shape, edge, "larger edge", edge == edge_kind::large ? larger_size : draws_of(edge), visit);
}

std::string why_skipped(const input_sets& inputs, const judge_request& request) {
  // Cancellation leaves the reference's own error, which nothing but an oracle tells.
  if (inputs.edge == edge_kind::cancellation && request.oracle.empty())
    return "skipped: there is no oracle";
  return inputs.not_finite.which.empty() ? "" : "skipped: the expected output is not finite";
}

planned_sets draws_of_task(const judge_request& request) {
  planned_sets out;
  out.purpose = "task";
  out.constants = request.reference_constants;
  out.plan = [&request] { return plan_draws(request.task, request.reference_constants); };
  return out;
}

planned_sets draws_at_declared_sizes(const judge_request& request) {
  planned_sets out;
  out.purpose = at_declared_sizes;
  out.plan = [&request] { return plan_declared_draws(request.task); };
  return out;
}

planned_sets draws_of_candidate(const judge_request& request) {
  planned_sets out;
  out.purpose = "candidate";
  out.constants = request.candidate_constants;
  // Each object has numbers of its own, and so draws that no other candidate shares: a screening is confirmed later.
  if (request.mode != judge_mode::screening)
    for (const auto number : compared_numbers(request.candidate))
      if (std::find(out.constants.begin(), out.constants.end(), number) == out.constants.end())
        out.constants.push_back(number);
  out.plan = [&request, constants = out.constants] {
    return plan_candidate_draws(request.task, request.reference_constants, constants);
  };
  out.patience = std::chrono::milliseconds{500};
  return out;
}

std::vector<planned_sets> draws_of_large_shapes(const judge_request& request) {
  std::vector<planned_sets> out;
  const auto add = [&out](std::vector<draw_plan> plans, const std::string& purpose,
                          const std::vector<double>& constants) {
    size_t number = 0;
    for (auto& plan : plans) {
      planned_sets wanted;
      wanted.purpose = purpose + std::to_string(number++);
      wanted.constants = constants;
      wanted.plan = [plan = std::move(plan)] { return plan; };
      out.push_back(std::move(wanted));
    }
  };
  const auto& named = request.reference_constants;
  add(plan_large_draws(request.task, named), "large shape ", named); // all candidates of a task share these
  // A constant that the candidate alone names is a condition of its own.
  std::vector<double> its_own;
  for (const auto c : request.candidate_constants)
    if (std::find(named.begin(), named.end(), c) == named.end())
      its_own.push_back(c);
  add(plan_large_constants(request.task, its_own), "a candidate's large shape ", its_own);
  return out;
}

void note_draw(draw_coverage& seen, const contract& task, const input_set& set) {
  seen.add(set.data.sizes, set.chosen, set.of_held_out_shape);
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (const auto& a = task.arguments[i]; !a.extent.empty())
      seen.add_count(a.name, counted_elements(task, set, i), set.data.geometries[i].count);
}

test_set::test_set(judge_context& c, const test_set_sizes& sizes, const judge_request& request,
                   const request_hooks& hooks)
    : sizes_(sizes), request_(request),
      maker_(c.references.launch, c.settings, c.input_arena, c.input_cache, request, hooks, c.references.device.get()) {
}

attempt<void> test_set::add(attempt<input_sets_pointer> inputs, std::vector<input_sets_pointer>& to) {
  if (!inputs)
    return tl::unexpected<evaluation_error>(blame_reference(inputs.error()));
  if ((*inputs)->edge == edge_kind::none)
    reference_max_abs_ = std::max(reference_max_abs_, (*inputs)->reference_max_abs);
  to.push_back(*inputs);
  all_.push_back(std::move(*inputs));
  return {};
}

// A screening times the declared shapes anyway; the screen is for the others, and for the smallest.
attempt<void> test_set::add_declared(const char* screen_purpose) {
  const bool confirming = request_.mode == judge_mode::confirm;
  for (const auto& shape : request_.task.shapes) {
    if (request_.mode == judge_mode::check || shape.held_out)
      if (auto ok = add(maker_.get(shape, edge_kind::none, screen_purpose, screen_size), screens_); !ok)
        return ok;
    if (request_.mode == judge_mode::check || (shape.held_out && !confirming))
      continue;
    const auto& size = shape.held_out ? sizes_.held_out : sizes_.declared;
    if (auto ok = add(maker_.get(shape, edge_kind::none, confirming ? "confirm" : "race", size), compared_); !ok)
      return ok;
  }
  return {};
}

attempt<void> test_set::gather() {
  const char* screen_purpose = request_.mode == judge_mode::confirm ? "confirm screen" : "screen";
  if (auto ok = add_declared(screen_purpose); !ok)
    return ok;
  if (all_.empty())
    return infrastructure(fault_kind::internal, "the task has no shape");
  smallest_ = (*std::min_element(all_.begin(), all_.end(), is_smaller))->shape;
  if (std::none_of(screens_.begin(), screens_.end(), [&](const auto& p) { return p->shape.name == smallest_.name; }))
    if (auto ok = add(maker_.get(smallest_, edge_kind::none, screen_purpose, screen_size), screens_); !ok)
      return ok;
  for (auto edge : edges_of(request_.task))
    if (auto ok = add(edge_on_smallest(maker_, smallest_, edge), edges_); !ok)
      return ok;
  std::sort(screens_.begin(), screens_.end(), is_smaller);
  return own_weights().empty() ? attempt<void>{} : add(own_weights_on(maker_, smallest_), screens_);
}

attempt<test_set::input_sets_pointer> test_set::edge_of(const shape_case& shape, edge_kind edge) {
  auto inputs =
      shape.name == smallest_.name ? edge_on_smallest(maker_, shape, edge) : edge_on_larger(maker_, shape, edge);
  if (!inputs)
    return tl::unexpected<evaluation_error>(blame_reference(inputs.error()));
  return inputs;
}

attempt<std::vector<test_set::input_sets_pointer>> test_set::planned() {
  std::vector<input_sets_pointer> out;
  for (const auto& wanted :
       {draws_of_task(request_), draws_of_candidate(request_), draws_at_declared_sizes(request_)}) {
    if (request_.mode == judge_mode::screening && wanted.purpose == at_declared_sizes)
      continue; // these arrays may be large, and what a screening lets pass is confirmed
    auto inputs = maker_.get_planned(wanted);
    if (!inputs)
      return tl::unexpected<evaluation_error>(blame_reference(inputs.error()));
    out.push_back(std::move(*inputs));
  }
  return out;
}

attempt<void> test_set::each_large(const std::function<attempt<void>(const input_sets_pointer&)>& visit) {
  if (request_.mode == judge_mode::screening)
    return {};
  for (const auto& wanted : draws_of_large_shapes(request_)) {
    auto inputs = maker_.get_planned(wanted);
    if (!inputs)
      return tl::unexpected<evaluation_error>(blame_reference(inputs.error()));
    if (auto ok = visit(*inputs); !ok)
      return ok;
  }
  return {};
}

attempt<void> test_set::redraw(size_t index, size_t set) {
  if (auto ok = maker_.redraw(compared_.at(index), set); !ok)
    return tl::unexpected<evaluation_error>(blame_reference(ok.error()));
  return {};
}

const input_sets* test_set::usual_of(const shape_case& shape) const {
  for (const auto* all_inputs : {&compared_, &screens_})
    for (const auto& p : *all_inputs)
      if (p->shape.name == shape.name)
        return p.get();
  return nullptr;
}

std::vector<const shape_case*> test_set::larger() const {
  std::vector<const shape_case*> out;
  for (const auto& shape : request_.task.shapes)
    if (shape.name != smallest_.name && (request_.mode != judge_mode::screening || !shape.held_out))
      out.push_back(&shape);
  return out;
}

} // namespace kevolve
