#include "config/settings.hpp"
#include "config/settings_reference.hpp"
#include "config/task_module.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"
#include "tests/config/load_any.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string good(const std::string& name) {
  return (source_folder() / "tests/config/good" / name).string();
}

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("every good file, shipped task and example loads") {
  for (const auto* folder :
       {"tests/config/good", "config/tasks", "config/tasks/gpu", "config/examples", "config/examples/gpu"})
    for (const auto& file : toml_files(source_folder() / folder)) {
      CAPTURE(file.string());
      CHECK(to_string(load_any(file.string())) == "");
    }
}

TEST_CASE("the operators in the repository and their campaigns exist") {
  for (const auto* name : {"gemm", "softmax", "layernorm", "map_id", "batch_event_truncate"})
    CHECK(load_campaign((source_folder() / "config/examples" / (std::string{name} + ".toml")).string()).has_value());
}

TEST_CASE("keys have bounds where the task asserts a range of them, and else none") {
  const auto keys_of = [](const std::string& more) {
    const auto text = read_file((source_folder() / "config/tasks/map_id.task.toml").string()) + more;
    const auto folder = std::filesystem::temp_directory_path() / ("kevolve-keys-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream{folder / "map_id.c"} << read_file((source_folder() / "config/tasks/map_id.c").string());
    std::ofstream{folder / "keys.task.toml"} << text;
    auto loaded = load_task((folder / "keys.task.toml").string());
    std::filesystem::remove_all(folder);
    REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
    return find_argument(loaded->task, "table")->fill.high;
  };
  CHECK(keys_of("") < 100.0);
  CHECK(keys_of("\n[[assert]]\nkind = \"range\"\nargument = \"table\"\nlow = \"0\"\n") == 0x1.0p53);
}

TEST_CASE("every form of a task reaches the contract") {
  auto loaded = load_task(good("every.task.toml"));
  REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
  const auto& c = loaded->task;
  const auto& at = [&](const char* name) -> const argument& { return *find_argument(c, name); };
  CHECK(c.name == "every");
  CHECK(c.arguments.size() == 19);
  CHECK(at("off").fill.distribution == "offsets");
  CHECK(at("off").fill.of == "len");
  CHECK(at("values").fill.of == "table");
  CHECK(at("values").fill.hit == 0.5);
  CHECK(at("x").role == argument_role::inout);
  CHECK(at("x").type == dtype::f16);
  CHECK(at("x").strides == std::vector<std::string>{"cols+8", "1"});
  CHECK(at("x").align == 128);
  CHECK_FALSE(at("len").alias);
  CHECK(at("x").edge.size() == 3);
  CHECK(at("x").nonfinite_match);
  CHECK(at("w").is_static);
  CHECK(at("w").fill.std == 0.5);
  CHECK(at("mask").fill.distribution == "integer");
  CHECK(at("mask").fill.high == 1.0);
  CHECK(at("small").shape == std::vector<std::string>{"1"});
  CHECK(at("y").extent == "n_out");
  CHECK(at("y").tail_untouched);
  CHECK(!at("z").tail_untouched);
  CHECK(size_rule_of(at("groups")).least == 3);
  CHECK(size_rule_of(at("cols")).step == 1);
  CHECK_FALSE(declared_sizes_only(c));
  CHECK(at("eps").has_value);
  CHECK(at("eps").value == 1e-5);
  CHECK(!at("scale").has_value);
  CHECK(at("scale").range_high == 2.0);
  REQUIRE(c.derived.size() == 3);
  CHECK(c.derived[1].first == "zeta"); // file order, not alphabetical
  CHECK(c.derived[2].first == "total");
  REQUIRE(c.shapes.size() == 2);
  CHECK(c.shapes[0].name == "groups=64 cols=100");
  CHECK(c.shapes[0].weight == 2.0);
  CHECK(c.shapes[1].held_out);
  CHECK(tolerance_for(c, at("dw")).absolute == 1e-3);
  CHECK(tolerance_for(c, at("z")).mode == tolerance_mode::ulp);
  CHECK(tolerance_for(c, at("y")).limit == 8.0);
  CHECK(tolerance_for(c, at("n_out")).mode == tolerance_mode::exact);
  CHECK(tolerance_for(c, at("x")).relative == 1e-4);
  CHECK(c.threads);
  CHECK(c.libraries == std::vector<std::string>{"openblas"});
  CHECK(c.timing.cold_cache);
  CHECK(c.timing.outputs_not_read);
  CHECK(c.timing.tf32 == tf32_use::off);
  CHECK(c.work_bytes == "8*items + 4*groups*cols");
  CHECK(loaded->oracle_entry == "every_f64");
  CHECK(loaded->oracle_source == "void every_f64(void) {}\n");
  CHECK(loaded->reference_source == "void every(void) {}\n");
  CHECK(loaded->goal_speedup == 1.5);
  CHECK(loaded->text.starts_with("# Every form"));
}

TEST_CASE("one [tolerance] table applies to all outputs") {
  auto loaded = load_task(good("plain.task.toml"));
  REQUIRE(loaded);
  CHECK_FALSE(loaded->task.timing.outputs_not_read); // outputs are read unless a task says otherwise
  CHECK(loaded->task.timing.tf32 == tf32_use::by_default);
  REQUIRE(loaded->task.tolerances.size() == 1);
  CHECK(loaded->task.tolerances[0].argument.empty());
  CHECK(loaded->task.language == "cpp");
}

TEST_CASE("a task keeps the module that its reference was made from, and the origins of its arguments") {
  auto loaded = load_task(good("module.task.toml"));
  REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
  REQUIRE(loaded->files.size() == 1);
  CHECK(loaded->files.at("module.py") == read_text_file(good("module.py")));
  const auto found = module_origins(loaded->text);
  REQUIRE(found);
  CHECK(found->file == "module.py");
  CHECK(found->entry == "Model");
  CHECK(found->kind == "module");
  CHECK(found->origins.size() == 5);
  CHECK(found->origins.at("norm_weight") == argument_origin{origin_kind::parameter, 0, "norm.weight"});
  CHECK(found->origins.at("scale") == argument_origin{origin_kind::constant, 0, ""});
  CHECK_FALSE(module_origins(load_task(good("plain.task.toml"))->text));
  CHECK_FALSE(module_origins("[task"));
}

TEST_CASE("an origin is a kind and a place") {
  CHECK(parse_origin("buffer bn.running_mean") == argument_origin{origin_kind::buffer, 0, "bn.running_mean"});
  CHECK(to_string(*parse_origin("output 12")) == "output 12");
  CHECK(parse_origin("constant 2 part.mask") == argument_origin{origin_kind::constant, 2, "part.mask"});
  CHECK(to_string(*parse_origin("constant 2 part.mask")) == "constant 2 part.mask");
  for (const auto* wrong : {"", "input", "input ", "input x", "input +1", "input 01", "inputs 0", "parameter a b",
                            "input 0 x", "constant 0 ", "constant 0 a b"})
    CHECK_MESSAGE(!parse_origin(wrong), wrong);
}

TEST_CASE("the module of a task does not change the contract") {
  const auto with = load_task(good("module.task.toml"));
  REQUIRE(with);
  auto text = with->text.substr(0, with->text.find("[module]"));
  for (auto at = text.find("origin = "); at != std::string::npos; at = text.find("origin = "))
    text.erase(at, text.find('\n', at) - at);
  const auto folder = std::filesystem::temp_directory_path() / ("kevolve-test-module-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "every.c"} << with->reference_source;
  std::ofstream{folder / "without.task.toml"} << text;
  const auto without = load_task((folder / "without.task.toml").string());
  std::filesystem::remove_all(folder);
  REQUIRE_MESSAGE(without.has_value(), to_string(errors_of(without)));
  CHECK(contract_id(without->task) == contract_id(with->task));
}

namespace {

// Returns the members that a campaign has had since record version 4, as they are stored.
std::string since_version_4(const campaign_spec& x) {
  return encode(x.baselines_limit_s) + encode(x.sanitised_limit_s) + encode(x.beam_width) + encode(x.evolution)
         + encode(x.stall) + encode(x.memory_choice) + encode(x.selection_rules) + encode(x.generator_choice)
         + encode(x.ask_again) + encode(x.diagnosis_tokens) + encode(x.profile) + encode(x.evolution.axes)
         + encode(x.skills) + encode(x.plans) + encode(x.distil_tokens) + encode(x.documents);
}

} // namespace

TEST_CASE("a campaign's id ignores paths and members of later versions that have their defaults") {
  auto spec = *load_campaign(good("plain.toml"));
  const auto before = identity_bytes(spec);
  auto whole = encode(spec);
  CHECK(before.size() < whole.size());
  auto moved = spec;
  moved.task.path = "elsewhere";
  CHECK(identity_bytes(moved) == before);
  // The bytes of a version without the last members are the identity, as that version made it.
  moved.path = moved.task.path = moved.task.reference_path = moved.task.oracle_path = "";
  const auto later =
      encode(moved.fresh) + encode(moved.from_reference) + encode(moved.task.files) + since_version_4(moved);
  CHECK(encode(moved) == before + later);
  auto fresh = spec;
  fresh.fresh = true;
  CHECK(identity_bytes(fresh) == before + encode(true));
  auto with_module = spec;
  with_module.task.files["m.py"] = "pass";
  CHECK(identity_bytes(with_module) == before + encode(false) + encode(true) + encode(with_module.task.files));
  // Settings of a policy are part of the id where they differ from their defaults; the selection rules never are.
  CHECK(spec.selection_rules == current_selection_rules);
  auto ruled = spec;
  ruled.selection_rules = 0;
  CHECK(identity_bytes(ruled) == before);
  // These follow from the file: what it says of them is part of its text.
  ruled.generator_choice = "bandit";
  ruled.ask_again = 0;
  ruled.diagnosis_tokens = {500};
  ruled.distil_tokens = {500};
  ruled.documents = {0};
  CHECK(identity_bytes(ruled) == before);
  auto others = std::vector<campaign_spec>(4, spec);
  others[0].beam_width = 3;
  others[1].evolution.islands = 5;
  others[2].stall.restarts = 0.0;
  others[3].memory_choice = "bandit";
  std::set<std::string> ids{before};
  for (const auto& other : others)
    CHECK(ids.insert(identity_bytes(other)).second);
  for (auto member : {&campaign_spec::baselines_limit_s, &campaign_spec::sanitised_limit_s}) {
    auto limited = spec;
    limited.*member = 8.0;
    CHECK(identity_bytes(limited) != before);
  }
}

TEST_CASE("every form of a campaign is kept") {
  auto loaded = load_campaign(good("mixed.toml"));
  REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
  CHECK(loaded->task.task.name == "every");
  CHECK(loaded->seed == 18);
  CHECK(loaded->generators.size() == 4);
  CHECK(loaded->generators[0].weight == 0.5);
  CHECK(loaded->generators[3].kind == "configurations");
  CHECK(loaded->search.policies == std::map<std::string, double>{{"uct", 0.7}, {"greedy", 0.3}});
  CHECK(loaded->search.exploration == 1.4);
  CHECK(loaded->search.in_flight == 8);
  CHECK(loaded->memory.both == 0.5);
  CHECK(loaded->draft_candidates == 0);
  CHECK(loaded->budget.candidates == 300);
  CHECK(loaded->budget.wall_s == 5400.0);
  CHECK(loaded->budget.device_s == 90.0);
  CHECK(loaded->budget.cost == 12.5);
  CHECK(loaded->stop.speedup == 8.0);
  CHECK(loaded->stop.stall == 80);
  CHECK(loaded->judge.false_discovery == 0.1);
  CHECK(loaded->judge.keep_samples == 30);
  CHECK(loaded->compile_limit_s == 90.0);
  CHECK(loaded->baselines_limit_s == 420.0);
  CHECK(model_of(*loaded, 2).in_flight == 2);
  CHECK(model_of(*loaded, 2).context_tokens == 32'000);
  CHECK(model_of(*loaded, 2).reply_tokens == 8'000);
  CHECK(model_of(*loaded, 3).in_flight == 4);
}

TEST_CASE("where models alone propose, one generation of drafts comes first, and later steps improve them") {
  const auto with = [](std::vector<std::string> settings) {
    auto loaded = load_campaign(good("plain.toml"), settings);
    REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
    return std::move(*loaded);
  };
  const std::string both = "generator=[{kind='relay',in_flight=3},{kind='transform',weight=";
  const auto models = with({both + "0}]"});
  CHECK(models.draft_candidates == 3);
  CHECK_FALSE(models.from_reference);
  const auto mixed = with({both + "1}]"});
  CHECK(mixed.draft_candidates == 10);
  CHECK(mixed.from_reference);
  const auto given = with({both + "0}]", "draft.candidates=7", "search.from_reference=true"});
  CHECK(given.draft_candidates == 7);
  CHECK(given.from_reference);
}

TEST_CASE("a campaign without a target speedup takes the task's goal") {
  auto loaded = load_campaign(good("plain.toml"));
  REQUIRE(loaded);
  CHECK(loaded->stop.speedup == 1.5);
  CHECK(loaded->search.policies == std::map<std::string, double>{{"adaptive", 1.0}});
}

TEST_CASE("overrides are TOML, else text, and apply before checking") {
  auto loaded = load_campaign(good("mixed.toml"), {"budget.wall=2m", "seed=7", "generator[1].weight=3", "stop.stall=9",
                                                   "search={policy=\"greedy\"}", "generator.0.kind=relay",
                                                   "task=" + good("plain.task.toml")});
  REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
  CHECK(loaded->budget.wall_s == 120.0);
  CHECK(loaded->seed == 7);
  CHECK(loaded->generators[1].weight == 3.0);
  CHECK(loaded->generators[0].kind == "relay");
  CHECK(loaded->stop.stall == 9);
  CHECK(loaded->search.policies == std::map<std::string, double>{{"greedy", 1.0}});
  CHECK(loaded->task.task.name == "plain");
  CHECK(loaded->overrides.size() == 7);
}

TEST_CASE("a task given by an override is relative to the working directory") {
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(source_folder() / "tests/config");
  auto loaded = load_campaign("good/mixed.toml", {"task=good/plain.task.toml"});
  std::filesystem::current_path(before);
  REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
  CHECK(loaded->task.path == "good/plain.task.toml");
}

TEST_CASE("a campaign has as many generators as a node can have threads for") {
  const auto with = [](size_t n) {
    std::string list;
    for (size_t i = 0; i < n; ++i)
      list += (i > 0 ? "," : "") + std::string{"{kind='transform'}"};
    return load_campaign(good("plain.toml"), {"generator=[" + list + "]"});
  };
  CHECK(with(32).has_value());
  const auto many = with(33);
  REQUIRE_FALSE(many.has_value());
  CHECK(to_string(many.error()).find("generator: there are 33, and each is a thread of the node: give at most 32")
        != std::string::npos);
}

TEST_CASE("a campaign whose generators only vary others' candidates needs one that writes them") {
  const auto alone = load_campaign(good("plain.toml"), {"generator=[{kind='configurations'}]"});
  REQUIRE_FALSE(alone.has_value());
  CHECK(to_string(alone.error()).find("generator: of kind configurations alone proposes nothing") != std::string::npos);
  CHECK(load_campaign(good("plain.toml"), {"generator=[{kind='configurations'},{kind='transform'}]"}).has_value());
}

TEST_CASE("an override cannot add a second key") {
  auto loaded = load_campaign(good("plain.toml"), {"seed=1\ntarget = \"x\""});
  REQUIRE(!loaded);
  CHECK(to_string(loaded.error()) == "--set seed: expected an integer, found text\n");
}

TEST_CASE("an override's key has a bounded length, and its time must fit") {
  const auto errors = [](const std::string& override_text) {
    const auto spec = load_campaign((source_folder() / "config/examples/gemm.toml").string(), {override_text});
    return spec ? std::string{} : to_string(spec.error());
  };
  CHECK(errors(std::string(5000, 'a') + "=1").find("no key is that long") != std::string::npos);
  for (const auto* wall : {"1e30", "99999999999999999999h", "9223372036854775807s", "inf"})
    CHECK(!errors("budget.wall=" + std::string{wall}).empty());
  CHECK(errors("budget.wall=10000d").empty());
  CHECK(errors("search.exploration=inf").find("must be") != std::string::npos);
}

TEST_CASE("a memory table gives weight 0 to the operators that it does not name") {
  const auto weights = [](const std::string& file, const std::vector<std::string>& overrides) {
    auto loaded = load_campaign(good(file), overrides);
    REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
    const auto& m = loaded->memory;
    return std::vector<double>{m.parent, m.siblings, m.both, m.none};
  };
  const memory_spec defaults;
  CHECK(weights("plain.toml", {})
        == std::vector<double>{defaults.parent, defaults.siblings, defaults.both, defaults.none});
  for (const auto* file : {"plain.toml", "mixed.toml"}) {
    CHECK(weights(file, {"memory={parent=1.0}"}) == std::vector<double>{1.0, 0.0, 0.0, 0.0});
    CHECK(weights(file, {"memory={both=2, none=1}"}) == std::vector<double>{0.0, 0.0, 2.0, 1.0});
    CHECK(weights(file, {"memory={parent=1.0}", "memory.none=3"}) == std::vector<double>{1.0, 0.0, 0.0, 3.0});
  }
  // A single key changes its own weight alone.
  CHECK(weights("plain.toml", {"memory.none=3"})
        == std::vector<double>{defaults.parent, defaults.siblings, defaults.both, 3.0});
  CHECK(weights("mixed.toml", {"memory.none=3"}) == std::vector<double>{1.0, 0.0, 0.5, 3.0});
}

TEST_CASE("a table of policies gives weight 0 to the policies that it does not name") {
  const auto policies = [](const std::vector<std::string>& overrides) {
    auto loaded = load_campaign(good("mixed.toml"), overrides);
    REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
    return loaded->search.policies;
  };
  using weights = std::map<std::string, double>;
  CHECK(policies({"search.policies={greedy=1}"}) == weights{{"greedy", 1.0}});
  CHECK(policies({"search={policies={random=2}}"}) == weights{{"random", 2.0}});
  CHECK(policies({"search={}"}) == weights{{"adaptive", 1.0}});
  CHECK(policies({"search.policies.random=2"}) == weights{{"uct", 0.7}, {"greedy", 0.3}, {"random", 2.0}});
  CHECK(policies({"search.policy=beam"}) == weights{{"beam", 1.0}}); // an override wins over the file
}

TEST_CASE("every reserved name is refused as not there yet, and every name in its place is offered") {
  for (const auto& n : reserved_names()) {
    CAPTURE(n.name);
    CHECK(is_reserved(n.place, n.name));
    CHECK(not_there_yet(n.place, n.name).find("'" + std::string{n.name} + "' is not there yet; ") != std::string::npos);
    CHECK_FALSE(n.advice.empty());
  }
  for (const auto& name : policy_kind_names())
    CHECK_FALSE(is_reserved(reserved_place::policy, name));
  for (const auto& name : generator_kind_names())
    CHECK_FALSE(is_reserved(reserved_place::generator, name));
  for (const auto& name : reference_language_names())
    CHECK_FALSE(is_reserved(reserved_place::reference_language, name));
  CHECK(not_there_yet(reserved_place::generator, "replay", {"transform", "llm"})
        == "generator 'replay' is not there yet; use one of transform, llm");
}

TEST_CASE("every form of a node file is kept, with paths beside it") {
  auto loaded = load_node(good("every.node.toml"));
  REQUIRE_MESSAGE(loaded.has_value(), to_string(errors_of(loaded)));
  CHECK(loaded->data_dir == good("data"));
  CHECK(loaded->listen == "[::1]:7700");
  CHECK(loaded->token_file == "/run/kevolve/token");
  CHECK(loaded->providers[1].key_file == good("second.key"));
  CHECK(loaded->devices[0].cores == std::vector<int64_t>{1, 0});
  CHECK(loaded->limits.disk_reserve_mib == 512);
  CHECK(loaded->sandbox.allow_without == std::vector<std::string>{"landlock"});
  auto plain = load_node(good("plain.node.toml"));
  REQUIRE(plain);
  CHECK(plain->listen == "127.0.0.1:7700");
  CHECK(plain->token_file == good("data/token"));
}

TEST_CASE("loaded files survive the codec") {
  auto loaded = load_campaign(good("mixed.toml"));
  REQUIRE(loaded);
  auto bytes = encode(*loaded);
  auto again = decode<campaign_spec>(bytes);
  REQUIRE(again);
  CHECK(encode(*again) == bytes);
  CHECK(again->task.task.arguments[5].strides == loaded->task.task.arguments[5].strides);
  auto node = load_node(good("every.node.toml"));
  REQUIRE(node);
  auto node_again = decode<node_spec>(encode(*node));
  REQUIRE(node_again);
  CHECK(encode(*node_again) == encode(*node));
}

TEST_CASE("an override of search.policies wins over the file's policy, and two overrides contradict each other") {
  const auto load = [](const std::vector<std::string>& overrides) {
    return load_campaign((source_folder() / "config/examples/gemm.toml").string(), overrides);
  };
  REQUIRE(load({})->search.policies == std::map<std::string, double>{{"adaptive", 1.0}}); // the file has a policy
  using weights = std::map<std::string, double>;
  for (const auto* text : {"search.policies={evolution=0.5,greedy=1}", "search={policies={evolution=0.5,greedy=1}}"}) {
    const auto several = load({text});
    REQUIRE_MESSAGE(several.has_value(), to_string(errors_of(several)));
    CHECK(several->search.policies == weights{{"evolution", 0.5}, {"greedy", 1.0}});
  }
  const auto part = load({"search.policies.evolution=0.5"});
  REQUIRE_MESSAGE(part.has_value(), to_string(errors_of(part)));
  CHECK(part->search.policies == weights{{"evolution", 0.5}});
  const auto both = load({"search.policy=beam", "search.policies.evolution=0.5"});
  REQUIRE_FALSE(both);
  CHECK(to_string(errors_of(both)).find("give policy or policies, not both") != std::string::npos);
}

TEST_CASE("a campaign stored by an older version can be decoded") {
  auto loaded = load_campaign(good("plain.toml"));
  REQUIRE(loaded);
  auto bytes = encode(*loaded);
  const auto later = encode(loaded->compile_limit_s) + encode(loaded->models) + encode(loaded->was_adapt_weights)
                     + encode(loaded->sessions) + encode(loaded->fresh) + encode(loaded->from_reference)
                     + encode(loaded->task.files) + since_version_4(*loaded);
  REQUIRE(bytes.ends_with(later));
  bytes.resize(bytes.size() - later.size());
  CHECK_FALSE(decode<campaign_spec>(bytes));
  auto old = decode_older<campaign_spec>(bytes);
  REQUIRE(old);
  CHECK(old->compile_limit_s == loaded->compile_limit_s);
  CHECK(encode(model_of(*old, 0)) == encode(model_of(*loaded, 0)));
  CHECK(old->selection_rules == 0);
  CHECK(old->generator_choice == "weights"); // it goes on as it was submitted
  CHECK(old->ask_again == 0);
  CHECK(diagnosis_tokens_of(*old, 0) == 0);
  CHECK(distil_tokens_of(*old, 0) == 0);
  CHECK(quotes_documents(*old, 0));
  CHECK(loaded->profile.share == 0.1);
  CHECK(old->profile.share == 0.0);
  CHECK(old->evolution == evolution_spec{});
}

TEST_CASE(
    "the axes of cells are names of the registry, each at most once, and all of them where the file says nothing") {
  const auto load = [](const std::vector<std::string>& overrides) {
    return load_campaign(good("plain.toml"), overrides);
  };
  CHECK(load({})->evolution.axes.empty());
  const auto two = load({"evolution.axes=['bound', 'vector_bits']"});
  REQUIRE_MESSAGE(two.has_value(), to_string(errors_of(two)));
  CHECK(two->evolution.axes == std::vector<std::string>{"bound", "vector_bits"});
  const auto stored = decode<campaign_spec>(encode(*two));
  REQUIRE(stored);
  CHECK(stored->evolution.axes == two->evolution.axes);
  auto before = encode(*two); // as a version without the setting stored it
  before.resize(before.size()
                - (encode(two->evolution.axes) + encode(two->skills) + encode(two->plans) + encode(two->distil_tokens)
                   + encode(two->documents))
                      .size());
  const auto old = decode_older<campaign_spec>(before);
  REQUIRE(old);
  CHECK(old->evolution.axes.empty());
  CHECK(to_string(errors_of(load({"evolution.axes=[]"})))
        == "--set evolution.axes: names no axis; left out, cells use all of them\n");
  CHECK(to_string(errors_of(load({"evolution.axes=['bound', 'bound']"}))) == "--set evolution.axes: names one twice\n");
  CHECK(to_string(errors_of(load({"evolution.axes=['colour']"})))
        == "--set evolution.axes: evolution.axes[0]: unknown value 'colour'; there are: vector_bits, code_bytes, "
           "nests_changed, bound\n");
}

TEST_CASE("a bandit chooses among two generators or more, and adapt_weights is refused with the setting in its place") {
  const auto one = load_campaign(good("plain.toml"));
  REQUIRE(one);
  CHECK(one->generator_choice == "weights");
  CHECK(one->ask_again == 2);
  const auto load = [](const std::vector<std::string>& overrides) {
    return load_campaign(good("two_generators.toml"), overrides);
  };
  const auto two = load({});
  REQUIRE_MESSAGE(two.has_value(), to_string(errors_of(two)));
  CHECK(two->generator_choice == "bandit");
  CHECK(load({"generator[1].weight=0"})->generator_choice == "weights");
  CHECK(load({"search.generator_choice=weights"})->generator_choice == "weights");
  const auto before = load({"search.adapt_weights=true"});
  REQUIRE_FALSE(before);
  CHECK(to_string(errors_of(before))
        == "--set search.adapt_weights: is no setting any more: search.generator_choice = \"bandit\" follows what each "
           "generator gains, \"weights\" draws by the weights as given\n");
  const auto often = load({"search.ask_again=3"});
  REQUIRE_FALSE(often);
  CHECK(to_string(errors_of(often)).find("search.ask_again") != std::string::npos);
}

TEST_CASE("durations are split into units") {
  CHECK(parse_duration("90s") == 90.0);
  CHECK(parse_duration("1h30m") == 5400.0);
  CHECK(parse_duration("1.5h") == 5400.0);
  CHECK(parse_duration("2d1ms") == 172800.001);
  for (const auto* bad : {"", "s", "5", "5x", "-1s", "30m1h", "1m1m", "1m ", "inf", "1e3s"})
    CHECK_MESSAGE(parse_duration(bad) < 0.0, bad);
}

TEST_CASE("docs/settings.md agrees with the declarations") {
  if (const auto* file = std::getenv("KEVOLVE_WRITE_SETTINGS"))
    std::ofstream{file} << settings_reference();
  auto written = read_text_file((source_folder() / "docs/settings.md").string());
  REQUIRE(written);
  CHECK_MESSAGE(*written == settings_reference(),
                "write the new one with: KEVOLVE_WRITE_SETTINGS=docs/settings.md kevolve-tests-config");
}
