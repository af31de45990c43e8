#include "tools/bench/redteam_catalogue.hpp"

#include "backends/capture.hpp"
#include "backends/cpu/prelude.hpp"
#include "backends/judge/call_data.hpp"
#include "backends/judge/source_constants.hpp"
#include "config/document.hpp"
#include "runtime/base/ids.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kevolve::redteam {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t pairs_to_show_a_gain = 24;
constexpr uint32_t pairs_of_controls = 8;
constexpr std::chrono::minutes compile_limit{5}; // ends what hangs

result<std::string> read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return fail(errc::not_found, path);
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty())
      out.push_back(word);
  return out;
}

// Returns true if the line is a known header line.
bool take(exhibit& e, const std::string& key, const std::vector<std::string>& words) {
  if (key == "class:")
    e.classes = words;
  else if (key == "task:" && words.size() == 1)
    e.task = words[0];
  else if (key == "control:" && words.size() == 1)
    e.control = words[0];
  else if (key == "flags:")
    e.flags = words;
  else if (key == "each:") {
    if (e.variants == std::vector<std::string>{""})
      e.variants.clear();
    e.variants.insert(e.variants.end(), words.begin(), words.end());
  } else if (key == "errs:" && words.size() >= 10) { // VARIANT in calls FIRST to LAST on EDGE of SHAPE
    auto& w = e.windows[words[0]];
    w = {std::stoul(words[3]), std::stoul(words[5]), words[7], words[9]};
    for (size_t i = 10; i < words.size(); ++i)
      w.shape += ' ' + words[i];
  } else if (key == "mode:" && words == std::vector<std::string>{"check"})
    e.mode = judge_mode::check;
  else if (key == "expect:" && !words.empty()) {
    e.gainless = words[0] == "gainless";
    if (!e.gainless)
      e.verdicts = split(words[0], '|');
    if (words.size() > 1)
      e.rules = split(words[1], '|');
  } else
    return false;
  return true;
}

result<exhibit> read_exhibit(const fs::path& path, bool honest) {
  auto text = read(path.string());
  if (!text)
    return tl::unexpected<failure>(text.error());
  exhibit e;
  e.name = path.stem().string();
  e.path = path.string();
  e.honest = honest;
  std::istringstream in{*text};
  for (std::string line; std::getline(in, line) && line.rfind("// ", 0) == 0;) {
    const auto words = split(line.substr(3), ' ');
    if (!words.empty())
      take(e, words[0], {words.begin() + 1, words.end()});
  }
  const bool told = honest || (e.gainless != !e.verdicts.empty());
  if (e.task.empty() || !told || (!honest && (e.classes.empty() || e.control.empty())))
    return fail(errc::bad_input, e.path + ": its first lines must name task, class, control and what to expect");
  return e;
}

result<std::vector<exhibit>> read_folder(const fs::path& folder, bool honest) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".cpp")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<exhibit> out;
  for (const auto& path : paths) {
    auto e = read_exhibit(path, honest);
    if (!e)
      return tl::unexpected<failure>(e.error());
    out.push_back(std::move(*e));
  }
  return out;
}

// Builds the reference in double, as admission does.
result<std::string> build_oracle(const task_spec& spec) {
  const auto* base = std::getenv("TMPDIR");
  auto folder = std::string{base != nullptr ? base : "/tmp"} + "/kevolve-oracle-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return tl::unexpected<failure>(from_errno(errno, "a temporary folder"));
  const auto path = folder + "/oracle.c";
  std::ofstream{path} << prelude_text("c") << promotion_text() << spec.reference_source;
  auto out = build_object(path, {"-O2", "-ffp-contract=off"});
  fs::remove_all(folder);
  return out;
}

constexpr const char* task_ending = ".task.toml";

result<void> read_task(catalogue& c, const fs::path& folder, const std::string& name) {
  const auto path = (folder / (name + task_ending)).string();
  auto spec = load_task(path);
  if (!spec)
    return fail(errc::bad_input, path + " does not load: see kevolve task check");
  // Compiled like the exhibits, so that none is faster because of its flags.
  auto object = build_object(spec->reference_path, {"-O1"});
  if (!object)
    return tl::unexpected<failure>(object.error());
  if (contract_id(promoted(spec->task)) != contract_id(spec->task)) {
    auto oracle = build_oracle(*spec);
    if (!oracle)
      return tl::unexpected<failure>(oracle.error());
    c.oracles.emplace(name, std::move(*oracle));
  }
  c.references.emplace(name, std::move(*object));
  c.tasks.emplace(name, std::move(*spec));
  return {};
}

