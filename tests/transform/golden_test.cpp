// The golden corpus: proposals that the generator made of every shipped C task and of every nest, with fixed seeds and
// hardware facts. A change of its structure leaves all of them as they are. After a change that is meant to alter
// proposals, KEVOLVE_REWRITE_GOLDEN=1 writes the corpus anew.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "config/task.hpp"
#include "runtime/base/ids.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

namespace kevolve::test {

using namespace transform;

namespace {

namespace fs = std::filesystem;

constexpr uint64_t seeds = 20;

fs::path source_folder() {
  return std::getenv("KEVOLVE_SOURCE");
}

std::vector<std::string> task_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(source_folder() / "config/tasks"))
    if (const auto file = entry.path().filename().string(); file.ends_with(".task.toml"))
      out.push_back(file.substr(0, file.size() - std::string_view{".task.toml"}.size()));
  std::sort(out.begin(), out.end());
  return out;
}

// Returns the shipped task as the synthesizer shows it to a generator: without the shapes that are held out.
nest load_task_nest(const std::string& name) {
  auto loaded = load_task((source_folder() / "config/tasks" / (name + ".task.toml")).string());
  if (!loaded)
    throw std::runtime_error("the task " + name + " cannot be loaded");
  nest n;
  n.name = name;
  n.task = loaded->task;
  std::erase_if(n.task.shapes, [](const shape_case& s) { return s.held_out; });
  n.source = loaded->reference_source;
  if (n.task.language == "c")
    n.tree = syntax_tree_of(n.task.entry, n.source);
  return n;
}

std::string without_comments(const std::string& source) {
  std::string out;
  for (size_t i = 0; i < source.size();) {
    if (source.compare(i, 2, "//") == 0) {
      i = std::min(source.find('\n', i), source.size());
    } else if (source.compare(i, 2, "/*") == 0) {
      const auto end = source.find("*/", i + 2);
      i = end == std::string::npos ? source.size() : end + 2;
    } else if (const char quote = source[i]; quote == '"' || quote == '\'') {
      const auto begin = i++;
      while (i < source.size() && source[i] != quote)
        i += source[i] == '\\' ? 2U : 1U;
      i = std::min(i + 1, source.size());
      out.append(source, begin, i - begin);
    } else {
      out += source[i++];
    }
  }
  return out;
}

// Returns the context of each seed: drafts, fresh starts, children of one parent with siblings, children of two.
std::string prepare(synthesis_context& c, uint64_t seed, const std::vector<ancestor>& made) {
  c.seed = seed;
  c.draft = seed < 7;
  c.draft_index = static_cast<uint32_t>(seed);
  c.parents.clear();
  c.siblings.clear();
  if (c.draft)
    return "draft";
  if (seed < 9 || made.size() < 4)
    return "afresh";
  const auto last = made.size() - 1;
  c.parents = {made[last - seed % 2]};
  if (seed < 15) {
    c.siblings = {made[last - 2], made[last - 3]};
    return c.parents[0].verdict == "pass" ? "child" : "repair";
  }
  c.parents.push_back(made[last - 1 - seed % 3]);
  return "pair";
}

std::string digest(const std::string& source) {
  return sha256_hex(without_comments(source)).substr(0, 16);
}

// Returns a line for each seed: "gemm 3 draft 0123456789abcdef O3 vectorise(L1,16); mask(L1)". Before them, the
// sequences that the nest says to apply.
std::vector<std::string> lines_of(const nest& n) {
  std::vector<std::string> out;
  if (!n.applies.empty()) {
    const auto reference = read(n);
    const auto env = environment_of(n, reference);
    for (size_t i = 0; i < n.applies.size(); ++i) {
      auto p = reference;
      std::vector<transform::move> kept;
      for (const auto& m : parse_genome(n.applies[i]).value_or(std::vector<transform::move>{}))
        if (transform::apply(p, m, env))
          kept.push_back(m);
      out.push_back(n.name + " " + std::to_string(i) + " applies " + digest(print_program(p, "")) + " - "
                    + to_string(kept));
    }
  }
  std::vector<ancestor> made;
  auto g = make_generator("transform").value();
  auto c = context_of(n);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    auto line = n.name + " " + std::to_string(seed) + " " + prepare(c, seed, made) + " ";
    const auto p = g->propose(c);
    if (!p) {
      out.push_back(line + "- - nothing");
      continue;
    }
    out.push_back(line + digest(p->source) + " " + p->flags + " " + p->genome);
    const auto fingerprint = genome_fingerprint(p->genome);
    c.seen.insert(std::lower_bound(c.seen.begin(), c.seen.end(), fingerprint), fingerprint);
    auto& a = made.emplace_back();
    a.genome = p->genome;
    a.source = p->source;
    a.flags = p->flags;
    a.verdict = seed % 4 == 3 ? "wrong" : "pass";
    a.speedup = a.verdict == "pass" ? 1.0 + static_cast<double>(seed % 5) : 0.0;
  }
  return out;
}

