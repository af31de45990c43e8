#include "backends/judge/null_submissions.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/finiteness.hpp"
#include "backends/judge/numbers.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

// Number of draws in which a null submission must fail at least once. A count, for example, is often equal in two
// draws.
constexpr size_t null_tries = 20;

// A null submission: computes element k of output i from the current set and the previous one.
struct null_submission {
  std::string what;
  std::function<double(const input_set& set, const input_set& previous, size_t i, int64_t k)> answer;
  int64_t least = 1; // minimum number of elements of an output to which it applies
  // Returns whether it applies to this output of this set; empty: it applies to each.
  std::function<bool(const input_set& set, size_t i)> applies = nullptr;
};

// The lower half of an output's non-zero magnitudes.
struct lower_half {
  double below = 0.0;  // median magnitude
  int64_t nonzero = 0; // number of non-zero elements in the lower half
};

// Returns every so-many-th element of a large output, in double.
expected_output sample_of(const expected_output& e, int64_t elements, int64_t count) {
  expected_output out;
  out.values = byte_buffer(static_cast<size_t>(count) * sizeof(double));
  const auto stride = (elements / count) | 1; // odd, so that no column of a matrix is met alone
  for (int64_t k = 0; k < count; ++k)
    out.values.as<double>()[k] = load_number(e.type, e.values.data(), k * stride % elements);
  return out;
}

lower_half lower_half_of(const expected_output& e, int64_t elements) {
  constexpr int64_t large = int64_t{1} << 22U;
  constexpr int64_t sampled = int64_t{1} << 20U;
  if (elements > large) {
    auto out = lower_half_of(sample_of(e, elements, sampled), sampled);
    out.nonzero *= elements / sampled;
    return out;
  }
  lower_half out;
  out.below = scale_of_errors(e.type, e, elements, true);
  for (int64_t k = 0; k < elements; ++k)
    if (const auto x = std::fabs(load_number(e.type, e.values.data(), k)); x > 0.0 && x < out.below)
      ++out.nonzero;
  return out;
}

class null_evaluation {
public:
  null_evaluation(const judge_request& request, input_set_maker& maker,
                  const std::vector<std::shared_ptr<const input_sets>>& all_inputs)
      : request_(request), maker_(maker), all_inputs_(all_inputs) {}

  // Checks each output separately; each must need some work.
  attempt<void> run() {
    for (const auto& null : null_submissions())
      for (const auto& a : request_.task.arguments) {
        if (!is_array(a) || !is_written(a))
          continue;
        auto taken = always_takes(a, null);
        if (!taken)
          return tl::unexpected<evaluation_error>(taken.error());
        if (*taken)
          return refuse(a, null.what);
      }
    return {};
  }

private:
  size_t index_of(const argument& a) const { return static_cast<size_t>(&a - request_.task.arguments.data()); }

  bool takes(const argument& a, const null_submission& null, const input_sets& inputs, const input_set& set,
             const input_set& previous) {
    const auto i = index_of(a);
    auto g = set.data.geometries[i];
    g.contiguous = true;
    const auto elements = counted_elements(request_.task, set, i);
    if (elements < null.least || (null.applies && !null.applies(set, i)))
      return false;
    const auto rule = rule_for(request_.task, a, inputs.reference_error[i]);
    // A wrong beginning settles it.
    constexpr int64_t beginning = int64_t{1} << 16U;
    if (elements > 2 * beginning && !passes(a, null, g, set, previous, beginning, rule))
      return false;
    byte_buffer answer(static_cast<size_t>(g.count) * size_bytes(a.type));
    for (int64_t k = 0; k < elements; ++k)
      store_number(a.type, answer.data(), k, null.answer(set, previous, i, k));
    const auto c = compare(g, answer.data(), set.expected[i], elements, rule);
    if (c.result != verdict::pass)
      return false;
    off_ = {{"error." + a.name, figure(c.max_abs, 3)},
            {"allowed." + a.name, allowance(rule)},
            {"largest_expected." + a.name, figure(largest_magnitude(set.expected[i], elements), 3)}};
    return true;
  }

  // Returns true if the first elements of the answer are right.
  bool passes(const argument& a, const null_submission& null, const array_geometry& compact, const input_set& set,
              const input_set& previous, int64_t elements, const comparison_rule& rule) const {
    const auto i = index_of(a);
    byte_buffer answer(static_cast<size_t>(elements) * size_bytes(a.type));
    for (int64_t k = 0; k < elements; ++k)
      store_number(a.type, answer.data(), k, null.answer(set, previous, i, k));
    return compare(compact, answer.data(), set.expected[i], elements, rule).result == verdict::pass;
  }

