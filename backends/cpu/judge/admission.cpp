// admit: is the task sound? The reference alone is on trial: it must run, agree with itself and with the
// oracle, depend on every input, and the tolerance must refuse answers that took no work.
#include "backends/cpu/judge/duel.hpp"
#include "backends/cpu/judge/trial.hpp"
#include "backends/judging/figure.hpp"
#include "backends/judging/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace kevolve {

namespace {

using std::chrono::milliseconds;

constexpr int sensitivity_tries = 12;
// Draws on which an answer that took no work must fail once: a count of steps is often the same twice.
constexpr size_t null_tries = 20;
constexpr double slow_reference_ns = 250e6;
constexpr double short_call = 30.0; // times a call of nothing

class admission {
public:
  admission(court& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out)
      : court_(c), request_(as_own_candidate(request)), hooks_(hooks), out_(out),
        maker_(c.zygote, c.settings, c.pool_arena, c.pools, request_, hooks) {}

  attempt<void> run() {
    if (auto ok = run_every_shape(); !ok)
      return ok;
    if (auto ok = agree_with_itself(); !ok)
      return ok;
    if (auto ok = depend_on_every_input(); !ok)
      return ok;
    return refuse_null_submissions();
  }

private:
  static judge_request as_own_candidate(judge_request r) {
    r.candidate = r.reference;
    return r;
  }

  size_t index_of(const argument& a) const { return static_cast<size_t>(&a - request_.task.arguments.data()); }

  attempt<void> run_every_shape() {
    for (const auto& shape : request_.task.shapes) {
      auto pool = maker_.get(shape, edge_kind::none, "screen", {2, 2, milliseconds{0}});
      if (!pool)
        return tl::unexpected<setback>(pool.error());
      out_.evidence["reference_ns." + shape.name] = std::to_string(std::llround((*pool)->typical_reference_ns()));
      if ((*pool)->typical_reference_ns() > slow_reference_ns)
        out_.evidence["note.slow"] = "the reference takes " + figure((*pool)->typical_reference_ns() / 1e6, 3)
                                     + " ms a call on shape '" + shape.name
                                     + "': judging a candidate takes tens of seconds; declare smaller shapes";
      out_.correctness.reference_max_abs = std::max(out_.correctness.reference_max_abs, (*pool)->reference_max_abs);
      if (!(*pool)->not_finite.empty())
        return refusal(
            {verdict::nonfinite,
             "nonfinite_reference",
             ((*pool)->only_the_oracle
                  ? "the oracle (the reference with float promoted to double, unless the task gives its own; "
                    "the reference itself does not: give an [oracle] that does not look at a float's bits)"
                  : std::string{"the reference"})
                 + " leaves infinite or NaN elements (" + (*pool)->not_finite
                 + "). Every output holds NaN before a call: one that stays so was never written, or was "
                   "read first. If the figures are meant, change the fill rules or declare nonfinite = "
                   "\"match\"",
             {{"shape", shape.name}}});
      pools_.push_back(std::move(*pool));
    }
    if (pools_.empty())
      return infrastructure("internal", "the task has no shape");
    // Held-out shapes may be degenerate (a softmax over one column is a constant): null submissions are tried on
    // what is timed.
    smallest_ = *std::min_element(pools_.begin(), pools_.end(), [](const auto& a, const auto& b) {
      return std::pair{a->shape.held_out, a->largest_layout()} < std::pair{b->shape.held_out, b->largest_layout()};
    });
    return {};
  }

