// Judges sources of one task on one list of shapes, in a node of its own.
#pragma once

#include "config/campaign.hpp"
#include "runtime/node/node.hpp"
#include "tools/kevolve/client/judge_alone.hpp"
#include "tools/kevolve/dispatch/proof.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// The settings that all judges of one dispatcher share.
struct judge_setup {
  std::string flags; // every source is built with this flag set
  std::vector<std::string> weak_sandbox;
  const stop_signal& stop;
  bool quiet = false;

  // Prints to stderr, unless quiet.
  void tell(const std::string& what) const;
};

class shape_judge {
public:
  // The last `may_go` shapes of the task are dropped one by one if the task is not sound there. If none is left,
  // nothing can be judged. `in_use` lists the data directories of all judges, which a signal removes.
  shape_judge(campaign_spec spec, size_t may_go, const judge_setup& setup, std::vector<scratch_directory*>& in_use);
  ~shape_judge() { forget(); }
  shape_judge(const shape_judge&) = delete;
  shape_judge& operator=(const shape_judge&) = delete;

  // Discards earlier judgements. The next source starts a new node.
  void forget();
  // Judges against the reference, or against another source. errc::unsupported: no shape is left.
  result<dispatch::judgement> judge(const std::string& source, const std::string& about,
                                    const std::string* baseline = nullptr);

  const contract& task() const { return spec_.task.task; }
  size_t may_go() const { return may_go_; } // number of shapes left of these
  const std::vector<dispatch::sizes>& dropped() const { return dropped_; }

private:
  result<void> begin();
  result<single_evaluation> evaluate(const candidate& what, const candidate* baseline);
  bool drop(const judge_outcome& admission);

  campaign_spec spec_;
  size_t may_go_;
  const judge_setup& setup_;
  std::vector<scratch_directory*>& in_use_;
  std::vector<dispatch::sizes> dropped_;
  bool admitted_ = false; // from then on the shapes are fixed, since figures are stored by shape
  std::unique_ptr<scratch_directory> data_;
  std::unique_ptr<node> node_;
};

} // namespace kevolve
