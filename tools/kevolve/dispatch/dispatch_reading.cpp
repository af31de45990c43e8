#include "tools/kevolve/dispatch/dispatch_reading.hpp"

#include "runtime/base/ids.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/verdict_text.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/task_reading.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

std::string exact(const json& x, const char* key) {
  const auto i = x.find(key);
  return i != x.end() && i->is_string() ? i->get<std::string>() : std::string{};
}

uint64_t index_at(const json& x, const char* key) {
  return static_cast<uint64_t>(number_at(x, key));
}

// Returns the candidates that pass, without those banned by a person.
result<std::vector<uint64_t>> passing_nodes(connection& node, const std::string& path) {
  std::vector<uint64_t> out;
  std::string cursor = "0";
  for (;;) {
    auto page = node.get(path + "/tree?limit=1000&cursor=" + cursor);
    if (!page)
      return tl::unexpected(page.error());
    for (const auto& n : (*page)["items"])
      if (index_at(n, "index") != 0 && is_pass(exact(n, "verdict")) && !n.value("banned", false))
        out.push_back(index_at(n, "index"));
    if (!(*page)["next"].is_string())
      return out;
    cursor = (*page)["next"].get<std::string>();
  }
}

std::vector<double> ratios_of(const json& shapes, const contract& task) {
  std::vector<double> out(task.shapes.size(), 0.0);
  for (const auto& t : shapes)
    for (size_t s = 0; s < out.size(); ++s)
      if (!task.shapes[s].held_out && task.shapes[s].name == exact(t, "shape"))
        out[s] = number_at(t, "speedup");
  return out;
}

// Uses the last judgement that was timed. One against the reference itself needs no chain.
dispatch::compared_kernel screening_of(const json& node, const contract& task) {
  dispatch::compared_kernel out{index_at(node, "index"), 0, std::vector<double>(task.shapes.size(), 0.0)};
  for (const auto& e : node["evaluations"]) {
    const auto outcome = e.find("outcome");
    if (outcome == e.end() || !is_pass(exact(*outcome, "verdict")) || (*outcome)["shapes"].empty())
      continue;
    const bool direct = exact(e, "baseline") == "reference" || exact(e, "rival") == "reference";
    out.baseline = direct ? 0 : index_at(node, node.contains("baseline") ? "baseline" : "rival");
    out.ratios = ratios_of((*outcome)["shapes"], task);
  }
  return out;
}

} // namespace

result<void> read_passing(connection& node, const std::string& path, const contract& task, const json& best,
                          const std::function<bool(const std::string&)>& reads, std::vector<tree_kernel>& kernels,
                          std::vector<dispatch::compared_kernel>& screenings) {
  auto passing = passing_nodes(node, path);
  if (!passing)
    return tl::unexpected(passing.error());
  for (auto index : *passing) {
    auto whole = node.get(path + "/candidates/" + std::to_string(index));
    if (!whole)
      return tl::unexpected(whole.error());
    const auto& p = (*whole)["proposal"];
    auto source = exact(*whole, "source");
    if (!reads(exact(p, "language")) || source.empty() || sha256_hex(source) != exact(p, "source_sha256"))
      continue;
    auto screening = screening_of(*whole, task);
    if (index == candidate_at(best) && !best["shapes"].empty()) { // figures of the final confirmation
      screening.baseline = 0;
      screening.ratios = ratios_of(best["shapes"], task);
    }
    screenings.push_back(std::move(screening));
    kernels.push_back({index, std::move(source), exact(p, "language"), exact(p, "flags"), exact(p, "generator"),
                       exact(p, "summary")});
  }
  return {};
}

result<dispatch_material> read_dispatch_material(connection& node, const std::string& id) {
  const auto path = "/v1/campaigns/" + percent_encoded(id);
  auto status = node.get(path);
  if (!status)
    return tl::unexpected(status.error());
  if (const auto target = exact(*status, "target"); target != "cpu")
    return fail(errc::unsupported, "dispatchers are made of kernels for the cpu, and this campaign's are for "
                                       + printable(target)
                                       + ": `kevolve bundle` makes a package that chooses among them");
  auto told = node.get(path + "/task");
  if (!told)
    return tl::unexpected(told.error());
  auto task = task_told(*told);
  if (!task)
    return tl::unexpected(task.error());
  if (find_language(task->task.language).dialect != c_dialect::c)
    return fail(errc::unsupported, "dispatchers are written in C, and this task's reference is "
                                       + printable(task->task.language) + ": `kevolve bundle` takes the best alone");
  const auto best = status->find("best");
  if (best == status->end() || !best->is_object())
    return fail(errc::not_found, "nothing to dispatch: no candidate has been shown to be faster than the reference; "
                                 "`kevolve tree` shows what was tried");
  dispatch_material out;
  out.campaign = exact(*status, "id");
  out.task = std::move(*task);
  out.best = candidate_at(*best);
  const auto is_c = [](const std::string& language) { return find_language(language).dialect == c_dialect::c; };
  if (auto done = read_passing(node, path, out.task.task, *best, is_c, out.kernels, out.screenings); !done)
    return tl::unexpected(done.error());
  if (std::none_of(out.kernels.begin(), out.kernels.end(), [&](const tree_kernel& k) { return k.node == out.best; }))
    return fail(errc::not_found, "nothing to dispatch: candidate " + std::to_string(out.best)
                                     + ", the best, does not pass any more, is not C, or its source is not stored");
  return out;
}

std::vector<tree_kernel> worth_judging(const dispatch_material& m, size_t most) {
  auto speedups = dispatch::chained_speedups(m.screenings);
  size_t first = 0;
  while (m.kernels[first].node != m.best)
    ++first;
  std::set<std::string> seen{m.kernels[first].source};
  for (size_t k = 0; k < m.kernels.size(); ++k)
    if (k != first && !seen.insert(m.kernels[k].source).second) // skips a source that occurs again with other flags
      std::fill(speedups[k].begin(), speedups[k].end(), 0.0);
  std::vector<tree_kernel> out;
  for (auto k : dispatch::shortlist(speedups, first, most))
    out.push_back(m.kernels[k]);
  return out;
}

} // namespace kevolve
