#include "config/task_sections.hpp"

#include "runtime/base/edge_names.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

bool is_library_name(const std::string& name) {
  return !name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) != 0
         && std::all_of(name.begin(), name.end(), [](char c) {
              return std::isalnum(static_cast<unsigned char>(c)) != 0
                     || std::string_view{"_+-."}.find(c) != std::string_view::npos;
            });
}

const std::vector<std::string> dtype_names{"f16", "bf16", "f32", "f64", "i8", "u8", "i32", "i64", "bool"};
const std::vector<std::string> role_names{"input", "output", "inout", "weight", "size", "scalar"};
const std::vector<std::string> mode_names{"absrel", "ulp", "reference_error", "exact"};
const std::vector<std::string> distributions{fill_name::all.begin(), fill_name::all.end()};

template <class Enum>
Enum chosen(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

// A key without meaning in its place is reported as a mistake.
void only_for(section& s, std::string_view key, bool applies, const std::string& what) {
  if (!applies && s.has(key))
    s.error(key, "only for " + what);
}

fill_rule default_fill(dtype t) {
  fill_rule out;
  if (is_floating(t))
    return out;
  out.distribution = fill_name::integer;
  out.high = t == dtype::boolean ? 1.0 : 9.0;
  return out;
}

void declare_fill(section& s, fill_rule& x) {
  auto known = s.value("distribution", {.text = "how values are drawn", .required = true, .choices = distributions},
                       x.distribution);
  const auto& d = x.distribution;
  auto ranged = d == fill_name::uniform || d == fill_name::integer || d == fill_name::lengths;
  s.value("mean", {.text = "of normal"}, x.mean);
  s.value("std", {.text = "of normal: standard deviation", .low = 0.0}, x.std);
  auto low = s.value("low", {.text = "of uniform, integer, lengths (these two: inclusive)"}, x.low);
  auto high = s.value("high", {.text = "of uniform, integer, lengths (these two: inclusive)"}, x.high);
  s.value("of",
          {.text = "of offsets: the lengths argument whose exclusive prefix sum this is; the shape has one element "
                   "more, [\"rows + 1\"]",
           .fallback = "none"},
          x.of);
  std::string table;
  if (s.value("argument", {.text = "of sample_of: the earlier argument to draw from", .fallback = "none"}, table))
    x.of = table;
  s.value("hit", {.text = "of sample_of: share of values that are in the table", .low = 0.0, .high = 1.0}, x.hit);
  if (!known)
    return;
  only_for(s, "mean", d == fill_name::normal, "normal");
  only_for(s, "std", d == fill_name::normal, "normal");
  only_for(s, "low", ranged, "uniform, integer and lengths");
  only_for(s, "high", ranged, "uniform, integer and lengths");
  only_for(s, "of", d == fill_name::offsets, "offsets");
  only_for(s, "argument", d == fill_name::sample_of, "sample_of");
  only_for(s, "hit", d == fill_name::sample_of, "sample_of");
  if (d == fill_name::offsets && !s.has("of"))
    s.error("of", "missing: the lengths argument whose prefix sum this is");
  if (d == fill_name::sample_of && !s.has("argument"))
    s.error("argument", "missing: the argument to draw from");
  if (!ranged)
    return;
  if (x.low > x.high)
    s.error(low ? "low" : "high", "low is greater than high");
  if ((low || high) && d != fill_name::uniform && (x.low != std::floor(x.low) || x.high != std::floor(x.high)))
    s.error(low ? "low" : "high", d + " takes whole numbers");
  if (d == fill_name::lengths && x.low < 0.0)
    s.error("low", "a length is at least 0");
}

// Returns true if the argument has a role.
bool declare_argument(section& s, argument& a, std::string& origin) {
  s.value("name", {.text = "the C parameter's name", .required = true}, a.name);
  std::string role;
  if (s.value("role", {.text = "what the operator does with it", .required = true, .choices = role_names}, role))
    a.role = chosen<argument_role>(role_names, role);
  auto is_size = a.role == argument_role::size;
  auto is_scalar = a.role == argument_role::scalar;
  auto is_buffer = !is_size && !is_scalar;
  auto is_written = a.role == argument_role::output || a.role == argument_role::inout;
  auto role_known = !role.empty();

  std::string type;
  if (s.value("dtype", {.text = "element type; a size is an int64_t", .choices = dtype_names, .fallback = "none"},
              type))
    a.type = chosen<dtype>(dtype_names, type);
  else if (is_size)
    a.type = dtype::i64;
  else if (role_known && !s.has("dtype"))
    s.error("dtype", "missing: element type of '" + a.name + "'");
  if (is_size && s.has("dtype") && a.type != dtype::i64)
    s.error("dtype", "a size is always i64");

  auto shaped =
      s.value("shape", {.text = "extents, row-major: expressions over the size symbols", .expressions = true}, a.shape);
  if (role_known && is_buffer && !s.has("shape"))
    s.error("shape", "missing: extents of '" + a.name + "'");
  else if (role_known && is_buffer && shaped && a.shape.empty())
    s.error("shape", "needs at least one extent; a single element is [\"1\"]");

  a.fill = default_fill(a.type);
  s.table("fill", {.text = "how test data is drawn", .fallback = "normal, for integers 0 to 9"},
          [&](section& f) { declare_fill(f, a.fill); });
  s.value("strides", {.text = "in elements, one per extent", .expressions = true, .fallback = "contiguous"}, a.strides);
  s.value("extent",
          {.text = "the i64 output that holds the valid prefix's length; shape is the capacity", .fallback = "whole"},
          a.extent);
  std::string tail = "unspecified";
  s.value("tail", {.text = "elements past the extent", .choices = {"untouched", "unspecified"}}, tail);
  a.tail_untouched = tail == "untouched";
  int64_t align = a.align;
  if (s.value("align", {.text = "of the buffer, in bytes: a power of two", .low = 1, .high = 4096}, align)) {
    a.align = static_cast<uint32_t>(align);
    if ((align & (align - 1)) != 0 || a.align < size_bytes(a.type))
      s.error("align", "must be a power of two and at least the element's size");
  }
  s.value("alias", {.text = "the buffer may overlap others; not there yet"}, a.alias);
  if (a.alias)
    s.error("alias", not_there_yet(reserved_place::argument_setting, "alias"));
  s.value("edge",
          {.text = "extra correctness cases",
           .choices = {edge_name::zeros, edge_name::large, edge_name::denormal, edge_name::cancellation,
                       edge_name::special}},
          a.edge);
  for (const auto* kind : {edge_name::denormal, edge_name::cancellation, edge_name::special})
    if (!is_floating(a.type) && std::find(a.edge.begin(), a.edge.end(), kind) != a.edge.end())
      s.error("edge", "'" + std::string{kind} + "' is for floating types");
  std::string nonfinite = "refuse";
  s.value("nonfinite", {.text = "inf and NaN in the expected output", .choices = {"refuse", "match"}}, nonfinite);
  a.nonfinite_match = nonfinite == "match";
  s.value("static",
          {.text = "weight: the same in every call that a candidate sees; what it makes of it once is not timed"},
          a.is_static);

  a.has_value = s.value("value", {.text = "scalar: a fixed value", .fallback = "none"}, a.value);
  std::vector<double> range;
  if (s.value("range", {.text = "scalar: [low, high] it is drawn from", .fallback = "none"}, range)) {
    if (range.size() != 2 || range[0] > range[1])
      s.error("range", "expected [low, high] with low at most high");
    else {
      a.range_low = range[0];
      a.range_high = range[1];
    }
  }
  s.value("origin",
          {.text = "the part of the [module] that it stands for: \"input N\", \"parameter NAME\", \"buffer NAME\", "
                   "\"constant N [NAME]\" (NAME: the attribute that holds it) or \"output N\"",
           .fallback = "none"},
          origin);
  size_rule sizes;
  const bool least = s.value(
      "minimum", {.text = "size: the least value that the operator is defined for", .low = 0, .high = 1'000'000'000},
      sizes.least);
  const bool step = s.value(
      "multiple", {.text = "size: every value is a multiple of it", .low = 1, .high = 1'000'000'000}, sizes.step);
  if (least || step)
    set_size_rule(a, sizes);
  if (!role_known)
    return false;
  for (const auto* key : {"minimum", "multiple"})
    only_for(s, key, is_size, "sizes");
  if (is_scalar && !s.has("value") && !s.has("range"))
    s.error("value", "missing: a scalar has a value or a range");
  if (s.has("value") && s.has("range"))
    s.error("range", "a scalar has a value or a range, not both");
  for (const auto* key : {"value", "range"})
    only_for(s, key, is_scalar, "scalars");
  for (const auto* key : {"shape", "strides", "align", "alias", "edge"})
    only_for(s, key, is_buffer, "buffers; a size or scalar is passed by value");
  only_for(s, "fill", is_buffer && a.role != argument_role::output,
           is_scalar ? "buffers that are read; a scalar has 'value' or 'range'" : "buffers that are read");
  only_for(s, "extent", a.role == argument_role::output, "outputs");
  only_for(s, "tail", !a.extent.empty(), "outputs with an extent");
  only_for(s, "nonfinite", is_written, "outputs and inouts");
  only_for(s, "static", a.role == argument_role::weight, "weights");
  return true;
}

void declare_tolerance(section& s, tolerance& t) {
  s.value("argument", {.text = "the output it is for", .fallback = "every output without its own"}, t.argument);
  std::string mode = "absrel";
  auto mode_given =
      s.value("mode",
              {.text = "|c-o| <= absolute + relative*|o|; ulps; multiples of the reference's own error; equal",
               .choices = mode_names},
              mode);
  if (mode_given)
    t.mode = chosen<tolerance_mode>(mode_names, mode);
  auto absrel = t.mode == tolerance_mode::absrel;
  // The needs of an unknown mode are unknown, too.
  auto known = mode_given || !s.has("mode");
  auto limited = t.mode == tolerance_mode::ulp || t.mode == tolerance_mode::reference_error;
  s.value("relative", {.text = "of absrel", .low = 0.0, .high = 1.0}, t.relative);
  s.value("absolute", {.text = "of absrel", .low = 0.0, .high = 1e300}, t.absolute);
  s.value("limit",
          {.text = "of ulp: ulps; of reference_error: multiples",
           .low = 0.0,
           .high = 1e9,
           .low_open = true,
           .fallback = "none"},
          t.limit);
  if (!known)
    return;
  only_for(s, "relative", absrel, "absrel");
  only_for(s, "absolute", absrel, "absrel");
  only_for(s, "limit", limited, "ulp and reference_error");
  if (absrel && !s.has("relative") && !s.has("absolute"))
    s.error("relative", "missing: absrel needs relative, absolute or both");
  if (limited && !s.has("limit"))
    s.error("limit", "missing: how many");
}

void declare_assertion(section& s, assertion& a) {
  std::string kind;
  const bool known =
      s.value("kind",
              {.text = "independent: no two iterations of a loop touch the same element, unless both only "
                       "read it; range: of an argument's values; sorted: an argument's values ascend. "
                       "Arrays never overlap, which needs no assertion",
               .required = true,
               .choices = {"independent", "range", "sorted"}},
              kind);
  if (known)
    for (const auto k : {assertion_kind::independent, assertion_kind::range, assertion_kind::sorted})
      if (to_string(k) == kind)
        a.kind = k;
  int64_t line = 0;
  s.value("loop", {.text = "independent: the loop's variable in the reference", .fallback = "line"}, a.loop);
  s.value("line",
          {.text = "independent: the loop's line in the reference", .low = 1, .high = 10'000'000, .fallback = "loop"},
          line);
  a.line = static_cast<uint32_t>(line);
  s.value("argument", {.text = "range, sorted: an input, a weight or an inout; range: also a size", .fallback = "none"},
          a.argument);
  s.value("low", {.text = "range: the least value, an expression of sizes", .fallback = "none"}, a.low);
  s.value("high", {.text = "range: the largest value, an expression of sizes", .fallback = "none"}, a.high);
  s.value("strict", {.text = "sorted: no value stands there twice"}, a.strict);
  if (!known)
    return;
  const bool loop = a.kind == assertion_kind::independent;
  const bool range = a.kind == assertion_kind::range;
  for (const auto* key : {"loop", "line"})
    only_for(s, key, loop, "independent");
  only_for(s, "argument", !loop, "range and sorted");
  for (const auto* key : {"low", "high"})
    only_for(s, key, range, "range");
  only_for(s, "strict", a.kind == assertion_kind::sorted, "sorted");
  if (loop && s.has("loop") == s.has("line"))
    s.error(s.has("loop") ? "line" : "loop",
            s.has("loop") ? "give loop or line, not both" : "missing: which loop, by its variable, or by its line");
  if (!loop && !s.has("argument"))
    s.error("argument", "missing: whose values");
  if (range && !s.has("low") && !s.has("high"))
    s.error("low", "missing: a range has low, high or both");
}

void declare_shape(section& s, const contract& c, shape_case& x) {
  s.value("held_out", {.text = "judged, never shown to a generator, outside the score"}, x.held_out);
  s.value("weight", {.text = "in the score's geometric mean", .low = 0.0, .high = 1e9}, x.weight);
  s.others("<size>", {.text = "value of each size argument"}, [&](const document_member& m) {
    if (m.value.what != document_value::kind::integer) {
      if (find_argument(c, m.key) != nullptr) // else it is reported as an unknown name
        s.error(m.key, "expected an integer, found " + describe(m.value.what));
    } else if (m.value.integer < 0)
      s.error(m.key, "a size is at least 0, not " + std::to_string(m.value.integer));
    x.sizes[m.key] = m.value.what == document_value::kind::integer ? m.value.integer : invalid_size;
  });
}

} // namespace

void declare_task(section& root, task_draft& draft) {
  auto& spec = draft.spec;
  auto& c = spec.task;
  root.table("task", {.text = "the operator", .required = true}, [&](section& s) {
    s.value("name", {.text = "an identifier", .required = true}, c.name);
    s.value("family", {.text = "what reuse of knowledge matches on", .required = true}, c.family);
    s.value("summary", {.text = "one line for people"}, c.summary);
    s.value(
        "sizes",
        {.text =
             "the sizes that the operator is defined for: any that rules and shapes allow, or the declared ones alone",
         .choices = {"any", "declared"}},
        draft.sizes);
  });
  root.tables("argument", {.text = "one per C parameter, in order", .required = true}, [&](section& s) {
    const bool known = declare_argument(s, c.arguments.emplace_back(), draft.origins.emplace_back());
    draft.roles_known = draft.roles_known && known;
  });
  root.table("derived", {.text = "computed size symbols, each from those before it"}, [&](section& s) {
    s.others("<symbol>", {.text = "expression"}, [&](const document_member& m) {
      if (m.value.what != document_value::kind::text)
        s.error(m.key, "expected an expression as text, found " + describe(m.value.what));
      c.derived.emplace_back(m.key, m.value.text);
    });
  });
  root.tables("shape", {.text = "one per set of sizes", .required = true},
              [&](section& s) { declare_shape(s, c, c.shapes.emplace_back()); });
  root.table("reference", {.text = "what the operator means", .required = true}, [&](section& s) {
    s.value("language",
            {.text = "of the file",
             .required = true,
             .choices = reference_language_names(),
             .reserved = reserved_place::reference_language},
            c.language);
    s.value("file", {.text = "relative to the task file", .required = true}, draft.reference_file);
    s.value("entry", {.text = "the function's name", .required = true}, c.entry);
  });
  root.tables(
      "tolerance",
      {.text = "how near a result must be; also one [tolerance] for all outputs",
       .fallback = "integers exact, else 1e-5 relative and 1e-6 absolute"},
      [&](section& s) { declare_tolerance(s, c.tolerances.emplace_back()); }, true);
  root.tables("assert",
              {.text = "promises about the data that the reference does not show; the judge checks each on every draw, "
                       "and the embedded generator relies on them",
               .fallback = "none"},
              [&](section& s) { declare_assertion(s, c.assertions.emplace_back()); });
  root.table("permissions", {.text = "what a candidate may use"}, [&](section& s) {
    s.value("threads", {.text = "more than one thread (OpenMP)"}, c.threads);
    s.value("libraries", {.text = "libraries it may call; libc and libm always"}, c.libraries);
    for (const auto& name : c.libraries)
      if (!is_library_name(name))
        s.error("libraries", "'" + name
                                 + "' is no library's name: give it as the linker knows it, \"openblas\", or in "
                                   "full, \"libopenblas.so.0\"");
  });
  root.table("oracle", {.text = "the exact result", .fallback = "the reference with float promoted to double"},
             [&](section& s) {
               s.value("file", {.text = "relative to the task file", .required = true}, draft.oracle_file);
               s.value("entry", {.text = "the function's name", .required = true}, spec.oracle_entry);
             });
  root.table("work", {.text = "the least any implementation must do"}, [&](section& s) {
    s.value("flops", {.text = "expression", .fallback = "unknown"}, c.work_flops);
    s.value("bytes", {.text = "expression", .fallback = "unknown"}, c.work_bytes);
  });
  root.table("timing", {.text = "how calls are timed"}, [&](section& s) {
    std::string cache = "warm";
    s.value("cache", {.text = "state before each timed call", .choices = {"warm", "cold"}}, cache);
    c.timing.cold_cache = cache == "cold";
    std::string outputs = "read";
    s.value("outputs",
            {.text = "right after a call; read: the headline is the lower of the figures without and with that read",
             .choices = {"read", "not_read"}},
            outputs);
    c.timing.outputs_not_read = outputs == "not_read";
    bool tf32 = false;
    if (s.value("tf32",
                {.text =
                     "of a PyTorch reference and of every PyTorch baseline: products of f32 on the tensor cores, or in "
                     "f32 alone",
                 .fallback = "as PyTorch has it: convolutions with it, products of matrices without"},
                tf32))
      c.timing.tf32 = tf32 ? tf32_use::on : tf32_use::off;
  });
  draft.has_module = root.table(
      "module", {.text = "the PyTorch source that the reference was made from", .fallback = "none"}, [&](section& s) {
        auto& m = draft.module_table;
        s.value("file", {.text = "a Python file beside the task file", .required = true}, m.file);
        s.value("entry", {.text = "a class with forward(), or a function", .required = true}, m.entry);
        s.value("kind", {.text = "of the entry", .choices = {"module", "function"}}, m.kind);
        s.value("training", {.text = "the module is called in training mode"}, m.training);
        s.value("weights",
                {.text = "a .safetensors file of up to 8 MiB beside the task file: the module's own parameters and "
                         "buffers by their names; one test set has these values, all others drawn ones",
                 .fallback = "all are drawn"},
                m.weights);
      });
  root.table("goal", {.text = "when a search has reached what was asked"}, [&](section& s) {
    s.value("speedup", {.text = "against the reference", .low = 1.0, .high = 1e6, .low_open = true, .fallback = "none"},
            spec.goal_speedup);
  });
  if (draft.sizes == "declared")
    for (auto& a : c.arguments)
      if (a.role == argument_role::size)
        set_size_rule(a, {.declared_only = true});
}

} // namespace kevolve
