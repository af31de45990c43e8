#include "actors/campaign/campaign_skills.hpp"

#include "actors/campaign/campaign_generators.hpp"
#include "actors/campaign/skill_choice.hpp"
#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/skill_gate.hpp"
#include "actors/knowledge/skill_text.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/synthesis/step_signals.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/wall_clock.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace kevolve::campaign_steps {

namespace {

const std::vector<std::string>& campaign_signals_of(campaign_state& st) {
  const auto& c = *st.context;
  if (st.signals.empty() && c.hardware) {
    std::string about;
    for (const auto& [what, words] : c.hardware->about())
      about += what + ": " + words + "\n";
    for (const auto& s : synthesis::campaign_signals(fixed_context(c), c.hardware->name(), about))
      st.signals.push_back(knowledge::to_string(s));
  }
  return st.signals;
}

// Returns the signals of a step from that parent: the campaign's, and what its profile says.
std::vector<std::string> signals_of(campaign_state& st, uint64_t parent) {
  auto out = campaign_signals_of(st);
  if (const auto found = st.fold.profiles.find(parent); found != st.fold.profiles.end())
    if (const auto bound = synthesis::bound_signal(found->second.bound); !bound.empty())
      out.push_back("bound:" + bound);
  return out;
}

score figures_of(const campaign_fold& f, uint64_t index) {
  if (index == 0 || index >= f.tree.size())
    return {{1.0, 1.0, 1.0}, verdict::pass, false}; // the reference
  return f.tree.at(index);
}

// Completes what was measured by where and when it was.
skill_application located(campaign_state& st, skill_application a, uint64_t parent, uint64_t child) {
  a.time_ns = wall_clock_ns();
  a.campaign = st.context->id;
  a.parent = parent;
  a.candidate = child;
  a.task = st.context->spec->task.task.name;
  const auto signals = signals_of(st, parent);
  a.hardware = values_of(signals, "hardware");
  a.signals = narrowing_signals(signals);
  return a;
}

// One gain on its way into the book.
struct gain {
  uint64_t parent = 0;
  uint64_t child = 0;
  skill_application measured;
  skill_step step;
  std::string pattern;
  std::string by = "distilled";
  std::function<void()> then; // not empty: the campaign's end waits for it

  void done() const {
    if (then)
      then();
  }
};
using gain_ptr = std::shared_ptr<gain>;

void add_to_book(pointer self, const gain_ptr& g) {
  auto& st = self->state;
  const auto& c = *st.context;
  auto s = distilled_skill(conditions_of(signals_of(st, g->parent), g->pattern), g->step,
                           {c.id, c.name, c.spec->task.task.name, g->parent, g->child, g->by}, g->measured);
  self->request(c.skills, until_answered, atom::add_v, std::move(s))
      .then(
          [self, g](const skill& kept) {
            log::info("campaign", "{}: {} is what candidate {} gained over {}", self->state.context->name,
                      offered_name(kept.id), g->child, g->parent);
            g->done();
          },
          [g](caf::error&) { g->done(); }); // refused, and logged by the book
}

void add_if_any(pointer self, const gain_ptr& g, std::optional<skill_step> step) {
  if (!step) {
    g->done();
    return;
  }
  g->step = std::move(*step);
  add_to_book(self, g);
}

// Returns the generator whose model may be asked for words now; nothing: none may. The end of a campaign does not wait
// for a model: an answer may never come.
std::optional<size_t> writer_of(const campaign_state& st, const gain& g, const proposal_record& after) {
  const auto& c = *st.context;
  for (size_t i = 0; i < c.spec->generators.size() && i < c.generators.size(); ++i)
    if (c.spec->generators[i].kind == after.generator && asks_model(c.spec->generators[i])
        && distil_tokens_of(*c.spec, i) > 0)
      return g.then || st.phase() != campaign_phase::running || !refusal_of(st, i).empty() ? std::nullopt
                                                                                           : std::optional{i};
  return std::nullopt;
}

// Takes the model's words if a skill may hold them.
void add_worded(pointer self, const gain_ptr& g, worded_step& words, std::optional<skill_step> plain) {
  const auto conditions = conditions_of(signals_of(self->state, g->parent), words.pattern);
  const auto wrong = kevolve::refusal_of(distilled_skill(conditions, words.step, {}, g->measured));
  if (!wrong.empty()) {
    log::warn("campaign", "{}: the words for candidate {}'s gain are refused: {}", self->state.context->name, g->child,
              wrong);
    add_if_any(self, g, std::move(plain));
    return;
  }
  g->pattern = std::move(words.pattern);
  g->by = "model";
  add_if_any(self, g, std::move(words.step));
}

// Sends the step between two sources to a model: the lines that differ, and the model's own words where it is asked.
void distil_sources(pointer self, const gain_ptr& g, const proposal_record& child, const std::string& before,
                    const std::string& after) {
  auto& st = self->state;
  auto plain = text_step(child.summary, before, after);
  const auto writer = writer_of(st, *g, child);
  if (!writer) {
    add_if_any(self, g, std::move(plain));
    return;
  }
  gain_texts q{g->child, child.summary, before, after, true, signals_of(st, g->parent), g->measured.log_gain};
  if (plain) {
    q.before = plain->before;
    q.after = plain->after;
    q.whole = false;
  }
  const std::pair key{*writer, g->child};
  st.worded.insert(key);
  self->request(st.context->generators[*writer], until_answered, atom::distil_v, std::move(q))
      .then(
          [self, g, key, plain](worded_step& words) {
            self->state.worded.erase(key);
            add_worded(self, g, words, plain);
          },
          [self, g, key, plain](caf::error&) { // unreadable, withdrawn or refused
            self->state.worded.erase(key);
            add_if_any(self, g, plain);
          });
}

void distil_texts(pointer self, const gain_ptr& g, const proposal_record& before, const proposal_record& after) {
  auto& st = self->state;
  std::vector<stored_value> wanted{{keys::blobs, after.source, {}}};
  if (!before.source.empty())
    wanted.push_back({keys::blobs, before.source, {}});
  self->request(st.context->journal, until_answered, atom::lookup_v, std::move(wanted))
      .then(
          [self, g, before, after](const std::vector<stored_value>& found) {
            const auto text = [&](const std::string& digest) {
              for (const auto& v : found)
                if (v.key == digest)
                  return v.value;
              return self->state.context->spec->task.reference_source;
            };
            distil_sources(self, g, after, text(before.source), text(after.source));
          },
          [g](caf::error&) { g->done(); });
}

// Returns the generator that made the moves of a candidate; null: it was made otherwise.
generator_actor maker_of(const campaign_context& c, const proposal_record& p) {
  for (size_t i = 0; i < c.spec->generators.size() && i < c.generators.size(); ++i)
    if (c.spec->generators[i].kind == p.generator && find_generator_kind(p.generator).has_moves)
      return c.generators[i];
  return {};
}

void distil(pointer self, const gain_ptr& g, const proposal_record& before, const proposal_record& after) {
  const auto maker = maker_of(*self->state.context, after);
  const bool by_moves = maker && (g->parent == 0 || !before.genome.empty());
  if (!by_moves) {
    distil_texts(self, g, before, after);
    return;
  }
  self->request(maker, until_answered, atom::distil_v, before.genome, after.genome)
      .then(
          [self, g](distilled_moves& d) {
            g->step.moves = std::move(d.moves);
            g->pattern = std::move(d.pattern);
            add_to_book(self, g);
          },
          [g](caf::error&) { g->done(); }); // it only left moves out
}

} // namespace

