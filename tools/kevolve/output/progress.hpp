// Shows a person a running campaign: one block that is redrawn on a terminal, plain lines elsewhere.
#pragma once

#include "actors/messages/messages.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace kevolve {

class progress {
public:
  // Draws on the descriptor `fd`.
  progress(int fd, bool quiet);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void show(const campaign_status& s);
  // Returns the time after which it is worth showing the campaign again.
  std::chrono::milliseconds pace() const { return std::chrono::milliseconds{redraws_ ? 250 : quiet_ ? 1'000 : 500}; }
  // Leaves what stands on the terminal and goes below it.
  void end();

private:
  struct improvement {
    double wall_s = 0.0;
    uint64_t node = 0;
    double speedup = 0.0;
    std::string summary;
  };
  void note_improvement(const campaign_status& s);
  void draw(const std::vector<std::string>& lines);
  void print_line(const campaign_status& s);
  void print_best(const campaign_status& s) const;
  std::vector<std::string> block(const campaign_status& s, size_t width) const;

  int fd_;
  bool redraws_;
  bool quiet_;
  bool colour_;
  size_t drawn_ = 0; // lines of the block that stand on the terminal
  std::deque<improvement> improvements_;
  uint64_t best_ = 0;
  std::string last_state_;
  double last_line_s_ = 0.0;      // wall time of the campaign at the last plain line
  uint64_t first_candidates_ = 0; // when this session began
  double first_wall_s_ = 0.0;
  bool begun_ = false;
};

} // namespace kevolve
