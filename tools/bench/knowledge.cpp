// Measures the knowledge base: the time to load and index it, the time of a retrieval, and the share of situations
// whose wanted document comes first. The documents are the shipped ones, repeated up to --documents for the times.
#include "actors/knowledge/retrieval.hpp"
#include "actors/knowledge/shipped.hpp"
#include "actors/knowledge/skill_match.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <chrono>
#include <fstream>

using namespace kevolve;
using namespace kevolve::bench;
using namespace kevolve::knowledge;

namespace {

using clock_type = std::chrono::steady_clock;

double ms_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

struct situation {
  retrieval_request request;
  std::string wanted;
};

std::vector<situation> read_situations(const std::string& path, std::string& wrong) {
  std::ifstream in{path};
  const auto all = json::parse(in, nullptr, false);
  if (!all.is_array()) {
    wrong = path + " is no JSON list";
    return {};
  }
  std::vector<situation> out;
  for (const auto& x : all) {
    situation s;
    for (const auto& text : x.at("signals")) {
      const auto known = parse_signal(text.get<std::string>());
      if (!known)
        wrong = path + ": '" + text.get<std::string>() + "' is no signal of the vocabulary";
      else
        s.request.signals.push_back(*known);
    }
    s.request.text = x.at("text").get<std::string>();
    s.wanted = x.at("wanted").get<std::string>();
    out.push_back(std::move(s));
  }
  return out;
}

// Returns the documents by their best section, each once.
std::vector<std::string> ranking(const retrieval_record& trace) {
  std::vector<std::string> out;
  for (const auto& s : trace.sections)
    if (std::find(out.begin(), out.end(), s.document) == out.end())
      out.push_back(s.document);
  return out;
}

// Reads the shipped documents as often as needed for so many, under other ids.
std::vector<document> read_documents(size_t count) {
  std::vector<document> out;
  const auto shipped = shipped_documents();
  for (size_t i = 0; i < std::max(count, shipped.size()); ++i) {
    const auto& d = shipped[i % shipped.size()];
    auto read = read_document(d.text, std::string{d.file},
                              std::string{d.id} + (i < shipped.size() ? "" : "-" + std::to_string(i)));
    if (read)
      out.push_back(std::move(*read));
  }
  return out;
}

json quality_of(const knowledge_base& base, const std::vector<situation>& all) {
  size_t first = 0;
  size_t among_three = 0;
  auto missed = json::array();
  for (const auto& s : all) {
    const auto order = ranking(retrieve(base, s.request).trace);
    const auto at = std::find(order.begin(), order.end(), s.wanted) - order.begin();
    first += at == 0 && !order.empty() ? 1U : 0U;
    if (at < 3 && at < static_cast<std::ptrdiff_t>(order.size())) {
      ++among_three;
      continue;
    }
    missed.push_back({{"wanted", s.wanted},
                      {"there", base.find(s.wanted) != nullptr},
                      {"first", order.empty() ? json(nullptr) : json(order.front())}});
  }
  const auto share = [&](size_t n) {
    return all.empty() ? json(nullptr) : json(static_cast<double>(n) / static_cast<double>(all.size()));
  };
  return {{"situations", all.size()}, {"first", share(first)}, {"among_three", share(among_three)}, {"missed", missed}};
}

// Skills as campaigns leave them: of all targets and many families, each with a few applications.
skill_list made_up_skills(size_t count) {
  const auto& families = row_of(signal_kind::family).values;
  skill_list out;
  for (size_t i = 0; i < count; ++i) {
    skill s;
    s.conditions = {i % 4 == 3 ? "cuda" : "cpu",
                    i % 4 == 3 ? "cuda" : "c",
                    {families[i % families.size()]},
                    {"f32"},
                    {"x86-64", "zen3"},
                    "",
                    "scalar; _1: innermost independent map contiguous"};
    s.step.moves = "tile(_1," + std::to_string(i + 1) + "); vectorise(_1,16)";
    s.state = i % 3 == 0 ? skill_state::confirmed : skill_state::hypothesis;
    for (uint64_t a = 0; a < 8; ++a) {
      skill_application x;
      x.log_gain = 0.01 * static_cast<double>(i % 40);
      x.standard_error = 0.01;
      x.campaign = {1, a};
      x.candidate = a;
      x.hardware = {"x86-64", "zen3"};
      x.signals = {"family:" + families[i % families.size()]};
      s.applications.push_back(std::move(x));
    }
    s.id = skill_id(s);
    out.push_back(std::make_shared<const skill>(std::move(s)));
  }
  return out;
}

// Returns the times of looking for the skills of a step, in order.
std::vector<double> skill_times(const skill_index& all, size_t rounds) {
  std::vector<double> out;
  skill_situation wanted;
  wanted.signals = {"target:cpu", "language:c", "family:reduction", "dtype:f32", "hardware:x86-64", "hardware:zen3"};
  for (size_t i = 0; i < rounds; ++i) {
    wanted.seed = i;
    const auto begin = clock_type::now();
    const auto found = find_skills(all, wanted, {1'000'000'000, {}});
    out.push_back(ms_since(begin));
    if (found.empty())
      return {};
  }
  std::sort(out.begin(), out.end());
  return out;
}

int run(size_t documents, size_t skills, const std::string& file, size_t rounds) {
  std::string wrong;
  const auto situations = read_situations(file, wrong);
  if (!wrong.empty())
    return give_up(wrong);
  std::vector<double> loads;
  std::vector<double> times;
  for (size_t i = 0; i < 5; ++i) {
    const auto begin = clock_type::now();
    const auto base = knowledge_base::of(read_documents(documents));
    loads.push_back(ms_since(begin));
    if (!base)
      return give_up(base.error().detail);
  }
  const auto large = knowledge_base::of(read_documents(documents));
  const auto shipped = knowledge_base::load({});
  if (!large || !shipped)
    return give_up("the documents cannot be indexed");
  for (size_t i = 0; i < rounds; ++i)
    for (const auto& s : situations) {
      const auto begin = clock_type::now();
      const auto found = retrieve(*large, s.request);
      times.push_back(ms_since(begin));
    }
  std::sort(times.begin(), times.end());
  const auto found = skill_times(skill_index::of(made_up_skills(skills)), std::max<size_t>(rounds, 20));
  if (found.empty())
    return give_up("no skill was found");
  return print({{"documents", large->documents().size()},
                {"skills", skills},
                {"skills_ms", {{"median", median(found)}, {"longest", found.back()}}},
                {"shipped", shipped->documents().size()},
                {"left_out", shipped->problems().size()},
                {"load_ms", median(loads)},
                {"retrieval_ms", {{"median", median(times)}, {"longest", times.empty() ? 0.0 : times.back()}}},
                {"quality", quality_of(*shipped, situations)}});
}

} // namespace

int main(int argc, char** argv) {
  kevolve::declared_program app{"Measures the knowledge base."};
  size_t documents = 120;
  size_t skills = 10'000;
  size_t rounds = 50;
  std::string file;
  app.add_option("--documents", documents);
  app.add_option("--skills", skills);
  app.add_option("--rounds", rounds);
  app.add_option("--situations", file)->required();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  return run(documents, skills, file, rounds);
}
