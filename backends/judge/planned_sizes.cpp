#include "backends/judge/planned_sizes.hpp"

#include "backends/judge/geometry.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace kevolve {

namespace {

constexpr double most_elements = 1 << 17;
constexpr double most_work = 4e6;
constexpr int64_t largest_size = 1 << 17;
constexpr int64_t still_small = 65;
constexpr std::array<int64_t, 12> small_sizes{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33};
// The choices are the same for every judge: no data are drawn from these seeds.
constexpr uint64_t order_seed = 0x5eed;

std::vector<int64_t> make_asked_sizes() {
  std::set<int64_t> out;
  for (int64_t n = 0; n <= 129; ++n) // above 65, each remainder of 64 once more: of loops that small sizes do not enter
    out.insert(n);
  for (int64_t power = 128; power <= 32768; power *= 2)
    out.insert({power - 1, power, power + 1});
  for (int64_t vectors : {160, 192, 224, 320, 384, 448, 640, 768})
    out.insert(vectors);
  for (int64_t vectors : {192, 384})
    out.insert({vectors - 1, vectors + 1});
  return {out.begin(), out.end()};
}

// A symbol of the task with the sizes that no draw has yet.
struct symbol {
  std::string name;
  size_rule rule;
  int64_t most = 1025;       // or four times the largest declared size: a reference may have scratch for no more
  std::vector<int64_t> open; // the last one comes next

  bool allows(int64_t size) const {
    return !rule.declared_only && size >= rule.least && size <= most && size % rule.step == 0;
  }
};

// Returns the least size that the rule allows, from this one on.
int64_t next_allowed(const size_rule& rule, int64_t size) {
  return (std::max(size, rule.least) + rule.step - 1) / rule.step * rule.step;
}

std::vector<symbol> symbols_of(const contract& task) {
  std::vector<symbol> out;
  for (const auto& a : task.arguments)
    if (a.role == argument_role::size) {
      symbol s;
      s.name = a.name;
      s.rule = size_rule_of(a);
      for (const auto& shape : task.shapes) // a size that a shape declares is allowed
        if (const auto declared = shape.sizes.find(a.name); declared != shape.sizes.end()) {
          s.rule.least = std::min(s.rule.least, declared->second);
          if (!shape.held_out) // nothing may tell of these
            s.most = std::max(s.most, std::min(declared->second, largest_size) * 4);
        }
      out.push_back(std::move(s));
    }
  return out;
}

template <class T>
void shuffle(std::vector<T>& xs, uint64_t seed) {
  splitmix64 random{mix_seed(order_seed, seed)};
  for (size_t i = xs.size(); i > 1; --i)
    std::swap(xs[i - 1], xs[random.below(i)]);
}

std::vector<value_choice> choices_as_declared(const contract& task) {
  return std::vector<value_choice>(task.arguments.size());
}

class size_planner {
public:
  explicit size_planner(const contract& task) : task_(task), symbols_(symbols_of(task)) {}

  draw_plan run(const std::vector<double>& constants, bool asked) {
    for (size_t s = 0; s < symbols_.size(); ++s)
      ask(symbols_[s], constants, asked, s);
    for (size_t turn = 0; auto* next = most_open(); ++turn)
      if (auto draw = cover(*next, turn))
        plan_.draws.push_back(std::move(*draw));
    return std::move(plan_);
  }

private:
  static void ask(symbol& s, const std::vector<double>& constants, bool asked, size_t number) {
    std::set<int64_t> sizes;
    if (asked)
      sizes.insert(asked_sizes().begin(), asked_sizes().end());
    for (const auto c : constants)
      if (c == std::floor(c) && c >= 2.0 && c <= static_cast<double>(largest_size))
        for (int64_t beside = -1; beside <= 1; ++beside)
          sizes.insert(static_cast<int64_t>(c) + beside);
    for (const auto size : sizes)
      if (s.allows(size))
        s.open.push_back(size);
    shuffle(s.open, number);
    // Small sizes come first, in any order: if there are too many draws, the larger sizes are left out.
    std::partition(s.open.begin(), s.open.end(), [](auto size) { return size > still_small; });
  }

