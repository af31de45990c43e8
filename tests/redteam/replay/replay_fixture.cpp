#include "replay_fixture.hpp"

#include "runtime/base/ids.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace kevolve::testing {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty())
      out.push_back(word);
  return out;
}

task_spec task_of(const std::string& name) {
  const auto source = std::string{std::getenv("KEVOLVE_SOURCE")};
  auto spec = load_task(source + "/tests/redteam/tasks/" + name + ".task.toml");
  if (!spec)
    spec = load_task(source + "/config/tasks/" + name + ".task.toml");
  REQUIRE_MESSAGE(spec.has_value(), name);
  return std::move(*spec);
}

} // namespace

std::vector<replay_fixture> load_replay_fixtures(const std::string& folder) {
  std::vector<replay_fixture> out;
  for (const auto& entry : fs::directory_iterator{folder}) {
    const auto extension = entry.path().extension();
    if (extension != ".c" && extension != ".cpp")
      continue;
    replay_fixture f;
    f.name = entry.path().stem();
    f.language = extension.string().substr(1);
    f.source = read_file(entry.path());
    std::istringstream in{f.source};
    for (std::string line; std::getline(in, line) && line.starts_with("// ");) {
      const auto value = [&](const std::string& key) {
        return line.starts_with("// " + key + ": ") ? line.substr(key.size() + 5) : std::string{};
      };
      if (const auto task = value("task"); !task.empty())
        f.task = task;
      if (const auto says = value("says"); !says.empty())
        f.says = says;
      if (const auto set = value("set"); !set.empty())
        f.flags = set;
      if (const auto near = value("near"); !near.empty())
        f.near = near;
      if (value("flags").find("-ffast-math") != std::string::npos)
        f.flags = "Ofast";
      if (const auto words = split(value("expect"), ' '); words.size() == 2) {
        f.verdicts = split(words[0], '|');
        f.rules = split(words[1], '|');
      }
    }
    out.push_back(std::move(f));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

compile_outcome replay_bench::build(const contract& task, const std::string& language, const std::string& source,
                                    compile_role role, const std::string& flags) {
  compile_request q;
  q.job = random_id();
  q.role = role;
  q.language = language;
  q.source = source;
  q.entry = task.entry;
  q.flags = flags;
  q.threads = task.threads;
  q.libraries = task.libraries;
  q.limit_ms = 600'000; // ends what hangs; a busy machine is many times slower
  return compiler_.compile(q);
}

judge_outcome replay_bench::judge(const task_spec& spec, const std::string& language, const std::string& source,
                                  const std::string& flags) {
  const auto& task = spec.task;
  const auto& reference = spec.reference_source;
  const auto object = [&](const std::string& text, const std::string& of, compile_role role, const std::string& set) {
    auto o = build(task, of, text, role, set);
    REQUIRE_MESSAGE(o.result == verdict::pass, o.log << o.trouble.detail);
    return o.artifact;
  };
  judge_request q;
  q.job = random_id();
  q.mode = judge_mode::check;
  q.task = task;
  q.reference = object(reference, "c", compile_role::reference, "O3");
  q.sanitised_reference = object(reference, "c", compile_role::sanitised, "O3");
  const bool floating = std::any_of(task.arguments.begin(), task.arguments.end(), [](const argument& a) {
    return a.role != argument_role::size && is_floating(a.type);
  });
  if (!spec.oracle_source.empty())
    q.oracle = object(spec.oracle_source, "c", compile_role::reference, "O3");
  else if (floating)
    q.oracle = object(reference, "c", compile_role::oracle, "O3");
  q.candidate = object(source, language, compile_role::candidate, flags);
  auto sanitised = build(task, language, source, compile_role::sanitised, flags);
  if (sanitised.evidence.contains(evades_sanitizers)) {
    judge_outcome out;
    out.result = verdict::cheating;
    out.rule = "sanitizer_evasion";
    out.detail = sanitised.log;
    return out;
  }
  REQUIRE_MESSAGE(sanitised.result == verdict::pass, sanitised.log << sanitised.trouble.detail);
  q.sanitised = std::move(sanitised.artifact);
  return judge_.ask(q);
}

judge_outcome replay_bench::judge(const replay_fixture& f) {
  return judge(task_of(f.task), f.language, f.source, f.flags);
}

judge_outcome replay_bench::judge(const contract& task, const std::string& reference, const std::string& source) {
  task_spec spec;
  spec.task = task;
  spec.reference_source = reference;
  return judge(spec, "c", source, "O3");
}

std::string redteam_folder(const std::string& name) {
  const auto* source = std::getenv("KEVOLVE_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "KEVOLVE_SOURCE is not set: run through ctest");
  return std::string{source} + "/tests/redteam/" + name;
}

replay_bench& bench() {
  static replay_bench one;
  return one;
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string summary(const judge_outcome& o) {
  std::string out = to_string(o.result) + "/" + o.rule + ": " + o.detail;
  if (o.trouble)
    out += " fault " + o.trouble.kind + ": " + o.trouble.detail;
  for (const auto& [key, value] : o.evidence)
    out += "\n  " + key + ": " + value;
  return out;
}

std::string replayed(const replay_fixture& f) {
  const auto o = bench().judge(f);
  const bool clean = o.result == verdict::pass && o.evidence.contains(sanitised_evidence)
                     && !o.evidence.contains(unsanitised_evidence);
  return clean ? "clean" : f.name + " " + summary(o);
}

std::vector<replay_fixture> honest_controls(const std::string& from, const std::string& to) {
  // The compile server's linker knows neither the function that the one calls nor the resolver of the other.
  const std::vector<std::string> no_candidates{"registers_an_exit", "ifunc_dispatch"};
  auto out = load_replay_fixtures(redteam_folder("honest"));
  std::erase_if(out, [&](const auto& f) { return f.name < from || f.name >= to || holds(no_candidates, f.name); });
  return out;
}

} // namespace kevolve::testing
