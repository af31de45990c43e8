#include "runtime/node/admin/diff.hpp"

#include <algorithm>
#include <vector>

namespace kevolve {

namespace {

using lines = std::vector<std::string_view>;

// With more edits than this the script does not help a reader, and its trace takes (edits²) memory: 16 MB.
constexpr size_t most_edits = 1'000;

enum class action : char { keep = ' ', remove = '-', add = '+' };

lines split(std::string_view text) {
  lines out;
  while (!text.empty()) {
    auto end = text.find('\n');
    auto n = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, n)); // includes the newline, so that a missing last one is a difference
    text.remove_prefix(n);
  }
  return out;
}

// The furthest x on each diagonal k = x - y, for every number of edits. Diagonals are stored shifted by `shift`.
using frontier = std::vector<size_t>;

bool comes_down(const frontier& v, size_t k, size_t lowest, size_t highest) {
  return k == lowest || (k != highest && v[k - 1] < v[k + 1]);
}

std::vector<action> replace_all(size_t removed, size_t added) {
  std::vector<action> out(removed, action::remove);
  out.insert(out.end(), added, action::add);
  return out;
}

// Implements Myers 1986. Positions on diagonals are kept unsigned: diagonal k is at index k + shift.
std::vector<action> edit_script(const lines& a, const lines& b) {
  auto limit = std::min(a.size() + b.size(), most_edits);
  auto shift = limit + 1;
  frontier v(2 * shift + 1, 0);
  std::vector<frontier> trace;
  for (size_t d = 0; d <= limit; ++d) {
    trace.push_back(v);
    for (size_t k = shift - d; k <= shift + d; k += 2) {
      auto x = comes_down(v, k, shift - d, shift + d) ? v[k + 1] : v[k - 1] + 1;
      auto y = x + shift - k;
      while (x < a.size() && y < b.size() && a[x] == b[y]) {
        ++x;
        ++y;
      }
      v[k] = x;
      if (x != a.size() || y != b.size())
        continue;
      // Walks back through the trace.
      std::vector<action> reversed;
      for (auto step = d; step > 0; --step) {
        const auto& before = trace[step];
        auto at = x + shift - y;
        auto down = comes_down(before, at, shift - step, shift + step);
        auto from = down ? at + 1 : at - 1;
        auto from_x = before[from];
        auto from_y = from_x + shift - from;
        while (x > from_x + (down ? 0 : 1) && y > from_y + (down ? 1 : 0)) {
          reversed.push_back(action::keep);
          --x;
          --y;
        }
        reversed.push_back(down ? action::add : action::remove);
        x = from_x;
        y = from_y;
      }
      reversed.insert(reversed.end(), x, action::keep);
      std::reverse(reversed.begin(), reversed.end());
      return reversed;
    }
  }
  return replace_all(a.size(), b.size());
}

void put_line(std::string& out, action what, std::string_view line) {
  out += static_cast<char>(what);
  out += line;
  if (line.empty() || line.back() != '\n')
    out += "\n\\ No newline at end of file\n";
}

std::string range(size_t first, size_t count) {
  // An empty range names the line before it.
  auto start = count == 0 ? first : first + 1;
  return count == 1 ? std::to_string(start) : std::to_string(start) + "," + std::to_string(count);
}

} // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& before_name,
                         const std::string& after_name, size_t context) {
  if (before == after)
    return {};
  auto a = split(before);
  auto b = split(after);
  auto script = edit_script(a, b);
  std::string out = "--- " + before_name + "\n+++ " + after_name + "\n";
  size_t i = 0;
  size_t x = 0; // lines of a and b before position i
  size_t y = 0;
  while (i < script.size()) {
    if (script[i] == action::keep) {
      ++i, ++x, ++y;
      continue;
    }
    // A hunk goes from `context` lines before this change to where more than 2 * context lines are kept.
    auto lead = std::min(context, std::min(x, y));
    size_t end = i;
    size_t kept = 0;
    for (size_t j = i; j < script.size() && kept <= 2 * context; ++j)
      if (script[j] == action::keep)
        ++kept;
      else {
        kept = 0;
        end = j + 1;
      }
    for (size_t tail = 0; tail < context && end < script.size() && script[end] == action::keep; ++tail)
      ++end;
    auto from_x = x - lead;
    auto from_y = y - lead;
    std::string body;
    x = from_x;
    y = from_y;
    for (size_t j = i - lead; j < end; ++j) {
      put_line(body, script[j], script[j] == action::add ? b[y] : a[x]);
      x += script[j] != action::add ? 1U : 0U;
      y += script[j] != action::remove ? 1U : 0U;
    }
    out += "@@ -" + range(from_x, x - from_x) + " +" + range(from_y, y - from_y) + " @@\n" + body;
    i = end;
  }
  return out;
}

} // namespace kevolve
