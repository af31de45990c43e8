// kevolve explain: why a campaign's best is as fast as it is, and what would unlock more.
#include "actors/evaluation/explanation.hpp"
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/explain_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <memory>

namespace kevolve {

namespace {

struct explain_options {
  common_options common;
  node_address where;
  std::string id;
};

// Reads the directory itself: no node has it.
result<json> explain_here(const explain_options& o, const id128& campaign) {
  store_options look;
  look.create = false;
  look.read_only = true;
  auto data = store::open(o.where.data, look);
  if (!data)
    return tl::unexpected(data.error());
  profiler_settings settings;
  settings.helper_dir = helper_directory();
  auto found = explain_campaign({**data, settings}, campaign);
  if (!found)
    return tl::unexpected(found.error());
  return json::parse(found->dump(-1, ' ', false, json::error_handler_t::replace));
}

int explain(const explain_options& o) {
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  const auto named = campaign_or_only(**node, o.id);
  if (!named)
    return report(named.error(), o.common.json);
  const auto path = "/v1/campaigns/" + percent_encoded(*named);
  auto found = (*node)->get((*node)->offline() ? path : path + "/explanation");
  if (found && (*node)->offline()) {
    node->reset(); // its share of the directory's lock
    found = explain_here(o, parse_id(text_at(*found, "id")));
  }
  if (!found)
    return report(found.error(), o.common.json);
  print_out(o.common.json ? to_text(*found) + "\n" : explanation_text(*found));
  return exit_code::ok;
}

} // namespace

void add_explain(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<explain_options>();
  auto* verb = app.add_subcommand("explain", "Why the best is as fast as it is, and what would unlock more");
  verb->footer("Example: kevolve explain 1a2b\n"
               "It names what bounds the best candidate, the reference's loops that stayed as they were with the\n"
               "reason, the rewrite or assertion that would unlock each, and what was tried without gain.");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return explain(*o); }; });
}

} // namespace kevolve
