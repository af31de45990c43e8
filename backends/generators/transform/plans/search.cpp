#include "backends/generators/transform/plans/search.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/plans/emphasis.hpp"
#include "backends/generators/transform/plans/suggested.hpp"
#include "runtime/base/random.hpp"
#include "runtime/base/verdict_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kevolve::transform {

namespace {

bool changes_statements(const move& m) {
  const auto* what = find_move(m.name);
  return what == nullptr || what->effect == move_effect::statements;
}

bool changes_the_build_alone(const move& m) {
  const auto* what = find_move(m.name);
  return what != nullptr && what->effect == move_effect::build;
}

// Moves whose place in the sequence does not matter stand last, once, in the registry's order: first the one that
// changes statements, then those that only say how they are compiled.
genome canonical(const genome& g) {
  genome out;
  for (const auto& m : g)
    if (const auto* what = find_move(m.name); what == nullptr || !what->stands_last)
      out.push_back(m);
  for (const auto* what : all_moves())
    if (what->stands_last)
      for (auto m = g.rbegin(); m != g.rend(); ++m)
        if (is(*m, *what)) { // the last one of its kind counts
          out.push_back(*m);
          break;
        }
  return out;
}

// Makes the proposals of one context; lives for one of them.
class search {
public:
  search(const synthesis_context& context, reading& r)
      : context_(context), reading_(r),
        env_{context.task, context.hardware, context.flag_menu, context.baseline_flags, r.facts},
        random_(context.seed ^ 0x7472616e73666f72ULL) {
    learn();
    emphasise();
  }

  result<proposal> run() {
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
      auto [g, step] = next();
      auto wanted = canonical(g);
      if (wanted.empty() || is_known(to_string(wanted)))
        continue;
      auto [p, kept] = replay(wanted);
      if (kept.empty() || (kept != wanted && is_known(to_string(kept))))
        continue;
      return finish(p, kept, std::move(step));
    }
    return fail(errc::unsupported,
                "no sequence of moves that is not in the tree yet was found in " + std::to_string(tries) + " tries");
  }

private:
  program reference() const {
    if (reading_.parsed)
      return *reading_.parsed;
    program p; // not readable: only the flag sets are left
    p.source = context_.reference_source;
    p.function_begin = p.body_begin = p.function_end = p.source.size();
    return p;
  }

  bool is_known(const std::string& text) const {
    return std::binary_search(context_.seen.begin(), context_.seen.end(), genome_fingerprint(text))
           || std::any_of(context_.parents.begin(), context_.parents.end(),
                          [&](const ancestor& a) { return with_present_names(a.genome) == text; });
  }

  bool attempt(program& p, const move& m) const {
    auto names = p.taken.size();
    if (apply(p, m, env_))
      return true;
    p.taken.resize(names); // or the names of later moves would tell of what was tried
    return false;
  }

  // Applies what applies; the genome that is left says exactly how the program was made.
  std::pair<program, genome> replay(const genome& g) const {
    std::vector<std::string> beginnings; // [i]: the first i + 1 moves
    for (size_t i = 0; i < g.size() && changes_statements(g[i]); ++i)
      beginnings.push_back(i == 0 ? to_string(g[i]) : beginnings.back() + "; " + to_string(g[i]));
    auto known = beginnings.size();
    const program* from = nullptr;
    while (known > 0 && (from = reading_.made.find(beginnings[known - 1])) == nullptr)
      --known;
    auto p = from == nullptr ? reference() : *from;
    genome kept(g.begin(), g.begin() + static_cast<ptrdiff_t>(known));
    for (auto i = known; i < g.size(); ++i) {
      if (attempt(p, g[i]))
        kept.push_back(g[i]);
      if (i < beginnings.size() && kept.size() == i + 1)
        reading_.made.keep(beginnings[i], p);
    }
    return {std::move(p), std::move(kept)};
  }

  // Moves that siblings added without getting faster than the parent are less worth another try.
  void learn() {
    if (context_.parents.empty())
      return;
    const auto& parent = context_.parents.front();
    const auto base = parse_genome(parent.genome).value_or(genome{});
    for (const auto& sibling : context_.siblings) {
      if (sibling.speedup > parent.speedup * 1.02)
        continue;
      for (const auto& m : parse_genome(sibling.genome).value_or(genome{}))
        if (std::find(base.begin(), base.end(), m) == base.end())
          ++tried_[to_string(m)];
    }
  }

