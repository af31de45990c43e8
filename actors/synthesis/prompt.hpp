// The prompt of the universal operator: one form for every step. It never says whether a step drafts, corrects, refines
// or combines; the computed context decides. The system part depends only on the campaign, byte for byte.
#pragma once

#include "actors/knowledge/retrieval.hpp"
#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/memory_report.hpp"
#include "actors/synthesis/quoting.hpp"
#include "backends/generator.hpp"
#include "runtime/base/memory_operators.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::synthesis {

// A node as the prompt shows it. Nodes to improve or combine are shown with their source, others only with their
// tactic.
struct shown_node {
  uint64_t index = 0;
  ancestor node;
  std::string tactic;
};

struct prompt_facts {
  // The campaign's fixed part; its variable members are not read.
  const synthesis_context* campaign = nullptr;
  std::vector<std::string> hardware_notes; // "AVX-512: 32 registers of 512 bits", a line each; fixed, too
  std::string file_name = "candidate.c";
  bool zero_sizes = false;            // some shape, declared or held out, has a size of 0
  int64_t session_steps = 0;          // most tool calls of the model; 0: no tools
  std::vector<std::string> baselines; // names of what a final confirmation times beside a candidate; empty: nothing
  std::string checked_on;             // the draws beside the task's shapes, and what is not tried; empty if unknown
  // The members below are the step's part.
  std::string memory = to_string(memory_operator::parent); // parent | siblings | both | none
  std::vector<shown_node> parents;                         // the node to improve first, then those to combine with it
  std::vector<shown_node> lineage;                         // above the first parent, nearest first
  std::vector<shown_node> siblings;                        // made from the first parent, newest first
  leading_candidate best;                                  // best of the campaign
  std::vector<shown_node> fastest;                         // its source, unless a parent is it
  uint64_t unshown = 0; // further nodes made, or being made, from it: prompts must differ even if only
                        // these do
  memory_report report;
  std::string diagnosis; // a model's words on the parent; empty: none was asked for
  std::vector<knowledge::quoted_section> documents;
  // The members below are stored with the question; the prompt does not show them.
  report_record reported;
  std::vector<retrieval_record> retrievals;
  std::vector<std::string> signals; // of the report, by which documents were found: "bound:latency_chain"
};

struct prompt_budgets { // in estimated tokens
  int64_t context = 64'000;
  int64_t reply = 16'000;
  // The budgets of the parts. Task, hardware and format are never cut; if they do not fit, no prompt is made.
  int64_t code = 24'000;
  int64_t combine = 12'000;
  int64_t fastest = 12'000;
  int64_t history = 4'000;
  int64_t report = 3'000;
  int64_t documents = 6'000;
};

struct prompt_part {
  std::string name; // task hardware format | code combine fastest history report documents step
  std::string text;
  int64_t tokens = 0;
  int64_t budget = 0;
  cut_rule rule = cut_rule::never;
  size_t left_out = 0; // in bytes
};

struct prompt {
  std::string system; // stable: the same for all nodes of a campaign
  std::string user;
  std::vector<prompt_part> parts; // in order; stored with the node
  int64_t tokens = 0;
  answer_rules rules; // the rules for reading the reply
};

// Makes the prompt. With memory `none` nothing of the tree is shown: the current code is the reference, without history
// and report on attempts. If the whole is too large, parts shrink in this order: documents, history, report, fastest,
// combine. errc::bad_input: task and code alone exceed the context; the text says by how much.
result<prompt> build_prompt(const prompt_facts& facts, const prompt_budgets& budgets = {});

} // namespace kevolve::synthesis
