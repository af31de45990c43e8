#include "runtime/base/contract.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

struct dtype_facts {
  std::string_view name;
  size_t bytes;
  bool floating;
  std::string_view c_type;
};

// The entries are in the order of the enum.
constexpr std::array<dtype_facts, 9> dtypes{{
    {"f16", 2, true, "_Float16"},
    {"bf16", 2, true, "uint16_t"},
    {"f32", 4, true, "float"},
    {"f64", 8, true, "double"},
    {"i8", 1, false, "int8_t"},
    {"u8", 1, false, "uint8_t"},
    {"i32", 4, false, "int32_t"},
    {"i64", 8, false, "int64_t"},
    {"bool", 1, false, "uint8_t"},
}};
static_assert(dtypes.size() == static_cast<size_t>(dtype::boolean) + 1);

constexpr std::array<std::string_view, 6> roles{"input", "output", "inout", "weight", "size", "scalar"};
static_assert(roles.size() == static_cast<size_t>(argument_role::scalar) + 1);

constexpr std::array<std::string_view, 3> assertion_kinds{"independent", "range", "sorted"};
static_assert(assertion_kinds.size() == static_cast<size_t>(assertion_kind::sorted) + 1);

constexpr std::array<std::string_view, 4> modes{"absrel", "ulp", "reference_error", "exact"};
static_assert(modes.size() == static_cast<size_t>(tolerance_mode::exact) + 1);

const dtype_facts& facts(dtype t) {
  return dtypes.at(static_cast<size_t>(t));
}

std::string c_parameter(const argument& a) {
  switch (a.role) {
    case argument_role::size:
      return "int64_t " + a.name;
    case argument_role::scalar:
      return c_type(a.type) + " " + a.name;
    case argument_role::input:
    case argument_role::weight:
      return "const " + c_type(a.type) + " *" + a.name;
    case argument_role::output:
    case argument_role::inout:
      break;
  }
  return c_type(a.type) + " *" + a.name;
}

// The distributions of a size's fill rule: `ruled` keeps the least value in `low` and the step in `high`.
constexpr const char* only_declared = "declared";
constexpr const char* ruled = "sizes";

} // namespace

std::string to_string(dtype t) {
  return std::string{facts(t).name};
}

result<dtype> parse_dtype(std::string_view text) {
  for (size_t i = 0; i < dtypes.size(); ++i)
    if (dtypes[i].name == text)
      return static_cast<dtype>(i);
  return fail(errc::bad_input, "no element type '" + std::string{text} + "'");
}

size_t size_bytes(dtype t) {
  return facts(t).bytes;
}

bool is_floating(dtype t) {
  return facts(t).floating;
}

std::string c_type(dtype t) {
  return std::string{facts(t).c_type};
}

std::string to_string(argument_role r) {
  return std::string{roles.at(static_cast<size_t>(r))};
}

std::string to_string(assertion_kind k) {
  return std::string{assertion_kinds.at(static_cast<size_t>(k))};
}

std::string describe(const assertion& a) {
  switch (a.kind) {
    case assertion_kind::independent:
      return "no two iterations of the loop "
             + (a.loop.empty() ? "in line " + std::to_string(a.line) : "over '" + a.loop + "'")
             + " touch the same element, unless both only read it";
    case assertion_kind::range:
      return "every value of '" + a.argument + "' is " + (a.low.empty() ? "" : "at least " + a.low)
             + (a.low.empty() || a.high.empty() ? "" : " and ") + (a.high.empty() ? "" : "at most " + a.high);
    case assertion_kind::sorted:
      break;
  }
  return "the values of '" + a.argument + "' ascend" + (a.strict ? ", and none stands there twice" : "");
}

std::string to_string(tolerance_mode m) {
  return std::string{modes.at(static_cast<size_t>(m))};
}

size_rule size_rule_of(const argument& size) {
  size_rule out;
  out.declared_only = size.fill.distribution == only_declared;
  if (size.fill.distribution == ruled) {
    out.least = static_cast<int64_t>(size.fill.low);
    out.step = std::max<int64_t>(static_cast<int64_t>(size.fill.high), 1);
  }
  return out;
}

bool has_size_rule(const argument& size) {
  return size.fill.distribution == ruled;
}

void set_size_rule(argument& size, const size_rule& rule) {
  size.fill = {};
  size.fill.distribution = rule.declared_only ? only_declared : ruled;
  size.fill.low = static_cast<double>(rule.least);
  size.fill.high = static_cast<double>(rule.step);
}

bool declared_sizes_only(const contract& c) {
  return std::any_of(c.arguments.begin(), c.arguments.end(),
                     [](const auto& a) { return a.role == argument_role::size && size_rule_of(a).declared_only; });
}

const argument* find_argument(const contract& c, std::string_view name) {
  for (const auto& a : c.arguments)
    if (a.name == name)
      return &a;
  return nullptr;
}

std::string c_prototype(const contract& c) {
  std::string out = "void " + c.entry + "(";
  for (const auto& a : c.arguments) {
    if (&a != &c.arguments.front())
      out += ", ";
    out += c_parameter(a);
  }
  return out + (c.arguments.empty() ? "void)" : ")");
}

std::string c_call_check(const contract& c, std::string_view language) {
  if (!is_native(language))
    return {};
  std::string parameters;
  std::string values;
  for (size_t i = 0; i < c.arguments.size(); ++i) {
    const auto& a = c.arguments[i];
    auto is_value = a.role == argument_role::size || a.role == argument_role::scalar;
    auto type = a.role == argument_role::size ? "int64_t" : c_type(a.type);
    // The type has no const, so that a parameter may omit it too; the prefix keeps names from clashing with the
    // source's.
    auto name = "kevolve_" + a.name;
    parameters += (i == 0 ? "" : ", ") + type + (is_value ? " " : " *") + name;
    values += (i == 0 ? "" : ", ") + name;
  }
  std::string out = "\n#line 1 \"the task's contract\"\n";
  for (const auto* rule : {"-Wincompatible-pointer-types", "-Wint-conversion", "-Wimplicit-function-declaration",
                           "-Wdouble-promotion", "-Wfloat-conversion"})
    out += "#pragma GCC diagnostic error \"" + std::string{rule} + "\"\n";
  return out + "static __attribute__((unused)) void kevolve_call_check(" + (parameters.empty() ? "void" : parameters)
         + ") { " + c.entry + "(" + values + "); }\n";
}

tolerance tolerance_for(const contract& c, const argument& output) {
  const tolerance* general = nullptr;
  for (const auto& t : c.tolerances) {
    if (t.argument == output.name)
      return t;
    if (t.argument.empty())
      general = &t;
  }
  tolerance out;
  // A general relative tolerance applies to floating outputs only: an index is right or wrong.
  if (!is_floating(output.type))
    out.mode = tolerance_mode::exact;
  else if (general)
    out = *general;
  else {
    out.relative = 1e-5;
    out.absolute = 1e-6;
  }
  out.argument = output.name;
  return out;
}

bool asks_for_exact_results(const contract& c) {
  return std::any_of(c.arguments.begin(), c.arguments.end(), [&](const auto& a) {
    const bool written = a.role == argument_role::output || a.role == argument_role::inout;
    return written && (a.nonfinite_match || tolerance_for(c, a).mode == tolerance_mode::exact);
  });
}

id128 contract_id(const contract& c) {
  return derive_id("contract", encode(c));
}

} // namespace kevolve
