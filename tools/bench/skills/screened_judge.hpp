// Figures of compiled candidates. All campaigns of a task share them: equal code has one figure, so that no
// campaign is luckier with its noise than another.
#pragma once

#include "tools/bench/skills/skill_campaign.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace kevolve::bench {

struct screening_times {
  uint32_t first_ms = 100;  // of pairs, for each new code
  uint32_t second_ms = 400; // for codes that beat a champion
};

// Measures an object, with its source, for so many milliseconds of pairs.
using measurement_of = std::function<result<score>(const std::string& object, const std::string& source, uint32_t ms)>;

// Returns the object of a proposal. errc::bad_input: it does not compile.
using compiler_of = std::function<result<std::string>(const proposal& what)>;

using figures = std::map<std::string, score>; // by the digest of an object

// The known figures of a task and what they cost. Campaigns in several threads share one.
struct known_figures {
  std::mutex guard;                         // of all below
  std::map<std::string, std::string> codes; // digest of a source with its flags → digest of its object; empty: none
  figures first;
  figures second;
  std::map<std::string, std::pair<std::string, std::string>> made; // object and source, of codes that passed
  double compile_s = 0.0;                                          // wall time, summed over threads
  double judge_s = 0.0; // likewise, of measurements, with their turns of the timing core
  uint64_t compiled = 0;
  uint64_t asked = 0; // figures that campaigns wanted
};

// The view of one thread, with helpers of its own.
class screened_judge : public candidate_judge {
public:
  screened_judge(compiler_of compiled, measurement_of measured, known_figures& known, const screening_times& times)
      : compiled_(std::move(compiled)), measured_(std::move(measured)), known_(known), times_(times) {}

  result<judged_candidate> measure(const proposal& what) override;
  result<score> confirm(const std::string& code) override;

private:
  result<std::string> code_of(const proposal& what);
  result<score> screened(const std::string& code, uint32_t ms);
  result<score> known_or_screened(const std::string& code, figures& where, uint32_t ms);

  compiler_of compiled_;
  measurement_of measured_;
  known_figures& known_;
  const screening_times& times_;
};

} // namespace kevolve::bench
