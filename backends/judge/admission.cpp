// admit: is the task sound? The reference alone is on trial: it must run, agree with itself and with the
// oracle, depend on every input, and the tolerance must refuse answers that took no work.
#include "backends/judge/figure.hpp"
#include "backends/judge/judge_context.hpp"
#include "backends/judge/null_submissions.hpp"
#include "backends/judge/own_error.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/judge/test_set.hpp"
#include "backends/judge/work_clock.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

namespace {

using std::chrono::milliseconds;

constexpr int sensitivity_tries = 12;
constexpr auto own_patience = milliseconds{500}; // of work
constexpr double slow_reference_ns = 250e6;

class admission {
public:
  admission(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out)
      : judge_(c), request_(as_own_candidate(request)), hooks_(hooks), out_(out),
        maker_(c.references.launch, c.settings, c.input_arena, c.input_cache, request_, hooks,
               c.references.device.get()),
        bare_(without_absolute(request_.task)), needs_(request_.task.arguments.size()) {}

  attempt<void> run() {
    auto ended = run_parts();
    if (!ended && !ended.error().trouble && ended.error().refused.rule == rule_name::tolerance_of_reference)
      propose(ended.error().refused);
    return ended;
  }

private:
  attempt<void> run_parts() {
    if (auto ok = timed("shapes", [&] { return run_every_shape(); }); !ok)
      return ok;
    if (auto ok = timed("own_weights", [&] { return run_own_weights(); }); !ok)
      return ok;
    if (auto ok = timed("edges", [&] { return run_every_edge(); }); !ok)
      return ok;
    if (auto ok = timed("draws", [&] { return run_planned_draws(); }); !ok)
      return ok;
    if (auto ok =
            timed("repeat", [&] { return judge_.references.sandboxed() ? agree_with_itself() : answer_twice_alike(); });
        !ok)
      return ok;
    if (auto ok = timed("tolerance", [&] { return keep_its_own_tolerance(); }); !ok)
      return ok;
    if (auto ok = timed("inputs", [&] { return depend_on_every_input(); }); !ok)
      return ok;
    hooks_.progress("admit: null submissions");
    return timed("null", [&] { return refuse_null_submissions(request_, maker_, all_inputs_); });
  }

  // Tells which tolerance the reference would keep. A framework's is not run on further draws: its device is dear.
  void propose(rejection& missed) {
    hooks_.progress("admit: the tolerance that it needs");
    if (judge_.references.sandboxed())
      (void)add_own_errors(maker_, request_, own_patience, needs_); // what it found until a failure counts
    const auto to_write = tolerances_to_write(request_.task, needs_, missed.evidence["argument"]);
    missed.detail += (to_write.empty() ? std::string{"; loosen the tolerance"} : "; " + to_write)
                     + "; or give an [oracle] that means what the reference computes";
  }

  static judge_request as_own_candidate(judge_request r) {
    r.candidate = r.reference;
    return r;
  }

  // Runs one part, and notes the milliseconds that it took.
  template <typename Part>
  attempt<void> timed(const char* part, Part&& run) {
    const auto start = std::chrono::steady_clock::now();
    auto ok = run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    out_.evidence[std::string{"ms.admit."} + part] = figure(took.count(), 5);
    return ok;
  }

  size_t index_of(const argument& a) const { return static_cast<size_t>(&a - request_.task.arguments.data()); }

