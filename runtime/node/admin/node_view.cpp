#include "runtime/node/admin/node_view.hpp"

#include "actors/keys.hpp"
#include "config/campaign.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/diff.hpp"
#include "runtime/node/admin/exchange_json.hpp"
#include "runtime/node/admin/records_json.hpp"

namespace kevolve {

namespace {

struct node_parts_read {
  campaign_status campaign;
  node_record record;
  campaign_spec spec;
  std::map<uint64_t, node_record> parents;
  json evaluations = json::array();
  json exchanges = json::array(); // with models
};

std::string name_of(uint64_t index) {
  return index == 0 ? "reference" : "node " + std::to_string(index);
}

// The reference stands in the tree as node 0 without a record of its own.
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
  out["exchanges"] = p->exchanges;
  c->reply(out);
}

void read_sources(const call_ptr& c, const std::shared_ptr<node_parts_read>& p) {
  std::vector<wanted_value> wanted;
  if (!p->record.proposal.source.empty())
    wanted.push_back({"source", "blob", p->record.proposal.source});
  for (const auto& [index, parent] : p->parents)
    if (!parent.proposal.source.empty())
      wanted.push_back({"parent " + std::to_string(index), "blob", parent.proposal.source});
  gather(c, wanted, [c, p](const found_values& sources) { reply_with_sources(c, p, sources); });
}

// One after the other.
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
  ask<std::vector<stored_value>>(
      c, c->context->journal,
      [c, p](std::vector<stored_value>& found) {
        read_exchanges(c, p, std::make_shared<std::vector<stored_value>>(std::move(found)), 0);
      },
      atom::scan_v, std::string{keys::index}, keys::exchanges(p->campaign.id, p->record.index), most_rounds);
}

void read_around(const call_ptr& c, const std::shared_ptr<node_parts_read>& p) {
  std::vector<wanted_value> wanted;
  for (auto parent : p->record.parents)
    if (parent != 0)
      wanted.push_back({"parent " + std::to_string(parent), keys::nodes, keys::node(p->campaign.id, parent)});
  for (const auto& id : p->record.evaluations)
    wanted.push_back({"evaluation " + to_string(id), keys::evaluations, keys::evaluation(id)});
  gather(c, wanted, [c, p](const found_values& found) {
    for (auto parent : p->record.parents)
      if (auto i = found.find("parent " + std::to_string(parent)); i != found.end())
        if (auto record = decode<node_record>(i->second))
          p->parents[parent] = std::move(*record);
    for (const auto& id : p->record.evaluations)
      if (auto i = found.find("evaluation " + to_string(id)); i != found.end())
        if (auto record = decode<evaluation_record>(i->second))
          p->evaluations.push_back(to_json(*record));
    find_exchanges(c, p);
  });
}

// A node that has been selected but not yet proposed has no record: its actor knows it.
void ask_live(const call_ptr& c, const std::shared_ptr<node_parts_read>& p, uint64_t index) {
  auto absent = [c, p, index](const failure& why) {
    if (why.code == errc::not_found)
      c->refuse(failure{errc::not_found,
                        "campaign " + short_string(p->campaign.id) + " has no node " + std::to_string(index)});
    else
      c->refuse(why);
  };
  with_campaign_actor(
      c, p->campaign.id,
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
  struct gathering {
    found_values found;
    size_t awaited = 0;
    bool failed = false;
    std::function<void(const found_values&)> then;
  };
  auto g = std::make_shared<gathering>();
  g->awaited = wanted.size();
  g->then = std::move(then);
  if (wanted.empty()) {
    g->then(g->found);
    return;
  }
  auto one_less = [g] {
    if (--g->awaited == 0 && !g->failed)
      g->then(g->found);
  };
  auto otherwise = [c, g, one_less](const failure& why) {
    if (why.code != errc::not_found && !g->failed) {
      g->failed = true;
      c->refuse(why);
    }
    one_less();
  };
  for (const auto& w : wanted) {
    auto keep = [g, one_less, name = w.name](std::string& bytes) {
      g->found[name] = std::move(bytes);
      one_less();
    };
    if (w.family == "blob")
      ask_or<std::string>(c, c->context->journal, keep, otherwise, atom::blob_v, w.key);
    else
      ask_or<std::string>(c, c->context->journal, keep, otherwise, atom::lookup_v, w.family, w.key);
  }
}

void reply_node(const call_ptr& c, const campaign_status& of, uint64_t index) {
  auto p = std::make_shared<node_parts_read>();
  p->campaign = of;
  gather(c, {{"submission", keys::index, keys::campaign(of.id)}, {"record", keys::nodes, keys::node(of.id, index)}},
         [c, p, index](const found_values& found) {
           if (auto i = found.find("submission"); i != found.end())
             if (auto submission = decode<campaign_submission>(i->second))
               if (auto spec = decode_older<campaign_spec>(submission->spec))
                 p->spec = std::move(*spec);
           if (index == 0) {
             c->reply(reference_json(*p));
             return;
           }
           auto i = found.find("record");
           if (i == found.end()) {
             ask_live(c, p, index);
             return;
           }
           auto record = decode<node_record>(i->second);
           if (!record) {
             c->refuse(record.error());
             return;
           }
           p->record = std::move(*record);
           read_around(c, p);
         });
}

} // namespace kevolve
