// The documents that a node serves, with their index. It is built once from the files and never changes: any thread may
// read it.
#pragma once

#include "actors/knowledge/document.hpp"
#include "actors/knowledge/text_index.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

class code_roots;

// A section by its place: documents()[document].sections[section].
struct section_place {
  size_t document = 0;
  size_t section = 0;
};

class knowledge_base {
public:
  // Reads the shipped documents and every *.md in these folders. Documents with errors are left out, and their errors
  // kept: one bad file does not hide the others. With `code`, references [file#symbol] are resolved into the sections;
  // those that are not there stay as they are. errc::internal: the index cannot be built.
  static result<knowledge_base> load(const std::vector<std::string>& folders, const code_roots* code = nullptr);
  // Builds one of these documents alone.
  static result<knowledge_base> of(std::vector<document> documents, std::vector<diagnostic> problems = {});

  const std::vector<document>& documents() const { return documents_; }
  const std::vector<diagnostic>& problems() const { return problems_; }
  const document* find(std::string_view id) const; // null: there is none
  const document_section& at(section_place p) const { return documents_[p.document].sections[p.section]; }

  // Returns the number of documents about a signal.
  size_t about(const signal& s) const;
  // Returns the sections that hold at least one of the words, best first, with their scores.
  std::vector<std::pair<section_place, double>> search(std::string_view words) const;

private:
  knowledge_base(std::vector<document> documents, std::vector<diagnostic> problems, text_index index);

  std::vector<document> documents_;
  std::vector<diagnostic> problems_;
  text_index index_;
  std::vector<section_place> places_; // by place in the index
  std::map<signal, size_t> about_;
};
using knowledge_ptr = std::shared_ptr<const knowledge_base>;

// Returns the id of a document in a file of an operator's folder: "own/" and its name without the ending.
std::string own_id(const std::string& path);
// Returns what is wrong with a document's file name; empty if it is well formed.
std::string file_name_problem(const std::string& path);

} // namespace kevolve::knowledge
