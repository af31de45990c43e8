// A landscape: the measured candidates of a task, with the steps that made them. Policies are played on it without a
// generator and a judge. A value; its file is one JSON document a line, compressed.
#pragma once

#include "actors/search/axes.hpp"
#include "runtime/base/enum_text.hpp"
#include "runtime/base/result.hpp"
#include "runtime/base/verdict.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::bench {

// The way in which a candidate came into the record.
enum class step_kind : uint8_t { reference = 0, draft, fresh, mutation, crossover };
constexpr std::array<std::string_view, 5> step_kind_texts{"reference", "draft", "fresh", "mutation", "crossover"};
constexpr const auto& enum_texts(step_kind) {
  return step_kind_texts;
}

// Times of interleaved calls on one shape, paired by index.
struct shape_pairs {
  std::vector<double> baseline_ns; // the reference's
  std::vector<double> candidate_ns;
};

struct landscape_node {
  step_kind kind = step_kind::mutation;
  std::vector<uint32_t> parents; // of the step that the recorder took
  std::string genome;
  std::string flags;
  verdict result = verdict::none;
  uint32_t same_as = 0;           // the first node with the same machine code; 0: none
  std::vector<shape_pairs> pairs; // by declared shape, from the screening; empty unless it passed
  std::vector<shape_pairs> again; // of a second, longer measurement that only the fastest have
  double compile_s = 0.0;
  double judge_s = 0.0;
  candidate_features features;
};

struct landscape {
  std::string task;
  std::string generator; // its name and version
  bool plans = false;    // whole sequences of moves were proposed, too
  uint64_t seed = 0;
  std::string machine;
  std::string date;
  std::vector<std::string> shapes;   // names of the declared ones
  std::vector<double> weights;       // of them
  std::vector<landscape_node> nodes; // the first is the reference
};

// Returns the name and version of the embedded generator that this build records with.
std::string present_generator();

// Returns the lines of a record, for a file that grows: the header, a node, and a node's second measurement.
std::string header_line(const landscape& from);
std::string node_line(const landscape_node& node);
std::string again_line(uint32_t node, const landscape_node& from);
// Reads such lines. A last line that is cut off is left out. errc::corrupt names the line.
result<landscape> parse_landscape(std::string_view text, const std::string& name);
std::string to_text(const landscape& from);

// Reads a record, compressed or not.
result<landscape> read_landscape(const std::string& path);
result<void> write_landscape(const landscape& from, const std::string& path);
// Refuses a record of another generator version: errc::unsupported names both versions and the record.
result<void> check_generator(const landscape& from, const std::string& name);

// Returns the median ratio of baseline to candidate, as the weighted geometric mean over the shapes; 0 without pairs.
double speedup_of(const std::vector<shape_pairs>& pairs, const std::vector<double>& weights);
// Returns the node's best known figure: that of the second measurement if there is one. 1 for the reference.
double true_speedup(const landscape& of, uint32_t node);

} // namespace kevolve::bench