  attempt<void> run_every_shape() {
    for (const auto& shape : request_.task.shapes) {
      const auto before = maker_.worked();
      auto inputs = maker_.get(shape, edge_kind::none, "screen", {2, 2, milliseconds{0}});
      if (!inputs)
        return tl::unexpected<evaluation_error>(inputs.error());
      if (judge_.references.sandboxed()) // else its copies to a device and back are in it
        out_.evidence["reference_ns." + shape.name] = std::to_string(std::llround((*inputs)->typical_reference_ns()));
      if (judge_.references.sandboxed() && (*inputs)->typical_reference_ns() > slow_reference_ns)
        out_.evidence["note.slow"] =
            "the reference takes " + figure((*inputs)->typical_reference_ns() / 1e6, 3) + " ms a call on shape '"
            + shape.name
            + "': judging a candidate takes seconds, many where it is as slow; smaller shapes are judged sooner";
      out_.correctness.reference_max_abs = std::max(out_.correctness.reference_max_abs, (*inputs)->reference_max_abs);
      if (const auto& bad = (*inputs)->not_finite; !bad.which.empty())
        return refusal(not_finite(bad, shape, (*inputs)->sets.size()));
      const std::chrono::duration<double, std::nano> worked = maker_.worked() - before;
      work_of_draw_.push_back(judge_.references.sandboxed()
                                  ? worked / static_cast<double>((*inputs)->sets.size())
                                  : std::chrono::duration<double, std::nano>{2.0 * (*inputs)->typical_reference_ns()});
      if (auto ok = time_on_device(**inputs); !ok)
        return ok;
      all_inputs_.push_back(std::move(*inputs));
    }
    if (all_inputs_.empty())
      return infrastructure(fault_kind::internal, "the task has no shape");
    // Held-out shapes may be degenerate (a softmax over one column is a constant): null submissions are tried on
    // what is timed.
    smallest_ = *std::min_element(all_inputs_.begin(), all_inputs_.end(), [](const auto& a, const auto& b) {
      return std::pair{a->shape.held_out, a->largest_layout()} < std::pair{b->shape.held_out, b->largest_layout()};
    });
    return {};
  }

  // A framework's own time shows how much can be gained. It is timed where its arrays lie on the device. A reference
  // for which the device has no memory is judged all the same.
  attempt<void> time_on_device(const input_sets& inputs) {
    const auto& there = inputs.sets.front().fetched_from;
    if (!there || inputs.shape.held_out)
      return {};
    const auto ns = maker_.device()->time_reference(*there);
    if (ns)
      out_.evidence["eager_ns." + inputs.shape.name] = figure(*ns, 4);
    return ns || ns.error().refused.result != verdict::none || ns.error().trouble.kind == fault_kind::no_space
               ? attempt<void>{}
               : attempt<void>{tl::unexpected<evaluation_error>(ns.error())};
  }

  static rejection not_finite(const not_finite_output& bad, const shape_case& shape, size_t draws) {
    const auto where = " on shape '" + shape.name + "', in the first " + std::to_string(draws) + " draws";
    const auto detail =
        bad.differ
            ? bad.which + where
                  + ": no candidate is right by both. Change how inputs are drawn (fill of an array, range of a "
                    "scalar), or give an [oracle] that "
                    "means what the reference computes"
            : (bad.only_the_oracle
                   ? "the oracle (the reference with float promoted to double, unless the task gives its own; "
                     "the reference itself does not: give an [oracle] that does not look at a float's bits)"
                   : std::string{"the reference"})
                  + " leaves infinite or NaN elements" + where + " (" + bad.which
                  + "). Every output holds NaN before a call, and so does what lies beside every array: an element "
                    "that stays so was never written, was read first, or came from past an array's end. If the "
                    "figures are meant, change how inputs are drawn (fill of an array, range of a scalar) or declare "
                    "nonfinite = \"match\"";
    return {verdict::nonfinite, rule_name::nonfinite_reference, detail, {{"shape", shape.name}}};
  }

  static rejection not_finite_on_edge(const not_finite_output& bad, const shape_case& shape, edge_kind edge) {
    const auto name = "'" + to_string(edge) + "'";
    const auto detail =
        "on the edge " + name + " of shape '" + shape.name + "' "
        + (bad.differ ? bad.which : "the expected output is not finite (" + bad.which + ")")
        + ", so no candidate could be judged there. Take " + name + " out of the arguments' edge, or "
        + (bad.differ
               ? "give an [oracle] that means what the reference computes"
               : "declare nonfinite = \"match\" if these figures are meant. NaN lies beside every array: one may also "
                 "come from past an array's end");
    return {verdict::nonfinite, rule_name::nonfinite_edge, detail, {{"edge", to_string(edge)}, {"shape", shape.name}}};
  }

  const std::shared_ptr<const input_sets>& least_inputs() const {
    return *std::min_element(all_inputs_.begin(), all_inputs_.end(),
                             [](const auto& a, const auto& b) { return a->largest_layout() < b->largest_layout(); });
  }

