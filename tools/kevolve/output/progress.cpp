#include "tools/kevolve/output/progress.hpp"

#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t improvements_shown = 8;
constexpr double seconds_between_lines = 10.0;

std::string interval(const campaign_status& s) {
  return fmt::format("[{:.2f}, {:.2f}]", s.ci_low, s.ci_high);
}

std::string state_of(const campaign_status& s) {
  return state_text(s.state, to_string(s.stop_reason), s.candidates);
}

// Returns the spent share of the budget that is nearest to its limit.
double share_spent(const campaign_status& s) {
  double share = 0;
  if (s.budget_wall_s > 0)
    share = std::max(share, s.wall_s / s.budget_wall_s);
  if (s.budget_candidates > 0)
    share = std::max(share, static_cast<double>(s.candidates) / static_cast<double>(s.budget_candidates));
  return std::clamp(share, 0.0, 1.0);
}

std::string clock_text(const campaign_status& s) {
  auto out = human_duration(s.wall_s);
  if (s.budget_wall_s > 0)
    out += " of " + human_duration(s.budget_wall_s);
  return out;
}

std::string counts(const campaign_status& s) {
  auto out = fmt::format("{} candidates", s.candidates);
  if (s.budget_candidates > 0)
    out += fmt::format(" of {}", s.budget_candidates);
  return out + fmt::format(", {} valid, {} in flight", s.valid, s.in_flight);
}

} // namespace

progress::progress(int fd, bool quiet)
    : fd_(fd), redraws_(!quiet && is_terminal(fd)), quiet_(quiet), colour_(wants_colour(fd)) {
  if (redraws_)
    print_err("\x1b[?25l"); // the cursor would flicker
}

progress::~progress() {
  end();
}

void progress::end() {
  if (redraws_)
    print_err("\x1b[?25h");
  redraws_ = false;
  quiet_ = true;
}

void progress::show(const campaign_status& s) {
  if (quiet_)
    return;
  const bool first = !std::exchange(begun_, true);
  if (first) {
    first_candidates_ = s.candidates;
    first_wall_s_ = s.wall_s;
    last_line_s_ = s.wall_s;
  }
  // The final confirmation measures the same node again: another figure, no improvement.
  auto better = s.best != 0 && s.best != best_;
  if (better)
    note_improvement(s);
  if (redraws_)
    draw(block(s, terminal_width(fd_)));
  else {
    if (better && !first)
      print_best(s);
    if (s.state != last_state_ || s.wall_s - last_line_s_ >= seconds_between_lines)
      print_line(s);
  }
  best_ = s.best;
  last_state_ = s.state;
}

void progress::note_improvement(const campaign_status& s) {
  improvements_.push_back({s.wall_s, s.best, s.speedup, printable(s.best_summary)});
  if (improvements_.size() > improvements_shown)
    improvements_.pop_front();
}

std::vector<std::string> progress::block(const campaign_status& s, size_t width) const {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} {}  {}  {} {}", printable(s.name), short_string(s.id), state_of(s),
                              human_share(share_spent(s)), clock_text(s)));
  auto minutes = (s.wall_s - first_wall_s_) / 60;
  auto rate = minutes > 0.05
                  ? fmt::format(", {:.0f} a minute", static_cast<double>(s.candidates - first_candidates_) / minutes)
                  : std::string{};
  lines.push_back("  " + counts(s) + rate);
  if (s.best == 0)
    lines.emplace_back("  best: none yet");
  else
    lines.push_back(fmt::format("  best: {} {}  candidate {}: {}", human_speedup(s.speedup), interval(s), s.best,
                                printable(s.best_summary)));
  if (!s.reason.empty())
    lines.push_back("  " + printable(s.reason));
  for (const auto& i : improvements_)
    lines.push_back(fmt::format("    {:>7}  {:>8}  candidate {}: {}", human_duration(i.wall_s),
                                human_speedup(i.speedup), i.node, i.summary));
  for (auto& line : lines)
    line = fit_to(line, width - 1);
  if (colour_)
    lines[2] = "\x1b[1;32m" + lines[2] + "\x1b[0m";
  return lines;
}

void progress::draw(const std::vector<std::string>& lines) {
  std::string out;
  if (drawn_ > 0)
    out += fmt::format("\x1b[{}A", drawn_);
  for (const auto& line : lines)
    out += "\x1b[2K" + line + "\n";
  // Clears the lines that an earlier, longer block left below.
  out += "\x1b[J";
  drawn_ = lines.size();
  print_err(out);
}

void progress::print_best(const campaign_status& s) const {
  print_err(fmt::format("[{}] new best: candidate {}, {} {}: {}\n", clock_text(s), s.best, human_speedup(s.speedup),
                        interval(s), printable(s.best_summary)));
}

void progress::print_line(const campaign_status& s) {
  last_line_s_ = s.wall_s;
  auto out = fmt::format("[{}] {}: {}", clock_text(s), state_of(s), counts(s));
  if (s.best != 0)
    out += fmt::format("; best {} {} candidate {}", human_speedup(s.speedup), interval(s), s.best);
  if (!s.reason.empty())
    out += "; " + printable(s.reason);
  print_err(out + "\n");
}

} // namespace kevolve
