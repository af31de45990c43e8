// Pages of a list: {items, total, truncated, next}.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct page_request {
  uint64_t cursor = 0; // position of the first item
  uint64_t limit = 100;
};

// Returns a page whose items end before the one at `last`.
inline json page_json(json items, uint64_t last, uint64_t total) {
  const auto more = last < total;
  json out{{"items", std::move(items)}, {"total", total}, {"truncated", more}, {"next", nullptr}};
  if (more)
    out["next"] = std::to_string(last);
  return out;
}

// Returns the page as text. The items are JSON text already; `more` adds members.
inline std::string page_text(const std::vector<std::string>& items, uint64_t last, uint64_t total,
                             const json& more = json::object()) {
  auto rest = page_json(json::array(), last, total);
  rest.erase("items");
  rest.update(more);
  size_t bytes = 256;
  for (const auto& item : items)
    bytes += item.size() + 1;
  std::string out = "{\"items\":[";
  out.reserve(bytes);
  for (const auto& item : items) {
    if (&item != &items.front())
      out += ',';
    out += item;
  }
  return out.append("],").append(to_text(rest), 1);
}

// Returns the requested page of `all`; `to_item` turns each item into JSON. `next` is the cursor of the following page.
template <class T, class F>
json page_of(const std::vector<T>& all, const page_request& asked, F to_item) {
  auto first = std::min<uint64_t>(asked.cursor, all.size());
  auto last = std::min<uint64_t>(first + std::min<uint64_t>(asked.limit, all.size()), all.size());
  auto items = json::array();
  for (auto i = first; i < last; ++i)
    items.push_back(to_item(all[i]));
  return page_json(std::move(items), last, all.size());
}

} // namespace kevolve
