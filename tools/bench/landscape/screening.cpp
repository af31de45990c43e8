#include "tools/bench/landscape/screening.hpp"

#include "backends/judge/source_constants.hpp"
#include "tools/bench/stage_request.hpp"

#include <algorithm>

namespace kevolve::bench {

namespace {

// Slower candidates than a campaign's screening goes on with are figures of a record, too.
constexpr double screen_out = 4.0;

} // namespace

result<screening_bench> screening_bench::open(const std::string& bin, task_spec spec, uint32_t compilers) {
  auto bench = open_workbench(bin);
  if (!bench)
    return tl::unexpected(bench.error());
  screening_bench out{std::move(spec), std::move(*bench)};
  for (uint32_t i = 0; i < std::max(1U, compilers); ++i) {
    auto one = open_compiler(bin, out.bench_.hardware->name());
    if (!one)
      return tl::unexpected(one.error());
    out.compilers_.push_back(std::move(*one));
  }
  if (auto ok = out.compile_reference(); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = out.make_context(); !ok)
    return tl::unexpected(ok.error());
  return out;
}

result<void> screening_bench::compile_reference() {
  const auto& task = spec_.task;
  const auto flags = baseline_flags(bench_);
  auto reference = compile(bench_, task, task.language, spec_.reference_source, flags, compile_role::reference);
  if (!reference)
    return tl::unexpected(reference.error());
  reference_ = std::move(*reference);
  const bool own = !spec_.oracle_source.empty();
  const bool floating = std::any_of(task.arguments.begin(), task.arguments.end(), [](const argument& a) {
    return a.role != argument_role::size && is_floating(a.type);
  });
  if (!own && !floating)
    return {}; // the reference is exact
  auto oracle = compile(bench_, task, task.language, own ? spec_.oracle_source : spec_.reference_source, flags,
                        own ? compile_role::reference : compile_role::oracle);
  if (!oracle)
    return tl::unexpected(oracle.error());
  oracle_ = std::move(*oracle);
  return {};
}

result<void> screening_bench::make_context() {
  const auto& task = spec_.task;
  context_ = context_of(*bench_.hardware, spec_);
  compile_request q;
  q.job = random_id();
  q.kind = compile_kind::syntax_tree;
  q.role = compile_role::reference;
  q.language = task.language;
  q.source = spec_.reference_source;
  q.entry = task.entry;
  q.flags = context_.baseline_flags;
  q.task = task;
  auto tree = bench_.compiler->ask(q);
  if (!tree)
    return tl::unexpected(tree.error());
  if (tree->result == verdict::pass)
    context_.syntax_tree = std::make_shared<const std::string>(std::move(tree->artifact));
  return {};
}

synthesis_context context_of(const target& hardware, const task_spec& spec) {
  synthesis_context out;
  const auto& task = spec.task;
  out.task = task;
  std::erase_if(out.task.shapes, [](const shape_case& s) { return s.held_out; });
  out.form = hardware.form(task);
  out.reference_source = spec.reference_source;
  const bool exact = asks_for_exact_results(task);
  for (const auto& f : hardware.flag_menu()) {
    if (!f.fast_math || !exact)
      out.flag_menu.push_back(f.name);
    if (f.baseline)
      out.baseline_flags = f.name;
  }
  out.hardware = hardware.hardware();
  return out;
}

result<judge_outcome> screening_bench::screen(const std::string& object, const std::string& source, uint32_t ms,
                                              double alpha) {
  auto q = stage_request(spec_.task, stage::screening);
  q.reference = reference_;
  q.oracle = oracle_;
  q.candidate = object;
  q.screening_ms = ms;
  q.alpha = alpha;
  q.screen_out = screen_out;
  q.reference_constants = source_constants(spec_.reference_source);
  q.candidate_constants = source_constants(source);
  return bench_.judge->ask(q);
}

std::vector<shape_pairs> pairs_of_outcome(const judge_outcome& o) {
  std::vector<shape_pairs> out;
  for (const auto& t : o.timings)
    if (!t.held_out)
      out.push_back({t.baseline_ns, t.candidate_ns});
  return out;
}

result<task_spec> small_task(const std::string& path, const std::map<std::string, int64_t>& sizes) {
  auto spec = load_task(path);
  if (!spec)
    return fail(errc::bad_input, to_string(spec.error()));
  if (sizes.empty())
    return std::move(*spec);
  auto& shapes = spec->task.shapes;
  auto small = *std::find_if(shapes.begin(), shapes.end(), [](const shape_case& s) { return !s.held_out; });
  small.weight = 1.0;
  small.name.clear();
  for (const auto& [name, size] : sizes) {
    if (!small.sizes.contains(name))
      return fail(errc::bad_input, path + " has no size '" + name + "'");
    small.sizes[name] = size;
  }
  for (const auto& [name, size] : small.sizes)
    small.name += (small.name.empty() ? "" : " ") + name + "=" + std::to_string(size);
  std::erase_if(shapes, [](const shape_case& s) { return !s.held_out; });
  shapes.insert(shapes.begin(), std::move(small));
  return std::move(*spec);
}

} // namespace kevolve::bench
