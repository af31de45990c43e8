#include "actors/knowledge/document_shelf.hpp"

#include "actors/knowledge/code_search.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace kevolve::knowledge {

namespace {

namespace fs = std::filesystem;

// A name is no path: it stays in the folder.
std::string name_problem(const std::string& name) {
  const fs::path path{name};
  if (path.filename() != path || path.extension() != ".md")
    return "a document is named by its file alone: float-sums.md";
  return file_name_problem(name);
}

// A reader sees the whole file or none.
result<void> write_whole(const fs::path& file, const std::string& text) {
  const auto draft = file.string() + ".new";
  std::ofstream out{draft, std::ios::binary | std::ios::trunc};
  out << text;
  out.close();
  std::error_code failed;
  if (out)
    fs::rename(draft, file, failed);
  if (!out || failed)
    return fail(errc::unavailable, "cannot write " + file.string() + ": is its folder there, and writable?");
  return {};
}

} // namespace

document_shelf::document_shelf(knowledge_ptr first, std::vector<std::string> folders,
                               std::shared_ptr<const code_roots> code)
    : now_(std::move(first)), folders_(std::move(folders)), code_(std::move(code)) {}

knowledge_ptr document_shelf::now() const {
  std::lock_guard lock{guard_};
  return now_;
}

std::vector<diagnostic> document_shelf::check(const std::string& name, const std::string& text) const {
  std::vector<diagnostic> out;
  if (auto wrong = name_problem(name); !wrong.empty())
    out.push_back({name, 0, 0, "", std::move(wrong)});
  std::vector<document_section> sections;
  if (auto read = read_document(text, name, own_id(name), &sections); !read)
    out.insert(out.end(), read.error().begin(), read.error().end());
  if (code_)
    for (const auto& s : sections)
      for (const auto& r : s.references)
        if (const auto found = code_->resolve(r.file, r.symbol); !found)
          out.push_back({name, r.line, r.column, "[" + r.file + "#" + r.symbol + "]",
                         found.error().detail + "; name a file and a symbol below code_search.roots"});
  return out;
}

result<std::string> document_shelf::add(const std::string& name, const std::string& text) {
  if (const auto wrong = check(name, text); !wrong.empty())
    return fail(errc::bad_input, to_string(wrong));
  if (folders_.empty())
    return fail(errc::unavailable, "this node has no folder for documents: add [knowledge] folders = [\"documents\"]");
  std::lock_guard one{adding_};
  std::error_code failed;
  fs::create_directories(folders_.front(), failed);
  const auto file = fs::path{folders_.front()} / name;
  if (fs::exists(file, failed) || now()->find(own_id(name)) != nullptr)
    return fail(errc::conflict, own_id(name) + " is there already: give the document another name");
  if (auto written = write_whole(file, text); !written)
    return tl::unexpected(written.error());
  auto all = knowledge_base::load(folders_, code_.get());
  if (!all)
    return tl::unexpected(all.error());
  std::lock_guard lock{guard_};
  now_ = std::make_shared<const knowledge_base>(std::move(*all));
  return own_id(name);
}

} // namespace kevolve::knowledge
