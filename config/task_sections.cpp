#include "config/task_sections.hpp"

#include "config/section_checks.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace kevolve {

namespace {

bool is_library_name(const std::string& name) {
  return !name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) != 0
         && std::all_of(name.begin(), name.end(), [](char c) {
              return std::isalnum(static_cast<unsigned char>(c)) != 0
                     || std::string_view{"_+-."}.find(c) != std::string_view::npos;
            });
}

const std::vector<std::string> mode_names{"absrel", "ulp", "reference_error", "exact"};

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

// Keys without an asserted range may be any of their type (backends/judge/distributions.hpp). Others are drawn from 0
// on as far as a double holds whole numbers.
void bound_asserted_keys(contract& c) {
  for (const auto& a : c.assertions)
    for (auto& x : c.arguments)
      if (a.kind == assertion_kind::range && a.argument == x.name && x.fill.distribution == fill_name::sorted_unique) {
        x.fill.low = 0.0;
        x.fill.high = 0x1.0p53;
      }
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
  bound_asserted_keys(c);
  if (draft.sizes == "declared")
    for (auto& a : c.arguments)
      if (a.role == argument_role::size)
        set_size_rule(a, {.declared_only = true});
}

} // namespace kevolve