// Runs all subjects, as many at once as there are processors; lines in the order of the names.
std::vector<std::string> corpus_of(const std::vector<std::string>& names,
                                   const std::function<nest(const std::string&)>& load) {
  std::vector<std::vector<std::string>> found(names.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = 0; (i = next++) < names.size();) {
      try {
        if (const auto n = load(names[i]); n.task.language == "c")
          found[i] = lines_of(n);
      } catch (const std::exception& e) {
        found[i] = {names[i] + " fails: " + e.what()};
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  for (auto& t : threads)
    t.join();
  std::vector<std::string> out;
  for (auto& lines : found)
    std::move(lines.begin(), lines.end(), std::back_inserter(out));
  return out;
}

// Returns the line with its moves under the names that they have today.
std::string line_with_present_names(const std::string& line) {
  size_t at = 0;
  for (int field = 0; field < 5 && at != std::string::npos; ++field)
    at = line.find(' ', at == 0 ? 0 : at + 1);
  if (at == std::string::npos)
    return line;
  const auto genome = parse_genome(std::string_view{line}.substr(at + 1));
  return genome ? line.substr(0, at + 1) + to_string(*genome) : line;
}

std::vector<std::string> lines_in(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    out.push_back(line_with_present_names(line));
  return out;
}

bool rewrites() {
  const char* rewrite = std::getenv("KEVOLVE_REWRITE_GOLDEN");
  return rewrite != nullptr && *rewrite == '1';
}

// Compares the lines of these subjects with those that the file holds of them.
void compare(const std::string& file, const std::set<std::string>& subjects, const std::vector<std::string>& now) {
  const auto path = source_folder() / "tests/transform/golden" / file;
  if (rewrites()) {
    std::ofstream out(path);
    for (const auto& line : now)
      out << line << '\n';
    return;
  }
  auto then = lines_in(path);
  REQUIRE_MESSAGE(!then.empty(), path.string(), " is missing");
  std::erase_if(then, [&](const std::string& line) { return !subjects.contains(line.substr(0, line.find(' '))); });
  constexpr int most_shown = 10;
  int differences = 0;
  for (size_t i = 0; i < std::max(then.size(), now.size()); ++i) {
    const auto before = i < then.size() ? then[i] : std::string{"nothing"};
    const auto after = i < now.size() ? now[i] : std::string{"nothing"};
    if (before != after && ++differences <= most_shown)
      MESSAGE(path.filename().string(), ":", i + 1, "\n  was ", before, "\n  is  ", after);
  }
  CHECK(differences == 0);
}

} // namespace

TEST_CASE("the generator proposes for shipped tasks what the golden corpus holds") {
  const auto names = task_names();
  if (have_clang())
    compare("tasks.txt", {names.begin(), names.end()}, corpus_of(names, load_task_nest));
}

// The whole corpus takes a minute; a change of the generator's structure shows in a part of it, too.
TEST_CASE("the generator proposes for every fourth nest what the golden corpus holds") {
  if (!have_clang() || rewrites())
    return;
  const auto all = nest_names();
  std::vector<std::string> names;
  for (size_t i = 0; i < all.size(); i += 4)
    names.push_back(all[i]);
  compare("nests.txt", {names.begin(), names.end()}, corpus_of(names, load_nest));
}

TEST_CASE("the generator proposes for nests what the golden corpus holds" * doctest::test_suite("long")) {
  const auto names = nest_names();
  if (have_clang())
    compare("nests.txt", {names.begin(), names.end()}, corpus_of(names, load_nest));
}

TEST_CASE("comments of a candidate do not count in the golden corpus") {
  CHECK(without_comments("/* a */int x; // b\nchar *s = \"/* no */\"; char q = '\"'; /* c")
        == "int x; \nchar *s = \"/* no */\"; char q = '\"'; ");
}

} // namespace kevolve::test