  // As a candidate: same input, different poison, bit for bit; and within its own tolerance of the oracle.
  attempt<void> agree_with_itself() {
    hooks_.progress("admit: determinism");
    out_.correctness.bit_equal = true;
    duel d{court_.zygote, court_.settings, court_.race_arena, request_, hooks_, out_.correctness};
    if (auto ok = d.open(pools_); !ok)
      return ok;
    for (const auto& pool : pools_)
      if (auto ok = d.screen(*pool, 0, pool == smallest_ ? 3 : 1); !ok)
        return tl::unexpected<setback>(unless_it_disagrees(*pool, ok.error()));
    if (!out_.correctness.bit_equal)
      return refusal({verdict::nondeterministic,
                      "nondeterministic_reference",
                      "the reference gives other bits for the same input than it gave a moment ago: it is not "
                      "deterministic",
                      {}});
    auto overhead = d.call_overhead();
    if (!overhead)
      return tl::unexpected<setback>(overhead.error());
    out_.evidence["call_overhead_ns"] = figure(*overhead, 3);
    for (const auto& pool : pools_)
      if (!pool->shape.held_out && pool->typical_reference_ns() < short_call * *overhead)
        out_.evidence["note.short"] = "a call of shape '" + pool->shape.name + "' takes the reference "
                                      + figure(pool->typical_reference_ns() / 1e3, 3) + " us, and "
                                      + figure(*overhead / 1e3, 3)
                                      + " us of every call are the judge's own, waking and freezing the process: "
                                        "speedups on it are flattened towards 1; declare larger shapes";
    return {};
  }

  // Wrong by its own earlier answer, or different from call to call: the tolerance is not what is wrong here.
  setback unless_it_disagrees(const shape_pool& pool, setback s) const {
    const bool wrong = s.refused.result == verdict::wrong_result || s.refused.result == verdict::nonfinite;
    if (s.trouble || !(s.refused.result == verdict::nondeterministic || (wrong && !out_.correctness.bit_equal)))
      return s;
    s.refused.result = verdict::nondeterministic;
    s.refused.rule = "nondeterministic_reference";
    s.refused.detail =
        "the reference disagrees with itself on the same input, when what lay in its outputs before "
        "or beside its arrays differs: it is not deterministic, or reads memory that nobody wrote, or past "
        "an array's end ("
        + s.refused.detail + ")";
    s.refused.evidence.try_emplace("shape", pool.shape.name);
    return s;
  }

  bool same_outputs(const pool_set& a, const pool_set& b) const {
    for (size_t i = 0; i < a.expected.size(); ++i) {
      const auto elements = counted_elements(request_.task, a, i);
      if (elements != counted_elements(request_.task, b, i))
        return false;
      const auto bytes = static_cast<size_t>(elements) * size_bytes(a.expected[i].type);
      if (a.expected[i].values.size() != 0
          && std::memcmp(a.expected[i].values.data(), b.expected[i].values.data(), bytes) != 0)
        return false;
    }
    return true;
  }

  attempt<void> depend_on_every_input() {
    for (const auto& a : request_.task.arguments) {
      const bool probed = (is_array(a) && is_read(a)) || (a.role == argument_role::scalar && !a.has_value);
      if (!probed)
        continue;
      hooks_.progress("admit: does '" + a.name + "' matter");
      auto matters = depends_on(a);
      if (!matters)
        return tl::unexpected<setback>(matters.error());
      if (!*matters)
        return refusal({verdict::wrong_result,
                        "ignores_input",
                        "no output changes when only '" + request_.task.arguments[varied_with(a)].name
                            + "' changes: the reference ignores '" + a.name + "'",
                        {{"argument", a.name}}});
    }
    return {};
  }

  // On some shape: a softmax over one column does not depend on its input, and is sound all the same.
  attempt<bool> depends_on(const argument& a) {
    for (const auto& pool : pools_) {
      auto matters = depends_on(a, pool->shape);
      if (!matters || *matters)
        return matters;
    }
    return false;
  }

  // Offsets are their lengths in another form, and cannot change without them: both vary as one, and both count as
  // used when an output does.
  size_t varied_with(const argument& a) const {
    const auto* root = &a;
    for (size_t steps = 0; root->fill.distribution == "offsets" && steps < request_.task.arguments.size(); ++steps) {
      const auto* from = find_argument(request_.task, root->fill.of);
      if (from == nullptr)
        break;
      root = from;
    }
    return index_of(*root);
  }

