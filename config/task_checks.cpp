#include "config/task_assertions.hpp"
#include "config/task_sections.hpp"
#include "config/task_symbols.hpp"
#include "runtime/base/array_limits.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

bool is_buffer(const argument& a) {
  return a.role != argument_role::size && a.role != argument_role::scalar;
}

bool is_written(const argument& a) {
  return a.role == argument_role::output || a.role == argument_role::inout;
}

class task_checker {
public:
  task_checker(const task_draft& draft, error_list& errors)
      : draft_(draft), c_(draft.spec.task), errors_(errors), symbols_(c_, errors) {}

  void run() {
    check_names();
    if (!draft_.roles_known)
      return; // other errors would be about sizes and outputs whose role is only misspelt
    symbols_.resolve();
    for (size_t i = 0; i < c_.arguments.size(); ++i)
      check_argument(i);
    check_size_rules();
    check_tolerances();
    check_assertions(draft_, symbols_, errors_);
    check_module(draft_, errors_);
    symbols_.expression_at("work.flops", c_.work_flops, c_.arguments.size());
    symbols_.expression_at("work.bytes", c_.work_bytes, c_.arguments.size());
  }

private:
  void check_names() {
    symbols_.identifier("task.name", c_.name);
    symbols_.identifier("reference.entry", c_.entry);
    symbols_.identifier("oracle.entry", draft_.spec.oracle_entry);
    std::set<std::string> seen;
    for (size_t i = 0; i < c_.arguments.size(); ++i) {
      const auto& a = c_.arguments[i];
      auto path = indexed("argument", i) + ".name";
      symbols_.identifier(path, a.name);
      if (a.name.empty())
        continue;
      if (!seen.insert(a.name).second)
        errors_.add(path, "there is an argument '" + a.name + "' already");
      if (a.name == c_.entry)
        errors_.add(path, "'" + a.name + "' is the entry's name");
    }
    if (draft_.roles_known && !c_.arguments.empty()
        && std::none_of(c_.arguments.begin(), c_.arguments.end(), is_written))
      errors_.add("argument", "no argument is an output or inout");
  }

  // Returns the values of expressions at one shape; nothing if one of them depends on data.
  std::optional<std::vector<int64_t>> evaluate(const std::vector<expression>& es, size_t shape,
                                               const std::string& path) {
    std::vector<int64_t> out;
    for (size_t d = 0; d < es.size(); ++d) {
      auto known = symbols_.value(es[d], shape);
      if (!known)
        return std::nullopt;
      const auto& value = *known;
      if (!value || *value < 1) {
        errors_.add(indexed(path, d), value
                                          ? "is " + std::to_string(*value) + " at " + indexed("shape", shape)
                                                + "; must be at least 1: change that shape's sizes"
                                                + (*value == 0 ? " (minimum = 0 of a size has empty arrays tried)" : "")
                                          : value.error().detail + " at " + indexed("shape", shape));
        return std::nullopt;
      }
      out.push_back(*value);
    }
    return out;
  }

  std::vector<expression> expressions(const std::string& path, const std::vector<std::string>& texts, size_t before) {
    std::vector<expression> out;
    for (size_t d = 0; d < texts.size(); ++d) {
      if (texts[d].empty())
        errors_.add(indexed(path, d), "is empty");
      else if (auto e = symbols_.expression_at(indexed(path, d), texts[d], before))
        out.push_back(*e);
    }
    return out;
  }

