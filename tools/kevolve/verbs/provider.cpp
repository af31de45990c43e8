// kevolve provider: the services whose language models write candidates.
#include "runtime/node/provider.hpp"
#include "actors/models/provider_calls.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/node/admin/models_json.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

#include <fmt/core.h>

#include <future>
#include <memory>

namespace kevolve {

namespace {

struct provider_options {
  common_options common;
  node_address where;
  std::string name;
  std::string settings = "kevolved.toml";
};
using provider_ptr = std::shared_ptr<provider_options>;

// Returns why the provider is not asked, and until when.
std::string reason_of(const json& x) {
  const auto until = text_at(x, "until");
  return (until.empty() ? "" : "until " + until + ": ") + text_at(x, "reason");
}

// Returns a provider's state in the words of the documents; JSON keeps the stored ones.
std::string provider_state(const json& x) {
  const auto stored = text_at(x, "state");
  if (stored == "resting")
    return "suspended";
  return stored == "at rest" ? "not in use" : stored;
}

void print_providers(const json& all) {
  if (all["items"].empty()) {
    print_out("no provider: this node has no [[provider]] in its settings, and none was ever paid from here\n");
    return;
  }
  std::vector<std::vector<std::string>> rows{{"PROVIDER", "MODEL", "STATE", "CALLS", "TOKENS", "COST", "REASON"}};
  for (const auto& x : all["items"]) {
    const auto& spent = x["spent"];
    rows.push_back({text_at(x, "name"), text_at(x, "model"), provider_state(x),
                    std::to_string(spent["calls"].get<uint64_t>()), std::to_string(spent["tokens"].get<int64_t>()),
                    spent["cost"].is_null()
                        ? "unknown"
                        : fmt::format("{:.4f} {}", spent["cost"].get<double>(), text_at(spent, "currency")),
                    reason_of(x)});
  }
  print_out(table_text(rows));
}

void print_resumed(const json& x) {
  const auto reason = reason_of(x);
  print_out(text_at(x, "name") + (reason.empty() ? " is asked again" : " is still not asked, " + reason) + "\n");
}

constexpr int64_t greeting_tokens = 64; // of the reply, at most

// Returns the smallest question there is, once, over the way that campaigns' questions go.
model_question greeting() {
  model_question q;
  q.turns = {{"user", "Answer with the single word: ready"}};
  q.terms.reply_tokens = greeting_tokens;
  return q;
}

provider_end try_once(const provider_setup& setup, std::string body) {
  provider_end refused;
  refused.unsent = true;
  auto a = attempt_of(setup, std::move(body), true);
  if (!a) {
    refused.what = llm::failure_class::auth;
    refused.words = to_string(refused.what) + ": " + a.error().detail;
    return refused;
  }
  a->limits.content.total = std::chrono::minutes{2};
  std::promise<provider_end> ended;
  auto end = ended.get_future();
  auto handle =
      setup.transport->start(std::move(*a), nullptr, [&ended](const attempt_end& e) { ended.set_value(end_of(e)); });
  if (!handle) {
    refused.what = llm::failure_class::bad_request;
    refused.words = to_string(refused.what) + ": " + handle.error().detail;
    return refused;
  }
  return end.get();
}

void print_tried(const json& x) {
  print_out(fmt::format("{}: {} answered \"{}\"{}\n", text_at(x, "provider"), text_at(x, "model_answered"),
                        printable(text_at(x, "text")),
                        x["cut_off"].get<bool>() ? fmt::format(", cut off at {} tokens", greeting_tokens) : ""));
  const auto count = [&](const char* what) {
    const auto& n = x["tokens"][what];
    return n.is_null() ? std::string{"unknown"} : std::to_string(n.get<int64_t>());
  };
  print_out("  tokens      " + count("input") + " in, " + count("output") + " out\n");
  print_out("  cost        "
            + (x["cost"].is_null() ? std::string{x["priced"].get<bool>() ? "unknown: it does not say what it counted"
                                                                         : "unknown: its settings have no price"}
                                   : fmt::format("{:.6f} {}", x["cost"].get<double>(), text_at(x, "currency")))
            + "\n");
  if (!x["first_content_us"].is_null())
    print_out(fmt::format("  first word  after {:.2f} s\n", x["first_content_us"].get<double>() / 1e6));
}

int try_provider(const provider_options& o) {
  hide_memory(); // it will hold a key
  auto settings = load_node(o.settings);
  if (!settings) {
    tell(settings.error(), o.common.json);
    return exit_code::usage;
  }
  std::string all;
  for (const auto& spec : settings->providers) {
    all += (all.empty() ? "" : ", ") + spec.name;
    if (spec.name != o.name)
      continue;
    auto setup = setup_of(spec, std::make_shared<model_transport>());
    if (!setup)
      return report(setup.error(), o.common.json);
    const auto q = greeting();
    auto body = synthesis::body_of(q, setup->plan);
    if (!body)
      return report(body.error(), o.common.json);
    auto record =
        synthesis::begun(setup->plan, *body, synthesis::worst_of(q, synthesis::size_of(q), setup->plan), 1, 0);
    if (auto key = key_of(*setup); !key)
      return report({errc::bad_input, fmt::format("provider '{}': {}", o.name, key.error().detail)}, o.common.json);
    if (!o.common.quiet)
      print_err(fmt::format("asking {}, for two minutes at most\n", o.name));
    const auto end = try_once(*setup, std::move(*body));
    const bool cut_off = end.what == llm::failure_class::output_truncated; // it talks: that is what was to be seen
    const bool forbidden = end.what == llm::failure_class::auth || end.what == llm::failure_class::permission;
    if (!end.answered && !cut_off)
      return report({forbidden ? errc::unauthorised : errc::unavailable,
                     fmt::format("provider '{}': {}", o.name, printable(end.words))},
                    o.common.json);
    const auto bill = synthesis::bill_of(end, setup->plan);
    const bool priced = llm::find_price(setup->plan.prices, setup->plan.model, "") != nullptr;
    synthesis::ended(record, end, bill, setup->plan.prices.currency, 0);
    auto x = to_json(record);
    x["text"] = end.text;
    x["cut_off"] = cut_off;
    x["priced"] = priced;
    return tell(o.common, x, print_tried);
  }
  return report(
      {errc::not_found, o.settings + " has no provider '" + o.name + "'; it has: " + (all.empty() ? "none" : all)},
      o.common.json);
}

declared_verb* add_verb(declared_verb& parent, const char* name, const char* about, const char* footer,
                        const provider_ptr& o) {
  auto* verb = parent.add_subcommand(name, about);
  verb->footer(footer);
  add_common(*verb, o->common);
  return verb;
}

} // namespace

void add_provider(declared_verb& app, verb_action& chosen) {
  auto* provider = app.add_subcommand("provider", "Services whose language models write candidates");
  provider->footer("Example: kevolve provider test anthropic --node kevolved.toml\n"
                   "They stand as [[provider]] in a node's settings; keys come from the environment or a file.");
  provider->require_subcommand(1);
  auto o = std::make_shared<provider_options>();
  auto* test = add_verb(*provider, "test", "Ask one a question of few words, and say what came of it",
                        "Example: kevolve provider test anthropic --node kevolved.toml", o);
  test->add_option("NAME", o->name, "as the settings call it")->required();
  test->add_option("--node", o->settings, "the node's settings (default: ./kevolved.toml)");
  test->callback([o, &chosen] { chosen = [o] { return try_provider(*o); }; });

  auto* list = add_verb(*provider, "list", "A node's providers: may they be asked, and what was spent with each",
                        "Example: kevolve provider list --json", o);
  add_address(*list, o->where);
  list->callback([o, &chosen] {
    chosen = [o] { return read(o->common, o->where, "/v1/providers?limit=1000", print_providers); };
  });

  auto* resume = add_verb(*provider, "resume", "Ask one again that was put on hold",
                          "Example: kevolve provider resume anthropic", o);
  add_address(*resume, o->where);
  resume->add_option("NAME", o->name, "as the settings call it")->required();
  resume->callback([o, &chosen] {
    chosen = [o] {
      return send(o->common, o->where, "/v1/providers/" + percent_encoded(o->name) + "/resume", json::object(),
                  print_resumed);
    };
  });
}

} // namespace kevolve
