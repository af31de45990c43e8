// The operator contract: a task's promises about an operator. config/ builds it from TOML, the generators read it and
// the judge enforces it. It holds plain values; encode() gives stable bytes.
#pragma once

#include "runtime/base/ids.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve {

enum class dtype : uint8_t { f16 = 0, bf16, f32, f64, i8, u8, i32, i64, boolean };
constexpr dtype last_value(dtype) {
  return dtype::boolean;
}
std::string to_string(dtype t); // "f32", …, "bool"
// Returns the type of this name; errc::bad_input.
result<dtype> parse_dtype(std::string_view text);
size_t size_bytes(dtype t);
bool is_floating(dtype t);
std::string c_type(dtype t); // "float", "int64_t", "_Float16", "uint16_t" (bf16), "uint8_t" (bool)

enum class argument_role : uint8_t { input = 0, output, inout, weight, size, scalar };
constexpr argument_role last_value(argument_role) {
  return argument_role::scalar;
}
std::string to_string(argument_role r);

// The distribution of input data. A distribution ignores the fields that it does not use.
struct fill_rule {
  // normal uniform integer sorted_unique lengths offsets sample_of; of a size: see size_rule
  std::string distribution = "normal";
  double mean = 0.0;
  double std = 1.0;
  double low = 0.0; // integer and lengths: inclusive
  double high = 1.0;
  std::string of;   // offsets: the lengths argument; sample_of: the table
  double hit = 1.0; // sample_of: share of values that are in the table
};

struct argument {
  std::string name;
  argument_role role = argument_role::input;
  dtype type = dtype::f32;
  std::vector<std::string> shape; // expressions, row-major; empty for size and scalar
  fill_rule fill;
  std::vector<std::string> strides; // expressions in elements; empty if contiguous
  std::string extent;               // output: name of the i64 output that holds the valid prefix length
  bool tail_untouched = false;      // output with extent: elements past it must keep their poison
  uint32_t align = 64;              // bytes
  bool alias = false;               // may alias other arguments, so it gets no restrict
  std::vector<std::string> edge;    // zeros large denormal: extra correctness cases
  bool nonfinite_match = false;     // inf and NaN in the expected output must be matched, not refused
  bool is_static = false;           // weight constant across calls
  bool has_value = false;           // scalar: a fixed value, else drawn from [range_low, range_high]
  double value = 0.0;
  double range_low = 0.0;
  double range_high = 1.0;
};

enum class tolerance_mode : uint8_t { absrel = 0, ulp, reference_error, exact };
constexpr tolerance_mode last_value(tolerance_mode) {
  return tolerance_mode::exact;
}
std::string to_string(tolerance_mode m);

struct tolerance {
  std::string argument; // empty: applies to every output without a tolerance of its own
  tolerance_mode mode = tolerance_mode::absrel;
  double relative = 0.0;
  double absolute = 0.0;
  double limit = 0.0; // ulp: ulps of the output type; reference_error: multiples of it
};

struct shape_case {
  std::string name; // "m=512 n=512 k=512"
  std::map<std::string, int64_t> sizes;
  bool held_out = false; // judged, never shown to a generator, outside F
  double weight = 1.0;
};

// The use of TF32 by a PyTorch reference and by every baseline: as PyTorch has it by default, for every product, or for
// none.
enum class tf32_use : uint8_t { by_default = 0, on, off };

// The state of the caches around a timed call, and the numerics of baselines. Stored as one byte.
struct timing_conditions {
  bool cold_cache = false;
  bool outputs_not_read = false; // nobody reads the outputs right after the call: the headline is the call's own time
  tf32_use tf32 = tf32_use::by_default;
};

// The kinds of assertions. Stored as one byte.
enum class assertion_kind : uint8_t { independent = 0, range, sorted };
constexpr assertion_kind last_value(assertion_kind) {
  return assertion_kind::sorted;
}
std::string to_string(assertion_kind k);

// A promise about the task's data that the reference does not show. The judge checks it on every draw.
struct assertion {
  assertion_kind kind = assertion_kind::independent;
  std::string loop;     // independent: the loop's variable in the reference; empty: `line` names the loop
  uint32_t line = 0;    // independent: the loop's line in the reference; 0: `loop` names it
  std::string argument; // range, sorted: an input
  std::string low;      // range: the least value, an expression of sizes; empty: no bound
  std::string high;     // range: the largest value, likewise
  bool strict = false;  // sorted: no value twice
};
// Describes the assertion in one sentence: "no two iterations of the loop over 'i' touch the same element".
std::string describe(const assertion& a);