  void check_argument(size_t i) {
    const auto& a = c_.arguments[i];
    auto path = indexed("argument", i);
    if (!is_buffer(a))
      return;
    // A capacity may sum any input; an input may sum only inputs that are drawn before it.
    auto before = a.role == argument_role::output ? c_.arguments.size() : i;
    auto shape = expressions(path + ".shape", a.shape, before);
    auto strides = expressions(path + ".strides", a.strides, before);
    if (!a.strides.empty() && a.strides.size() != a.shape.size())
      errors_.add(path + ".strides",
                  "has " + std::to_string(a.strides.size()) + " entries, shape has " + std::to_string(a.shape.size()));
    else if (shape.size() == a.shape.size() && strides.size() == a.strides.size())
      for (size_t s = 0; s < symbols_.shapes(); ++s)
        check_extents(a, path, shape, strides, s);
    check_extent(a, path);
    if (std::find(a.edge.begin(), a.edge.end(), "special") != a.edge.end()
        && std::any_of(c_.arguments.begin(), c_.arguments.end(),
                       [](const auto& x) { return is_written(x) && is_floating(x.type) && !x.nonfinite_match; }))
      errors_.add(path + ".edge", "'special' puts inf and NaN into the input: give each output nonfinite = \"match\"");
    if (is_drawn(a))
      check_fill(a, i, path);
  }

  void check_extents(const argument& a, const std::string& path, const std::vector<expression>& shape,
                     const std::vector<expression>& strides, size_t s) {
    auto extents = evaluate(shape, s, path + ".shape");
    if (!extents)
      return;
    double elements = 1.0;
    for (auto extent : *extents)
      elements *= static_cast<double>(extent);
    if (elements > static_cast<double>(max_array_elements)) {
      const auto gib = [&](double count) { return count * static_cast<double>(size_bytes(a.type)) / (1U << 30U); };
      errors_.add(path + ".shape",
                  fmt::format("takes {:.0f} GiB at {}; an array has at most {} elements, which are {:.0f} GiB: make "
                              "that shape smaller",
                              gib(elements), indexed("shape", s), max_array_elements,
                              gib(static_cast<double>(max_array_elements))));
      return;
    }
    if (strides.empty())
      return;
    auto steps = evaluate(strides, s, path + ".strides");
    if (!steps)
      return;
    for (size_t d = 0; d + 1 < steps->size(); ++d) {
      int64_t inner = 0;
      if (__builtin_mul_overflow((*steps)[d + 1], (*extents)[d + 1], &inner) || (*steps)[d] < inner)
        errors_.add(indexed(path + ".strides", d), "rows overlap at " + indexed("shape", s) + ": "
                                                       + std::to_string((*steps)[d]) + " is less than "
                                                       + std::to_string(inner));
    }
  }

  void check_extent(const argument& a, const std::string& path) {
    if (a.extent.empty() || a.role != argument_role::output)
      return;
    std::vector<std::string> counts;
    for (const auto& other : c_.arguments)
      if (other.role == argument_role::output && other.type == dtype::i64
          && other.shape == std::vector<std::string>{"1"} && other.name != a.name)
        counts.push_back(other.name);
    if (std::find(counts.begin(), counts.end(), a.extent) == counts.end())
      errors_.add(path + ".extent",
                  "'" + a.extent + "' is not an i64 output of shape [\"1\"]" + suggestion(a.extent, counts));
    if (a.shape.size() > 1)
      errors_.add(path + ".extent", "needs a one-dimensional output");
  }

  void check_fill(const argument& a, size_t i, const std::string& path) {
    const auto& d = a.fill.distribution;
    auto where = path + ".fill.distribution";
    if ((d == fill_name::normal || d == fill_name::uniform) && !is_floating(a.type))
      errors_.add(where, d + " is for floating types, '" + a.name + "' is " + to_string(a.type));
    if ((d == fill_name::lengths || d == fill_name::offsets) && a.type != dtype::i32 && a.type != dtype::i64)
      errors_.add(where, d + " is for i32 and i64, '" + a.name + "' is " + to_string(a.type));
    if (d == fill_name::sample_of && is_floating(a.type))
      errors_.add(where, "sample_of is for integers, '" + a.name + "' is " + to_string(a.type));
    if (d == fill_name::sorted_unique && a.shape.size() > 1)
      errors_.add(where, "sorted_unique is for one dimension");
    if (a.fill.of.empty())
      return;
    if (d == fill_name::offsets)
      check_offsets(a, path);
    std::vector<std::string> earlier;
    for (size_t j = 0; j < i; ++j) {
      const auto& b = c_.arguments[j];
      if (is_drawn(b) && (d == fill_name::offsets ? b.fill.distribution == fill_name::lengths : b.type == a.type))
        earlier.push_back(b.name);
    }
    if (std::find(earlier.begin(), earlier.end(), a.fill.of) == earlier.end())
      errors_.add(path + (d == fill_name::offsets ? ".fill.of" : ".fill.argument"),
                  "'" + a.fill.of + "' is not an earlier input "
                      + (d == fill_name::offsets ? "filled with lengths" : "of type " + to_string(a.type))
                      + suggestion(a.fill.of, earlier));
  }

