// The questions about the expected outputs of sets that lie on the device.
#include "backends/judge/finiteness.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/nvidia/runner/device_sets.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace kevolve::cuda {

attempt<std::vector<bool>> device_sets::repeat(const input_set& set) {
  std::vector<bool> differs;
  if (auto took = run(set, false, outputs::again, &differs); !took)
    return tl::unexpected(took.error());
  return differs;
}

attempt<double> device_sets::time_reference(const input_set& set) {
  return run(set, false, outputs::again, nullptr, framework_mode::eager);
}

// One block of the examiner's is looked at beside the pool, which therefore gets a copy of the other's values.
attempt<bool> device_sets::same_expected(const input_set& a, const input_set& b) {
  const auto from = place_set(a);
  const auto with = place_set(b);
  std::vector<piece> there;
  std::vector<piece> questions;
  uint64_t at = 0;
  for (size_t i = 0; i < from.expected.size(); ++i) {
    if (from.expected[i].size != with.expected[i].size)
      return false;
    if (from.expected[i].size == 0)
      continue;
    there.push_back(moved(piece_kind::bring, at, from.expected[i].size, from.expected[i].at));
    questions.push_back(moved(piece_kind::same, at, with.expected[i].size, with.expected[i].at));
    at += (from.expected[i].size + pool_alignment - 1) / pool_alignment * pool_alignment;
  }
  auto& examiner = judge_.examiner;
  if (auto ok = examiner.ready_pool(at); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = examiner.work_in_pool(a, there); !ok)
    return tl::unexpected(ok.error());
  const auto found = examiner.work_in_pool(b, questions);
  if (!found)
    return tl::unexpected(found.error());
  return std::all_of(found->begin(), found->end(), [](const auto& f) { return f.bad == 0; });
}

attempt<bool> device_sets::reference_within(const input_set& set, const std::vector<comparison_rule>& rules) {
  const auto& task = set.remote->made_for->task;
  const auto where = place_set(set);
  std::vector<piece> pieces;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    if (where.reference[i].size == 0)
      continue;
    const auto type = task.arguments[i].type;
    piece p;
    p.type = element_of(type);
    p.other_type = element_of(set.expected[i].type);
    p.count = p.span = where.reference[i].size / size_bytes(type);
    p.at = where.reference[i].at;
    p.other = where.expected[i].at;
    p.kind = is_floating(type) ? piece_kind::block_figures : piece_kind::block_equal;
    const auto bounds = acceptance_bounds(type, rules[i]);
    p.absolute = bounds.absolute;
    p.relative = bounds.relative;
    pieces.push_back(p);
  }
  const auto found = judge_.examiner.work_in_pool(set, pieces);
  if (!found)
    return tl::unexpected(found.error());
  return std::all_of(found->begin(), found->end(), [](const auto& f) { return f.bad == 0; });
}

// Looks at what is expected: is it finite, how large is it, how far is the reference from it. What the device finds
// unusual, the host looks at.
attempt<void> device_sets::examine(const input_set& set, bool alike, bool compare, remote_arrays& found,
                                   std::vector<double>* error) {
  const auto& task = set.remote->made_for->task;
  const auto where = place_set(set);
  std::vector<piece> pieces;
  std::vector<size_t> of;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& e = where.expected[i];
    if (e.size == 0)
      continue;
    const auto type = set.expected[i].type;
    const auto count = e.size / size_bytes(type);
    piece p;
    p.type = element_of(task.arguments[i].type);
    p.other_type = element_of(type);
    p.count = p.span = count;
    p.other = e.at;
    if (is_floating(type)) {
      p.kind = piece_kind::finite;
      p.absolute = overflow_of(task.arguments[i].type);
      pieces.push_back(p);
      of.push_back(i);
    }
    if (!compare || where.reference[i].size == 0)
      continue;
    // Both lie in the set's block, which is looked at from two sides.
    p.kind = is_floating(type) ? piece_kind::block_figures : piece_kind::block_equal;
    p.at = where.reference[i].at;
    p.absolute = std::numeric_limits<double>::max();
    const auto limits = limits_of(task.arguments[i].type);
    p.mantissa_bits = limits.mantissa_bits;
    p.min_exponent = limits.min_exponent;
    pieces.push_back(p);
    of.push_back(i);
  }
  auto seen = judge_.examiner.work_in_pool(set, pieces);
  if (!seen)
    return tl::unexpected(seen.error());
  bool unusual = alike;
  for (size_t k = 0; k < pieces.size(); ++k) {
    const auto& f = (*seen)[k];
    unusual = unusual || f.bad != 0;
    const auto i = of[k];
    if (pieces[k].kind == piece_kind::finite)
      found.scale[i] = std::min(std::bit_cast<double>(f.largest), limits_of(task.arguments[i].type).largest);
    else if (error != nullptr && pieces[k].kind == piece_kind::block_figures)
      (*error)[i] = std::bit_cast<double>(f.max_abs);
  }
  if (!unusual)
    return {};
  auto here = judge_.examiner.fetch(set);
  if (!here)
    return tl::unexpected(here.error());
  found.not_finite = find_not_finite(task, *here);
  constexpr comparison_rule of_any_size{
      tolerance_mode::absrel, 0.0, std::numeric_limits<double>::max(), 0.0, 0.0, false};
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    if (here->expected[i].values.empty())
      continue;
    const auto elements = here->data.geometries[i].count;
    found.scale[i] = scale_of_errors(task.arguments[i].type, here->expected[i], elements, alike);
    if (error == nullptr || here->reference_output[i].empty())
      continue;
    auto g = here->data.geometries[i];
    g.contiguous = true; // what the reference wrote is compact
    (*error)[i] =
        kevolve::compare(g, here->reference_output[i].data(), here->expected[i], elements, of_any_size).max_abs;
  }
  return {};
}

} // namespace kevolve::cuda
