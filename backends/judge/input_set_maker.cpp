#include "backends/judge/input_set_maker.hpp"

#include "backends/judge/assertion_check.hpp"
#include "backends/judge/distributions.hpp"
#include "backends/judge/finiteness.hpp"
#include "backends/judge/memory_need.hpp"
#include "backends/judge/random_stream.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// The longest that one call of the reference or the oracle may take: they are made to take milliseconds.
constexpr auto call_limit = std::chrono::seconds{20};

constexpr size_t enough_when_slow = 4; // sets, when a call takes long

// For the largest difference alone: with nothing to refuse, it is found at the speed of memory.
constexpr comparison_rule of_any_size{tolerance_mode::absrel, 0.0, std::numeric_limits<double>::max(), 0.0, 0.0, false};

// Where there are few: values in few of the rows, which meet most of what leaves out its care, and all of them larger.
// Values that cancel are near one value far above zero, in pairs, and near one far below it.
uint32_t variant_of(size_t i, size_t most, edge_kind edge) {
  if (edge == edge_kind::cancellation)
    return static_cast<uint32_t>(first_scaled_variant - 1 - i % first_scaled_variant);
  constexpr std::array<uint32_t, 4> telling{first_scaled_variant - 1, first_scaled_variant - 2,
                                            first_scaled_variant + 2, 1}; // 1: in any row, be it the only one
  return most < large_variants && i < telling.size() ? telling.at(i) : static_cast<uint32_t>(i % large_variants);
}

evaluation_error at(const shape_case& shape, evaluation_error s) {
  s.refused.evidence.try_emplace("shape", shape.name);
  return s;
}

} // namespace

input_set_maker::input_set_maker(reference_launcher launch, const judge_settings& settings, shared_arena& arena,
                                 input_set_cache& cache, const judge_request& request, const request_hooks& hooks,
                                 set_source* device)
    : launch_(std::move(launch)), settings_(settings), arena_(arena), cache_(cache), request_(request), hooks_(hooks),
      device_(device), promoted_(promoted(request.task)),
      identity_(derive_id("pool", encode(request.task) + sha256_hex(request.reference) + sha256_hex(request.oracle)
                                      + std::to_string(request.seed)
                                      + (request.weights.empty() ? "" : sha256_hex(request.weights)))) {
  if (!request.weights.empty())
    if (auto values = decode<own_values>(request.weights))
      own_ = std::move(*values);
}

std::string input_set_maker::own_weights() const {
  return names_of(own_, request_.task);
}

attempt<void> input_set_maker::ready(size_t bytes) {
  if (bytes > ready_bytes_) {
    reference_.reset();
    oracle_.reset();
    checked_.reset();
    // Sizes that depend on data vary a little from set to set.
    ready_bytes_ = bytes + bytes / 8;
    if (auto prepared = arena_.prepare(ready_bytes_); !prepared)
      return infrastructure(prepared.error());
  }
  const auto start = [this](std::unique_ptr<reference_process>& process, const std::string& object, bool oracle,
                            const contract& task) -> attempt<void> {
    if (process && process->alive())
      return {};
    auto launched = launch_(object, oracle, task, arena_);
    if (!launched)
      return tl::unexpected<evaluation_error>(about(oracle ? "oracle" : "reference", launched.error()));
    process = std::move(*launched);
    return {};
  };
  if (auto ok = start(reference_, request_.reference, false, request_.task); !ok)
    return ok;
  if (request_.mode == judge_mode::admit && !request_.sanitised_reference.empty())
    if (auto ok = start(checked_, request_.sanitised_reference, false, request_.task); !ok)
      return ok;
  return request_.oracle.empty() ? attempt<void>{} : start(oracle_, request_.oracle, true, promoted_);
}

attempt<double> input_set_maker::run(bool oracle, const contract& task, const call_data& data,
                                     const arena_layout& layout, std::vector<expected_output>& outputs) {
  return call(oracle ? *oracle_ : *reference_, oracle ? "oracle" : "reference", task, data, layout, outputs);
}

attempt<void> input_set_maker::holds_assertions(const shape_case& shape, const call_data& data,
                                                const arena_layout& layout) {
  const auto& task = request_.task;
  if (task.assertions.empty())
    return {};
  if (auto ok = hold_assertions(request_, shape, data); !ok)
    return ok;
  if (!checked_)
    return {};
  std::vector<expected_output> ignored;
  if (const auto took = call(*checked_, "checked reference", task, data, layout, ignored); !took) {
    if (took.error().refused.result != verdict::crashed)
      return tl::unexpected<evaluation_error>(took.error());
    std::string promised;
    for (const auto& a : task.assertions)
      if (a.kind == assertion_kind::independent)
        promised += (promised.empty() ? "" : ", or that ") + describe(a);
    return false_assertion(request_, shape, data,
                           "two iterations meet in an element, against the promise that " + promised);
  }
  return {};
}