  // Candidates are called with the module's own weights, too, so that the reference must keep the tolerance there.
  attempt<void> run_own_weights() {
    const auto names = maker_.own_weights();
    if (names.empty())
      return {};
    hooks_.progress("admit: own weights");
    auto inputs = own_weights_on(maker_, least_inputs()->shape);
    if (!inputs)
      return tl::unexpected<evaluation_error>(inputs.error());
    const auto told = [](rejection r) {
      r.detail += ". That is with the values of the task's file of weights: take [module] weights out to draw all of "
                  "them";
      return refusal(std::move(r));
    };
    if (const auto& bad = (*inputs)->not_finite; !bad.which.empty())
      return told(not_finite(bad, (*inputs)->shape, 1));
    if (auto missed = misses(**inputs, (*inputs)->sets.front(), 1))
      return told(std::move(*missed));
    out_.evidence["draws.own_weights"] = names;
    return {};
  }

  // Nobody is judged on an edge whose expected output is not finite: who declares one is told, or nothing would check
  // what the task says is checked. On every shape that candidates are judged on: what grows with a length may pass
  // the largest number on a long one only. On a device that is the smallest.
  attempt<void> run_every_edge() {
    hooks_.progress("admit: edges");
    const auto& least = least_inputs();
    for (const auto& inputs : all_inputs_)
      if (inputs == least || judge_.references.sandboxed())
        if (auto ok = run_every_edge(inputs->shape, inputs == least); !ok)
          return ok;
    return {};
  }

  attempt<void> run_every_edge(const shape_case& shape, bool smallest) {
    for (const auto edge : edges_of(request_.task)) {
      if (edge == edge_kind::cancellation && request_.oracle.empty())
        continue;
      // A candidate is asked for nothing there that the reference itself does not do.
      size_t draws = 0;
      const auto visit = [&](const input_sets& inputs, const input_set& set) {
        return keep_on_edge(inputs, set, ++draws);
      };
      auto inputs =
          smallest ? edge_on_smallest(maker_, shape, edge, visit) : edge_on_larger(maker_, shape, edge, visit);
      if (!inputs)
        return tl::unexpected<evaluation_error>(inputs.error());
      if (const auto& bad = (*inputs)->not_finite; !bad.which.empty())
        return refusal(not_finite_on_edge(bad, shape, edge));
    }
    return {};
  }

  // Refuses a set on which the reference misses the tolerance. The device checks a set whose arrays lie there and keeps
  // nothing. The host checks it only if it is not well within the tolerance.
  attempt<void> keep_on_edge(const input_sets& inputs, const input_set& set, size_t draws) {
    if (!find_not_finite(request_.task, set).which.empty())
      return {}; // refused for that
    if (!set.remote)
      return refuse_if(misses(inputs, set, draws));
    const auto well = keeps_tolerance(inputs, set);
    const auto here = well && !*well ? maker_.device()->fetch(set) : attempt<input_set>{input_set{}};
    maker_.device()->forget(set);
    if (!well)
      return tl::unexpected<evaluation_error>(well.error());
    if (!here)
      return tl::unexpected<evaluation_error>(here.error());
    return *well ? attempt<void>{} : refuse_if(misses(inputs, *here, draws));
  }

  static attempt<void> refuse_if(std::optional<rejection> missed) {
    return missed ? refusal(std::move(*missed)) : attempt<void>{};
  }

  // A candidate is asked for nothing that the reference does not do. Draws on which it only misses the tolerance are
  // left out.
  attempt<void> run_planned_draws() {
    hooks_.progress("admit: adversarial draws");
    draw_coverage seen{request_.task};
    auto all = draws_of_large_shapes(request_);
    all.insert(all.begin(), {draws_of_task(request_), draws_at_declared_sizes(request_)});
    for (auto& wanted : all) {
      wanted.strict = true;
      wanted.patience *= 2;
      auto inputs = maker_.get_planned(wanted);
      if (!inputs)
        return tl::unexpected<evaluation_error>(inputs.error());
      for (const auto& set : (*inputs)->sets)
        note_draw(seen, request_.task, set);
      seen.add((*inputs)->draws);
      if (!draws_)
        draws_ = std::move(*inputs);
    }
    seen.note(out_.evidence);
    return {};
  }

