#include "tools/bench/skills/skill_campaign.hpp"

#include "actors/campaign/skill_choice.hpp"
#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/skill_gate.hpp"
#include "actors/search/axes.hpp"
#include "actors/synthesis/context.hpp"
#include "actors/synthesis/step_skills.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>

namespace kevolve::bench {

namespace {

constexpr uint64_t first_candidates = 5;
constexpr uint64_t steps_a_candidate = 4; // a campaign ends if so many steps bring nothing
// The clock of skills: an application ages by days, so that moments within a benchmark are one.
constexpr int64_t now_ns = 1;

class campaign {
public:
  campaign(const campaign_ground& ground, const campaign_plan& plan, candidate_judge& judge, skill_shelf& shelf)
      : ground_(ground), plan_(plan), judge_(judge), shelf_(shelf) {}

  result<campaign_course> run() {
    auto maker = make_generator("transform");
    if (!maker)
      return tl::unexpected(maker.error());
    maker_ = std::move(*maker);
    const auto most = plan_.candidates * steps_a_candidate;
    while (out_.judged < plan_.candidates && fold_.tree.size() <= most && !is_at_the_goal())
      if (auto ok = step(); !ok)
        return tl::unexpected(ok.error());
    if (fold_.champion.index != 0) // as at a campaign's end: the whole way from the reference
      keep_gain(0, fold_.champion.index, champion_);
    return std::move(out_);
  }

private:
  bool is_at_the_goal() const { return plan_.goal > 0.0 && out_.best >= plan_.goal; }

  selection_record selected() {
    const auto index = fold_.tree.size();
    const auto seed = node_seed(plan_.seed, index);
    auto s = select(fold_.tree, plan_.policy, seed);
    const auto switched = s.switched;
    auto r = record_of(std::move(s), index, seed);
    if (plan_.with_skills)
      choose_skills(r, fold_, shelf_.index(), ground_.signals, true, {now_ns, plan_.id});
    if (switched)
      fold_switched(fold_, {index, {}, to_string(switched->to), switched->reason});
    fold_selected(fold_, r);
    return r;
  }

  synthesis_context context_of(const selection_record& r) const {
    auto q = to_request(to_step(fold_, r), ancestors_);
    auto c = ground_.context;
    c.plans = plan_.plans;
    c.draft = q.draft;
    c.draft_index = q.draft_index;
    c.parents = std::move(q.parents);
    c.siblings = std::move(q.siblings);
    c.seen = std::move(q.seen);
    c.seed = q.seed;
    c.suggestions = synthesis::suggestions_of(q.skills);
    return c;
  }

  result<void> step() {
    const auto r = selected();
    const auto from = std::chrono::steady_clock::now();
    const auto made = maker_->propose(context_of(r));
    out_.propose_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    node_record n;
    n.index = r.index;
    n.parents = r.parents;
    if (!made) {
      ++out_.without;
      fold_finished(fold_, n);
      return {};
    }
    n.proposal.index = r.index;
    n.proposal.genome = made->genome;
    n.proposal.summary = made->summary;
    n.proposal.flags = made->flags;
    auto judged = judge_.measure(*made);
    if (!judged)
      return tl::unexpected(judged.error());
    n.set_score(judged->figures);
    n.features = features_of(made->source, made->genome);
    if (const auto twin = codes_.find(judged->code); !judged->code.empty() && twin != codes_.end())
      n.duplicate_of = twin->second;
    else {
      codes_.emplace(judged->code, r.index);
      ++out_.judged; // one with the machine code of another is not measured again
    }
    const bool is_valid = n.result == verdict::pass;
    out_.valid += is_valid ? 1U : 0U;
    out_.given += r.skills.empty() ? 0U : 1U;
    const auto used = applied_skill(r.skills, n.proposal.summary);
    if (used) {
      ++out_.applied;
      out_.first_steps += r.index <= first_candidates ? 1U : 0U;
    }
    if (is_valid && n.duplicate_of == 0 && n.speedup > out_.best) {
      // A candidate whose first figure beats the champion is measured again; that figure is its own from then on.
      const auto again = judge_.confirm(judged->code);
      if (!again)
        return tl::unexpected(again.error());
      n.set_score(*again);
      n.confirmed = n.result == verdict::pass && n.speedup > out_.best;
    }
    if (used && n.duplicate_of == 0)
      report(r, n, *used);
    fold_.confirmations.emplace(r.index, confirmation_record{}); // as if each surprise had been audited
    fold_finished(fold_, n);
    ancestors_[r.index] = to_ancestor(n, made->source);
    if (n.confirmed)
      promote(n, used.has_value());
    return {};
  }