  // Finds the moves against what bounds the parent, and the loops around the line that takes its time.
  void emphasise() {
    const auto& wanted = context_.emphasis;
    if (wanted.factor <= 1.0 || !reading_.parsed)
      return;
    const auto how = context_.parents.empty() ? std::optional{genome{}} : parse_genome(context_.parents.front().genome);
    if (!how)
      return;
    const auto [p, kept] = replay(*how);
    if (context_.parents.empty()) // the reference, as it stands in its file
      emphasis_ = emphasis_of(wanted, *reading_.parsed, p, context_.reference_source, "");
    else
      emphasis_ = emphasis_of(wanted, *reading_.parsed, p, text_of(p, kept), as_written(kept) ? header_of(kept) : "");
  }

  std::vector<choice> choices_for(const program& p, const genome& how) const {
    auto name = to_string(how);
    const auto* known = reading_.choices.find(name);
    auto choices = known != nullptr ? *known : reading_.choices.keep(name, possible(p, env_));
    if (!tried_.empty())
      for (auto& c : choices)
        if (auto it = tried_.find(to_string(c.what)); it != tried_.end())
          c.weight *= std::pow(0.3, it->second);
    for (auto& c : choices)
      c.weight *= emphasis_.factor_of(c.what);
    if (!reading_.parsed)
      std::erase_if(choices, [](const choice& c) { return !changes_the_build_alone(c.what); });
    return choices;
  }

  std::optional<move> draw(const std::vector<choice>& choices) {
    double total = 0;
    for (const auto& c : choices)
      total += c.weight;
    auto at = random_.uniform() * total;
    for (const auto& c : choices) {
      at -= c.weight;
      if (at <= 0)
        return c.what;
    }
    return {};
  }

  // Adds n moves that apply, each at the end.
  genome extend(const genome& g, size_t n) {
    auto [p, made_by] = replay(canonical(g));
    auto choices = choices_for(p, made_by);
    for (size_t tries = 0; n > 0 && tries < 40; ++tries) {
      auto m = draw(choices);
      if (!m)
        break;
      auto longer = made_by;
      longer.push_back(std::move(*m));
      longer = canonical(longer);
      auto [grown, kept] = replay(longer);
      if (kept != longer)
        continue;
      p = std::move(grown);
      made_by = std::move(kept);
      if (--n > 0)
        choices = choices_for(p, made_by);
    }
    return made_by;
  }

  genome insert(const genome& g) {
    if (g.empty() || random_.chance(0.7))
      return extend(g, 1);
    auto at = static_cast<ptrdiff_t>(random_.below(g.size()));
    auto grown = extend(genome(g.begin(), g.begin() + at), 1);
    grown.insert(grown.end(), g.begin() + at, g.end());
    return grown;
  }

  // Returns the moves that the longer list has more often; "nothing" if there are none.
  static std::string added(const genome& before, const genome& after) {
    std::map<std::string, int> had;
    for (const auto& m : before)
      ++had[to_string(m)];
    std::string out;
    for (const auto& m : after)
      if (auto name = to_string(m); had[name]-- <= 0)
        out += (out.empty() ? "" : ", ") + name;
    return out.empty() ? "nothing" : out;
  }

  std::pair<genome, std::string> mutate(genome g, bool failed) {
    auto kind = random_.uniform();
    if (failed)
      kind = 0.55 + 0.45 * kind; // less is what a wrong or broken one needs
    auto at = random_.below(g.size());
    if (g.empty() || kind < 0.5) {
      auto grown = insert(g);
      auto told = "adds " + added(g, grown);
      return {std::move(grown), std::move(told)};
    }
    if (kind < 0.75) {
      auto others = variants(g[at], env_);
      if (!others.empty()) {
        auto old = to_string(g[at]);
        g[at] = others[random_.below(others.size())];
        auto now = to_string(g[at]);
        return {std::move(g), old + " becomes " + now};
      }
    }
    if (kind < 0.85 && g.size() > 1) {
      auto other = random_.below(g.size());
      std::swap(g[at], g[other]);
      auto told = "swaps " + to_string(g[at]) + " and " + to_string(g[other]);
      return {std::move(g), std::move(told)};
    }
    auto gone = to_string(g[at]);
    g.erase(g.begin() + static_cast<ptrdiff_t>(at));
    if (random_.chance(0.5)) {
      auto grown = insert(g);
      auto told = "replaces " + gone + " by " + added(g, grown);
      return {std::move(grown), std::move(told)};
    }
    return {std::move(g), "drops " + gone};
  }

  // Returns true for three drafts of five, and for fresh starts in the same share.
  bool sequence_is_due() { return asked_ > 0 || !context_.draft ? random_.chance(0.6) : context_.draft_index % 5 < 3; }

  // Drafts take the ideas in turn, so that the first few have met each. Later tries of a draft whose idea is used up,
  // and fresh starts, take any.
  size_t next_idea() {
    const auto all = reading_.sequences.size();
    const size_t turn = context_.draft_index / 5 * 3 + context_.draft_index % 5;
    return asked_++ == 0 && context_.draft ? turn % all : random_.below(all);
  }