  // The reference is judged as a candidate: same input, different poison, bit for bit; and within its own tolerance of
  // the oracle.
  attempt<void> agree_with_itself() {
    hooks_.progress("admit: determinism");
    return judge_.references.judge_as_candidate(
        {request_, hooks_, all_inputs_, *smallest_, draws_,
         [this](const input_sets& inputs, evaluation_error s) { return unless_it_disagrees(inputs, std::move(s)); }},
        out_);
  }

  // A framework's reference runs in no process of ours that could be judged as a candidate: what it gives for the same
  // data twice is compared. Differing bits are told and taken, since its tolerance is held against the oracle.
  attempt<void> answer_twice_alike() {
    hooks_.progress("admit: determinism");
    for (const auto& inputs : all_inputs_) {
      const auto& set = inputs->sets.front();
      if (set.fetched_from) {
        const auto differs = maker_.device()->repeat(*set.fetched_from);
        if (!differs)
          return tl::unexpected<evaluation_error>(differs.error());
        for (size_t i = 0; i < differs->size(); ++i)
          if ((*differs)[i])
            note_other_bits(i);
        continue;
      }
      auto again = maker_.run_again(set);
      if (!again)
        return tl::unexpected<evaluation_error>(again.error());
      for (size_t i = 0; i < again->size(); ++i) {
        const auto* first = set.given_by_reference(i);
        const auto& second = (*again)[i].values;
        const auto bytes = static_cast<size_t>(counted_elements(request_.task, set, i)) * size_bytes((*again)[i].type);
        if (first != nullptr && !second.empty() && std::memcmp(first->data(), second.data(), bytes) != 0)
          note_other_bits(i);
      }
    }
    return {};
  }

  void note_other_bits(size_t argument) {
    out_.evidence["note.nondeterministic"] = "the reference gives other bits for output '"
                                             + request_.task.arguments[argument].name + "' when it is called again";
  }

  // Returns true if the reference's outputs, which lie on the device, are well within the tolerance.
  attempt<bool> keeps_tolerance(const input_sets& inputs, const input_set& set) {
    std::vector<comparison_rule> rules;
    for (size_t i = 0; i < request_.task.arguments.size(); ++i)
      rules.push_back(rule_for_output(request_.task, inputs, set, i));
    return maker_.device()->reference_within(set, rules);
  }

  // Wrong by its own earlier answer, or different from call to call: the tolerance is not what is wrong here.
  evaluation_error unless_it_disagrees(const input_sets& inputs, evaluation_error s) {
    const bool wrong = s.refused.result == verdict::wrong_result || s.refused.result == verdict::nonfinite;
    if (s.trouble || !(s.refused.result == verdict::nondeterministic || (wrong && !out_.correctness.bit_equal))) {
      auto missed = s.trouble || !wrong ? std::nullopt : misses(inputs, inputs.sets.front(), 1);
      return missed ? evaluation_error{{}, std::move(*missed)} : s;
    }
    s.refused.result = verdict::nondeterministic;
    s.refused.rule = rule_name::nondeterministic_reference;
    s.refused.detail =
        "the reference disagrees with itself on the same input, when what lay in its outputs before "
        "or beside its arrays differs: it is not deterministic, or reads memory that nobody wrote, or past "
        "an array's end ("
        + s.refused.detail + ")";
    s.refused.evidence.try_emplace("shape", inputs.shape.name);
    return s;
  }

