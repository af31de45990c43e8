// Compiles and judges sources of several tasks with one compile server and one judge. tools/bench/run mutation drives
// it with one JSON request a line and gets one JSON answer a line:
//   {"op":"task","task":NAME,"file":PATH}                               compiles reference and oracle
//   {"op":"compile","task":…,"language":…,"flags":…,"source":PATH,"object":PATH}
//   {"op":"judge","task":…,"object":PATH,"stages":["admit","check","replay","screening","confirm"],"long_run_ms":N}
#include "backends/judge/source_constants.hpp"
#include "backends/launch_plan/package.hpp"
#include "config/task.hpp"
#include "tools/bench/helper_session.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/stage_request.hpp"
#include "tools/command_line/command_line.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace kevolve::bench {

namespace {

// The comparison of times decides nothing here, so a confirmation plays as few pairs as it can.
constexpr uint32_t fewest_pairs = 4;

struct loaded_task {
  task_spec spec;
  std::string reference;
  std::string oracle;
  std::string sanitised_reference;
};

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

json failed(const failure& why) {
  return {{"error", to_string(why)}};
}

class requests {
public:
  explicit requests(workbench bench) : bench_(std::move(bench)) {}

  json answer(const json& q) {
    const std::string op = q.at("op");
    if (op == "task")
      return load(q);
    const auto found = tasks_.find(q.at("task"));
    if (found == tasks_.end())
      return {{"error", "no such task: " + q.at("task").get<std::string>()}};
    return op == "compile" ? build(found->second, q) : judge(found->second, q);
  }

private:
  json load(const json& q) {
    const std::string file = q.at("file");
    auto spec = load_task(file);
    if (!spec)
      return {{"error", file + " does not load: see kevolve task check"}};
    loaded_task out;
    out.spec = std::move(*spec);
    const auto& task = out.spec.task;
    auto reference = compile(bench_, task, task.language, out.spec.reference_source, baseline_flags(bench_),
                             compile_role::reference);
    if (!reference)
      return failed(reference.error());
    out.reference = std::move(*reference);
    if (bench_.hardware->replays_sanitised())
      out.sanitised_reference = compile(bench_, task, task.language, out.spec.reference_source, baseline_flags(bench_),
                                        compile_role::sanitised)
                                    .value_or("");
    const bool own = !out.spec.oracle_source.empty();
    const bool floating = std::any_of(task.arguments.begin(), task.arguments.end(), [](const argument& a) {
      return a.role != argument_role::size && is_floating(a.type);
    });
    if (!own && !floating) { // the reference is exact
      tasks_.insert_or_assign(q.at("task"), std::move(out));
      return {{"loaded", true}};
    }
    auto oracle = compile(bench_, task, task.language, own ? out.spec.oracle_source : out.spec.reference_source,
                          baseline_flags(bench_), own ? compile_role::reference : compile_role::oracle);
    if (!oracle)
      return failed(oracle.error());
    out.oracle = std::move(*oracle);
    tasks_.insert_or_assign(q.at("task"), std::move(out));
    return {{"loaded", true}};
  }

  json build(const loaded_task& t, const json& q) {
    auto flags = q.value("flags", std::string{});
    if (flags.empty())
      flags = baseline_flags(bench_);
    if (flags.empty()) // a target whose baseline is PyTorch
      flags = bench_.hardware->flag_menu().front().name;
    auto object = compile(bench_, t.spec.task, q.at("language"), read(q.at("source")), flags, compile_role::candidate);
    if (!object)
      return object.error().code == errc::bad_input ? json{{"compiled", false}, {"detail", object.error().detail}}
                                                    : failed(object.error());
    const std::string to = q.at("object");
    write(to, *object);
    // A search for witnesses launches the same machine code with a launcher of its own.
    if (const auto package = is_device_package(*object) ? unpack(*object) : result<device_package>{device_package{}}) {
      for (size_t i = 0; i < package->modules.size(); ++i)
        write(to + "." + std::to_string(i), package->modules[i]);
      if (!package->modules.empty())
        write(to + ".plan", package->plan);
    }
    return {{"compiled", true}};
  }

