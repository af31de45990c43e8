#include "backends/generators/configurations.hpp"

#include "runtime/base/ids.hpp"

#include <algorithm>
#include <string_view>

namespace kevolve {

namespace {

constexpr std::string_view header = "[[configuration]]";
constexpr size_t most_configurations = 64;

struct span {
  size_t begin = 0;
  size_t end = 0;
};

// From each header to the next table, or to the end of the plan.
std::vector<span> configurations_of(std::string_view text) {
  std::vector<span> out;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const auto next = std::min(text.find('\n', at), text.size() - 1) + 1;
    const auto line = text.substr(at, next - at);
    const auto first = std::min(line.find_first_not_of(" \t"), line.size());
    const auto word = line.substr(first);
    if (inside && (word.starts_with("[") || word.starts_with("\"\"\"") || word.starts_with("*/"))) {
      out.back().end = at;
      inside = false;
    }
    if (word.starts_with(header) && out.size() < most_configurations) {
      out.push_back({at, text.size()});
      inside = true;
    }
    at = next;
  }
  return out;
}

// Returns words such as "BLOCK = 2048, num_warps = 16".
std::string words_of(std::string_view table) {
  std::string out;
  for (size_t at = table.find('\n'); at != std::string_view::npos && at + 1 < table.size();) {
    const auto next = table.find('\n', at + 1);
    auto line = table.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    line = line.substr(0, line.find('#'));
    const auto last = line.find_last_not_of(" \t\r");
    if (last != std::string_view::npos)
      out += (out.empty() ? "" : ", ") + std::string{line.substr(0, last + 1)};
    at = next;
  }
  return out;
}

class configurations final : public generator {
public:
  result<proposal> propose(const synthesis_context& context) override {
    for (const auto& parent : context.parents) {
      const auto all = configurations_of(parent.source);
      if (!parent.genome.empty()) // its own source is such a choice already
        continue;
      // Steps under way at once know nothing of each other's: each begins elsewhere.
      const auto begin = all.empty() ? 0 : context.seed % all.size();
      for (size_t i = 0; i < all.size(); ++i) {
        const auto n = (begin + i) % all.size();
        if (n == 0) // what the parent is
          continue;
        proposal out;
        out.genome = "configuration " + std::to_string(n) + " of " + to_string(derive_id("source", parent.source));
        if (std::binary_search(context.seen.begin(), context.seen.end(), genome_fingerprint(out.genome)))
          continue;
        out.language = context.form.language;
        out.source = with_configuration(parent.source, n);
        out.flags = parent.flags;
        out.summary =
            "configuration: "
            + words_of(std::string_view{parent.source}.substr(all[n].begin, all[n].end - all[n].begin)).substr(0, 200);
        return out;
      }
    }
    return fail(errc::unsupported, "there is no [[configuration]] left to try in what this step starts from");
  }

  std::string describe(const synthesis_context& context) override {
    return "further [[configuration]] tables of candidates in " + context.form.language;
  }
};

} // namespace

std::string with_configuration(const std::string& source, size_t n) {
  const auto all = configurations_of(source);
  if (n >= all.size())
    return {};
  std::vector<span> order{all[n]};
  for (size_t i = 0; i < all.size(); ++i)
    if (i != n)
      order.push_back(all[i]);
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    out += source.substr(at, all[i].begin - at) + source.substr(order[i].begin, order[i].end - order[i].begin);
    at = all[i].end;
  }
  return out + source.substr(at);
}

std::unique_ptr<generator> make_configurations_generator() {
  return std::make_unique<configurations>();
}

} // namespace kevolve