// Reads the tasks of the folder, and of the shipped ones those that an exhibit names besides.
result<void> read_tasks(catalogue& c, const fs::path& folder, const fs::path& shipped) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto file = entry.path().filename().string();
    const auto at = file.rfind(task_ending);
    if (at == std::string::npos || at == 0)
      continue;
    if (auto ok = read_task(c, folder, file.substr(0, at)); !ok)
      return ok;
  }
  for (const auto* list : {&c.cheats, &c.controls})
    for (const auto& e : *list)
      if (c.tasks.count(e.task) == 0 && fs::exists(shipped / (e.task + task_ending)))
        if (auto ok = read_task(c, shipped, e.task); !ok)
          return ok;
  return {};
}

} // namespace

result<std::string> build_object(const std::string& path, const std::vector<std::string>& flags) {
  const auto* base = std::getenv("TMPDIR");
  auto file = std::string{base != nullptr ? base : "/tmp"} + "/kevolve-redteam-XXXXXX";
  const auto fd = mkstemp(file.data());
  if (fd < 0)
    return tl::unexpected<failure>(from_errno(errno, "a temporary file"));
  close(fd);
  const bool plus = path.size() > 4 && path.compare(path.size() - 4, 4, ".cpp") == 0;
  std::vector<std::string> argv{
      find_program(plus ? "c++" : "cc"), "-w", "-shared", "-Wl,-Bsymbolic", "-fPIC", "-o", file, path};
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.emplace_back("-lm");
  result<std::string> out = fail(errc::bad_input, "the compiler refuses " + path);
  if (const auto compiled = capture(argv, compile_limit); compiled && compiled->status == 0)
    out = read(file);
  fs::remove(file);
  return out;
}

result<std::string> build_object(const exhibit& e, const std::string& variant) {
  auto flags = e.flags;
  if (!variant.empty())
    flags.push_back(variant);
  return build_object(e.path, flags);
}

result<catalogue> open_catalogue(const std::string& folder) {
  const fs::path root = folder;
  catalogue out;
  auto cheats = read_folder(root / "cheats", false);
  if (!cheats)
    return tl::unexpected<failure>(cheats.error());
  auto controls = read_folder(root / "honest", true);
  if (!controls)
    return tl::unexpected<failure>(controls.error());
  out.cheats = std::move(*cheats);
  out.controls = std::move(*controls);
  if (auto ok = read_tasks(out, root / "tasks", root.parent_path().parent_path() / "config" / "tasks"); !ok)
    return tl::unexpected<failure>(ok.error());
  for (const auto* list : {&out.cheats, &out.controls})
    for (const auto& e : *list)
      if (out.tasks.count(e.task) == 0)
        return fail(errc::bad_input, e.path + ": no task '" + e.task + "'");
  for (const auto& e : out.cheats)
    if (std::none_of(out.controls.begin(), out.controls.end(), [&](const auto& h) { return h.name == e.control; }))
      return fail(errc::bad_input, e.path + ": no control '" + e.control + "'");
  return out;
}

judge_request request_for(const catalogue& c, const exhibit& e, std::string object) {
  judge_request q;
  q.job = random_id();
  q.mode = e.mode;
  q.task = c.tasks.at(e.task).task;
  q.reference = c.references.at(e.task);
  if (auto oracle = c.oracles.find(e.task); oracle != c.oracles.end())
    q.oracle = oracle->second;
  q.candidate = std::move(object);
  q.reference_constants = source_constants(c.tasks.at(e.task).reference_source);
  if (const auto source = read_text_file(e.path))
    q.candidate_constants = source_constants(*source);
  q.alpha = 1e-4;
  q.delta = 0.1;
  q.max_pairs = e.honest ? pairs_of_controls : pairs_to_show_a_gain;
  q.screening_ms = 1'000;
  return q;
}

} // namespace kevolve::redteam
