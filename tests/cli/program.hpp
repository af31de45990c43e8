// The real programs, run with their outputs caught.
#pragma once

#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve::test {

using json = nlohmann::ordered_json;

struct outcome {
  int code = -1;       // 128 + n where signal n ended it
  bool dumped = false; // with its memory in a core
  std::string out;
  std::string err;

  json document() const; // stdout's last line; fails the test if that is no JSON
};

// `name` of this build, or a path; `arguments` without the program's name; the working directory is `folder`.
class program {
public:
  program(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder);
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  // Reads stderr until `text` stands there; false if the program ends before.
  bool wait_for(const std::string& text);
  void signal(int number) const;
  outcome finish();

private:
  bool read_more();
  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  outcome outcome_;
};

outcome run_kevolve(const std::vector<std::string>& arguments, const std::string& folder = ".");

class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const;
  std::string path;
};

// Of the source tree.
std::string source_path(const std::string& relative);
std::string read_file(const std::string& path);

} // namespace kevolve::test