attempt<double> input_set_maker::call(reference_process& process, const std::string& who, const contract& task,
                                      const call_data& data, const arena_layout& layout,
                                      std::vector<expected_output>& outputs) {
  call_memory memory{task, data, layout, arena_};
  memory.set_up(nan_poison(secret_seed()));
  nanoseconds took{0};
  // Half of the request's time at most, so that a call that never ends is told from a request that had too much to do.
  const auto most = std::min<nanoseconds>(call_limit, std::chrono::milliseconds{request_.limit_ms} / 2);
  const auto left = std::max<nanoseconds>(hooks_.deadline - steady_clock::now(), std::chrono::milliseconds{1});
  if (auto refused = process.call(task, data, layout, memory, std::min(most, left), took)) {
    if (refused->rule == rule_name::call_limit && most <= left)
      refused->rule = rule_name::timeout;
    else if (refused->result == verdict::timeout && steady_clock::now() >= hooks_.deadline)
      return infrastructure(fault_kind::timed_out, "the " + who + " did not end within the request's limit");
    auto s = refusal(std::move(*refused)).value();
    return tl::unexpected<evaluation_error>(about(who, std::move(s)));
  }
  worked_ += process.worked();
  if (auto where = memory.broken_guard())
    return tl::unexpected<evaluation_error>(
        about(who, {{}, {verdict::out_of_bounds, rule_name::guard_band, "wrote " + *where, {{"where", *where}}}}));
  if (auto name = memory.mutated_input())
    return tl::unexpected<evaluation_error>(about(who, {{},
                                                        {verdict::input_mutated,
                                                         rule_name::input_changed,
                                                         "changed its input '" + *name + "'",
                                                         {{"argument", *name}}}}));

  outputs.resize(task.arguments.size());
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (is_array(task.arguments[i]) && is_written(task.arguments[i])) {
      const auto& g = data.geometries[i];
      outputs[i].type = g.type;
      outputs[i].values = collect(g, memory.array(i), g.count);
    }
  return static_cast<double>(took.count());
}

uint64_t static_seed(const judge_request& request) {
  static const auto secret = secret_seed();
  return request.seed != 0 ? request.seed : secret;
}

draw_options fresh_draw(const judge_request& request) {
  draw_options out;
  out.seed = secret_seed();
  out.static_seed = static_seed(request);
  return out;
}

attempt<input_set> input_set_maker::make_set(const shape_case& shape, const draw_options& options, bool with_reference,
                                             std::vector<double>* error, double* reference_ns) {
  if (there(shape, options.edge))
    return make_there(shape, options, with_reference, error, reference_ns);
  return finish_set(shape, draw_ahead::draw(request_.task, shape, !request_.oracle.empty(), options), with_reference,
                    error, reference_ns);
}

attempt<input_set> input_set_maker::make_there(const shape_case& shape, const draw_options& options,
                                               bool with_reference, std::vector<double>* error, double* reference_ns) {
  auto made = device_->make(request_, hooks_, shape, options, with_reference, error, reference_ns);
  if (!made)
    return tl::unexpected<evaluation_error>(at(shape, made.error()));
  if (request_.mode != judge_mode::admit || options.edge != edge_kind::none)
    return made;
  auto fetched = device_->fetch(*made);
  if (fetched && with_reference)
    fetched->fetched_from = std::make_shared<const input_set>(std::move(*made));
  else
    device_->forget(*made);
  return fetched;
}

attempt<input_set> input_set_maker::make_set_anywhere(const shape_case& shape, const draw_options& options,
                                                      bool with_reference) {
  if (!there(shape, options.edge))
    return make_set(shape, options, with_reference, nullptr, nullptr);
  auto made = device_->make(request_, hooks_, shape, options, with_reference, nullptr, nullptr);
  return made ? std::move(made) : tl::unexpected<evaluation_error>(at(shape, made.error()));
}

