// A small loop nest from tests/transform/nests with what its comments promise about it, and the means to run
// candidates made from it beside it.
#pragma once

#include "backends/generator.hpp"
#include "backends/generators/transform/ir/ir.hpp"
#include "backends/generators/transform/moves/registry.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::test {

struct nest {
  std::string name; // of the file and of the function
  std::string source;
  std::string tree; // clang's syntax tree as JSON
  contract task;
  std::set<std::string> sorted; // arguments filled with ascending values
  std::set<std::string> small;  // … with 0 … 7
  std::set<std::string> large;  // … over all of their type, and what is made of the nest may overflow nowhere
  std::set<std::string> zeroed; // outputs that are not wholly written start as zero
  std::vector<std::map<std::string, int64_t>> sizes;
  std::set<std::string> independent;
  std::set<std::string> carried;
  std::vector<std::string> applies;                          // genomes
  std::vector<std::pair<std::string, std::string>> declines; // genome, part of the reason
};

bool have_clang();
std::vector<std::string> nest_names();
nest load_nest(const std::string& name);
nest make_nest(const std::string& name, const std::string& text);
// Returns clang's syntax tree of the function and of those that it calls, as JSON.
std::string syntax_tree_of(const std::string& entry, const std::string& source);

transform::program read(const nest& n);
transform::environment environment_of(const nest& n, const transform::program& p);
synthesis_context context_of(const nest& n);

// Compares a source with the reference, over all sizes, and says what is wrong with it.
class bench {
public:
  explicit bench(const nest& n);
  ~bench();
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  std::optional<std::string> difference(const std::string& source, const std::vector<std::string>& flags = {});
  // Returns why a C++ compiler rejects the source; nothing if it does not.
  std::optional<std::string> not_cpp(const std::string& source);

private:
  struct library;
  std::unique_ptr<library> build(const std::string& source, std::vector<std::string> compiler, std::string& error);
  std::optional<std::string> difference_of(const std::string& source, const std::vector<std::string>& compiler);
  const nest& nest_;
  std::string folder_;
  int built_ = 0;
  std::unique_ptr<library> reference_;
};

} // namespace kevolve::test