void note_skills(selection_record& r, campaign_state& st, size_t generator) {
  const auto& c = *st.context;
  const auto& kind = find_generator_kind(c.spec->generators[generator].kind);
  if (!c.skills_now || !uses_skills(*c.spec, generator) || (!kind.has_moves && !kind.asks_model))
    return;
  choose_skills(r, st.fold, *c.skills_now->now(), signals_of(st, start_of(r)), kind.has_moves, {wall_clock_ns(), c.id});
}

void note_prior(const campaign_state& st, node_record& r) {
  const auto step = st.fold.open.find(r.index);
  if (step == st.fold.open.end() || r.features.empty())
    return;
  const auto& given = step->second.skills;
  const auto id = applied_skill(given, r.proposal.summary);
  const auto applied = std::find_if(given.begin(), given.end(), [&](const offered_skill& s) { return id == s.id; });
  if (applied != given.end())
    r.features["prior"] = std::exp(applied->gain);
}

void report_applications(pointer self, const node_record& r) {
  auto& st = self->state;
  const auto step = st.fold.open.find(r.index);
  if (!st.context->skills || step == st.fold.open.end() || r.duplicate_of != 0 || r.reused_from)
    return;
  const auto parent = start_of(step->second);
  for (const auto& s : step->second.skills) {
    if (r.proposal.summary.find(offered_name(s.id)) == std::string::npos)
      continue;
    if (auto a = application_of(r, figures_of(st.fold, parent)))
      self->request(st.context->skills, until_answered, atom::apply_v,
                    skill_use{s.id, located(st, std::move(*a), parent, r.index)})
          .then([](const skill&) {}, [](caf::error&) {}); // the book logs what it refuses
  }
}

void keep_gain(pointer self, uint64_t parent, uint64_t child, const score& measured, std::function<void()> then) {
  auto& st = self->state;
  auto g = std::make_shared<gain>();
  g->parent = parent;
  g->child = child;
  g->then = std::move(then);
  auto a = application_of(measured, figures_of(st.fold, parent));
  if (!st.context->skills || st.context->evaluate_only || !a || a->verdict != to_string(verdict::pass)
      || a->log_gain <= 0.0) {
    g->done();
    return;
  }
  g->measured = located(st, std::move(*a), parent, child);
  std::vector<stored_value> wanted{{keys::nodes, keys::node(st.context->id, child), {}}};
  if (parent != 0)
    wanted.push_back({keys::nodes, keys::node(st.context->id, parent), {}});
  self->request(st.context->journal, until_answered, atom::lookup_v, std::move(wanted))
      .then(
          [self, g](const std::vector<stored_value>& found) {
            proposal_record before;
            proposal_record after;
            for (const auto& v : found)
              if (auto node = decode_older<node_record>(v.value))
                (node->index == g->child ? after : before) = std::move(node->proposal);
            if (after.source.empty() || (g->parent != 0 && before.source.empty()))
              g->done();
            else
              distil(self, g, before, after);
          },
          [g](caf::error&) { g->done(); });
}

} // namespace kevolve::campaign_steps