  attempt<bool> depends_on(const argument& a, const shape_case& shape) {
    for (int attempt_number = 1; attempt_number <= sensitivity_tries; ++attempt_number) {
      draw_options options;
      options.seed = secret_seed();
      options.static_seed = static_seed(request_);
      auto before = maker_.make_set(shape, options, false, nullptr, nullptr);
      if (!before)
        return tl::unexpected<setback>(before.error());
      const auto i = varied_with(a);
      if (is_array(a) && before->data.inputs[i].empty())
        return false; // nothing of it to vary at this size
      options.varied = static_cast<int>(i);
      options.variation = secret_seed();
      auto after = maker_.make_set(shape, options, false, nullptr, nullptr);
      if (!after)
        return tl::unexpected<setback>(after.error());
      if (!same_outputs(*before, *after))
        return true;
    }
    return false;
  }

  static std::string allowed(const comparison_rule& rule) {
    switch (rule.mode) {
      case tolerance_mode::absrel:
        return figure(rule.absolute, 3) + " + " + figure(rule.relative, 3) + " * |expected|";
      case tolerance_mode::ulp:
        return figure(rule.limit, 3) + " ulp";
      case tolerance_mode::reference_error:
        return figure(rule.limit, 3) + " * the reference's own error of " + figure(rule.reference_error, 3);
      case tolerance_mode::exact:
        break;
    }
    return "0";
  }

  // An answer that took no work: element k of output i, where one set's answer is wanted and another came before it.
  struct null_submission {
    std::string what;
    std::function<double(const pool_set& set, const pool_set& previous, size_t i, int64_t k)> answer;
    int64_t least = 1; // elements of an output that it says something about
  };

  bool takes(const argument& a, const null_submission& null, const shape_pool& pool, const pool_set& set,
             const pool_set& previous) {
    const auto i = index_of(a);
    auto g = set.data.geometries[i];
    g.contiguous = true;
    const auto elements = counted_elements(request_.task, set, i);
    if (elements < null.least)
      return false;
    byte_buffer answer(static_cast<size_t>(g.count) * size_bytes(a.type));
    for (int64_t k = 0; k < elements; ++k)
      store_number(a.type, answer.data(), k, null.answer(set, previous, i, k));
    const auto rule = rule_for(request_.task, a, pool.reference_error[i]);
    const auto c = compare(g, answer.data(), set.expected[i], elements, rule);
    if (c.result != verdict::pass)
      return false;
    off_ = {{"error." + a.name, figure(c.max_abs, 3)},
            {"allowed." + a.name, allowed(rule)},
            {"largest_expected." + a.name, figure(largest_magnitude(set.expected[i], elements), 3)}};
    return true;
  }

  // The n-th draw on a shape.
  attempt<const pool_set*> drawn(const shape_pool& pool, size_t n) {
    if (n < pool.sets.size())
      return &pool.sets[n];
    n -= pool.sets.size();
    auto& more = drawn_[pool.shape.name];
    while (more.size() <= n) {
      draw_options options;
      options.seed = secret_seed();
      options.static_seed = static_seed(request_);
      auto set = maker_.make_set(pool.shape, options, false, nullptr, nullptr);
      if (!set)
        return tl::unexpected<setback>(set.error());
      more.push_back(std::move(*set));
    }
    return &more[n];
  }

  attempt<bool> always_takes(const argument& a, const null_submission& null, const shape_pool& pool) {
    for (size_t n = 1; n <= null_tries; ++n) {
      auto previous = drawn(pool, n - 1);
      auto set = drawn(pool, n);
      if (!previous || !set)
        return tl::unexpected<setback>(previous ? set.error() : previous.error());
      if (!takes(a, null, pool, **set, **previous))
        return false;
    }
    return true;
  }

  // On every shape that is timed: a candidate must be right on each.
  attempt<bool> always_takes(const argument& a, const null_submission& null) {
    for (const auto& pool : pools_) {
      if (pool->shape.held_out)
        continue;
      auto taken = always_takes(a, null, *pool);
      if (!taken || !*taken)
        return taken;
    }
    return true;
  }