  symbol* most_open() {
    auto most = std::max_element(symbols_.begin(), symbols_.end(),
                                 [](const auto& a, const auto& b) { return a.open.size() < b.open.size(); });
    return most == symbols_.end() || most->open.empty() ? nullptr : &*most;
  }

  // Takes the next size of a symbol, and as many of the others' as fit beside it.
  std::optional<adversarial_draw> cover(symbol& first, size_t turn) {
    const auto size = first.open.back();
    first.open.pop_back();
    for (const bool short_lengths : {false, true})
      for (size_t tries = 0; tries < 24; ++tries) {
        adversarial_draw draw;
        draw.values = short_lengths ? short_lengths_of(task_) : choices_as_declared(task_);
        draw.sizes[first.name] = size;
        splitmix64 random{mix_seed(turn, tries)};
        for (auto& other : symbols_)
          if (&other != &first)
            draw.sizes[other.name] = beside(other, tries, random);
        if (!is_cheap(task_, draw))
          continue;
        for (auto& other : symbols_)
          std::erase(other.open, draw.sizes[other.name]);
        return draw;
      }
    return declared_with(first, size);
  }

  // The first tries take sizes that no draw has yet, smaller ones each time; the later ones any small or declared size.
  static int64_t open_or_small(const symbol& s, size_t tries, splitmix64& random) {
    constexpr std::array<int64_t, 10> at_most{1 << 17, 129, 65, 33, 33, 17, 17, 9, 9, 5};
    std::vector<int64_t> fitting;
    if (tries < at_most.size())
      std::copy_if(s.open.begin(), s.open.end(), std::back_inserter(fitting),
                   [&](auto size) { return size <= at_most.at(tries); });
    if (!fitting.empty())
      return fitting[random.below(fitting.size())];
    return next_allowed(s.rule, small_sizes.at(random.below(small_sizes.size())));
  }

  int64_t beside(const symbol& s, size_t tries, splitmix64& random) const {
    constexpr size_t only_new = 10;
    return s.rule.declared_only || (tries >= only_new && random.below(4) == 0) ? declared_size(s.name, random)
                                                                               : open_or_small(s, tries, random);
  }

  int64_t declared_size(const std::string& name, splitmix64& random) const {
    std::vector<int64_t> sizes;
    for (const auto& shape : task_.shapes)
      if (const auto found = shape.sizes.find(name); found != shape.sizes.end() && !shape.held_out)
        sizes.push_back(found->second);
    return sizes.empty() ? 1 : sizes[random.below(sizes.size())];
  }

  std::optional<adversarial_draw> declared_with(const symbol& s, int64_t size) {
    for (const auto& shape : task_.shapes) {
      if (shape.held_out)
        continue;
      adversarial_draw draw;
      draw.values = choices_as_declared(task_);
      draw.sizes = shape.sizes;
      draw.sizes[s.name] = size;
      if (is_cheap(task_, draw))
        return draw;
    }
    plan_.unfit[s.name].push_back(size);
    return std::nullopt;
  }

  const contract& task_;
  std::vector<symbol> symbols_;
  draw_plan plan_;
};

// Returns the elements of the smallest array that is read and depends on sizes.
double smallest_input(const contract& task, const size_map& sizes) {
  auto out = std::numeric_limits<double>::max();
  for (const auto& a : task.arguments)
    if (is_array(a) && is_read(a))
      if (const auto g = resolve_geometry(a, sizes, [](const std::string&) -> result<int64_t> { return 1; }))
        out = std::min(out, static_cast<double>(g->count));
  return out;
}

} // namespace

std::vector<value_choice> short_lengths_of(const contract& task) {
  constexpr double few = 8.0;
  auto out = std::vector<value_choice>(task.arguments.size());
  for (size_t i = 0; i < out.size(); ++i)
    if (const auto& a = task.arguments[i]; is_array(a) && a.fill.distribution == fill_name::lengths && !a.is_static)
      out[i] = {value_pattern::uniform, a.fill.low, std::min(a.fill.high, a.fill.low + few)};
  return out;
}

