#include "config/document.hpp"

#include <algorithm>
#include <tuple>

namespace kevolve {

namespace {

// Removes and returns the next step of a path such as "argument[1].shape": a key, or an index if it starts with a
// digit.
std::string next_step(std::string_view& path) {
  while (!path.empty() && (path.front() == '.' || path.front() == '[' || path.front() == ']'))
    path.remove_prefix(1);
  auto end = std::min(path.find_first_of(".[]"), path.size());
  std::string step{path.substr(0, end)};
  path.remove_prefix(end);
  return step;
}

const document_value* child(const document_value& parent, const std::string& step) {
  if (parent.what == document_value::kind::table)
    return parent.find(step);
  if (parent.what != document_value::kind::array || step.empty()
      || step.find_first_not_of("0123456789") != std::string::npos || step.size() > 6)
    return nullptr;
  auto index = std::stoul(step);
  return index < parent.items.size() ? &parent.items[index] : nullptr;
}

} // namespace

void error_list::add(const std::string& path, std::string message, int offset) {
  const auto* where = &root_;
  std::string_view rest = path;
  for (auto step = next_step(rest); !step.empty(); step = next_step(rest)) {
    // One [tolerance] stands for [[tolerance]], so its index is skipped.
    if (where->what == document_value::kind::table && step == "0")
      continue;
    const auto* next = child(*where, step);
    if (!next) {
      offset = 0;
      break;
    }
    where = next;
  }
  auto at = where->at;
  // A file begins at 1:1, also for errors about missing parts.
  if (where == &root_)
    at = {1, 1};
  // Skips the opening quote.
  if (offset > 0)
    at.column += offset;
  add_at(at, where->origin, path, std::move(message));
}

void error_list::add_at(source_position at, const std::string& origin, const std::string& path, std::string message) {
  if (origin.empty())
    errors_.push_back({file_, at.line, at.column, path, std::move(message)});
  else
    errors_.push_back({origin, 0, 0, path, std::move(message)});
}

void error_list::append(std::vector<diagnostic> others) {
  errors_.insert(errors_.end(), others.begin(), others.end());
}

bool error_list::concerns(const std::string& key) const {
  return std::any_of(errors_.begin(), errors_.end(),
                     [&](const diagnostic& d) { return d.key == key || d.key.starts_with(key + "."); });
}

std::vector<diagnostic> error_list::take() {
  auto order = [](const diagnostic& d) { return std::tie(d.file, d.line, d.column, d.key, d.message); };
  std::sort(errors_.begin(), errors_.end(),
            [&](const diagnostic& a, const diagnostic& b) { return order(a) < order(b); });
  errors_.erase(std::unique(errors_.begin(), errors_.end()), errors_.end());
  return std::move(errors_);
}

namespace {

void mark(document_value& x, const std::string& origin) {
  x.origin = origin;
  x.at = {};
  for (auto& item : x.items)
    mark(item, origin);
  for (auto& m : x.members)
    mark(m.value, origin);
}

document_value parse_override(const std::string& text) {
  // One member only, so that a value cannot add further keys.
  if (auto parsed = parse_document("x = " + text, ""); parsed && parsed->members.size() == 1)
    return parsed->members.front().value;
  document_value out;
  out.what = document_value::kind::text;
  out.text = text;
  return out;
}

// Walks to the place that an override names, and makes tables on the way. Returns null if another value is in the way.
document_value* place(document_value& root, std::string_view path, const std::string& origin) {
  auto* where = &root;
  for (auto step = next_step(path); !step.empty(); step = next_step(path)) {
    if (auto* next = const_cast<document_value*>(child(*where, step))) {
      where = next;
      continue;
    }
    if (where->what != document_value::kind::table)
      return nullptr;
    document_member fresh{step, {}, {}};
    fresh.value.origin = origin;
    where->members.push_back(std::move(fresh));
    where = &where->members.back().value;
  }
  return where == &root ? nullptr : where;
}

} // namespace

void apply_overrides(document_value& root, const std::vector<std::string>& overrides, std::vector<diagnostic>& errors) {
  for (const auto& text : overrides) {
    auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      errors.push_back({"--set " + text, 0, 0, "", "expected key=value"});
      continue;
    }
    constexpr size_t longest_key = 256;
    if (equals > longest_key) {
      errors.push_back({"--set " + text.substr(0, 32) + "...", 0, 0, "", "no key is that long"});
      continue;
    }
    auto key = text.substr(0, equals);
    auto origin = "--set " + key;
    auto* where = place(root, key, origin);
    if (!where) {
      errors.push_back({origin, 0, 0, key, "there is no such place in the file"});
      continue;
    }
    auto value = parse_override(text.substr(equals + 1));
    mark(value, origin);
    *where = std::move(value);
  }
}

} // namespace kevolve
