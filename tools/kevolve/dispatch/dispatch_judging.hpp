// Judges a dispatcher: first its kernels one by one, then the whole, then the whole against the best kernel alone.
#pragma once

#include "tools/kevolve/dispatch/dispatch_reading.hpp"
#include "tools/kevolve/dispatch/shape_judge.hpp"
#include "tools/kevolve/dispatch/single_kernel.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// Judges sources on the task's own shapes and, as held-out shapes, those between them. On the probes, which lie beyond
// them, sources are judged apart, so that a kernel which is wrong there still serves the task's own sizes.
class dispatch_judge {
public:
  // `outside` adds probe sizes beyond the task's own.
  dispatch_judge(const campaign_spec& spec, const judge_setup& setup, const dispatch::regression_rule& rule,
                 bool outside);

  // Judges a source; `outside` says whether at the probes, too, if it passes. Its figures are not filled in.
  result<dispatch::judgement> judge(const std::string& source, const std::string& about, bool outside);
  // Judges a source against another one, on the task's own shapes.
  result<dispatch::judgement> compare(const std::string& source, const std::string& baseline);
  void forget();

  // Returns the task with all judged shapes: its own, those between them, the probes. It is final once a source has
  // been judged.
  contract task() const;
  dispatch::between beside() const;
  // Returns the figures of a judgement by shape of task().
  dispatch::figures figures_of(const dispatch::judgement& j) const;
  const dispatch::regression_rule& rule() const { return rule_; }
  const judge_setup& setup() const { return setup_; }

private:
  const judge_setup& setup_;
  dispatch::regression_rule rule_;
  std::vector<dispatch::sizes> unseen_;
  std::vector<dispatch::sizes> unseen_probes_;
  std::vector<scratch_directory*> in_use_;
  std::unique_ptr<shape_judge> own_;
  std::unique_ptr<shape_judge> beyond_; // null: no size beyond the task's own is probed
  bool beyond_fails_ = false;           // nothing more is judged there
};

struct refused_kernel {
  uint64_t node = 0;
  std::string why;
};

// Kernels that can share one file and pass, with their judgements.
struct judged_kernels {
  std::vector<tree_kernel> kernels;
  std::vector<dispatch::source_part> parts; // by kernel, in the same order
  std::vector<dispatch::judgement> judgements;
  std::vector<refused_kernel> refused;
  std::vector<refused_kernel> not_outside; // pass, but not at the probes

  std::vector<dispatch::figures> figures() const;
};
result<judged_kernels> judge_kernels(dispatch_judge& judge, const std::vector<tree_kernel>& kernels, bool outside);

result<dispatch::proof> prove_dispatcher(dispatch_judge& judge, const dispatch::source_part& reference,
                                         const judged_kernels& k);

// Judges the dispatcher against the fastest kernel alone.
result<dispatch::against_single> compare_with_single(dispatch_judge& judge, const dispatch::proof& p,
                                                     const judged_kernels& k);

} // namespace kevolve
