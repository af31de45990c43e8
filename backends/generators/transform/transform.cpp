#include "backends/generators/transform/transform.hpp"

#include "backends/generators/transform/frontend/ast.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/finish_all.hpp"
#include "backends/generators/transform/plans/schematic.hpp"
#include "backends/generators/transform/plans/search.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kevolve {

namespace {

using namespace transform;

class transform_generator : public generator {
public:
  result<proposal> propose(const synthesis_context& context) override {
    if (!context.reference_source.empty() && context.flag_menu.empty() && !context.syntax_tree)
      return fail(errc::unsupported, "neither a syntax tree nor a flag menu to work with");
    read(context);
    return propose_from(context, reading_);
  }

  result<distilled_moves> distil(const synthesis_context& context, const std::string& parent,
                                 const std::string& child) override {
    read(context);
    if (!reading_.parsed)
      return fail(errc::unsupported, reading_.parsed.error().detail);
    const auto before = parse_genome(parent);
    const auto after = parse_genome(child);
    if (!before || !after)
      return fail(errc::bad_input, "no list of moves");
    const auto difference = difference_of(*before, *after);
    if (difference.added.empty())
      return fail(errc::unsupported, "the child has no move that its parent lacks");
    const environment env{context.task, context.hardware, context.flag_menu, context.baseline_flags, reading_.facts};
    auto p = *reading_.parsed;
    for (const auto& m : difference.common)
      if (const auto names = p.taken.size(); !apply(p, m, env))
        p.taken.resize(names);
    return schematic_of(difference.added, p, env);
  }

  std::string describe(const synthesis_context& context) override {
    read(context);
    if (!reading_.parsed)
      return "only flag sets: " + reading_.parsed.error().detail;
    const auto r = *read_reference(context);
    auto out =
        std::to_string(r.loops) + " counted loops, " + std::to_string(r.independent) + " of them free of dependences";
    for (const auto& x : r.remarks)
      out += "; " + (x.line > 0 ? "line " + std::to_string(x.line) + ": " : std::string{}) + x.what;
    return out;
  }

  std::optional<reference_reading> read_reference(const synthesis_context& context) override {
    read(context);
    reference_reading out;
    if (!reading_.parsed) {
      out.remarks.push_back({0, reading_.parsed.error().detail});
      return out;
    }
    std::map<std::string, size_t> lines;
    walk(reading_.parsed->body, [&](const stmt& s) { lines.emplace(s.label, s.line); });
    for (const auto& [label, facts] : reading_.facts) {
      if (loop_label{label}.is_while()) // a loop once it is finished
        continue;
      ++out.loops;
      out.independent += facts.independent ? 1 : 0;
      if (!facts.independent)
        out.remarks.push_back({lines[label], label + " stays in order: " + facts.reason, false});
    }
    auto finished = *reading_.parsed;
    std::set<std::string> to_the_end;
    for (const auto& m : finish_all(finished, context.task, 0))
      to_the_end.insert(m.args[0]);
    walk(reading_.parsed->body, [&](const stmt& s) {
      if (s.kind == stmt_kind::while_loop)
        out.remarks.push_back({s.line,
                               to_the_end.count(s.label) != 0
                                   ? s.label + " ends early; it may run to its end, many rounds at once"
                                   : s.label + " ends early, or by what it computes: no loop that counts",
                               false});
    });
    out.rewritable = out.loops > 0;
    if (!out.rewritable)
      out.remarks.push_back({0, "it has no loop that counts"});
    for (const auto& x : reading_.parsed->parameters)
      out.parameters.push_back(x.name);
    for (const auto& note : reading_.parsed->notes)
      out.remarks.push_back({note.line, note.what});
    std::sort(out.remarks.begin(), out.remarks.end(),
              [](const auto& a, const auto& b) { return std::tie(a.line, a.what) < std::tie(b.line, b.what); });
    return out;
  }

private:
  void read(const synthesis_context& context) {
    auto task = contract_id(context.task);
    if (reading_.source == context.reference_source && reading_.tree == context.syntax_tree && reading_.task == task
        && reading_.hardware == context.hardware)
      return;
    reading_ = {context.reference_source,
                context.syntax_tree,
                task,
                context.hardware,
                fail(errc::internal, ""),
                {},
                {},
                {},
                {}};
    reading_.parsed =
        read_function(context.reference_source, context.syntax_tree ? *context.syntax_tree : std::string{},
                      context.task.entry, may_alias(context.task));
    if (!reading_.parsed)
      return;
    reading_.facts = analyse(*reading_.parsed, context.task);
    reading_.sequences = plans(
        *reading_.parsed, {context.task, context.hardware, context.flag_menu, context.baseline_flags, reading_.facts});
  }

  reading reading_;
};

} // namespace

std::unique_ptr<generator> make_transform_generator() {
  return std::make_unique<transform_generator>();
}

} // namespace kevolve
