#include "tools/kevolve/output/live_view.hpp"

#include "runtime/base/verdict_text.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace kevolve {

namespace {

constexpr size_t curve_cells = 24;

struct line {
  std::string text;
  const char* colour = "";
};

constexpr const char* green = "\x1b[32m";
constexpr const char* bold_green = "\x1b[1;32m";
constexpr const char* red = "\x1b[31m";
constexpr const char* yellow = "\x1b[33m";
constexpr const char* dim = "\x1b[2m";
constexpr const char* bold = "\x1b[1m";

double share_spent(const json& s) {
  const auto& budget = s["budget"];
  auto share = 0.0;
  if (auto all = number_at(budget, "candidates"); all > 0)
    share = std::max(share, number_at(s, "candidates") / all);
  for (const auto* key : {"wall_s", "device_s"})
    if (auto all = number_at(budget, key); all > 0)
      share = std::max(share, number_at(s["spent"], key) / all);
  return std::clamp(share, 0.0, 1.0);
}

std::string sparkline(const best_curve& curve) {
  static constexpr std::array<const char*, 8> cells{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (curve.size() < 2)
    return {};
  auto [low, high] = std::minmax_element(curve.begin(), curve.end());
  if (*high <= *low)
    return {};
  std::string out = "  ";
  const auto n = std::min(curve.size(), curve_cells);
  for (size_t i = 0; i < n; ++i) {
    auto at = curve[i * (curve.size() - 1) / std::max<size_t>(n - 1, 1)];
    out += cells[static_cast<size_t>(std::lround((at - *low) / (*high - *low) * 7.0))];
  }
  return out;
}

// The tree by index, with what a row needs.
class forest {
public:
  forest(const json& items, uint64_t best) : best_(best) {
    for (const auto& n : items) {
      auto index = n["index"].get<uint64_t>();
      nodes_[index] = &n;
      if (index != 0)
        children_[parent(n)].push_back(index);
    }
    for (auto at = best; at != 0 && nodes_.contains(at) && path_.insert(at).second;)
      at = parent(*nodes_.at(at));
  }

  // Returns the nodes worth a row: the way to the best, what is pinned or in flight, then the fastest, with what is
  // above each.
  std::set<uint64_t> worth(size_t rows) const {
    std::set<uint64_t> shown{0};
    auto add = [&](uint64_t index) {
      std::vector<uint64_t> way;
      for (auto at = index; nodes_.contains(at) && !shown.contains(at); at = parent(*nodes_.at(at)))
        way.push_back(at);
      if (shown.size() + way.size() <= rows)
        shown.insert(way.begin(), way.end());
    };
    if (best_ != 0 && nodes_.contains(best_))
      add(best_);
    std::vector<std::pair<double, uint64_t>> rest;
    for (const auto& [index, n] : nodes_) {
      if (index == 0)
        continue;
      auto rank = number_at(*n, "speedup");
      if (n->value("pinned", false))
        rank += 1e12;
      else if (text_at(*n, "state") == "in_flight")
        rank += 1e9;
      else if (n->value("banned", false))
        rank = -1.0;
      rest.emplace_back(rank, index);
    }
    std::sort(rest.begin(), rest.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second > b.second; // the newest of equals
    });
    for (const auto& [rank, index] : rest) {
      if (shown.size() >= rows)
        break;
      add(index);
    }
    return shown;
  }

  void print(std::vector<line>& out, const std::set<uint64_t>& shown, size_t most) const {
    if (nodes_.contains(0))
      print_node(out, shown, 0, "", "", most);
  }

private:
  static uint64_t parent(const json& n) {
    const auto& parents = n["parents"];
    return parents.empty() ? 0 : parents[0].get<uint64_t>();
  }

  line row(uint64_t index) const {
    const auto& n = *nodes_.at(index);
    auto verdict = text_at(n, "verdict");
    std::string mark = "✗";
    const char* colour = red;
    auto figure = verdict;
    if (index == 0)
      return {"0 reference", ""};
    if (text_at(n, "state") == "in_flight") {
      mark = "…";
      colour = yellow;
      figure = "in flight";
    } else if (is_pass(verdict)) {
      mark = index == best_ ? "★" : path_.contains(index) ? "▲" : "✓";
      colour = index == best_ || path_.contains(index) ? bold_green : green;
      figure = figure_text(n);
      if (index == best_)
        figure += " " + interval_text(n);
    } else if (verdict.empty()) {
      mark = "·";
      colour = dim;
      figure = text_at(n, "state") == "abandoned" ? "abandoned" : "nothing to propose";
    }
    std::string notes;
    if (n.contains("duplicate_of") && n["duplicate_of"].is_number())
      notes += fmt::format(" (same as candidate {})", n["duplicate_of"].get<uint64_t>());
    else if (const auto reused = reused_text(n); !reused.empty())
      notes += " (" + reused + ")";
    if (n.value("pinned", false))
      notes += " (pinned)";
    if (n.value("banned", false)) {
      notes += " (banned)";
      colour = dim;
    }
    return {fmt::format("{} {} {}{}  {}", index, mark, figure, notes, text_at(n, "summary")), colour};
  }

  void print_node(std::vector<line>& out, const std::set<uint64_t>& shown, uint64_t index, const std::string& lead,
                  const std::string& below, size_t most) const {
    if (out.size() >= most)
      return;
    auto r = row(index);
    out.push_back({lead + r.text, r.colour});
    auto known = children_.find(index);
    if (known == children_.end())
      return;
    std::vector<uint64_t> visible;
    for (auto c : known->second)
      if (shown.contains(c))
        visible.push_back(c);
    const auto hidden = known->second.size() - visible.size();
    for (size_t i = 0; i < visible.size(); ++i) {
      const auto last = i + 1 == visible.size() && hidden == 0;
      print_node(out, shown, visible[i], below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "), most);
    }
    if (hidden > 0 && out.size() < most)
      out.push_back({below + fmt::format("└─ {} more", hidden), dim});
  }

  uint64_t best_;
  std::map<uint64_t, const json*> nodes_;
  std::map<uint64_t, std::vector<uint64_t>> children_;
  std::set<uint64_t> path_;
};

} // namespace

std::vector<std::string> live_frame(const json& s, const json& tree, const best_curve& curve, const view_size& size) {
  const auto& b = s["best"];
  const auto& budget = s["budget"];
  auto of = [&](const char* key) {
    auto all = number_at(budget, key);
    return all > 0 ? " of " + human_duration(all) : std::string{};
  };
  std::vector<line> lines;
  lines.push_back(
      {fmt::format("{} {}  {}  {} {}{}", text_at(s, "name"), text_at(s, "id").substr(0, 8), state_text(s),
                   human_share(share_spent(s)), human_duration(number_at(s["spent"], "wall_s")), of("wall_s")),
       bold});
  auto all = number_at(budget, "candidates");
  lines.push_back({fmt::format(
      "  {} candidates{}, {} valid, {} in flight, {} on the device, priority {}", s["candidates"].get<uint64_t>(),
      all > 0 ? " of " + human_count(all) : "", s["valid"].get<uint64_t>(), s["in_flight"].get<uint64_t>(),
      human_duration(number_at(s["spent"], "device_s")), static_cast<uint64_t>(number_at(s, "priority")))});
  if (b.is_object())
    lines.push_back({fmt::format("  best {} {}  candidate {}: {}{}", human_speedup(number_at(b, "speedup")),
                                 interval_text(b), candidate_at(b), text_at(b, "summary"), sparkline(curve)),
                     bold_green});
  else
    lines.push_back({"  best: none yet"});
  if (b.is_object() && !text_at(b, "baseline_headline").empty())
    lines.push_back({"  " + text_at(b, "baseline_headline"), bold});
  if (auto why = text_at(s, "reason"); !why.empty())
    lines.push_back({"  " + why, yellow});
  lines.push_back({});
  const auto room = size.lines > lines.size() + 1 ? size.lines - lines.size() - 1 : 0;
  if (room > 0 && tree.is_array()) {
    const forest f{tree, b.is_object() ? candidate_at(b) : 0};
    // A node may bring a line "n more" below it: take fewer until all fits.
    std::vector<line> best_fit;
    for (auto rows = room; rows > 0; --rows) {
      best_fit.clear();
      f.print(best_fit, f.worth(rows), room + 1);
      if (best_fit.size() <= room)
        break;
    }
    best_fit.resize(std::min(best_fit.size(), room));
    lines.insert(lines.end(), best_fit.begin(), best_fit.end());
  }
  lines.resize(std::min(lines.size(), std::max<size_t>(size.lines, 1)));
  std::vector<std::string> out;
  for (const auto& l : lines) {
    auto text = fit_to(l.text, std::max<size_t>(size.columns, 2) - 1);
    out.push_back(size.colour && *l.colour != '\0' ? l.colour + text + "\x1b[0m" : text);
  }
  return out;
}

std::string draw_frame(const std::vector<std::string>& frame) {
  std::string out = "\x1b[H";
  for (size_t i = 0; i < frame.size(); ++i)
    out += (i == 0 ? "" : "\r\n") + frame[i] + "\x1b[K";
  return out + "\x1b[J";
}

} // namespace kevolve
