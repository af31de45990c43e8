// Judges a dispatcher: first its kernels one by one, then the whole.
#pragma once

#include "config/campaign.hpp"
#include "runtime/node/node.hpp"
#include "tools/kevolve/client/judge_alone.hpp"
#include "tools/kevolve/dispatch/dispatch_reading.hpp"
#include "tools/kevolve/dispatch/proof.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// Judges sources of one task, all built with one flag set, in a node of its own. Uses the task's shapes and, as
// held-out shapes, those between them for which the task is sound.
class dispatch_judge {
public:
  dispatch_judge(campaign_spec spec, std::string flags, std::vector<std::string> weak_sandbox, const stop_signal& stop,
                 bool quiet);
  // Starts the node. Discards earlier judgements.
  result<void> begin();
  result<dispatch::judgement> judge(const std::string& source, const std::string& about);
  // Returns the task; the shapes between its own come last.
  const contract& task() const { return spec_.task.task; }
  const dispatch::between& beside() const { return beside_; }
  // Prints to stderr, unless quiet.
  void tell(const std::string& what) const;

private:
  result<single_evaluation> evaluate(const candidate& what);
  bool give_up_between(const judge_outcome& admission);

  campaign_spec spec_;
  dispatch::between beside_;
  bool admitted_ = false; // from then on the shapes are fixed, since figures are stored by shape
  std::string flags_;
  std::vector<std::string> weak_sandbox_;
  const stop_signal& stop_;
  bool quiet_ = false;
  std::unique_ptr<scratch_directory> data_;
  std::unique_ptr<node> node_;
};

struct refused_kernel {
  uint64_t node = 0;
  std::string why;
};

// Kernels that can share one file and pass, with their judgements.
struct judged_kernels {
  std::vector<tree_kernel> kernels;
  std::vector<dispatch::source_part> parts; // by kernel, in the same order
  std::vector<dispatch::figures> figures;
  std::vector<double> speedups; // over all declared shapes
  std::vector<refused_kernel> refused;
};
result<judged_kernels> judge_kernels(dispatch_judge& judge, const std::vector<tree_kernel>& kernels);

result<dispatch::proof> prove_dispatcher(dispatch_judge& judge, const dispatch::source_part& reference,
                                         const judged_kernels& k);

} // namespace kevolve
