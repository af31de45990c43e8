#include "actors/campaign/replay.hpp"

#include "actors/campaign/campaign_fold.hpp"
#include "actors/search/novelty.hpp"
#include "actors/synthesis/conversation.hpp"
#include "backends/llm/protocol/tokens.hpp"
#include "backends/target.hpp"
#include "runtime/base/choice_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace kevolve {

namespace {

candidate_form form_of(const campaign_spec& spec) {
  const auto hardware = make_target(spec.target, {});
  return hardware ? (*hardware)->form(spec.task.task) : c_form(spec.task.task);
}

class player {
public:
  player(const recording& r, std::vector<std::string> flags) : from(r), form(form_of(r.spec)), menu(std::move(flags)) {}

  replay_report run() {
    for (const auto& e : from.events)
      play(e);
    out.finish = fold.finish;
    const bool same = fold.tree.recognises(from.tree_hash);
    out.tree_hash = fold.tree.hash();
    if (out.difference.empty() && !same)
      out.difference =
          "it ends with tree " + short_string(out.tree_hash) + ", recorded was " + short_string(from.tree_hash);
    return std::move(out);
  }

private:
  std::string text(const std::string& digest) const {
    const auto t = from.texts.find(digest);
    return t == from.texts.end() ? std::string{} : t->second;
  }

  void differs(const journal_event& e, const std::string& what) {
    if (out.difference.empty())
      out.difference = "event " + std::to_string(e.sequence) + " (" + to_string(e.kind) + "): " + what;
  }

  // Asks the policy again, with the same seed and the tree of that moment.
  void choose(const journal_event& e, const selection_record& r) {
    if (r.parents.empty()) {
      differs(e, "a node without a parent");
      return;
    }
    if (r.policy == to_string(steer_action::inject) || r.policy == to_string(steer_action::fork)
        || fold.steered.injected.contains(r.index))
      return; // a person chose
    ++out.choices;
    const auto seed = node_seed(from.spec.seed, fold.tree.size());
    const auto s = select(fold.tree, policy_of(from.spec, fold.steered), seed);
    if (r.seed != seed)
      differs(e, "candidate " + std::to_string(r.index) + " has another seed");
    else if (s.parents != r.parents || s.policy != r.policy || s.memory != r.memory || s.draft != r.draft)
      differs(e, "candidate " + std::to_string(r.index) + " would be made from candidate "
                     + std::to_string(s.parents.front()) + " by " + s.policy + " with memory " + s.memory
                     + "; recorded is candidate " + std::to_string(r.parents.front()) + " by " + r.policy
                     + " with memory " + r.memory);
    choose_generator(e, r);
    choose_emphasis(e, r);
  }

  // Asks the parent's profile again, as it was known at that moment.
  void choose_emphasis(const journal_event& e, const selection_record& r) {
    auto again = r;
    std::erase_if(again.statistics, [](const auto& x) { return x.first.starts_with("profile."); });
    note_emphasis(again, fold, from.spec);
    if (again.statistics != r.statistics)
      differs(e, "candidate " + std::to_string(r.index) + " would follow another profile of candidate "
                     + std::to_string(r.parents.front()));
  }

  // Asks the bandit again, among the generators that could be asked at that moment.
  void choose_generator(const journal_event& e, const selection_record& r) {
    const auto arms = bandit_arms(fold, from.spec);
    const auto chosen = pick_arm(arms, noted_arms(r, arms.size()));
    if (from.spec.generator_choice == drawn_by::bandit && chosen && *chosen != chosen_generator(r))
      differs(e, "candidate " + std::to_string(r.index) + " would be made by generator " + std::to_string(*chosen)
                     + "; recorded is generator " + std::to_string(chosen_generator(r)));
  }

  synthesis::answer_rules rules_of(const selection_record& r) const {
    synthesis::answer_rules rules;
    const auto parent = starts_afresh(r.memory) ? 0 : r.parents.front();
    const auto known = proposals.find(parent);
    const auto first = form.from_reference ? from.spec.task.reference_source : std::string{};
    rules.current = {{form.file, known == proposals.end() ? first : text(known->second.source)}};
    rules.entry = form.landmark;
    rules.flag_menu = menu;
    return rules;
  }

  // In the order of their rounds.
  std::vector<const exchange_record*> exchanges_of(uint64_t node) const {
    std::map<uint32_t, const exchange_record*> by_round;
    for (const auto& x : from.exchanges)
      if (x.id.node == node && x.answered && x.purpose.empty())
        by_round[x.id.round] = &x;
    std::vector<const exchange_record*> out_;
    for (const auto& [round, x] : by_round)
      out_.push_back(x);
    return out_;
  }

