// Makes a task of a user's file: `kevolve new`, `optimize` and `import`.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/json.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct new_options {
  std::string file;
  std::string out = ".";
  std::string name; // empty: the file's
  std::string target = "cpu";
  std::string entry;
  std::vector<std::string> inputs;  // "4096x1024:f32"
  std::vector<std::string> dynamic; // "x:0=rows"
  std::vector<std::string> sizes;   // "rows=4096,cols=1024"
  std::vector<std::string> extents; // "x=rows*cols"
  std::vector<std::string> shapes;  // "rows=64": further values of the sizes that --dynamic makes
  std::string weights;              // a safetensors file with values for the module's state; empty: as it is made
  bool train = false;
  bool strict_fp32 = false; // no TF32, on a GPU
  bool force = false;
  double memory_gib = 4.0;
  double device_memory_gib = 139.0; // of the GPU: an H200
  double wall_s = 60.0;             // of the campaign
};

// A file of which no task can be made: where, why, and what to do.
struct new_refusal {
  std::string file;
  int line = 0; // 0: the file as a whole
  std::string kind;
  std::string what;
  std::string remedy;
  std::vector<std::string> operators;
};
// Returns "softmax.py:5: draws random numbers; pass them as an input".
std::string to_string(const new_refusal& x);

struct new_outcome {
  std::vector<new_refusal> refusals; // empty: the files are there
  json facts;                        // what was inferred
  std::vector<std::string> files;    // paths of what was written
  std::string task;                  // path of the task file
  std::string campaign;              // path of the campaign file
};

// Infers the task, and writes it with its reference and a campaign into `out`. errc::conflict: a file is there already.
result<new_outcome> make_task(const new_options& o);

// Returns the name for a task of this file: an identifier.
std::string task_name_of(const std::string& file);
// Returns the target that a task with a reference in this language is for, unless a campaign names one.
const char* default_target(const std::string& language);
// Returns the text of a campaign for a task in the same folder: with the embedded generator, or with the relay for
// targets that it writes nothing for.
std::string default_campaign(const std::string& task_file, const std::string& target, double wall_s);
// Returns what was inferred as a table and the rules, for a person.
std::string facts_text(const json& facts);
json refusals_json(const std::vector<new_refusal>& refusals);

} // namespace kevolve
