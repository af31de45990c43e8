#include "backends/judge/draw_coverage.hpp"

#include "backends/judge/geometry.hpp"
#include "runtime/base/edge_names.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve {

namespace {

std::string counted(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string out;
  for (const auto& p : parts)
    out += (out.empty() ? "" : between) + p;
  return out;
}

// Returns the numbers up to the end of their first range, and how many others there are.
std::string first_range(const std::set<int64_t>& numbers) {
  const auto whole = ranges_of(numbers);
  auto end = numbers.begin();
  for (auto last = *end; end != numbers.end() && *end <= last + 1; ++end)
    last = *end;
  const auto others = std::distance(end, numbers.end());
  constexpr std::ptrdiff_t few = 3;
  return others <= few ? whole
                       : ranges_of({numbers.begin(), end}) + " and " + std::to_string(others) + " more up to "
                             + std::to_string(*numbers.rbegin());
}

std::vector<std::string> quoted(std::vector<std::string> names) {
  for (auto& n : names)
    n = "'" + n + "'";
  return names;
}

bool has_edge(const contract& task, const std::string& edge) {
  return std::any_of(task.arguments.begin(), task.arguments.end(),
                     [&](const auto& a) { return std::find(a.edge.begin(), a.edge.end(), edge) != a.edge.end(); });
}

bool has_sizes(const contract& task) {
  return std::any_of(task.arguments.begin(), task.arguments.end(),
                     [](const auto& a) { return a.role == argument_role::size; });
}

bool reads_floats(const contract& task) {
  return std::any_of(task.arguments.begin(), task.arguments.end(),
                     [](const auto& a) { return is_array(a) && is_read(a) && is_floating(a.type); });
}

} // namespace

std::string ranges_of(const std::set<int64_t>& numbers) {
  std::string out;
  for (auto i = numbers.begin(); i != numbers.end();) {
    const auto first = *i;
    auto last = first;
    for (++i; i != numbers.end() && *i == last + 1; ++i)
      ++last;
    out += (out.empty() ? "" : " ") + std::to_string(first);
    if (last > first)
      out += "-" + std::to_string(last);
  }
  return out;
}

void draw_coverage::add(const size_map& sizes, const std::vector<value_choice>& chosen, bool of_held_out_shape) {
  ++draws_;
  const bool chooses =
      std::any_of(chosen.begin(), chosen.end(), [](const auto& c) { return c.pattern != value_pattern::declared; });
  if (of_held_out_shape)
    at_held_out_ += chooses ? 1U : 0U;
  else
    add_sizes(sizes, chooses);
  std::set<value_pattern> used;
  for (const auto& c : chosen)
    used.insert(c.pattern);
  if (used.size() > 1)
    used.erase(value_pattern::declared);
  for (const auto p : used)
    ++patterns_[p];
}

void draw_coverage::add_sizes(const size_map& sizes, bool chooses) {
  std::vector<int64_t> shape;
  for (const auto& a : task_.arguments)
    if (a.role == argument_role::size)
      if (const auto found = sizes.find(a.name); found != sizes.end()) {
        shape.push_back(found->second);
        sizes_[a.name].insert(found->second);
      }
  shapes_.insert(std::move(shape));
  for (const auto& declared : task_.shapes)
    if (chooses && !declared.held_out && declared.sizes == sizes)
      ++at_declared_[declared.name];
}

void draw_coverage::add_count(const std::string& output, int64_t count, int64_t capacity) {
  auto& seen = counts_[output];
  if (count == 0)
    seen.insert("0");
  if (count == 1)
    seen.insert("1");
  if (count == capacity)
    seen.insert("all");
}

void draw_coverage::add(const draw_counts& discarded) {
  discarded_.missed += discarded.missed;
  discarded_.failed += discarded.failed;
  discarded_.unmade += discarded.unmade;
  discarded_.impossible += discarded.impossible;
  discarded_.missed_draws.insert(discarded_.missed_draws.end(), discarded.missed_draws.begin(),
                                 discarded.missed_draws.end());
}

std::string draw_coverage::sizes_text() const {
  std::vector<std::string> parts;
  for (const auto& [name, sizes] : sizes_)
    parts.push_back(name + " " + first_range(sizes));
  return joined(parts, ", ");
}

// Names the declared shapes at which values were chosen, and those at which they were not.
std::string draw_coverage::at_declared_text() const {
  std::vector<std::string> at;
  std::vector<std::string> not_at;
  size_t held_out = 0;
  for (const auto& shape : task_.shapes)
    if (shape.held_out)
      ++held_out;
    else if (const auto found = at_declared_.find(shape.name); found != at_declared_.end())
      at.push_back("'" + shape.name + "' " + std::to_string(found->second));
    else
      not_at.push_back("'" + shape.name + "'");
  if (at_held_out_ > 0)
    at.push_back("held-out shapes " + std::to_string(at_held_out_));
  else if (held_out > 0)
    not_at.emplace_back("held-out shapes");
  std::string out;
  if (!at.empty())
    out += " Such values at declared shapes: " + joined(at, ", ") + ".";
  if (!not_at.empty())
    out += " None at " + joined(not_at, ", ") + ".";
  return out;
}

