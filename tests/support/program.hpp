// Runs the real programs and captures their output.
#pragma once

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve::test {

using json = nlohmann::ordered_json;

struct outcome {
  int code = -1;       // 128 + n if signal n ended it
  bool dumped = false; // dumped core
  std::string out;
  std::string err;

  json document() const; // the last line of stdout; fails the test if it is no JSON
};

// `name` is a program of this build or a path. `arguments` exclude the program's name. The working directory is
// `folder`.
class program {
public:
  program(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder);
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  // Reads stderr until `text` has appeared so many times. Returns false if the program ends before.
  bool wait_for(const std::string& text, int times = 1);
  void signal(int number) const;
  pid_t pid() const { return pid_; }
  outcome finish();

private:
  bool read_more();
  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  outcome outcome_;
};

outcome run_kevolve(const std::vector<std::string>& arguments, const std::string& folder = ".");
// Does the same with this interpreter for PyTorch modules.
outcome run_with_python(const std::string& python, const std::vector<std::string>& arguments);
// Returns the Python with torch that the build was configured with; empty if there is none.
std::string torch_python();

class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const;
  std::string path;
};

// Returns the path of a file of the source tree.
std::string source_path(const std::string& relative);
std::string read_file(const std::string& path);

} // namespace kevolve::test
