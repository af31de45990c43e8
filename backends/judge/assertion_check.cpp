#include "backends/judge/assertion_check.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/numbers.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

namespace kevolve {

namespace {

std::optional<double> bound_of(const std::string& text, const size_map& sizes) {
  const auto e = text.empty() ? result<expression>{fail(errc::not_found, "")} : expression::parse(text);
  const auto v = e ? e->evaluate(sizes) : result<int64_t>{fail(errc::not_found, "")};
  return v ? std::optional{static_cast<double>(*v)} : std::nullopt;
}

std::optional<std::string> out_of_range(const assertion& a, const std::string& place, double x, const size_map& sizes) {
  const auto low = bound_of(a.low, sizes);
  const auto high = bound_of(a.high, sizes);
  const bool below = low && !(x >= *low);
  if (!below && (!high || x <= *high))
    return std::nullopt;
  const auto& text = below ? a.low : a.high;
  return place + " is " + figure(x, 12) + ", and " + describe(a)
         + (text.find_first_not_of("-0123456789") == std::string::npos
                ? ""
                : "; " + text + " is " + figure(below ? *low : *high, 12) + " here");
}

std::optional<std::string> broken(const assertion& a, const argument& x, const array_geometry& g,
                                  const byte_buffer& values, const size_map& sizes) {
  if (values.empty())
    return std::nullopt;
  std::optional<std::string> out;
  std::optional<double> before;
  for_each_run(g, g.count, [&](int64_t storage, int64_t logical, int64_t length) {
    for (int64_t i = 0; i < length && !out; ++i) {
      const auto v = load_number(g.type, values.data(), storage + i);
      const auto place = x.name + "[" + std::to_string(logical + i) + "]";
      if (a.kind == assertion_kind::range)
        out = out_of_range(a, place, v, sizes);
      else if (before && !(a.strict ? v > *before : v >= *before))
        out = place + " is " + figure(v, 12) + " after " + figure(*before, 12) + ", and " + describe(a);
      before = v;
    }
  });
  return out;
}

} // namespace

std::optional<std::string> broken_assertion(const contract& task, const call_data& data) {
  for (const auto& a : task.assertions)
    for (size_t i = 0; i < task.arguments.size() && a.kind != assertion_kind::independent; ++i) {
      const auto& x = task.arguments[i];
      if (x.name != a.argument)
        continue;
      if (x.role == argument_role::size) {
        const auto size = data.sizes.find(x.name);
        if (size != data.sizes.end())
          if (auto why = out_of_range(a, x.name, static_cast<double>(size->second), data.sizes))
            return why;
      } else if (is_array(x) && i < data.inputs.size())
        if (auto why = broken(a, x, data.geometries[i], data.inputs[i], data.sizes))
          return why;
    }
  return std::nullopt;
}

tl::unexpected<evaluation_error> false_assertion(const judge_request& request, const shape_case& shape,
                                                 const call_data& data, const std::string& why) {
  const auto detail = "an assertion of the task is false on a draw of shape '" + shape.name + "' with "
                      + sizes_text(request.task, data) + ": " + why
                      + ". Take it out of the task, or make the fill rules draw what the operator is called with";
  if (request.mode != judge_mode::admit)
    return infrastructure(fault_kind::internal, detail);
  return refusal({verdict::wrong_result, rule_name::false_assertion, detail, {{"shape", shape.name}}});
}

attempt<void> hold_assertions(const judge_request& request, const shape_case& shape, const call_data& data) {
  if (const auto why = broken_assertion(request.task, data))
    return false_assertion(request, shape, data, *why);
  return {};
}

std::string sizes_text(const contract& task, const call_data& data) {
  std::string out;
  for (const auto& x : task.arguments)
    if (const auto size = data.sizes.find(x.name); x.role == argument_role::size && size != data.sizes.end())
      out += (out.empty() ? "" : " ") + x.name + "=" + std::to_string(size->second);
  return out.empty() ? "fixed" : out;
}

} // namespace kevolve