  void promote(const node_record& n, bool by_skill) {
    const bool is_gain = n.ci_low > out_.best;
    out_.best = n.speedup;
    out_.curve.emplace_back(out_.judged, out_.best);
    out_.by_skill += by_skill ? 1U : 0U;
    champion_ = n;
    genomes_[n.index] = n.proposal.genome;
    champion_record c;
    c.index = n.index;
    c.set_speedup(n);
    fold_champion_changed(fold_, c);
    if (is_gain)
      keep_gain(n.parents.empty() ? 0 : n.parents.front(), n.index, n);
  }

  score figures_of(uint64_t index) const {
    if (index == 0)
      return {{1.0, 1.0, 1.0}, verdict::pass, false}; // the reference
    return fold_.tree.at(index);
  }

  std::string genome_of(uint64_t index) const {
    if (const auto known = genomes_.find(index); known != genomes_.end())
      return known->second;
    const auto known = ancestors_.find(index);
    return known == ancestors_.end() ? std::string{} : known->second.genome;
  }

  skill_application located(skill_application a, uint64_t parent, uint64_t child) const {
    a.time_ns = now_ns;
    a.campaign = plan_.id;
    a.parent = parent;
    a.candidate = child;
    a.task = ground_.context.task.name;
    a.hardware = values_of(ground_.signals, "hardware");
    a.signals = narrowing_signals(ground_.signals);
    return a;
  }

  void report(const selection_record& r, const node_record& n, const id128& used) {
    const auto parent = start_of(r);
    out_.trials.push_back({out_.judged, short_string(used), figures_of(parent).speedup,
                           n.result == verdict::pass ? n.speedup : 0.0, n.proposal.genome});
    if (auto a = application_of(n, figures_of(parent)))
      shelf_.apply({used, located(std::move(*a), parent, r.index)}, now_ns);
  }

  void keep_gain(uint64_t parent, uint64_t child, const score& measured) {
    auto a = application_of(measured, figures_of(parent));
    if (!a || a->verdict != to_string(verdict::pass) || a->log_gain <= 0.0)
      return;
    const auto before = parent == 0 ? std::string{} : genome_of(parent);
    if (parent != 0 && before.empty())
      return;
    auto moves = maker_->distil(ground_.context, before, genome_of(child));
    if (!moves)
      return; // it only left moves out
    skill_step step;
    step.moves = std::move(moves->moves);
    const auto& task = ground_.context.task.name;
    const auto refused =
        shelf_.add(distilled_skill(conditions_of(ground_.signals, std::move(moves->pattern)), std::move(step),
                                   {plan_.id, task, task, parent, child, "distilled"}, located(*a, parent, child)),
                   now_ns);
    out_.refused += refused.empty() ? 0U : 1U;
  }

  const campaign_ground& ground_;
  const campaign_plan& plan_;
  candidate_judge& judge_;
  skill_shelf& shelf_;
  std::unique_ptr<generator> maker_;
  campaign_fold fold_;
  std::map<uint64_t, ancestor> ancestors_;
  std::map<uint64_t, std::string> genomes_; // of champions, before their steps have ended
  std::map<std::string, uint64_t> codes_;   // the first node with each machine code
  score champion_;
  campaign_course out_;
};

} // namespace

result<campaign_course> run_campaign(const campaign_ground& ground, const campaign_plan& plan, candidate_judge& judge,
                                     skill_shelf& shelf) {
  return campaign{ground, plan, judge, shelf}.run();
}

} // namespace kevolve::bench
