#include "config/diagnostic.hpp"

#include "runtime/base/printable.hpp"

#include <algorithm>

namespace kevolve {

std::string to_string(const diagnostic& d) {
  auto out = printable(d.file);
  if (d.line > 0)
    out.append(":").append(std::to_string(d.line)).append(":").append(std::to_string(d.column));
  // An override already names its key.
  if (!d.key.empty() && d.file != "--set " + d.key)
    out += ": " + printable(d.key);
  return out + ": " + printable(d.message);
}

std::string to_string(const std::vector<diagnostic>& ds) {
  std::string out;
  for (const auto& d : ds)
    out += to_string(d) + "\n";
  return out;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& choices) {
  // "gpu" is a kind of hardware, not a slip for "cpu", from which one letter parts it.
  const bool any_gpu = word == "gpu" && std::find(choices.begin(), choices.end(), "cuda") != choices.end();
  const std::string* best = nullptr;
  // With up to a third of the letters wrong the word counts as misspelt; with more, as another word.
  auto nearest = std::max<size_t>(1, word.size() / 3) + 1;
  std::string all;
  for (const auto& choice : choices) {
    all += (all.empty() ? "" : ", ") + choice;
    auto distance = edit_distance(word, choice);
    if (!any_gpu && distance < nearest && distance < choice.size()) {
      nearest = distance;
      best = &choice;
    }
  }
  if (best)
    return "; did you mean '" + *best + "'?";
  return all.empty() ? "" : "; there are: " + all + (any_gpu ? " ('cuda' for NVIDIA, 'hip' for AMD)" : "");
}

} // namespace kevolve
