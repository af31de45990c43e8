// A document of the knowledge base: one subject in a few sections, each of which can be quoted alone. docs/knowledge.md
// has the format. Pure.
#pragma once

#include "actors/knowledge/vocabulary.hpp"
#include "config/diagnostic.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

enum class category : uint8_t {
  constraint = 0, // what every candidate must keep to
  guidance,       // what makes kernels right and fast, on any hardware
  hardware,       // facts of one class of hardware
};
inline constexpr std::array<std::string_view, 3> category_texts{"constraint", "guidance", "hardware"};
constexpr const auto& enum_texts(category) {
  return category_texts;
}

// A fenced block of a section. A block without a known language is a fragment, which nothing compiles.
struct code_example {
  std::string language; // info string of the fence
  std::string text;
  int line = 0; // of its first line in the file
};

// A reference to code: [file#symbol].
struct code_reference {
  std::string file;
  std::string symbol;
  int line = 0;
  int column = 0; // of its bracket

  bool operator==(const code_reference&) const = default;
};

// A key of a Source line.
struct named_source {
  std::string key;
  int line = 0;
  int column = 0;
};

struct document_section {
  std::string heading;
  std::string text;                  // without heading and Source line
  std::vector<std::string> sources;  // keys
  int line = 0;                      // of the heading
  std::vector<named_source> named{}; // the keys of `sources` with their positions
  std::vector<code_example> examples{};
  std::vector<code_reference> references{};
  std::string code{}; // that the references name, where it could be read
};

struct document {
  std::string id;   // "cpu/float-sums"
  std::string file; // for messages
  std::string title;
  knowledge::category category = category::guidance;
  std::vector<std::string> targets;
  std::vector<std::string> languages; // empty: all, as for the two below
  std::vector<std::string> hardware;
  std::vector<std::string> phases;
  std::vector<signal> signals;
  std::string checked;                        // "2026-11-30"
  std::map<std::string, std::string> sources; // by key
  std::vector<document_section> sections;
};

// Reads a document. Every error at once, each with file, line, key and what to do. `sections`, if given, gets the
// sections also of a document with errors: their code and references can be checked all the same.
result_or_errors<document> read_document(std::string_view text, const std::string& file, const std::string& id,
                                         std::vector<document_section>* sections = nullptr);

} // namespace kevolve::knowledge
