// Generates test_kernel.c, which compares the kernel with the exact result on every declared shape.
#include "backends/judge/call_data.hpp"
#include "backends/judge/geometry.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/fill_names.hpp"
#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/bundle/c_expression.hpp"
#include "tools/kevolve/bundle/escape.hpp"
#include "tools/kevolve/bundle/test_runtime.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kevolve {

namespace {

std::string type_word(dtype t) {
  constexpr const char* words[] = {"KT_F16", "KT_BF16", "KT_F32", "KT_F64", "KT_I8",
                                   "KT_U8",  "KT_I32",  "KT_I64", "KT_BOOL"};
  return words[static_cast<size_t>(t)];
}

std::string mode_word(tolerance_mode m) {
  constexpr const char* words[] = {"KT_ABSREL", "KT_ULP", "KT_REFERENCE_ERROR", "KT_EXACT"};
  return words[static_cast<size_t>(m)];
}

std::string number(double x) {
  if (!std::isfinite(x))
    return std::isnan(x) ? "NAN" : x > 0 ? "INFINITY" : "(-INFINITY)";
  auto out = fmt::format("{:.17g}", x);
  if (out.find_first_of(".e") == std::string::npos)
    out += ".0";
  return x < 0 ? "(" + out + ")" : out;
}

std::string array_name(const argument& a) {
  return "a_" + a.name;
}

bool is_named_source(const argument& a) {
  return a.fill.distribution == fill_name::offsets || a.fill.distribution == fill_name::sample_of;
}

// Returns the statements that draw an array.
result<std::string> draw_text(const argument& a) {
  const auto& f = a.fill;
  const auto self = "&" + array_name(a);
  if (f.distribution == fill_name::offsets)
    return "kt_draw_offsets(" + self + ", &a_" + f.of + ");";
  if (f.distribution == fill_name::sample_of)
    return "kt_draw_sample(" + self + ", &a_" + f.of + ", " + number(f.hit) + ");";
  if (f.distribution == fill_name::sorted_unique)
    return "kt_draw_sorted_unique(" + self + ", " + number(f.low) + ", " + number(f.high) + ");";
  if (a.type == dtype::boolean)
    return "kt_draw_bits(" + self + ");";
  if (f.distribution == fill_name::normal)
    return "kt_draw_normal(" + self + ", " + number(f.mean) + ", " + number(f.std) + ");";
  if (f.distribution == fill_name::uniform)
    return "kt_draw_uniform(" + self + ", " + number(f.low) + ", " + number(f.high) + ");";
  if (f.distribution == fill_name::integer || f.distribution == fill_name::lengths)
    return "kt_draw_integer(" + self + ", " + number(f.low) + ", " + number(f.high) + ");";
  return fail(errc::unsupported, "argument '" + a.name + "': the bundle's test cannot draw '" + f.distribution + "'");
}

// Writes the function that draws a call's data, ordered by their dependences.
class drawing {
public:
  explicit drawing(const contract& task) : task_(task) {
    for (const auto& s : task.shapes)
      for (const auto& [name, size] : s.sizes)
        known_.insert(name);
    for (const auto& d : task.derived) // not given by any shape
      known_.erase(d.first);
  }

  const std::set<std::string>& given() const { return known_; }

  result<std::string> run() {
    std::string out;
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, text] : task_.derived) {
        if (known_.contains(name) || !ready(text))
          continue;
        auto value = c_expression(text);
        if (!value)
          return value;
        out += "  const int64_t s_" + name + " = " + *value + ";\n";
        known_.insert(name);
        more = true;
      }
      for (const auto& a : task_.arguments) {
        if (!is_array(a) || drawn_.contains(a.name) || !can_draw(a))
          continue;
        auto text = array_text(a);
        if (!text)
          return text;
        out += *text;
        drawn_.insert(a.name);
        more = true;
      }
    }
    for (const auto& a : task_.arguments)
      if (is_array(a) && !drawn_.contains(a.name))
        return fail(errc::unsupported, "argument '" + a.name + "': its size depends on something that is never known");
    return out;
  }

private:
  bool ready(const std::string& text) const {
    auto e = expression::parse(text);
    if (!e)
      return true; // the translation reports it
    const auto names = e->names();
    const auto sums = e->summed();
    return std::all_of(names.begin(), names.end(), [&](const auto& n) { return known_.contains(n); })
           && std::all_of(sums.begin(), sums.end(), [&](const auto& n) { return drawn_.contains(n); });
  }
  bool can_draw(const argument& a) const {
    const auto here = [&](const std::string& text) { return ready(text); };
    return std::all_of(a.shape.begin(), a.shape.end(), here) && std::all_of(a.strides.begin(), a.strides.end(), here)
           && (!is_read(a) || !is_named_source(a) || drawn_.contains(a.fill.of));
  }
  static result<std::string> list(const std::vector<std::string>& texts) {
    std::string out;
    for (const auto& text : texts) {
      auto value = c_expression(text);
      if (!value)
        return value;
      out += (out.empty() ? "" : ", ") + *value;
    }
    return "(const int64_t[]){" + (out.empty() ? "1" : out) + "}";
  }
  static result<std::string> array_text(const argument& a) {
    auto dims = list(a.shape);
    if (!dims)
      return dims;
    auto strides = a.strides.empty() ? result<std::string>{"NULL"} : list(a.strides);
    if (!strides)
      return strides;
    auto out = fmt::format(
        "  kt_array {0} = {{.name = {1}, .type = {2}, .rank = {3}}};\n  kt_make(&{0}, {4}, {5}, {6});\n", array_name(a),
        c_literal(a.name), type_word(a.type), a.shape.size(), *dims, *strides, std::max<uint32_t>(a.align, 64));
    if (!is_read(a))
      return out + "  kt_poison(&" + array_name(a) + ");\n";
    auto drawn = draw_text(a);
    if (!drawn)
      return drawn;
    return out + "  " + *drawn + "\n  kt_hand_out(&" + array_name(a) + ");\n";
  }

  const contract& task_;
  std::set<std::string> known_; // known sizes
  std::set<std::string> drawn_; // drawn arrays
};