struct contract {
  std::string name;
  std::string family;
  std::string summary;
  std::string entry;
  std::string language;                                     // of the reference (runtime/base/kinds.hpp)
  std::vector<argument> arguments;                          // in the order of the C parameters
  std::vector<std::pair<std::string, std::string>> derived; // size symbol, expression; in order
  std::vector<shape_case> shapes;
  std::vector<tolerance> tolerances;
  bool threads = false;
  std::vector<std::string> libraries;
  std::string work_flops; // an expression, as work_bytes is; empty if unknown
  std::string work_bytes;
  timing_conditions timing;
  std::vector<assertion> assertions;
};

// The values that a size argument may have besides the declared ones. It is kept in the argument's fill rule.
struct size_rule {
  bool declared_only = false; // the operator is not defined elsewhere
  int64_t least = 1;
  int64_t step = 1; // every value is a multiple of it
};
size_rule size_rule_of(const argument& size);
bool has_size_rule(const argument& size); // a least value or a step of its own
void set_size_rule(argument& size, const size_rule& rule);
// Returns true if the contract allows no sizes but the declared ones.
bool declared_sizes_only(const contract& c);

// Returns the argument with this name, or null.
const argument* find_argument(const contract& c, std::string_view name);

// Returns the C prototype a candidate implements: "void f(const float *x, float *y, int64_t n)".
std::string c_prototype(const contract& c);

// Returns text which, appended to a source, makes its compiler refuse an entry whose parameters do not fit the
// contract: a different number of parameters, pointers to other elements, or float for double. Sizes may have other
// integer widths, because their values fit. C and C++ only; empty for other languages.
std::string c_call_check(const contract& c, std::string_view language);

// Returns the tolerance in force for an output: its own, else the general one, else exact for integers and 1e-5/1e-6.
tolerance tolerance_for(const contract& c, const argument& output);
// Returns true if some output must be exact or must match infinities and NaNs of the reference. Fast-math guarantees
// neither.
bool asks_for_exact_results(const contract& c);

// Returns an id derived from the contract's content.
id128 contract_id(const contract& c);

template <class I>
typename I::result_type inspect(I& f, fill_rule& x) {
  return f(x.distribution, x.mean, x.std, x.low, x.high, x.of, x.hit);
}
template <class I>
typename I::result_type inspect(I& f, argument& x) {
  return f(x.name, x.role, x.type, x.shape, x.fill, x.strides, x.extent, x.tail_untouched, x.align, x.alias, x.edge,
           x.nonfinite_match, x.is_static, x.has_value, x.value, x.range_low, x.range_high);
}
template <class I>
typename I::result_type inspect(I& f, tolerance& x) {
  return f(x.argument, x.mode, x.relative, x.absolute, x.limit);
}
template <class I>
typename I::result_type inspect(I& f, shape_case& x) {
  return f(x.name, x.sizes, x.held_out, x.weight);
}
template <class I>
typename I::result_type inspect(I& f, assertion& x) {
  return f(x.kind, x.loop, x.line, x.argument, x.low, x.high, x.strict);
}
// The last members of a contract: one byte of flags, then the assertions where there are some. Contracts without an
// assertion keep their bytes and ids. Contracts of before have 0 or 1 here: cold_cache alone.
struct contract_tail {
  timing_conditions& timing;
  std::vector<assertion>& assertions;
};
template <class I>
typename I::result_type inspect(I& f, contract_tail& x) {
  auto& t = x.timing;
  constexpr uint8_t asserts = 16;
  auto bits = static_cast<uint8_t>((t.cold_cache ? 1U : 0U) | (t.outputs_not_read ? 2U : 0U)
                                   | (t.tf32 == tf32_use::on ? 4U : 0U) | (t.tf32 == tf32_use::off ? 8U : 0U)
                                   | (x.assertions.empty() ? 0U : asserts));
  if constexpr (std::is_void_v<typename I::result_type>) {
    f(bits);
    if ((bits & asserts) != 0)
      f(x.assertions);
  } else {
    auto result = f(bits);
    t = {(bits & 1U) != 0, (bits & 2U) != 0,
         (bits & 4U) != 0   ? tf32_use::on
         : (bits & 8U) != 0 ? tf32_use::off
                            : tf32_use::by_default};
    if ((bits & asserts) != 0)
      return f(x.assertions);
    return result;
  }
}
template <class I>
typename I::result_type inspect(I& f, contract& x) {
  contract_tail tail{x.timing, x.assertions};
  return f(x.name, x.family, x.summary, x.entry, x.language, x.arguments, x.derived, x.shapes, x.tolerances, x.threads,
           x.libraries, x.work_flops, x.work_bytes, tail);
}

} // namespace kevolve