  attempt<void> refuse(const argument& output, const std::string& what) const {
    std::string figures;
    for (const auto& [name, value] : off_)
      figures += (figures.empty() ? "" : ", ") + name + " " + value;
    const bool exact = tolerance_for(request_.task, output).mode == tolerance_mode::exact;
    complaint c{verdict::wrong_result, "null_submission",
                "the tolerance accepts " + what + " as output '" + output.name + "', in each of "
                    + std::to_string(null_tries) + " draws on each timed shape (" + figures + "): "
                    + (exact ? "change shapes or fill rules so that it varies, or let it be no output"
                             : "tighten it, or change the fill rules"),
                off_};
    c.evidence["submission"] = what;
    c.evidence["argument"] = output.name;
    return refusal(std::move(c));
  }

  static double mean_of(const expected_output& e, int64_t n) {
    double sum = 0.0;
    for (int64_t k = 0; k < n; ++k)
      sum += load_number(e.type, e.values.data(), k);
    return sum / static_cast<double>(n);
  }

  std::vector<null_submission> null_submissions() const {
    const auto& task = request_.task;
    std::vector<null_submission> out;
    out.push_back({"zeros", [](const pool_set&, const pool_set&, size_t, int64_t) { return 0.0; }});
    // One number is its own mean: constants say something only about outputs with several elements.
    out.push_back({"a constant",
                   [&task, last = std::pair<const pool_set*, size_t>{},
                    mean = 0.0](const pool_set& set, const pool_set&, size_t i, int64_t) mutable {
                     if (last != std::pair{&set, i})
                       mean = mean_of(set.expected[i], counted_elements(task, set, i));
                     last = {&set, i};
                     return mean;
                   },
                   2});
    for (const auto& a : task.arguments)
      if (is_array(a) && is_read(a))
        out.push_back({"a copy of '" + a.name + "'",
                       [from = index_of(a), last = static_cast<const pool_set*>(nullptr),
                        compact = std::shared_ptr<byte_buffer>{}](const pool_set& set, const pool_set&, size_t,
                                                                  int64_t k) mutable {
                         const auto& g = set.data.geometries[from];
                         if (last != &set)
                           compact = std::make_shared<byte_buffer>(collect(g, set.data.inputs[from].data(), g.count));
                         last = &set;
                         return g.count == 0 ? 0.0 : load_number(g.type, compact->data(), k % g.count);
                       }});
    out.push_back({"the previous output", [](const pool_set&, const pool_set& previous, size_t i, int64_t k) {
                     const auto& e = previous.expected[i];
                     const auto n = previous.data.geometries[i].count;
                     return n == 0 ? 0.0 : load_number(e.type, e.values.data(), k % n);
                   }});
    return out;
  }

  // Output by output: each must need some work.
  attempt<void> refuse_null_submissions() {
    hooks_.progress("admit: null submissions");
    for (const auto& null : null_submissions())
      for (const auto& a : request_.task.arguments) {
        if (!is_array(a) || !is_written(a))
          continue;
        auto taken = always_takes(a, null);
        if (!taken)
          return tl::unexpected<setback>(taken.error());
        if (*taken)
          return refuse(a, null.what);
      }
    return {};
  }

  court& court_;
  judge_request request_;
  const request_hooks& hooks_;
  judge_outcome& out_;
  pool_maker maker_;
  std::vector<std::shared_ptr<const shape_pool>> pools_;
  std::shared_ptr<const shape_pool> smallest_;
  std::map<std::string, std::deque<pool_set>> drawn_; // by shape, beyond the pools' own; what was handed out stays put
  std::map<std::string, std::string> off_;            // how far the null submission was off that passed
};

} // namespace

attempt<void> admit(court& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out) {
  return admission{c, request, hooks, out}.run();
}

} // namespace kevolve
