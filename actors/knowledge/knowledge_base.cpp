#include "actors/knowledge/knowledge_base.hpp"

#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/shipped.hpp"
#include "config/document.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

namespace kevolve::knowledge {

namespace {

namespace fs = std::filesystem;

void add(std::vector<document>& documents, std::vector<diagnostic>& problems, std::string_view text,
         const std::string& file, const std::string& id) {
  const auto same = [&](const document& d) { return d.id == id; };
  if (const auto other = std::find_if(documents.begin(), documents.end(), same); other != documents.end()) {
    problems.push_back({file, 0, 0, "", "the id " + id + " is that of " + other->file + " already: rename the file"});
    return;
  }
  auto read = read_document(text, file, id);
  if (read)
    documents.push_back(std::move(*read));
  else
    problems.insert(problems.end(), read.error().begin(), read.error().end());
}

void add_folder(std::vector<document>& documents, std::vector<diagnostic>& problems, const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator{folder, failed})
    if (entry.path().extension() == ".md")
      files.push_back(entry.path().string());
  if (failed)
    problems.push_back({folder, 0, 0, "knowledge.folders",
                        "cannot be read: " + failed.message() + "; create the folder, or correct the setting"});
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (const auto wrong = file_name_problem(file); !wrong.empty()) {
      problems.push_back({file, 0, 0, "", wrong});
      continue;
    }
    const auto text = read_text_file(file);
    if (text)
      add(documents, problems, *text, file, own_id(file));
    else
      problems.insert(problems.end(), text.error().begin(), text.error().end());
  }
}

} // namespace

std::string own_id(const std::string& path) {
  return "own/" + fs::path{path}.stem().string();
}

std::string file_name_problem(const std::string& path) {
  const auto name = fs::path{path}.stem().string();
  const auto plain = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain))
    return "a document's file has words in lower case, joined by hyphens: float-sums.md";
  return {};
}

knowledge_base::knowledge_base(std::vector<document> documents, std::vector<diagnostic> problems, text_index index)
    : documents_(std::move(documents)), problems_(std::move(problems)), index_(std::move(index)) {
  for (size_t d = 0; d < documents_.size(); ++d) {
    for (size_t s = 0; s < documents_[d].sections.size(); ++s)
      places_.push_back({d, s});
    for (const auto& s : documents_[d].signals)
      ++about_[s];
  }
}

result<knowledge_base> knowledge_base::of(std::vector<document> documents, std::vector<diagnostic> problems) {
  std::vector<indexed_text> texts;
  for (const auto& d : documents)
    for (const auto& s : d.sections)
      texts.push_back({d.title, s.heading, s.text});
  auto index = text_index::build(texts);
  if (!index)
    return tl::unexpected(index.error());
  return knowledge_base{std::move(documents), std::move(problems), std::move(*index)};
}

result<knowledge_base> knowledge_base::load(const std::vector<std::string>& folders, const code_roots* code) {
  std::vector<document> documents;
  std::vector<diagnostic> problems;
  for (const auto& d : shipped_documents())
    add(documents, problems, d.text, std::string{d.file}, std::string{d.id});
  for (const auto& folder : folders)
    add_folder(documents, problems, folder);
  if (code != nullptr)
    for (auto& d : documents)
      for (auto& s : d.sections)
        for (const auto& r : s.references)
          if (const auto found = code->resolve(r.file, r.symbol))
            s.code += r.file + ":" + std::to_string(found->line) + "\n" + found->text;
  return of(std::move(documents), std::move(problems));
}

const document* knowledge_base::find(std::string_view id) const {
  const auto found = std::find_if(documents_.begin(), documents_.end(), [&](const auto& d) { return d.id == id; });
  return found == documents_.end() ? nullptr : &*found;
}

size_t knowledge_base::about(const signal& s) const {
  const auto found = about_.find(s);
  return found == about_.end() ? 0 : found->second;
}

std::vector<std::pair<section_place, double>> knowledge_base::search(std::string_view words) const {
  std::vector<std::pair<section_place, double>> out;
  for (const auto& m : index_.find(words))
    out.emplace_back(places_[m.place], m.score);
  return out;
}

} // namespace kevolve::knowledge
