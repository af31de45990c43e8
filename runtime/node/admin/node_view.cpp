#include "runtime/node/admin/node_view.hpp"

#include "actors/journal/journal.hpp"
#include "actors/messages/keys.hpp"
#include "config/campaign.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/diff.hpp"
#include "runtime/node/admin/exchange_json.hpp"
#include "runtime/node/admin/given_skills.hpp"
#include "runtime/node/admin/records_json.hpp"

namespace kevolve {

namespace {

struct node_parts_read {
  id128 campaign;
  node_record record;
  campaign_spec spec;
  bool ended = false; // true if the campaign has ended
  std::map<uint64_t, node_record> parents;
  json evaluations = json::array();
  baseline_figures baselines;     // of its last evaluation beside them
  json exchanges = json::array(); // with models
  json skills = nullptr;          // that its step was given
};

std::string name_of(uint64_t index) {
  return index == 0 ? "reference" : "candidate " + std::to_string(index);
}

// The reference is node 0 of the tree and has no record of its own.
json reference_json(const node_parts_read& p) {
  const auto& t = p.spec.task;
  return {{"index", 0},
          {"reference", true},
          {"language", t.task.language},
          {"source", t.reference_source},
          {"path", t.reference_path},
          {"speedup", 1.0}};
}

void reply_with_sources(const call_ptr& c, const std::shared_ptr<node_parts_read>& p, const found_values& sources) {
  auto out = to_json(p->record);
  if (p->ended && p->record.state != candidate_state::finished)
    out["state"] = "abandoned"; // as the tree says it
  auto own = sources.find("source");
  out["source"] = own == sources.end() ? json(nullptr) : json(own->second);
  const auto& reference = p->spec.task.reference_source;
  auto differences = json::array();
  for (auto parent : p->record.parents) {
    auto theirs = sources.find("parent " + std::to_string(parent));
    if (own == sources.end() || (parent != 0 && theirs == sources.end()))
      continue;
    const auto& before = parent == 0 ? reference : theirs->second;
    differences.push_back(
        {{"parent", parent}, {"diff", unified_diff(before, own->second, name_of(parent), name_of(p->record.index))}});
  }
  out["diff_to_parents"] = std::move(differences);
  out["diff_to_reference"] = own == sources.end()
                                 ? json(nullptr)
                                 : json(unified_diff(reference, own->second, "reference", name_of(p->record.index)));
  out["evaluations"] = p->evaluations;
  add_baselines(out, p->baselines);
  out["exchanges"] = p->exchanges;
  out["skills"] = p->skills;
  c->reply(out);
}

void read_sources(const call_ptr& c, const std::shared_ptr<node_parts_read>& p) {
  std::vector<wanted_value> wanted;
  if (!p->record.proposal.source.empty())
    wanted.push_back({"source", keys::blobs, p->record.proposal.source});
  for (const auto& [index, parent] : p->parents)
    if (!parent.proposal.source.empty())
      wanted.push_back({"parent " + std::to_string(index), keys::blobs, parent.proposal.source});
  gather(c, wanted, [c, p](const found_values& sources) { reply_with_sources(c, p, sources); });
}

// Reads the exchanges one after the other.
void read_exchanges(const call_ptr& c, const std::shared_ptr<node_parts_read>& p,
                    const std::shared_ptr<std::vector<stored_value>>& found, size_t next) {
  if (next == found->size()) {
    read_sources(c, p);
    return;
  }
  auto record = decode_older<exchange_record>((*found)[next].value);
  if (!record) {
    read_exchanges(c, p, found, next + 1);
    return;
  }
  with_exchange(c, *record, [c, p, found, next](json x) {
    p->exchanges.push_back(std::move(x));
    read_exchanges(c, p, found, next + 1);
  });
}

void find_exchanges(const call_ptr& c, const std::shared_ptr<node_parts_read>& p) {
  const auto prefix = keys::exchanges(p->campaign, p->record.index);
  auto go_on = [c, p](std::vector<stored_value>& found) {
    read_exchanges(c, p, std::make_shared<std::vector<stored_value>>(std::move(found)), 0);
  };
  if (c->self != nullptr || !c->context->data) {
    ask<std::vector<stored_value>>(c, c->context->journal, go_on, atom::scan_v, std::string{keys::index}, prefix,
                                   most_rounds);
    return;
  }
  auto found = scan_rows(*c->context->data, keys::index, prefix, most_rounds);
  if (found)
    go_on(*found);
  else
    c->refuse(found.error());
}

void read_around(const call_ptr& c, const std::shared_ptr<node_parts_read>& p) {
  std::vector<wanted_value> wanted;
  for (auto parent : p->record.parents)
    if (parent != 0)
      wanted.push_back({"parent " + std::to_string(parent), keys::nodes, keys::node(p->campaign, parent)});
  for (const auto& id : p->record.evaluations)
    wanted.push_back({"evaluation " + to_string(id), keys::evaluations, keys::evaluation(id)});
  gather(c, wanted, [c, p](const found_values& found) {
    for (auto parent : p->record.parents)
      if (auto i = found.find("parent " + std::to_string(parent)); i != found.end())
        if (auto record = decode_older<node_record>(i->second))
          p->parents[parent] = std::move(*record);
    for (const auto& id : p->record.evaluations)
      if (auto i = found.find("evaluation " + to_string(id)); i != found.end())
        if (auto record = decode_older<evaluation_record>(i->second)) {
          p->evaluations.push_back(to_json(*record));
          if (auto beside = baselines_of(record->outcome.evidence); !beside.empty())
            p->baselines = std::move(beside);
        }
    with_given_skills(c, p->campaign, p->record, [c, p](json given) {
      p->skills = std::move(given);
      find_exchanges(c, p);
    });
  });
}

// A node that has been selected but not yet proposed has no record, so its actor is asked.
void ask_live(const call_ptr& c, const std::shared_ptr<node_parts_read>& p, uint64_t index) {
  auto absent = [c, p, index](const failure& why) {
    if (why.code == errc::not_found)
      c->refuse(failure{errc::not_found,
                        "campaign " + short_string(p->campaign) + " has no candidate " + std::to_string(index)});
    else
      c->refuse(why);
  };
  with_campaign_actor(
      c, p->campaign,
      [c, p, index, absent](const campaign_actor& whom) {
        ask_or<node_record>(
            c, whom,
            [c, p](node_record& r) {
              p->record = std::move(r);
              read_around(c, p);
            },
            absent, atom::node_v, index);
      },
      absent);
}

} // namespace

void gather(const call_ptr& c, const std::vector<wanted_value>& wanted, std::function<void(const found_values&)> then) {
  if (wanted.empty()) {
    then({});
    return;
  }
  std::vector<stored_value> asked;
  for (const auto& w : wanted)
    asked.push_back({w.family, w.key, {}});
  auto give = [wanted, then = std::move(then)](const std::vector<stored_value>& there) {
    found_values found;
    for (const auto& v : there)
      for (const auto& w : wanted)
        if (w.family == v.family && w.key == v.key)
          found[w.name] = v.value;
    then(found);
  };
  if (c->self != nullptr || !c->context->data) {
    ask<std::vector<stored_value>>(
        c, c->context->journal, [give](std::vector<stored_value>& there) { give(there); }, atom::lookup_v, asked);
    return;
  }
  if (auto there = look_up(*c->context->data, std::move(asked)))
    give(*there);
  else
    c->refuse(there.error());
}

void reply_node(const call_ptr& c, const id128& of, uint64_t index) {
  auto p = std::make_shared<node_parts_read>();
  p->campaign = of;
  gather(c,
         {{"submission", keys::index, keys::campaign(of)},
          {"status", keys::index, keys::status(of)},
          {"record", keys::nodes, keys::node(of, index)}},
         [c, p, index](const found_values& found) {
           auto submitted = found.find("submission");
           if (submitted == found.end()) {
             c->refuse(failure{errc::not_found, "no campaign " + to_string(p->campaign)});
             return;
           }
           if (auto submission = decode<campaign_submission>(submitted->second))
             if (auto spec = decode_older<campaign_spec>(submission->spec))
               p->spec = std::move(*spec);
           if (auto stored = found.find("status"); stored != found.end())
             if (auto s = decode_older<campaign_status>(stored->second))
               p->ended = has_ended(s->state);
           if (index == 0) {
             c->reply(reference_json(*p));
             return;
           }
           auto i = found.find("record");
           if (i == found.end()) {
             ask_live(c, p, index);
             return;
           }
           auto record = decode_older<node_record>(i->second);
           if (!record) {
             c->refuse(record.error());
             return;
           }
           p->record = std::move(*record);
           read_around(c, p);
         });
}

} // namespace kevolve
