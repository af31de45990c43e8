// Runs a program of profile_build.hpp and reads its answer.
#pragma once

#include "backends/profile/pass.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// One of the two settings that alternate. See call_driver.c.
struct call_side {
  std::string file; // of the image, in the pass's folder
  bool huge_pages = false;
  bool flush_denormals = false;
  int moved = -1; // argument whose array is moved by so many bytes; -1: none
  int64_t offset = 0;
  bool cold = false;
};

struct call_plan {
  std::string program = "calls";
  std::vector<call_side> sides; // one or two
  uint64_t limit_ms = 500;      // processor time: no sample starts after it, but for the first three
  uint64_t samples = 1000;
  uint64_t repeats = 1; // calls of a sample
  uint64_t warm = 1;    // calls before each sample
};

// A loop as the probes saw it, over the calls of the fastest sample.
struct probed_loop {
  std::string function;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t last = 0;
  uint32_t depth = 0;
  int parent = -1;
  uint64_t entries = 0;
  uint64_t rounds = 0;
  uint64_t ticks = 0;
  uint64_t outermost = 0; // of the ticks, those that no other timed loop was around
  uint64_t nested = 0;    // timed loops entered within
};

struct call_answer {
  std::vector<std::array<double, 2>> samples; // ticks of one call, by side
  double ticks_per_ns = 0.0;
  double clock_own = 0.0;  // ticks of a reading within its own interval
  double clock_pair = 0.0; // ticks of a pair of readings in the time around it
  uint64_t calls = 0;      // that the loops were counted in; without probes, all
  std::vector<probed_loop> loops;

  double median_ns(size_t side) const;
  double fastest_ns(size_t side) const;
};

// Returns the words of the program's command line after its name.
std::vector<std::string> words_of(const call_plan& plan);
// Reads an answer. errc::protocol: the text is not an answer of call_driver.c; a candidate may have written it.
result<call_answer> parse_answer(const std::string& text);
result<call_answer> run_calls(const pass_request& q, const call_plan& plan);

// Returns the number of calls whose time together is long enough for the clock.
uint64_t repeats_for(double call_ns);
// Returns whether the arrays lie in huge pages, as the judge's do where they are large enough. Evidence "arena_pages"
// of "huge" or "small" decides otherwise.
bool profiles_huge_pages(const pass_request& q, size_t arena_bytes);

} // namespace kevolve
