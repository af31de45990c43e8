#include "tools/bench/landscape/bound_record.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "backends/generators/transform/moves/registry.hpp"
#include "tools/bench/landscape/bound.hpp"
#include "tools/bench/landscape/screening.hpp"

#include <algorithm>
#include <iostream>
#include <optional>

namespace kevolve::bench {

namespace {

constexpr uint64_t profiles_a_write = 10;

bool changes_the_build_alone(const transform::move& m) {
  const auto* what = transform::find_move(m.name);
  return what != nullptr && what->effect == transform::move_effect::build;
}

// Makes candidates from their moves, as the generator's search does.
class remaker {
public:
  explicit remaker(const synthesis_context& c)
      : context_(c),
        program_(transform::read_function(c.reference_source, c.syntax_tree ? *c.syntax_tree : std::string{},
                                          c.task.entry, transform::may_alias(c.task))) {
    if (program_)
      facts_ = transform::analyse(*program_, c.task);
  }

  result<void> readable() const { return program_ ? result<void>{} : fail(errc::unsupported, program_.error().detail); }

  // Returns nothing if a move is unknown or does not apply.
  std::optional<std::string> source_of(const std::string& genome) const {
    const auto moves = transform::parse_genome(genome);
    if (!moves)
      return std::nullopt;
    const transform::environment env{context_.task, context_.hardware, context_.flag_menu, context_.baseline_flags,
                                     facts_};
    auto p = *program_;
    for (const auto& m : *moves)
      if (!transform::apply(p, m, env))
        return std::nullopt;
    const bool as_written = std::all_of(moves->begin(), moves->end(), changes_the_build_alone);
    return as_written ? context_.reference_source : transform::print_program(p, "");
  }

private:
  const synthesis_context& context_;
  result<transform::program> program_;
  std::map<std::string, transform::loop_facts> facts_;
};

bool has_bound(const landscape_node& n) {
  return n.features.contains("bound");
}

} // namespace

std::vector<uint32_t> to_bound(const landscape& record, size_t most) {
  std::vector<uint32_t> out;
  for (uint32_t i = 1; i < record.nodes.size(); ++i) {
    const auto& n = record.nodes[i];
    if (n.result == verdict::pass && n.same_as == 0 && !has_bound(n))
      out.push_back(i);
  }
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    return std::pair{-true_speedup(record, a), a} < std::pair{-true_speedup(record, b), b};
  });
  // A search meets parents of every speed.
  if (most < out.size()) {
    for (size_t i = 0; i < most; ++i)
      out[i] = out[i * out.size() / most];
    out.resize(most);
  }
  return out;
}

uint64_t share_bounds(landscape& record) {
  uint64_t out = 0;
  for (auto& n : record.nodes) {
    if (n.same_as != 0 && n.same_as < record.nodes.size() && has_bound(record.nodes[n.same_as]))
      n.features["bound"] = record.nodes[n.same_as].features.at("bound");
    out += has_bound(n) ? 1U : 0U;
  }
  return out;
}

bool is_same_code(const landscape_node& node, const std::string& source) {
  const auto now = features_of(source, node.genome);
  return std::all_of(now.begin(), now.end(), [&](const auto& f) {
    const auto then = node.features.find(f.first);
    return then != node.features.end() && then->second == f.second;
  });
}

result<bounding_counts> name_bounds(const bounding_options& options) {
  auto record = read_landscape(options.record);
  if (!record)
    return tl::unexpected(record.error());
  auto spec = small_task(options.task, options.sizes);
  if (!spec)
    return tl::unexpected(spec.error());
  if (spec->task.name != record->task)
    return fail(errc::bad_input, options.record + " is of the task " + record->task + ", not of " + spec->task.name);
  auto bench = screening_bench::open(options.bin, std::move(*spec), 1);
  if (!bench)
    return tl::unexpected(bench.error());
  const remaker make{bench->context()};
  if (auto ok = make.readable(); !ok)
    return tl::unexpected(ok.error());
  const auto ceilings = measure_ceilings(options.bin, bench->spec().task, bench->timing_core());
  bounding_counts out;
  for (const auto i : to_bound(*record, options.most)) {
    auto& n = record->nodes[i];
    const auto source = make.source_of(n.genome);
    if (!source || !is_same_code(n, *source)) {
      ++out.changed;
      continue;
    }
    const auto& task = bench->spec().task;
    const auto why = add_bound({options.bin,
                                &bench->spec(),
                                *source,
                                task.language == "cpp" ? "cpp" : "c",
                                n.flags,
                                {},
                                options.budget_s,
                                bench->timing_core(),
                                ceilings},
                               n.features);
    ++(why.empty() ? out.named : out.unnamed);
    if (!why.empty() && out.unnamed == 1)
      std::cerr << record->task << ": candidate " << i << " has no bottleneck: " << why.substr(0, 300) << "\n";
    if (++out.profiles % profiles_a_write == 0) {
      std::cerr << record->task << ": " << out.profiles << " profiles, " << out.named << " bottlenecks named\n";
      if (auto written = write_landscape(*record, options.record); !written)
        return tl::unexpected(written.error());
    }
  }
  out.bounds = share_bounds(*record);
  if (auto written = write_landscape(*record, options.record); !written)
    return tl::unexpected(written.error());
  return out;
}

} // namespace kevolve::bench
