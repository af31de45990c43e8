// Watches a step in which a candidate's own code runs, and not only a compiler on its text: such code starts processes
// that outlive it, writes more than there is room for, and locks its folder behind it. Lives as long as the step.
#pragma once

#include "backends/compile/locked_command.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve::cuda {

class hostile_step final : public attention {
public:
  hostile_step(std::string folder, attention& listener);
  hostile_step(const hostile_step&) = delete;
  hostile_step& operator=(const hostile_step&) = delete;
  ~hostile_step() override { clear(); }

  int descriptor() const override { return listener_.descriptor(); }
  // Also false once the folder holds too much.
  bool attend() override;
  bool flooded() const { return flooded_; }
  // Ends all processes that have become ours since the step began, and makes all below the folder ours to remove.
  // False: some process outruns it.
  bool clear() const;

private:
  bool end_processes() const;

  std::string folder_;
  attention& listener_;
  std::vector<pid_t> known_; // children that were there before
  bool flooded_ = false;
};

} // namespace kevolve::cuda