  // A confirmation replays the correctness draws on builds with sanitizers.
  void add_sanitised(const loaded_task& t, const json& q, judge_request& request) {
    if (!bench_.hardware->replays_sanitised())
      return;
    const auto flags = q.value("flags", std::string{});
    auto built = compile(bench_, t.spec.task, q.value("language", std::string{"c"}), q.value("source", std::string{}),
                         flags.empty() ? baseline_flags(bench_) : flags, compile_role::sanitised);
    if (built)
      request.sanitised = std::move(*built);
    else
      request.unsanitised = built.error().detail.substr(0, 200);
    request.sanitised_reference = t.sanitised_reference;
  }

  // Asks for each stage until one rejects. "replay" is a check with the sanitised replay.
  json judge(const loaded_task& t, const json& q) {
    json out;
    if (!bench_.judge)
      return {{"error", "this session compiles only"}};
    for (const auto& name : q.at("stages")) {
      auto request = stage_request(t.spec.task, name == "screening" ? stage::screening : stage::confirm);
      if (name != "screening") {
        if (name != "confirm")
          request.mode = name == "admit" ? judge_mode::admit : judge_mode::check;
        request.min_interval_pairs = fewest_pairs;
        request.max_pairs = 0;
        request.most_repeats = 0;
      }
      request.long_run_ms = q.value("long_run_ms", request.long_run_ms);
      request.limit_ms = q.value("limit_ms", request.limit_ms);
      request.reference = t.reference;
      request.oracle = t.oracle;
      request.reference_constants = source_constants(t.spec.reference_source);
      if (request.mode != judge_mode::admit) {
        request.candidate = read(q.at("object"));
        request.candidate_constants = source_constants(q.value("source", std::string{}));
      }
      if (name == "confirm" || name == "replay")
        add_sanitised(t, q, request);
      auto o = bench_.judge->ask(request);
      if (!o)
        return {{"stage", name}, {"fault", o.error().detail}};
      out = {{"stage", name},       {"verdict", to_string(o->result)}, {"rule", o->rule},
             {"detail", o->detail}, {"cases", o->correctness.cases},   {"ms", o->judge_ns / 1'000'000}};
      for (const auto* key : {sanitised_evidence, unsanitised_evidence, sanitised_note_evidence})
        if (const auto found = o->evidence.find(key); found != o->evidence.end())
          out[key] = found->second;
      for (const auto& [key, value] : o->evidence)
        if (key.starts_with("ms.") || key == "calls" || key == "draws")
          out["cost"][key] = value;
      if (o->result != verdict::pass)
        break;
    }
    return out;
  }

  workbench bench_;
  std::map<std::string, loaded_task> tasks_;
};

json answer_line(requests& r, const std::string& line) {
  try {
    return r.answer(json::parse(line));
  } catch (const json::exception& e) {
    return {{"error", std::string{"not a request: "} + e.what()}};
  }
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string bin;
  std::string target = "cpu";
  bool compiles_only = false;
  target_options options;
  kevolve::declared_program app{"Compiles and judges many sources; reads requests from stdin"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--target", target, "cpu, cuda or triton")->capture_default_str();
  app.add_flag("--compiles-only", compiles_only, "starts no judge");
  app.add_option("--allow-weak-sandbox", options.allow_weak_sandbox, "a layer that may be missing; may be repeated");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto bench = compiles_only ? open_compiler(bin, target, options) : open_workbench(bin, target, options);
  if (!bench)
    return give_up(to_string(bench.error()));
  json ready{{"ready", true}, {"machine", machine()}};
  if (bench->judge)
    if (const auto& facts = bench->judge->hello().facts; facts.contains("sandbox"))
      ready["sandbox"] = facts.at("sandbox");
  print(ready);
  requests all{std::move(*bench)};
  for (std::string line; std::getline(std::cin, line);)
    print(answer_line(all, line));
  return 0;
}