  // Replays what the generator made of its model's replies. The last reply ended it, with a candidate or without.
  void read_replies(const journal_event& e, const node_record& node, const selection_record& step) {
    const auto& p = node.proposal;
    const auto name = "the reply for candidate " + std::to_string(node.index);
    const auto asked = exchanges_of(node.index);
    const bool by_model = find_generator_kind(p.generator).asks_model;
    if (asked.empty()) {
      if (by_model)
        differs(e, name + " is not in the record");
      return;
    }
    if (const auto why = no_verdict_of(node.rule); why == no_verdict::withdrawn || why == no_verdict::not_judged)
      return;
    const auto tools = session_of(from.spec, asked.front()->id.generator);
    auto talk = synthesis::begin_conversation(rules_of(step), tools.steps, tools.tokens);
    for (const auto* x : asked) {
      if (!from.texts.contains(x->reply)) {
        differs(e, name + " is not in the record");
        return;
      }
      ++out.replies;
      auto read = synthesis::read_reply(talk, text(x->reply), x->outcome == called_tools, x->tokens);
      if (read.kind == synthesis::reading_kind::calls && x == asked.back()) // the question after it had no answer
        read = synthesis::cut_short(talk, {}, "ended");
      const bool candidate = read.kind == synthesis::reading_kind::candidate;
      if (!candidate && read.kind != synthesis::reading_kind::calls)
        ++out.refused;
      if (candidate && x == asked.back() && !p.source.empty())
        compare(e, name, read.found, p, step);
      else if (candidate && x != asked.back() && repeats(read.found, step))
        continue;                                                              // it was told so, and asked again
      else if (candidate && (x != asked.back() || x->outcome != called_tools)) // a session cut short keeps what it had
        differs(e, name + " holds a candidate now and held none");
      else if (x == asked.back() && !p.source.empty())
        differs(e, name + " holds no candidate now: " + to_string(read.why.what) + ": " + read.why.detail);
    }
  }

  std::string flags_of(const synthesis::answer& read, const selection_record& step) const {
    const auto parent = proposals.find(starts_afresh(step.memory) ? 0 : step.parents.front());
    return !read.flags.empty() || parent == proposals.end() ? read.flags : parent->second.flags;
  }

  // Tells if a reply repeats a judged candidate. Without flags of its own or a parent, it has the menu's first ones,
  // whose name no record holds.
  bool repeats(const synthesis::answer& read, const selection_record& step) const {
    const auto known = [&](const std::string& flags) {
      return known_as(fold, normalised_id(read.files.front().content, form.language, flags)) != 0;
    };
    if (const auto flags = flags_of(read, step); !flags.empty())
      return known(flags);
    return std::any_of(menu.begin(), menu.end(), known);
  }

  void compare(const journal_event& e, const std::string& name, const synthesis::answer& read, const proposal_record& p,
               const selection_record& step) {
    const auto flags = flags_of(read, step);
    if (sha256_hex(read.files.front().content) != p.source || (!flags.empty() && flags != p.flags))
      differs(e, name + " is read as another candidate");
  }

  void tell(const node_record& node) {
    replayed_node n;
    n.index = node.index;
    n.generator = node.proposal.generator;
    n.verdict = to_string(node.result);
    n.rule = node.rule;
    n.speedup = node.speedup;
    n.best = fold.champion.index == 0 ? 1.0 : fold.champion.speedup;
    for (const auto& x : from.exchanges)
      if (x.id.node == node.index) {
        ++n.rounds;
        n.prompt_tokens += x.tokens;
        n.reply_tokens += llm::estimate_tokens(text(x.reply));
      }
    out.candidates.push_back(std::move(n));
  }

  void play(const journal_event& e) {
    if (e.kind == event_kind::node_selected) {
      if (auto r = decode_older<selection_record>(e.payload))
        choose(e, *r);
    } else if (e.kind == event_kind::node_finished) {
      if (auto r = decode_older<node_record>(e.payload)) {
        if (auto step = fold.open.find(r->index); step != fold.open.end() && !step->second.parents.empty())
          read_replies(e, *r, step->second);
        proposals[r->index] = r->proposal;
        ++out.nodes;
        tell(*r);
      }
    }
    kevolve::fold(fold, e);
    if (!fold.mismatch.empty())
      differs(e, fold.mismatch);
  }

  const recording& from;
  const candidate_form form;
  const std::vector<std::string> menu; // of flags
  campaign_fold fold;
  std::map<uint64_t, proposal_record> proposals; // by node
  replay_report out;
};

} // namespace

replay_report replay(const recording& r) {
  std::set<std::string> flags; // those that candidates were built with: the menu of that machine as far as it matters
  for (const auto& e : r.events)
    if (e.kind == event_kind::node_finished)
      if (auto node = decode_older<node_record>(e.payload); node && !node->proposal.flags.empty())
        flags.insert(node->proposal.flags);
  return player{r, {flags.begin(), flags.end()}}.run();
}

} // namespace kevolve