attempt<input_set> input_set_maker::finish_set(const shape_case& shape, result<drawn_call> drawn, bool with_reference,
                                               std::vector<double>* error, double* reference_ns) {
  const auto& task = request_.task;
  if (!drawn)
    return tl::unexpected<evaluation_error>({{},
                                             {verdict::wrong_shape,
                                              rule_name::inputs,
                                              "shape '" + shape.name + "': " + drawn.error().detail,
                                              {{"shape", shape.name}}}});
  input_set out;
  out.number = next_set_number();
  out.data = std::move(drawn->data);
  out.layout = lay_out(task, out.data.geometries, drawn->placement);
  out.reference_output.resize(task.arguments.size());

  const bool oracle = !request_.oracle.empty();
  const auto& wide = drawn->wide;
  arena_layout wide_layout;
  if (oracle)
    wide_layout = lay_out(promoted_, wide.geometries);
  if (auto ok = ready(std::max(out.layout.total, wide_layout.total)); !ok)
    return tl::unexpected<evaluation_error>(ok.error());

  if (auto ok = holds_assertions(shape, out.data, out.layout); !ok)
    return tl::unexpected<evaluation_error>(ok.error());
  std::vector<expected_output> from_reference;
  if (!oracle || with_reference) {
    auto took = run(false, task, out.data, out.layout, from_reference);
    if (!took)
      return tl::unexpected<evaluation_error>(at(shape, took.error()));
    if (reference_ns != nullptr)
      *reference_ns = *took;
  }
  if (!oracle) {
    out.expected = std::move(from_reference);
    return out;
  }
  out.by_oracle = true;
  if (auto took = run(true, promoted_, wide, wide_layout, out.expected); !took)
    return tl::unexpected<evaluation_error>(at(shape, took.error()));
  if (from_reference.empty())
    return out;
  if (error != nullptr)
    error->assign(task.arguments.size(), 0.0);
  for (size_t i = 0; i < from_reference.size(); ++i) {
    auto& r = from_reference[i];
    if (r.values.empty())
      continue;
    if (error != nullptr) {
      auto g = out.data.geometries[i];
      g.contiguous = true; // what the reference wrote is compact by now
      const auto c = compare(g, r.values.data(), out.expected[i], counted_elements(task, out, i), of_any_size);
      (*error)[i] = c.max_abs;
    }
    out.reference_output[i] = std::move(r.values);
  }
  return out;
}

attempt<std::vector<expected_output>> input_set_maker::run_again(const input_set& set) {
  if (auto ok = ready(set.layout.total); !ok)
    return tl::unexpected<evaluation_error>(ok.error());
  std::vector<expected_output> out;
  if (auto took = run(false, request_.task, set.data, set.layout, out); !took)
    return tl::unexpected<evaluation_error>(took.error());
  return out;
}

attempt<void> input_set_maker::fits(const shape_case& shape) const {
  const auto bytes = bytes_to_judge(request_.task, shape);
  const auto there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= there)
    return {};
  const auto gib = [](double x) { return std::to_string(static_cast<int64_t>(x / 1e7) / 100) + " GB"; };
  return refusal({verdict::out_of_memory,
                  rule_name::too_large,
                  "shape '" + shape.name + "' has " + gib(bytes / memory_per_argument)
                      + " of arguments; to judge it takes six times that, and "
                        "this machine has "
                      + gib(there) + ": declare smaller shapes",
                  {{"shape", shape.name}}});
}