std::string scalar_text(const argument& a) {
  const auto value = a.has_value ? number(a.value)
                                 : number(a.range_low) + " + (" + number(a.range_high) + " - " + number(a.range_low)
                                       + ") * kt_uniform()";
  if (a.type == dtype::bf16)
    return "  const uint16_t v_" + a.name + " = kt_to_bf16(" + value + ");\n";
  return "  const " + c_type(a.type) + " v_" + a.name + " = (" + c_type(a.type) + ")(" + value + ");\n";
}

std::string call_text(const contract& as, const std::string& function, const char* whose) {
  std::string out = "  " + function + "(";
  for (const auto& a : as.arguments) {
    if (&a != &as.arguments.front())
      out += ", ";
    if (a.role == argument_role::size)
      out += "s_" + a.name;
    else if (a.role == argument_role::scalar)
      out += "v_" + a.name;
    else
      out += std::string{is_written(a) ? "(" : "(const "} + c_type(a.type) + " *)" + array_name(a) + "." + whose;
  }
  return out + ");\n";
}

std::string compare_text(const contract& task) {
  std::string out;
  for (const auto& a : task.arguments) {
    if (!is_array(a))
      continue;
    const auto self = array_name(a);
    if (!is_written(a)) {
      out += "  good &= kt_unchanged(shape, &" + self + ");\n";
      continue;
    }
    auto elements = self + ".count";
    if (!a.extent.empty())
      elements = "kt_valid(&" + self + ", a_" + a.extent + ".oracle)";
    const auto t = tolerance_for(task, a);
    out += fmt::format("  good &= kt_compare(shape, &{}, {}, (kt_tolerance){{{}, {}, {}, {}, {}}});\n", self, elements,
                       mode_word(t.mode), number(t.relative), number(t.absolute), number(t.limit),
                       a.nonfinite_match ? 1 : 0);
    if (!a.extent.empty() && a.tail_untouched)
      out += "  good &= kt_tail_untouched(shape, &" + self + ", " + elements + ");\n";
  }
  return out;
}

contract renamed(contract task, const std::string& entry) {
  task.entry = entry;
  return task;
}

} // namespace

result<std::string> test_source(const bundle_input& b) {
  const auto& task = b.task;
  const auto exact = promoted(task);
  drawing order{task};
  const auto given = order.given();
  auto body = order.run();
  if (!body)
    return body;
  size_t rank = 1;
  bool half = false;
  for (const auto& a : task.arguments) {
    rank = std::max(rank, a.shape.size());
    half = half || a.type == dtype::f16;
  }
  std::string out =
      "/* " + c_comment(task.name)
      + ": the kernel against the exact result, on every declared shape.\n"
        "   The exact result is the oracle's: the reference computed in double, or the task's own. */\n"
        "#define _POSIX_C_SOURCE 200112L\n#include \"kernel.h\"\n\n#include <math.h>\n#include <stdint.h>\n"
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
  out += fmt::format("#define KT_RANK {}\n", rank) + (half ? "#define KT_HAS_F16 1\n" : "");
  out += test_runtime();
  out += "\n" + c_prototype(renamed(task, "kevolve_reference")) + ";\n" + c_prototype(renamed(exact, "kevolve_oracle"))
         + ";\n\n";
  out += "static int kt_run_shape(const char *shape";
  for (const auto& name : given)
    out += ", int64_t s_" + name;
  out += ") {\n  int good = 1;\n";
  for (const auto& a : task.arguments)
    if (a.role == argument_role::scalar)
      out += scalar_text(a);
  out += *body;
  out += call_text(task, "kevolve_reference", "reference") + call_text(exact, "kevolve_oracle", "oracle")
         + call_text(task, task.entry, "kernel") + compare_text(task);
  for (const auto& a : task.arguments)
    if (is_array(a))
      out += "  kt_free(&" + array_name(a) + ");\n";
  out += "  return good;\n}\n\nint main(void) {\n  int wrong = 0;\n";
  uint64_t seed = 0;
  for (const auto& s : task.shapes) {
    out += fmt::format("  kt_state = {};\n  wrong += !kt_run_shape({}", ++seed, c_literal(s.name));
    for (const auto& name : given) {
      const auto size = s.sizes.find(name);
      out += fmt::format(", INT64_C({})", size == s.sizes.end() ? 0 : size->second);
    }
    out += ");\n";
  }
  return out
         + fmt::format("  printf(\"%d of {} shapes wrong\\n\", wrong);\n  return wrong ? 1 : 0;\n}}\n",
                       task.shapes.size());
}

} // namespace kevolve
