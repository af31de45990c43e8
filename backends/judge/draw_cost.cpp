#include "backends/judge/adversarial_draws.hpp"

#include "backends/judge/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kevolve {

namespace {

// Resolves a draw's sizes with the largest sums that its values may have.
class estimate {
public:
  estimate(const contract& task, const adversarial_draw& draw) : task_(task), draw_(draw), sizes_(draw.sizes) {}

  std::optional<draw_cost> run() {
    for (const auto& [name, text] : task_.derived)
      if (!derive(name, text))
        return std::nullopt;
    draw_cost out;
    for (const auto& a : task_.arguments)
      if (is_array(a)) {
        const auto elements = elements_of(a);
        if (!elements)
          return std::nullopt;
        out.elements += *elements;
      }
    out.work = work();
    return out;
  }

private:
  bool derive(const std::string& name, const std::string& text) {
    const auto e = expression::parse(text);
    if (!e)
      return false;
    const auto value = e->evaluate(sizes_, [this](const std::string& a) { return sum_of(a); });
    if (!value)
      return false;
    sizes_[name] = *value;
    const auto names = e->names();
    if (!e->summed().empty()
        || std::any_of(names.begin(), names.end(), [this](const auto& n) { return of_data_.contains(n); }))
      of_data_.insert(name);
    return true;
  }

  result<int64_t> sum_of(const std::string& name) const {
    const auto* a = find_argument(task_, name);
    if (a == nullptr || !is_array(*a))
      return fail(errc::bad_input, "no input '" + name + "'");
    const auto g = resolve_geometry(*a, sizes_, [this](const std::string& n) { return sum_of(n); });
    if (!g)
      return tl::unexpected<failure>(g.error());
    const auto most = std::max(largest_of(*a), 0.0) * static_cast<double>(g->count);
    constexpr double largest_sum = 0x1.0p40;
    return static_cast<int64_t>(std::min(most, largest_sum));
  }

  double largest_of(const argument& a) const {
    const auto& choice = draw_.values[static_cast<size_t>(&a - task_.arguments.data())];
    switch (choice.pattern) {
      case value_pattern::all_equal:
        return choice.value;
      case value_pattern::one_hot:
      case value_pattern::alone:
      case value_pattern::but_one:
      case value_pattern::alternating:
      case value_pattern::uniform:
      case value_pattern::few_values:
      case value_pattern::sparse:
      case value_pattern::heavy_tail:
        return std::max(choice.value, choice.other);
      default:
        return a.fill.high;
    }
  }

  // Nothing where the contract does not allow an extent: those of declared shapes are at least 1 unless data say.
  std::optional<double> elements_of(const argument& a) {
    const auto g = resolve_geometry(a, sizes_, [this](const std::string& n) { return sum_of(n); });
    if (!g)
      return std::nullopt;
    const bool zero = std::any_of(draw_.sizes.begin(), draw_.sizes.end(), [](const auto& s) { return s.second == 0; });
    for (size_t d = 0; d < g->dims.size(); ++d)
      if (g->dims[d] < 1 && !zero && !of_data(a.shape[d]))
        return std::nullopt;
    return static_cast<double>(g->span);
  }

  bool of_data(const std::string& text) const {
    const auto e = expression::parse(text);
    if (!e)
      return false;
    const auto names = e->names();
    return !e->summed().empty()
           || std::any_of(names.begin(), names.end(), [this](const auto& n) { return of_data_.contains(n); });
  }

  double work() const {
    if (const auto e = expression::parse(task_.work_flops); e && !task_.work_flops.empty())
      if (const auto flops = e->evaluate(sizes_, [this](const std::string& a) { return sum_of(a); }))
        return static_cast<double>(*flops);
    double product = 1.0;
    for (const auto& [name, size] : draw_.sizes)
      product *= static_cast<double>(std::max<int64_t>(size, 1));
    return product;
  }

  const contract& task_;
  const adversarial_draw& draw_;
  size_map sizes_;
  std::set<std::string> of_data_; // derived sizes that depend on data
};

} // namespace

std::optional<draw_cost> cost_of(const contract& task, const adversarial_draw& draw) {
  return estimate{task, draw}.run();
}

} // namespace kevolve