const std::vector<int64_t>& asked_sizes() {
  static const auto all = make_asked_sizes();
  return all;
}

bool is_cheap(const contract& task, const adversarial_draw& draw) {
  const auto cost = cost_of(task, draw);
  return cost && cost->elements <= most_elements && cost->work <= most_work;
}

draw_plan plan_sizes(const contract& task, const std::vector<double>& constants, bool asked) {
  return size_planner{task}.run(constants, asked);
}

std::vector<size_map> smallest_sizes(const contract& task) {
  constexpr int64_t beside = 5;
  const auto symbols = symbols_of(task);
  std::vector<size_map> out;
  if (declared_sizes_only(task))
    return out;
  for (const int64_t size : {1, 2, 3})
    for (size_t small = 0; small <= symbols.size(); ++small) {
      size_map sizes;
      for (size_t i = 0; i < symbols.size(); ++i)
        sizes[symbols[i].name] = next_allowed(symbols[i].rule, small == symbols.size() || small == i ? size : beside);
      if (std::find(out.begin(), out.end(), sizes) == out.end())
        out.push_back(std::move(sizes));
    }
  return out;
}

std::vector<size_map> sizes_for_values(const contract& task) {
  constexpr size_t wanted = 8;
  constexpr int tries = 240;
  constexpr std::array<int64_t, 10> sizes{3, 5, 8, 16, 17, 32, 33, 64, 65, 129};
  const auto symbols = symbols_of(task);
  std::vector<std::pair<double, size_map>> found;
  splitmix64 random{order_seed};
  adversarial_draw draw;
  draw.values = short_lengths_of(task);
  for (int k = 0; k < tries && !declared_sizes_only(task); ++k) {
    for (const auto& s : symbols)
      draw.sizes[s.name] = next_allowed(s.rule, sizes.at(random.below(sizes.size())));
    if (is_cheap(task, draw))
      found.emplace_back(-smallest_input(task, draw.sizes), draw.sizes);
  }
  std::sort(found.begin(), found.end());
  std::vector<size_map> out;
  for (const auto& [elements, chosen] : found)
    if (out.size() < wanted && std::find(out.begin(), out.end(), chosen) == out.end())
      out.push_back(chosen);
  if (found.size() > wanted) // the smallest, too: with every length at its maximum, no other may be cheap
    out.push_back(found.back().second);
  for (const auto& shape : task.shapes)
    if (out.empty() || declared_sizes_only(task))
      if (!shape.held_out)
        out.push_back(shape.sizes);
  return out;
}

std::vector<size_map> mixed_sizes(const contract& task) {
  constexpr uint64_t wanted = 64;
  constexpr uint64_t tries = 24;
  constexpr std::array<int64_t, 30> sizes{1,  2,  3,  5,  6,  7,  9,  11, 13, 15, 17, 19, 22,  25,  29,
                                          34, 38, 43, 47, 50, 57, 63, 71, 77, 83, 90, 94, 100, 117, 129};
  const auto symbols = symbols_of(task);
  std::vector<size_map> out;
  adversarial_draw draw;
  draw.values = short_lengths_of(task);
  for (uint64_t n = 0; n < wanted && !declared_sizes_only(task); ++n) {
    splitmix64 random{mix_seed(order_seed, n)};
    const auto& shape = task.shapes[n % task.shapes.size()];
    // Each try that is too expensive keeps less of the shape, and then takes smaller sizes.
    for (uint64_t k = 0; k < tries && !shape.held_out; ++k) {
      for (const auto& s : symbols) {
        const auto size = sizes.at(random.below(sizes.size() - k));
        const auto declared = shape.sizes.find(s.name);
        const bool keep = s.rule.declared_only || random.below(2 + k / 4) == 0;
        draw.sizes[s.name] = keep && declared != shape.sizes.end() ? declared->second : next_allowed(s.rule, size);
      }
      if (!is_cheap(task, draw))
        continue;
      if (std::find(out.begin(), out.end(), draw.sizes) == out.end())
        out.push_back(draw.sizes);
      break;
    }
  }
  return out;
}

} // namespace kevolve
