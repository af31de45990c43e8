// The job graph of one evaluation, as a function of the results so far, and the meaning of the stages' results.
#pragma once

#include "actors/messages/messages.hpp"

#include <map>
#include <string>

namespace kevolve {

// admit judges the task's reference, once for all candidates. sanitise builds the candidate for the sanitised replay,
// which runs within the confirmation after it.
enum class stage : uint8_t { compile = 0, screening, confirm, final_confirm, audit, done, sanitise, admit, replay };
constexpr std::array<std::string_view, 9> stage_texts{"compile", "race",     "confirm", "final", "audit",
                                                      "done",    "sanitise", "admit",   "replay"};
constexpr const auto& enum_texts(stage) {
  return stage_texts;
}

// Returns true for stages that a compile server answers.
bool is_build(stage s);

// Returns true for stages whose outcome a candidate may be called best by, and which replay its sanitised build.
bool replays_sanitised(stage s);

// Returns true for stages whose baseline is the reference, whoever is the champion: the gains of chained screenings are
// measured as a whole. An audit is not one: most audited candidates lose, and a slow reference would take seconds for
// each.
constexpr bool against_reference(stage s) {
  return s == stage::final_confirm;
}

// The parts of an evaluation id besides stage and baseline.
struct evaluation_ground {
  id128 task; // contract_id
  std::string harness;
  std::string toolchain;
  std::string device;
  id128 measure; // reference_id(): a verdict holds only for the reference it was measured by
  uint32_t compile_limit_ms = compile_request{}.limit_ms;
  id128 fresh_for = {}; // the campaign that measures everything anew; zero: results of all campaigns are shared
};

// Returns an id of the texts of reference, oracle and module, which the contract does not contain. The module is the
// packed program of PyTorch that a native reference was made from; empty: there is none.
id128 reference_id(const std::string& reference, const std::string& oracle, const std::string& oracle_entry,
                   const std::string& module = {});

// Returns hash(subject, task, measure, harness, toolchain, device, stage, baseline). The subject of a compile is the
// candidate, as that of a sanitised build, and that of a judge run its object: sources that compile to the same code
// share their verdict. The baseline is zero for the reference and for compile. A campaign that measures anew has ids of
// its own.
// A screening that may end at its parent's lead has an id of its own, since its result serves no other.
id128 evaluation_id(const evaluation_ground& ground, const id128& subject, stage s, const id128& baseline,
                    double parent_lead = 0.0);
id128 object_id(const std::string& object_blob);

// The results so far of an evaluation in progress.
struct evaluation_progress {
  bool final_check = false;
  bool compile_only = false;
  bool compiled = false;
  bool compared = false;
  bool confirmed = false;
  bool audited = false;
  bool to_admit = false;                    // the task's reference is not admitted yet
  bool to_sanitise = false;                 // the target replays sanitised builds
  bool sanitised = false;                   // the build was tried
  std::string sanitised_object;             // its blob; empty: there is none
  std::string unsanitised;                  // the reason why there is none
  std::map<std::string, std::string> built; // the compiler's evidence about the object
  id128 campaign;                           // that asks
  double audit_from = 0.0;                  // ratio to the baseline from which the candidate is a surprise; 0: never
  evaluation result;
};

// Sets the judge's mode, pairs, error budget and limits for a stage. `level` is that of a promotion's test.
void ask_for(stage s, judge_request& request, double level = 0.05);

// Returns the sure lead of a candidate's parent over the baseline of its screening; 0 if it has none.
double parent_lead(double parent_low, double baseline_speedup);

// Returns the stage that follows from the results so far, by the passes of the job graph (job_graph.hpp); done if none
// does.
stage next_stage(const evaluation_progress& p);

// Adds a stage's stored result to the progress. Verdict and figures that another campaign measured are marked.
void apply(evaluation_progress& p, stage s, const evaluation_record& record);

// Returns the figures of a confirmed or compared candidate against the reference: the baseline's speed-up times its own
// (JUDGE: F = confirmed(t_ref/t_champion) · t_champion/t_candidate). They are zero unless it passed.
speedup_interval speedup_of(const evaluation& e, double baseline_speedup);

} // namespace kevolve