attempt<std::shared_ptr<const input_sets>> input_set_maker::get(const shape_case& shape, edge_kind edge,
                                                                const std::string& purpose, const input_set_count& size,
                                                                const set_visitor& visit) {
  // An admission looks once at each edge set, wherever it lies; candidates get sets that stay.
  const bool on_trial = request_.mode == judge_mode::admit && edge != edge_kind::none; // the reference
  const auto label =
      shape.name + "/" + to_string(edge) + "/" + purpose + (on_trial && there(shape, edge) ? " of admission" : "");
  const auto key = derive_id("pool", to_string(identity_) + label);
  if (auto found = cache_.find(key))
    return found;
  if (auto ok = fits(shape); !ok)
    return tl::unexpected<evaluation_error>(ok.error());

  auto inputs = std::make_shared<input_sets>();
  inputs->shape = shape;
  inputs->edge = edge;
  inputs->own_weights = purpose == with_own_weights;
  inputs->reference_error.assign(request_.task.arguments.size(), 0.0);
  const bool rarely = edge == edge_kind::none && request_.mode != judge_mode::admit;
  const auto& arguments = request_.task.arguments;
  const auto start = steady_clock::now();
  const auto options_of = [&](size_t i) {
    draw_options options;
    options.seed =
        request_.seed != 0 ? mix_seed(request_.seed ^ key.lo, i + 1 + inputs->redrawn * size.most) : secret_seed();
    options.static_seed = static_seed(request_);
    options.edge = edge;
    options.placement = i % 2 == 0 ? 0 : options.seed; // half of them as they will mostly lie, half anywhere
    options.variant = variant_of(i, size.most, edge);
    options.own = inputs->own_weights ? &own_ : nullptr;
    return options;
  };
  const bool on_device = there(shape, edge);
  const bool stays = on_device && request_.mode != judge_mode::admit;
  // Where sets are redrawn in place, a warm-up and one timed call need two.
  const auto least = stays ? std::min<size_t>(size.least, 2) : size.least;
  size_t bytes_there = 0;
  const auto full = [&] {
    return stays ? bytes_there + bytes_there / std::max<size_t>(inputs->sets.size(), 1) > device_->shape_bytes()
                 : inputs->bytes > settings_.shape_bytes;
  };
  draw_ahead draws{request_.task, shape, !request_.oracle.empty(), settings_.draw_threads, options_of};
  for (size_t i = 0; i < size.most; ++i) {
    const auto spent = steady_clock::now() - start;
    if (i >= least && (spent > size.patience || full()) && (i >= enough_when_slow || full()))
      break;
    if (hooks_.cancelled())
      return infrastructure(fault_kind::cancelled, "the request was cancelled");
    if (steady_clock::now() >= hooks_.deadline)
      return infrastructure(fault_kind::timed_out, "the request's limit passed while inputs were prepared");
    if (i == 0 || spent > std::chrono::milliseconds{200})
      hooks_.progress("inputs " + label + " " + std::to_string(i));

    std::vector<double> error;
    double ns = 0.0;
    // A slow reference runs beside the oracle on the first sets only: its error is a property of the task. An admission
    // asks whether it is right on every edge.
    const bool with_reference =
        may_differ(request_.task) || i < 2 || on_trial || steady_clock::now() - start < std::chrono::milliseconds{100};
    const auto each = inputs->sets.empty() ? 0 : inputs->bytes / inputs->sets.size();
    const auto likely = each == 0 ? size.least : std::clamp(settings_.shape_bytes / each + 1, size.least, size.most);
    auto set = on_device ? make_there(shape, options_of(i), with_reference, &error, &ns)
                         : finish_set(shape, draws.take(i, likely), with_reference, &error, &ns);
    if (!set)
      return tl::unexpected<evaluation_error>(set.error());
    const bool alike = edge == edge_kind::large && variant_of(i, size.most, edge) >= first_scaled_variant;
    if (alike && !find_not_finite(request_.task, *set).which.empty()) {
      ++inputs->left_out; // larger than the operator is made for: the others say where that begins
      continue;
    }
    if (edge != edge_kind::none)
      for (size_t k = 0; k < arguments.size(); ++k)
        set->error_scale.push_back(set->remote ? set->remote->scale[k]
                                   : set->expected[k].values.empty()
                                       ? 0.0
                                       : scale_of_errors(arguments[k].type, set->expected[k],
                                                         counted_elements(request_.task, *set, k), alike));
    if (inputs->not_finite.which.empty())
      inputs->not_finite = find_not_finite(request_.task, *set);
    // Admission has looked at dozens of draws and seen none: who is judged here does not answer for a rarer one.
    if (rarely && !inputs->not_finite.which.empty()) {
      if (++inputs->redrawn > most_redrawn)
        return infrastructure(fault_kind::internal,
                              std::to_string(inputs->redrawn) + " of "
                                  + std::to_string(inputs->redrawn + inputs->sets.size())
                                  + " draws leave infinite or NaN elements (" + inputs->not_finite.which
                                  + "): change the task's fill rules or declare nonfinite = \"match\"");
      inputs->not_finite = {};
      draws.forget(i);
      --i;
      continue;
    }
    if (ns > 0.0)
      inputs->reference_ns.push_back(ns);
    for (size_t k = 0; k < error.size(); ++k) {
      inputs->reference_error[k] = std::max(inputs->reference_error[k], error[k]);
      inputs->reference_max_abs = std::max(inputs->reference_max_abs, error[k]);
    }
    if (visit)
      if (auto ok = visit(*inputs, *set); !ok)
        return tl::unexpected<evaluation_error>(ok.error());
    inputs->bytes += set->bytes();
    bytes_there += set->remote ? set->remote->bytes() : 0;
    inputs->sets.push_back(std::move(*set));
  }
  inputs->memory_bound = inputs->sets.size() < size.most && full();
  cache_.keep(key, inputs);
  return std::shared_ptr<const input_sets>{inputs};
}

} // namespace kevolve
