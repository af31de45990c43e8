// Reads the command line's definition as data; completions and manual pages are made from it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kevolve {

struct command_option {
  std::vector<std::string> names; // "-q", "--quiet"; of a positional its one name
  std::string about;
  std::string value; // "FILE", "TEXT"; empty: a flag
  bool positional = false;
  bool required = false;
};

struct command {
  std::vector<std::string> path; // {"actors", "list"}; empty: the program
  std::string about;
  std::string footer;
  std::vector<command_option> options;
  std::vector<command> children;
};

command read_commands(CLI::App& app);

// Returns a completion script for bash, zsh or fish; empty for another shell.
std::string completions_of(const command& root, const std::string& shell);

// Returns a manual page of section 1 in roff. Its file is page_name() + ".1".
std::string manual_page(const command& of, const std::string& version);
std::string page_name(const command& of);

// Returns the command and all below it.
std::vector<const command*> all_commands(const command& root);

} // namespace kevolve