  // Candidates are held to the tolerance on every draw: one that the reference misses now and then refuses the honest
  // by chance. One that is not finite now and then would be judged on a part of the task.
  attempt<void> keep_its_own_tolerance() {
    hooks_.progress("admit: its own error");
    for (size_t k = 0; k < all_inputs_.size(); ++k) {
      const auto& inputs = all_inputs_[k];
      size_t draws = 0;
      for (const auto& set : inputs->sets)
        if (auto missed = misses(*inputs, set, ++draws))
          return refusal(std::move(*missed));
      work_clock clock;
      const auto before = maker_.worked();
      while (draws < own_draws && clock.spent() + (maker_.worked() - before) + work_of_draw_[k] < own_patience) {
        const auto asked = std::chrono::steady_clock::now();
        auto set = maker_.make_set_anywhere(inputs->shape, fresh_draw(request_), true);
        if (!set)
          return tl::unexpected<evaluation_error>(set.error());
        if (set->remote)
          clock.add(std::chrono::steady_clock::now() - asked);
        ++draws;
        if (set->remote) {
          const auto well = keeps_tolerance(*inputs, *set);
          if (!well)
            return tl::unexpected<evaluation_error>(well.error());
          auto here = *well && find_not_finite(request_.task, *set).which.empty() ? attempt<input_set>{input_set{}}
                                                                                  : maker_.device()->fetch(*set);
          maker_.device()->forget(*set);
          if (!here)
            return tl::unexpected<evaluation_error>(here.error());
          if (here->expected.empty())
            continue;
          set = std::move(here);
        }
        if (const auto bad = find_not_finite(request_.task, *set); !bad.which.empty())
          return refusal(not_finite(bad, inputs->shape, draws));
        if (auto missed = misses(*inputs, *set, draws))
          return refusal(std::move(*missed));
      }
    }
    return {};
  }

  std::optional<rejection> misses(const input_sets& inputs, const input_set& set, size_t draws) {
    for (const auto& a : request_.task.arguments)
      if (is_array(a) && is_written(a) && !set.reference_output[index_of(a)].empty())
        if (auto missed = misses(a, inputs, set, draws))
          return missed;
    return std::nullopt;
  }

  // Whole numbers that hang on comparing floating ones: where these are nearly equal, the double oracle now and then
  // decides otherwise. As long as that is rare, either answer is taken; see compare().
  bool decides_near_ties(const argument& a, const comparison& c, int64_t elements, const comparison_rule& rule,
                         const input_sets& inputs) const {
    constexpr int64_t rare = 100; // one of so many
    const auto& arguments = request_.task.arguments;
    const bool floats =
        std::any_of(arguments.begin(), arguments.end(), [](const auto& x) { return is_floating(x.type); });
    if (c.result != verdict::wrong_result || is_floating(a.type) || !floats || rule.mode != tolerance_mode::exact
        || !judge_.references.sandboxed() || c.bad * rare > elements)
      return false;
    out_.evidence.try_emplace("note.near_ties." + a.name,
                              "the oracle in double decides " + std::to_string(c.bad) + " of "
                                  + std::to_string(elements) + " elements of output '" + a.name + "' on shape '"
                                  + inputs.shape.name
                                  + "' otherwise than the reference, near ties of what is compared: either answer "
                                    "counts as right; an [oracle] that computes as the reference does leaves one");
    return true;
  }

  std::optional<rejection> misses(const argument& a, const input_sets& inputs, const input_set& set, size_t draws) {
    const auto i = index_of(a);
    auto g = set.data.geometries[i];
    g.contiguous = true; // what the reference wrote is compact by now
    const auto rule = rule_for_output(request_.task, inputs, set, i);
    const auto elements = counted_elements(request_.task, set, i);
    const auto c = compare(g, set.reference_output[i].data(), set.expected[i], elements, rule);
    if (c.result == verdict::pass || decides_near_ties(a, c, elements, rule, inputs))
      return std::nullopt;
    const auto where = "output '" + a.name + "' on shape '" + inputs.shape.name + "'"
                       + (inputs.edge == edge_kind::none ? "" : " and its edge '" + to_string(inputs.edge) + "'")
                       + ", in draw " + std::to_string(draws);
    if (c.result == verdict::nonfinite)
      return rejection{verdict::nonfinite,
                       rule_name::nonfinite_reference,
                       "the reference leaves infinite or NaN elements in " + where
                           + ", where the oracle has numbers: " + wrong_elements(c, elements)
                           + ". Change how inputs are drawn (fill of an array, range of a scalar), or write the "
                             "reference so that it overflows nowhere, and leaves "
                             "no function's domain, where the exact result does not",
                       {{"argument", a.name}, {"shape", inputs.shape.name}}};
    add_own_errors(bare_, inputs, set, needs_);
    return rejection{verdict::wrong_result,
                     rule_name::tolerance_of_reference,
                     "the reference itself misses the tolerance of " + where + ": it is off by up to "
                         + figure(c.max_abs, 3) + ", allowed is " + allowance(rule),
                     {{"argument", a.name}, {"shape", inputs.shape.name}, {"error." + a.name, figure(c.max_abs, 3)}}};
  }

