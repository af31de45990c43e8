#include "config/task_assertions.hpp"

#include "config/fill_promises.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kevolve {

namespace {

class assertion_checker {
public:
  assertion_checker(const task_draft& draft, task_symbols& symbols, error_list& errors)
      : c_(draft.spec.task), own_weights_(!draft.module_table.weights.empty()), symbols_(symbols), errors_(errors) {}

  void run() {
    for (size_t i = 0; i < c_.assertions.size(); ++i) {
      const auto& a = c_.assertions[i];
      const auto path = indexed("assert", i);
      const auto* subject =
          a.kind != assertion_kind::independent && !a.argument.empty() ? subject_of(a, path) : nullptr;
      const auto low = symbols_.expression_at(path + ".low", a.low, c_.arguments.size());
      const auto high = symbols_.expression_at(path + ".high", a.high, c_.arguments.size());
      if (subject == nullptr || (own_weights_ && subject->role == argument_role::weight))
        continue; // weights of a file are not drawn
      if (a.kind == assertion_kind::sorted)
        check_order(a, *subject, path);
      else if (subject->role == argument_role::size)
        check_size(*subject, path, low, high);
      else
        check_range(*subject, path, low, high);
    }
  }

private:
  // Returns the argument that the assertion is about. Its values are drawn before the call: those of outputs are not.
  const argument* subject_of(const assertion& a, const std::string& path) {
    std::vector<std::string> usable;
    for (const auto& x : c_.arguments)
      if (is_drawn(x) || (a.kind == assertion_kind::range && x.role == argument_role::size))
        usable.push_back(x.name);
    const auto* x = find_argument(c_, a.argument);
    if (x == nullptr)
      errors_.add(path + ".argument", "there is no argument '" + a.argument + "'" + suggestion(a.argument, usable));
    else if (std::find(usable.begin(), usable.end(), a.argument) == usable.end())
      errors_.add(path + ".argument",
                  "'" + a.argument + "' is " + to_string(x->role)
                      + ": its values are not drawn before a call; there are: " + comma_list(usable));
    else if (a.kind == assertion_kind::sorted && x->shape.size() != 1)
      errors_.add(path + ".argument",
                  "'" + a.argument + "' has " + std::to_string(x->shape.size()) + " dimensions; sorted is for one");
    else
      return x;
    return nullptr;
  }

  std::string fill_of(const argument& x) const {
    return indexed("argument", static_cast<size_t>(&x - c_.arguments.data())) + ".fill";
  }

  void check_order(const assertion& a, const argument& x, const std::string& path) {
    if (const auto why = why_not_sorted(c_, x, a.strict); !why.empty())
      errors_.add(path + (a.strict && x.fill.distribution == fill_name::offsets ? ".strict" : ".argument"),
                  "'" + x.name + "' " + why);
  }

  // Reports the first shape at which a bound cuts off what the fill rule draws.
  void check_range(const argument& x, const std::string& path, const std::optional<expression>& low,
                   const std::optional<expression>& high) {
    const auto drawn = drawn_range_of(x);
    if (low && drawn.low)
      compare(x, path + ".low", *low, drawn, [&](double bound) { return *drawn.low < bound; }, "at least");
    if (high && drawn.high)
      compare(x, path + ".high", *high, drawn, [&](double bound) { return *drawn.high > bound; }, "at most");
  }

  template <class Cuts>
  void compare(const argument& x, const std::string& path, const expression& bound, const drawn_range& drawn, Cuts cuts,
               const char* side) {
    for (size_t s = 0; s < symbols_.shapes(); ++s) {
      const auto value = symbols_.value(bound, s);
      if (!value || !*value || !cuts(static_cast<double>(**value)))
        continue;
      errors_.add(path,
                  fmt::format("'{}' is drawn {} ({}), and the assertion says {} {}{}: change one of them, or take the "
                              "assertion away",
                              x.name, drawn.words, fill_of(x), side, **value, at(bound, s)));
      return;
    }
  }

  std::string at(const expression& bound, size_t shape) const {
    return bound.names().empty() ? std::string{} : ", its value at " + indexed("shape", shape);
  }

  // A size has the declared values, and the judge draws others from the least allowed one on.
  void check_size(const argument& x, const std::string& path, const std::optional<expression>& low,
                  const std::optional<expression>& high) {
    for (size_t s = 0; s < c_.shapes.size() && s < symbols_.shapes(); ++s) {
      const auto size = c_.shapes[s].sizes.find(x.name);
      if (size == c_.shapes[s].sizes.end())
        continue;
      const auto refuse = [&](const char* key, const std::optional<expression>& bound, auto cuts) {
        const auto value = bound ? symbols_.value(*bound, s) : std::nullopt;
        if (value && *value && cuts(size->second, **value))
          errors_.add(path + key, fmt::format("'{}' is {} at {}, and the bound is {} there: change one of them", x.name,
                                              size->second, indexed("shape", s), **value));
      };
      refuse(".low", low, [](int64_t has, int64_t bound) { return has < bound; });
      refuse(".high", high, [](int64_t has, int64_t bound) { return has > bound; });
    }
  }

  const contract& c_;
  bool own_weights_ = false;
  task_symbols& symbols_;
  error_list& errors_;
};

} // namespace

void check_assertions(const task_draft& draft, task_symbols& symbols, error_list& errors) {
  assertion_checker{draft, symbols, errors}.run();
}

} // namespace kevolve