  // Returns the n-th draw on a shape.
  attempt<const input_set*> drawn(const input_sets& inputs, size_t n) {
    if (n < inputs.sets.size())
      return &inputs.sets[n];
    n -= inputs.sets.size();
    auto& more = drawn_[inputs.shape.name];
    while (more.size() <= n) {
      auto set = maker_.make_set(inputs.shape, fresh_draw(request_), false, nullptr, nullptr);
      if (!set)
        return tl::unexpected<evaluation_error>(set.error());
      more.push_back(std::move(*set));
    }
    return &more[n];
  }

  attempt<bool> always_takes(const argument& a, const null_submission& null, const input_sets& inputs) {
    for (size_t n = 1; n <= null_tries; ++n) {
      auto previous = drawn(inputs, n - 1);
      auto set = drawn(inputs, n);
      if (!previous || !set)
        return tl::unexpected<evaluation_error>(previous ? set.error() : previous.error());
      if (!takes(a, null, inputs, **set, **previous))
        return false;
    }
    return true;
  }

  // Returns whether the submission passes in every draw on every timed shape, as a candidate must.
  attempt<bool> always_takes(const argument& a, const null_submission& null) {
    for (const auto& inputs : all_inputs_) {
      if (inputs->shape.held_out)
        continue;
      auto taken = always_takes(a, null, *inputs);
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
    rejection c{verdict::wrong_result, rule_name::null_submission,
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
    out.push_back({"zeros", [](const input_set&, const input_set&, size_t, int64_t) { return 0.0; }});
    // A single number is its own mean, so constants apply only to outputs with several elements.
    out.push_back({"a constant",
                   [&task, last = std::pair<const input_set*, size_t>{},
                    mean = 0.0](const input_set& set, const input_set&, size_t i, int64_t) mutable {
                     if (last != std::pair{&set, i})
                       mean = mean_of(set.expected[i], counted_elements(task, set, i));
                     last = {&set, i};
                     return mean;
                   },
                   2});
    // A single absolute tolerance for an output of a wide range may accept anything in its lower half. This does not
    // apply if few elements are small or most are zero.
    auto half = std::make_shared<std::pair<std::pair<const input_set*, size_t>, lower_half>>();
    const auto half_of = [&task, half](const input_set& set, size_t i) -> const lower_half& {
      if (half->first != std::pair{&set, i})
        *half = {{&set, i}, lower_half_of(set.expected[i], counted_elements(task, set, i))};
      return half->second;
    };
    out.push_back({"zero for each element below the median magnitude",
                   [half_of](const input_set& set, const input_set&, size_t i, int64_t k) {
                     const auto x = load_number(set.expected[i].type, set.expected[i].values.data(), k);
                     return std::fabs(x) < half_of(set, i).below ? 0.0 : x;
                   },
                   8,
                   [&task, half_of](const input_set& set, size_t i) {
                     return is_floating(task.arguments[i].type)
                            && 4 * half_of(set, i).nonzero >= counted_elements(task, set, i);
                   }});
    for (const auto& a : task.arguments)
      if (is_array(a) && is_read(a))
        out.push_back({"a copy of '" + a.name + "'",
                       [from = index_of(a), last = static_cast<const input_set*>(nullptr),
                        compact = std::shared_ptr<byte_buffer>{}](const input_set& set, const input_set&, size_t,
                                                                  int64_t k) mutable {
                         const auto& g = set.data.geometries[from];
                         if (last != &set)
                           compact = std::make_shared<byte_buffer>(collect(g, set.data.inputs[from].data(), g.count));
                         last = &set;
                         return g.count == 0 ? 0.0 : load_number(g.type, compact->data(), k % g.count);
                       }});
    out.push_back({"the previous output", [](const input_set&, const input_set& previous, size_t i, int64_t k) {
                     const auto& e = previous.expected[i];
                     const auto n = previous.data.geometries[i].count;
                     return n == 0 ? 0.0 : load_number(e.type, e.values.data(), k % n);
                   }});
    return out;
  }

  const judge_request& request_;
  input_set_maker& maker_;
  const std::vector<std::shared_ptr<const input_sets>>& all_inputs_;
  // By shape, beyond the given input sets; a deque, so that references stay valid.
  std::map<std::string, std::deque<input_set>> drawn_;
  std::map<std::string, std::string> off_; // evidence: the error of the null submission that passed
};

} // namespace

attempt<void> refuse_null_submissions(const judge_request& request, input_set_maker& maker,
                                      const std::vector<std::shared_ptr<const input_sets>>& all_inputs) {
  return null_evaluation{request, maker, all_inputs}.run();
}

} // namespace kevolve