  bool same_outputs(const input_set& a, const input_set& b) const {
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

  static bool draws_one_value(const fill_rule& fill) {
    const auto& d = fill.distribution;
    return (d == fill_name::normal && fill.std == 0.0)
           || ((d == fill_name::uniform || d == fill_name::integer) && fill.low == fill.high);
  }

  attempt<void> depend_on_every_input() {
    for (const auto& a : request_.task.arguments) {
      const bool probed = (is_array(a) && is_read(a)) || (a.role == argument_role::scalar && !a.has_value);
      if (!probed || (a.role == argument_role::weight && draws_one_value(a.fill)))
        continue; // a constant weight never changes, so that nothing can be told
      hooks_.progress("admit: does '" + a.name + "' matter");
      auto matters = depends_on(a);
      if (!matters)
        return tl::unexpected<evaluation_error>(matters.error());
      if (!*matters)
        return refusal({verdict::wrong_result,
                        rule_name::ignores_input,
                        "no output changes when only '" + request_.task.arguments[varied_with(a)].name
                            + "' changes: the reference ignores '" + a.name + "'",
                        {{"argument", a.name}}});
    }
    return {};
  }

  // On some shape: a softmax over one column does not depend on its input, and is sound all the same. Small shapes come
  // first: a slow reference takes seconds on a large one.
  attempt<bool> depends_on(const argument& a) {
    auto smallest_first = all_inputs_;
    std::sort(smallest_first.begin(), smallest_first.end(), [](const auto& x, const auto& y) {
      return std::pair{x->largest_layout(), x->shape.name} < std::pair{y->largest_layout(), y->shape.name};
    });
    for (const auto& inputs : smallest_first) {
      auto matters = depends_on(a, inputs->shape);
      if (matters && *matters)
        out_.evidence["varied." + a.name] = inputs->shape.name;
      if (!matters || *matters)
        return matters;
    }
    return false;
  }

  // Offsets are their lengths in another form, and cannot change without them: both vary as one, and both count as
  // used when an output does.
  size_t varied_with(const argument& a) const {
    const auto* root = &a;
    for (size_t steps = 0; root->fill.distribution == fill_name::offsets && steps < request_.task.arguments.size();
         ++steps) {
      const auto* from = find_argument(request_.task, root->fill.of);
      if (from == nullptr)
        break;
      root = from;
    }
    return index_of(*root);
  }

  attempt<bool> same(const input_set& a, const input_set& b) {
    if (!a.remote || !b.remote)
      return same_outputs(a, b);
    auto out = maker_.device()->same_expected(a, b);
    maker_.device()->forget(a);
    maker_.device()->forget(b);
    return out;
  }

  attempt<bool> depends_on(const argument& a, const shape_case& shape) {
    for (int attempt_number = 1; attempt_number <= sensitivity_tries; ++attempt_number) {
      auto options = fresh_draw(request_);
      auto before = maker_.make_set_anywhere(shape, options, false);
      if (!before)
        return tl::unexpected<evaluation_error>(before.error());
      const auto i = varied_with(a);
      if (is_array(a) && before->input_bytes(i) == 0)
        return false; // nothing of it to vary at this size
      options.varied = static_cast<int>(i);
      options.variation = secret_seed();
      auto after = maker_.make_set_anywhere(shape, options, false);
      if (!after)
        return tl::unexpected<evaluation_error>(after.error());
      const auto alike = same(*before, *after);
      if (!alike || !*alike)
        return alike ? attempt<bool>{true} : alike;
    }
    return false;
  }

  judge_context& judge_;
  judge_request request_;
  const request_hooks& hooks_;
  judge_outcome& out_;
  input_set_maker maker_;
  contract bare_;                     // the task without absolute tolerances
  std::vector<tolerance_need> needs_; // by argument; filled where the reference misses its tolerance
  std::vector<std::shared_ptr<const input_sets>> all_inputs_;
  std::vector<std::chrono::duration<double, std::nano>> work_of_draw_; // of each of these
  std::shared_ptr<const input_sets> smallest_;
  std::shared_ptr<const input_sets> draws_;
};

} // namespace

attempt<void> admit(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out) {
  return admission{c, request, hooks, out}.run();
}

} // namespace kevolve
