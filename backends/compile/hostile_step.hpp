// Watches a step that runs a candidate's own code, not only a compiler. Such code may start processes that outlive it,
// fill the disk, or lock its folder. The object lives as long as the step.
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
  // Returns false as well once the folder holds too much.
  bool attend() override;
  bool flooded() const { return flooded_; }
  // Ends all processes that became our descendants since the step began, and makes all files below the folder
  // removable. Returns false if processes multiply faster than they are ended.
  bool clear() const;

private:
  bool end_processes() const;

  std::string folder_;
  attention& listener_;
  std::vector<pid_t> known_; // children that existed before the step
  bool flooded_ = false;
};

} // namespace kevolve::cuda
