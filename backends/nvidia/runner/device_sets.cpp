#include "backends/nvidia/runner/device_sets.hpp"

#include "backends/nvidia/runner/framework_reference.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

namespace kevolve::cuda {

namespace {

using std::chrono::nanoseconds;

// Smaller ones are made on the host in less time than processes need to talk.
constexpr size_t least_bytes = size_t{1} << 20U;
constexpr size_t pools_in_budget = 4; // screenings, confirmations, edges
constexpr auto call_limit = std::chrono::seconds{60};

std::string random_bytes() {
  std::string out(32, '\0');
  if (getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(out.size()))
    std::abort(); // the kernel always has them, and inputs must not be guessable
  return out;
}

dtype expected_type(const judge_request& request, const argument& a) {
  const bool widened = !request.oracle.empty() && (a.type == dtype::f16 || a.type == dtype::f32);
  return widened ? dtype::f64 : a.type;
}

// The arrays of one call in the pool: inputs as they lie in the set, then outputs, compact.
struct pool_call {
  framework_client::pool_places places;
  uint64_t bytes = 0;
};

pool_call lay_out_in_pool(const contract& task, const call_data& data, const std::vector<dtype>& types) {
  pool_call out;
  const auto take = [&](uint64_t bytes) {
    const auto at = out.bytes;
    out.bytes += (bytes + pool_alignment - 1) / pool_alignment * pool_alignment;
    return at;
  };
  const auto arguments = task.arguments.size();
  out.places.inputs.resize(arguments);
  out.places.outputs.resize(arguments);
  out.places.types = types;
  for (size_t i = 0; i < arguments; ++i)
    if (is_array(task.arguments[i]) && is_read(task.arguments[i]))
      out.places.inputs[i] = take(data.geometries[i].bytes());
  for (size_t i = 0; i < arguments; ++i)
    if (is_array(task.arguments[i]) && is_written(task.arguments[i]))
      out.places.outputs[i] = take(static_cast<uint64_t>(data.geometries[i].count) * size_bytes(types[i]));
  return out;
}

} // namespace

device_sets::device_sets(gpu_judge_context& b) : judge_(b), secret_(random_bytes()) {
  judge_.examiner.remake_with([this](const input_set& set) { return fill(set); });
}

attempt<bool> device_sets::ready() {
  if (judge_.examiner.alive())
    return true;
  return judge_.examiner.ready(judge_.settings.worker, 0);
}

size_t device_sets::shape_bytes() const {
  return judge_.examiner.budget() / pools_in_budget;
}

draw_secrets device_sets::secrets_of(const judge_request& request) const {
  return request.seed != 0 ? draw_secrets{} : draw_secrets{secret_, secret_ + " static"};
}

bool device_sets::serves(const judge_request& request, const shape_case& shape, edge_kind edge) {
  const auto& arguments = request.task.arguments;
  if (edge == edge_kind::adversarial || !is_framework(request))
    return false;
  // The host alone knows what these ask for.
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const auto& a) { return a.nonfinite_match || !a.extent.empty(); }))
    return false;
  const auto outline = outline_call(request.task, shape);
  if (!outline)
    return false; // a size depends on data
  size_t bytes = 0;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (is_array(arguments[i]))
      bytes += outline->geometries[i].bytes();
  if (bytes < least_bytes)
    return false;
  const auto there = ready();
  return there && *there;
}

std::shared_ptr<const judge_request> device_sets::parts_of(const judge_request& request) {
  if (!last_ || last_->reference != request.reference || last_->oracle != request.oracle
      || encode(last_->task) != encode(request.task)) {
    judge_request parts;
    parts.task = request.task;
    parts.reference = request.reference;
    parts.oracle = request.oracle;
    last_ = std::make_shared<const judge_request>(std::move(parts));
  }
  return last_;
}

