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

// The asked page of `all`, each item turned into JSON by `to_item`. `next` is the cursor of the page after it.
template <class T, class F>
json page_of(const std::vector<T>& all, const page_request& asked, F to_item) {
  auto first = std::min<uint64_t>(asked.cursor, all.size());
  auto last = std::min<uint64_t>(first + std::min<uint64_t>(asked.limit, all.size()), all.size());
  auto items = json::array();
  for (auto i = first; i < last; ++i)
    items.push_back(to_item(all[i]));
  auto more = last < all.size();
  json out{{"items", std::move(items)}, {"total", all.size()}, {"truncated", more}, {"next", nullptr}};
  if (more)
    out["next"] = std::to_string(last);
  return out;
}

} // namespace kevolve