  // The declared sizes obey the rules, or a draw within them would be none of the operator's.
  void check_size_rules() {
    for (size_t i = 0; i < c_.arguments.size(); ++i) {
      const auto& a = c_.arguments[i];
      if (a.role != argument_role::size)
        continue;
      const auto rule = size_rule_of(a);
      for (size_t s = 0; s < c_.shapes.size() && has_size_rule(a); ++s) {
        const auto size = c_.shapes[s].sizes.find(a.name);
        if (size == c_.shapes[s].sizes.end() || size->second < 0)
          continue;
        const auto at = indexed("shape", s) + ": " + std::to_string(size->second);
        if (size->second < rule.least)
          errors_.add(indexed("argument", i) + ".minimum", "is greater than '" + a.name + "' at " + at);
        if (size->second % rule.step != 0)
          errors_.add(indexed("argument", i) + ".multiple", "does not divide '" + a.name + "' at " + at);
      }
    }
  }

  // Checks that offsets have n + 1 entries: they are the exclusive prefix sum of n lengths.
  void check_offsets(const argument& a, const std::string& path) {
    const auto* lengths = find_argument(c_, a.fill.of);
    if (!lengths || lengths->shape.size() != 1 || a.shape.size() != 1)
      return;
    auto own = expression::parse(a.shape[0]);
    auto of = expression::parse(lengths->shape[0]);
    for (size_t s = 0; own && of && s < symbols_.shapes(); ++s) {
      auto have = symbols_.value(*own, s);
      auto needed = symbols_.value(*of, s);
      if (have && *have && needed && *needed && **have - 1 != **needed)
        errors_.add(path + ".shape", "offsets of " + std::to_string(**needed) + " lengths are one more, not "
                                         + std::to_string(**have) + ": write \"" + lengths->shape[0] + " + 1\", at "
                                         + indexed("shape", s));
    }
  }

  void check_tolerances() {
    std::vector<std::string> outputs;
    for (const auto& a : c_.arguments)
      if (is_written(a))
        outputs.push_back(a.name);
    std::set<std::string> seen;
    for (size_t i = 0; i < c_.tolerances.size(); ++i) {
      const auto& t = c_.tolerances[i];
      // [tolerance] and [[tolerance]] are the same once read; the path of the first finds both.
      auto path = indexed("tolerance", i);
      const auto* a = find_argument(c_, t.argument);
      if (!t.argument.empty() && std::find(outputs.begin(), outputs.end(), t.argument) == outputs.end())
        errors_.add(path + ".argument", "'" + t.argument + "' is not an output" + suggestion(t.argument, outputs));
      else if (a && !is_floating(a->type)
               && (t.mode == tolerance_mode::ulp || t.mode == tolerance_mode::reference_error))
        errors_.add(path + ".mode",
                    to_string(t.mode) + " is for floating outputs, '" + t.argument + "' is " + to_string(a->type));
      if (!seen.insert(t.argument).second)
        errors_.add(path, t.argument.empty() ? "there is a tolerance for all outputs already"
                                             : "there is a tolerance for '" + t.argument + "' already");
    }
  }

  const task_draft& draft_;
  const contract& c_;
  error_list& errors_;
  task_symbols symbols_;
};

} // namespace

void check_task(const task_draft& draft, error_list& errors) {
  task_checker{draft, errors}.run();
}

} // namespace kevolve