attempt<input_set> device_sets::make(const judge_request& request, const request_hooks& hooks, const shape_case& shape,
                                     const draw_options& options, bool with_reference, std::vector<double>* error,
                                     double* reference_ns) {
  if (hooks.cancelled())
    return infrastructure(fault_kind::cancelled, "the request was cancelled");
  if (auto there = ready(); !there)
    return tl::unexpected(there.error());
  const auto& task = request.task;
  auto wanted = options;
  auto data = draw_on_host(request, shape, wanted);
  if (!data)
    return tl::unexpected(data.error());
  input_set out;
  out.number = next_set_number();
  out.data = std::move(*data);
  out.layout = lay_out(task, out.data.geometries, options.placement);
  out.by_oracle = !request.oracle.empty();
  const auto arguments = task.arguments.size();
  out.expected.resize(arguments);
  out.reference_output.resize(arguments);
  auto remote = std::make_shared<remote_arrays>();
  remote->made_for = parts_of(request);
  remote->inputs.assign(arguments, 0);
  remote->expected.assign(arguments, 0);
  remote->reference.assign(arguments, 0);
  remote->scale.assign(arguments, 0.0);
  const bool keeps_reference = out.by_oracle && with_reference;
  for (size_t i = 0; i < arguments; ++i) {
    const auto& a = task.arguments[i];
    const auto& g = out.data.geometries[i];
    if (wanted.elsewhere[i])
      remote->inputs[i] = g.bytes();
    if (!is_array(a) || !is_written(a))
      continue;
    out.expected[i].type = expected_type(request, a);
    remote->expected[i] = static_cast<size_t>(g.count) * size_bytes(out.expected[i].type);
    if (keeps_reference)
      remote->reference[i] = static_cast<size_t>(g.count) * size_bytes(a.type);
  }
  out.remote = remote;
  const auto where = place_set(out);
  for (size_t i = 0; i < arguments; ++i)
    if (wanted.elsewhere[i] && remote->inputs[i] > 0) {
      auto order = order_for(task, i, out.data.geometries[i], options, secrets_of(request));
      order.at = where.inputs[i].at;
      remote->recipe.append(reinterpret_cast<const char*>(&order), sizeof(order));
    }
  if (auto ok = judge_.examiner.place(out); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = judge_.examiner.draw(out, remote->recipe); !ok)
    return tl::unexpected(ok.error());
  if (keeps_reference || !out.by_oracle) {
    auto took = run(out, false, out.by_oracle ? outputs::reference : outputs::expected);
    if (!took)
      return tl::unexpected(took.error());
    if (reference_ns != nullptr)
      *reference_ns = *took;
  }
  if (out.by_oracle)
    if (auto took = run(out, true, outputs::expected); !took)
      return tl::unexpected(took.error());
  if (error != nullptr && keeps_reference)
    error->assign(arguments, 0.0);
  const bool alike = options.edge == edge_kind::large && options.variant >= first_scaled_variant;
  if (auto ok = examine(out, alike, keeps_reference, *remote, error); !ok)
    return tl::unexpected(ok.error());
  return out;
}

// Draws a set again that had to give its memory back.
attempt<void> device_sets::fill(const input_set& set) {
  if (auto ok = judge_.examiner.place(set); !ok)
    return ok;
  if (auto ok = judge_.examiner.draw(set, set.remote->recipe); !ok)
    return ok;
  const auto& sizes = set.remote->reference;
  const bool with_reference = std::any_of(sizes.begin(), sizes.end(), [](auto n) { return n > 0; });
  if (with_reference || !set.by_oracle)
    if (auto took = run(set, false, set.by_oracle ? outputs::reference : outputs::expected); !took)
      return tl::unexpected(blame_reference(took.error()));
  if (set.by_oracle)
    if (auto took = run(set, true, outputs::expected); !took)
      return tl::unexpected(blame_reference(took.error()));
  return {};
}

attempt<double> device_sets::run(const input_set& set, bool oracle, outputs to, std::vector<bool>* differs,
                                 framework_mode mode) {
  const bool expected = to == outputs::expected;
  const auto& made_for = *set.remote->made_for;
  const auto& task = made_for.task;
  const auto* who = oracle ? "oracle" : "reference";
  const auto program = oracle ? framework_client::program::oracle : framework_client::program::reference;
  std::vector<dtype> types;
  for (size_t i = 0; i < task.arguments.size(); ++i)
    types.push_back(expected ? set.expected[i].type : task.arguments[i].type);
  const auto call = lay_out_in_pool(task, set.data, types);
  auto process = framework_with(judge_, program, oracle ? made_for.oracle : made_for.reference);
  if (!process)
    return tl::unexpected(about(who, process.error()));
  auto& examiner = judge_.examiner;
  if (auto ok = examiner.ready_pool(call.bytes); !ok)
    return tl::unexpected(ok.error());
  if (auto refused = (*process)->map_device_pool(examiner.pool_fd(), examiner.pool_bytes(), examiner.pool_number()))
    return infrastructure(fault_kind::internal,
                          "the reference's process maps no memory of the device: " + refused->detail);
  const auto where = place_set(set);
  std::vector<piece> in;
  std::vector<piece> back;
  std::vector<size_t> of;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    if (where.inputs[i].size > 0)
      in.push_back(moved(piece_kind::bring, call.places.inputs[i], where.inputs[i].size, where.inputs[i].at));
    const auto& kept = expected || !set.by_oracle ? where.expected[i] : where.reference[i];
    if (kept.size > 0) {
      back.push_back(moved(to == outputs::again ? piece_kind::same : piece_kind::keep, call.places.outputs[i],
                           kept.size, kept.at));
      of.push_back(i);
    }
  }
  if (auto ok = examiner.work_in_pool(set, in); !ok)
    return tl::unexpected(ok.error());
  nanoseconds took{0};
  if (auto refused = (*process)->call_in_pool(program, mode, task, set.data, call.places, call_limit, took)) {
    if (refused->rule == rule_name::memory)
      return infrastructure(fault_kind::no_space,
                            "device memory: the " + std::string{who} + " in " + (oracle ? "double" : "its own types")
                                + " needs more than is left beside " + std::to_string(set.remote->bytes() >> 20U)
                                + " MiB of its arrays: " + refused->detail);
    return tl::unexpected(about(who, refusal(std::move(*refused)).value()));
  }
  const auto found = examiner.work_in_pool(set, back);
  if (!found)
    return tl::unexpected(found.error());
  if (differs != nullptr)
    differs->assign(task.arguments.size(), false);
  for (size_t k = 0; differs != nullptr && k < of.size(); ++k)
    (*differs)[of[k]] = (*found)[k].bad != 0;
  return static_cast<double>(took.count());
}

} // namespace kevolve::cuda
