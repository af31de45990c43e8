// The universal operator's prompt: one form for every step. Whether a step drafts, mends, refines or combines is
// nowhere said; the computed context decides. The system part depends on the campaign alone, byte for byte.
#pragma once

#include "actors/knowledge/documents.hpp"
#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/memory_report.hpp"
#include "actors/synthesis/quoting.hpp"
#include "backends/generator.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::synthesis {

// A node as the prompt shows it. Its source is shown of the nodes to improve or combine; of others their tactic alone.
struct shown_node {
  uint64_t index = 0;
  ancestor node;
  std::string tactic;
};

struct prompt_facts {
  // The campaign's fixed part; its variable members are not read.
  const synthesis_context* campaign = nullptr;
  std::vector<std::string> hardware_notes; // "AVX-512: 32 registers of 512 bits", a line each; fixed as well
  std::string file_name = "candidate.c";
  bool zero_sizes = false;   // a size of some shape, declared or held out, is 0
  int64_t session_steps = 0; // calls of tools that the model may make; 0: it has none
  // The step's part.
  std::string memory = "parent";    // parent | siblings | both | none
  std::vector<shown_node> parents;  // the one to improve first; others: to combine with it
  std::vector<shown_node> lineage;  // above the first parent, nearest first
  std::vector<shown_node> siblings; // made from the first parent, newest first
  leading_candidate best;           // of the campaign
  uint64_t unshown = 0;             // made, or being made, from it besides: prompts must differ where those do not
  memory_report report;
  std::vector<document> documents;
};

struct prompt_budgets { // tokens by estimate
  int64_t context = 64'000;
  int64_t reply = 16'000;
  // Of the parts. Task, hardware and format are never cut; if they do not fit the prompt is not made.
  int64_t code = 24'000;
  int64_t combine = 12'000;
  int64_t history = 4'000;
  int64_t report = 3'000;
  int64_t documents = 6'000;
};

struct prompt_part {
  std::string name; // task hardware format | code combine history report documents step
  std::string text;
  int64_t tokens = 0;
  int64_t budget = 0;
  cut_rule rule = cut_rule::never;
  size_t left_out = 0; // bytes
};

struct prompt {
  std::string system; // stable: the same for all nodes of a campaign
  std::string user;
  std::vector<prompt_part> parts; // in order; stored with the node
  int64_t tokens = 0;
  answer_rules rules; // how the reply to it is read
};

// With memory `none` nothing of the tree is shown: the current code is the reference, and there is neither history nor
// report on attempts. Parts give way in this order when the whole is too large: documents, history, report, combine.
// errc::bad_input: task and code alone are larger than the context allows; the text says by how much.
result<prompt> build_prompt(const prompt_facts& facts, const prompt_budgets& budgets = {});

} // namespace kevolve::synthesis