  // Returns the suggested steps from there that the tree does not have, without those that were taken before.
  std::vector<const suggested_step*> fresh_suggestions(const genome& from) {
    if (!suggested_) {
      auto [p, kept] = replay(canonical(from));
      suggested_ = reading_.parsed ? suggested_steps(context_.suggestions, p, env_) : std::vector<suggested_step>{};
      std::erase_if(*suggested_, [&](const auto& s) { return is_known(to_string(canonical(joined(from, s.moves)))); });
    }
    std::vector<const suggested_step*> out;
    for (const auto& s : *suggested_)
      if (!taken_.contains(&s))
        out.push_back(&s);
    return out;
  }

  static genome joined(genome a, const genome& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  // Returns a step that gained elsewhere, at a place like that; nothing: none is left, and the search makes one of its
  // own. Drafts take the most promising. Whether skills have this turn was decided with the suggestions.
  std::optional<std::pair<genome, std::string>> suggested(const genome& from) {
    const auto among = fresh_suggestions(from);
    if (among.empty())
      return {};
    const auto* chosen = context_.draft ? most_promising(among) : drawn(among, random_);
    taken_.insert(chosen);
    return std::pair{joined(from, chosen->moves), "applies " + chosen->name};
  }

  std::pair<genome, std::string> next() {
    std::vector<genome> parents;
    std::vector<bool> failed;
    for (const auto& a : context_.parents)
      if (auto g = parse_genome(a.genome); g && !g->empty()) {
        parents.push_back(std::move(*g));
        failed.push_back(!is_pass(a.verdict));
      }
    if (const bool afresh = context_.draft || parents.empty();
        !context_.suggestions.empty() && (afresh || (parents.size() == 1 && !failed[0])))
      if (auto step = suggested(afresh ? genome{} : parents[0]))
        return std::move(*step);
    if (context_.plans && !reading_.sequences.empty() && (context_.draft || parents.empty()) && sequence_is_due()) {
      const auto& idea = reading_.sequences[next_idea()];
      return {idea[random_.below(idea.size())], "blocks and panels"};
    }
    if (context_.draft)
      return {extend({}, 1 + random_.below(2)), "first draft"};
    if (parents.empty())
      return {extend({}, 2 + random_.below(4)), "starts afresh"};
    if (parents.size() > 1 && random_.chance(0.8)) {
      // The first moves of one and the last of the other: sequences build up from the loops' shape to details.
      const auto& a = parents[0];
      const auto& b = parents[1];
      auto head = random_.below(a.size() + 1);
      auto tail = random_.below(b.size() + 1);
      genome g(a.begin(), a.begin() + static_cast<ptrdiff_t>(head));
      g.insert(g.end(), b.begin() + static_cast<ptrdiff_t>(tail), b.end());
      if (random_.chance(0.3))
        return {mutate(std::move(g), false).first, "combines two and alters a move"};
      return {std::move(g), "combines two"};
    }
    auto out = mutate(parents[0], failed[0]);
    while (random_.chance(0.3)) {
      auto more = mutate(std::move(out.first), false);
      out = {std::move(more.first), out.second + ", " + more.second};
    }
    return out;
  }

  std::string header_of(const genome& g) const {
    std::string header = "/* " + context_.task.entry + ": made from the reference by these moves, in order:\n";
    for (const auto& m : g)
      header += "     " + to_string(m) + "\n";
    return header + "*/\n";
  }

  // Under other flags alone it is the file as written: read and printed anew it might be another to its compiler.
  static bool as_written(const genome& g) { return std::all_of(g.begin(), g.end(), changes_the_build_alone); }

  std::string text_of(const program& p, const genome& g) const {
    return reading_.parsed && !as_written(g) ? print_program(p, header_of(g))
                                             : header_of(g) + context_.reference_source;
  }

  result<proposal> finish(const program& p, const genome& g, std::string step) const {
    proposal out;
    out.language = context_.task.language == "cpp" ? "cpp" : "c";
    out.source = text_of(p, g);
    out.flags = p.flags.empty() ? context_.baseline_flags : p.flags;
    out.genome = to_string(g);
    out.summary = std::move(step);
    return out;
  }

  const synthesis_context& context_;
  reading& reading_;
  environment env_;
  splitmix64 random_;
  int asked_ = 0; // for an idea
  std::map<std::string, int> tried_;
  emphasised_moves emphasis_;
  std::optional<std::vector<suggested_step>> suggested_; // for the context's parent, once asked for
  std::set<const suggested_step*> taken_;                // of these: a second try would end as the first did
};

} // namespace

result<proposal> propose_from(const synthesis_context& context, reading& r) {
  return search{context, r}.run();
}

} // namespace kevolve::transform