std::string draw_coverage::discarded() const {
  std::vector<std::string> parts;
  const auto note = [&](size_t n, const std::string& why) {
    if (n > 0)
      parts.push_back(counted(n, "draw") + " " + why);
  };
  note(discarded_.missed, "on which the reference itself misses the tolerance or is not finite ("
                              + joined(quoted(discarded_.missed_draws), ", ")
                              + (discarded_.missed > discarded_.missed_draws.size() ? ", …)" : ")"));
  note(discarded_.failed, "on which the reference fails");
  note(discarded_.unmade, "for want of time or memory");
  note(discarded_.impossible, "for which no data exist");
  return joined(parts, ", ");
}

std::string draw_coverage::tried() const {
  if (draws_ == 0)
    return "Adversarial draws: none; the values were those of the fill rules and of declared edges.";
  std::vector<std::string> values;
  for (const auto& [pattern, n] : patterns_)
    values.push_back(to_string(pattern) + " " + std::to_string(n));
  const auto where = declared_sizes_only(task_) ? std::string{" at the declared sizes alone"}
                     : !has_sizes(task_)        ? std::string{" at the task's fixed sizes"}
                     : sizes_.empty()           ? std::string{" of held-out shapes alone"}
                                                : " of " + counted(shapes_.size(), "shape") + ": sizes " + sizes_text();
  auto out =
      counted(draws_, "adversarial draw") + where + "; values " + joined(values, ", ") + "." + at_declared_text();
  for (const auto& [name, seen] : counts_)
    out += " Counts of '" + name
           + "' reached: " + (seen.empty() ? "neither 0, 1 nor all" : joined({seen.begin(), seen.end()}, ", ")) + ".";
  return out;
}

std::string draw_coverage::not_tried() const {
  std::vector<std::string> parts;
  if (!has_sizes(task_))
    parts.emplace_back("arrays of other sizes, which the task does not allow (it has no argument of role \"size\")");
  else if (declared_sizes_only(task_))
    parts.emplace_back("sizes other than the declared ones, which the task excludes (sizes = \"declared\")");
  else if (sizes_.empty())
    parts.emplace_back("sizes other than the declared ones");
  else {
    std::vector<std::string> largest;
    for (const auto& [name, sizes] : sizes_)
      largest.push_back(name + " " + std::to_string(*sizes.rbegin()));
    parts.push_back("sizes other than these and the declared ones (largest: " + joined(largest, ", ")
                    + "), and most combinations of sizes");
  }
  parts.emplace_back("values outside the fill rules");
  if (reads_floats(task_)) {
    if (!has_edge(task_, edge_name::special))
      parts.emplace_back("infinities and NaN");
    if (!has_edge(task_, edge_name::large))
      parts.emplace_back("huge values");
    if (!has_edge(task_, edge_name::denormal))
      parts.emplace_back("denormal numbers");
  }
  for (const auto& a : task_.arguments)
    if (a.is_static)
      parts.push_back("chosen values of the static weight '" + a.name + "'");
  auto out = "Not tried: " + joined(parts, "; ") + ".";
  if (const auto left_out = discarded(); !left_out.empty())
    out += " Left out: " + left_out + ".";
  return out;
}

void draw_coverage::note(std::map<std::string, std::string>& evidence) const {
  evidence["draws"] = std::to_string(draws_);
  evidence["draws.shapes"] = std::to_string(shapes_.size());
  for (const auto& [name, sizes] : sizes_)
    evidence["draws.sizes." + name] = ranges_of(sizes);
  for (const auto& [pattern, n] : patterns_)
    evidence["draws.values." + to_string(pattern)] = std::to_string(n);
  for (const auto& [name, seen] : counts_)
    evidence["draws.counts." + name] = joined({seen.begin(), seen.end()}, ", ");
  const auto note_count = [&](const char* key, size_t n) {
    if (n > 0)
      evidence[std::string{"draws.discarded."} + key] = std::to_string(n);
  };
  note_count("missed", discarded_.missed);
  note_count("failed", discarded_.failed);
  note_count("unmade", discarded_.unmade);
  note_count("impossible", discarded_.impossible);
  evidence[tried_key] = tried();
  evidence[not_tried_key] = not_tried();
}

std::string coverage_text(const std::map<std::string, std::string>& evidence) {
  const auto tried = evidence.find(tried_key);
  const auto not_tried = evidence.find(not_tried_key);
  return tried == evidence.end() || not_tried == evidence.end() ? std::string{}
                                                                : tried->second + " " + not_tried->second;
}

} // namespace kevolve
