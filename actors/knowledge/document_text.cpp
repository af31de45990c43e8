#include "actors/knowledge/document_text.hpp"

#include <algorithm>
#include <cctype>

namespace kevolve::knowledge {

namespace {

constexpr std::string_view source_word = "Source:";

std::string_view trimmed(std::string_view x) {
  const auto from = x.find_first_not_of(" \t\r");
  if (from == std::string_view::npos)
    return {};
  return x.substr(from, x.find_last_not_of(" \t\r") - from + 1);
}

std::vector<named_source> keys_of(std::string_view line, int number) {
  std::vector<named_source> out;
  for (auto from = source_word.size(); from < line.size();) {
    const auto end = std::min(line.find(';', from), line.size());
    if (const auto key = trimmed(line.substr(from, end - from)); !key.empty())
      out.push_back({std::string{key}, number, static_cast<int>(key.data() - line.data()) + 1});
    from = end + 1;
  }
  return out;
}

bool names_a_file(std::string_view x) {
  return !x.empty() && x.front() != '/' && x.find("..") == std::string_view::npos
         && std::all_of(x.begin(), x.end(), [](unsigned char c) {
              return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
            });
}

bool names_a_symbol(std::string_view x) {
  return !x.empty() && std::isdigit(static_cast<unsigned char>(x.front())) == 0
         && std::all_of(x.begin(), x.end(),
                        [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; });
}

// Tells if a file's name was meant: it has an extension or a folder. "[issue #3]" and "[C#]" name none.
bool is_like_a_file(std::string_view x) {
  const auto dot = x.rfind('.');
  return x.find('/') != std::string_view::npos
         || (dot != std::string_view::npos && dot + 1 < x.size()
             && std::isalpha(static_cast<unsigned char>(x[dot + 1])) != 0);
}

// The text between two brackets that holds a #, and is no link of Markdown.
struct bracketed {
  std::string_view file;
  std::string_view symbol;
  int column = 0;
};

std::vector<bracketed> bracketed_in(std::string_view line) {
  std::vector<bracketed> out;
  for (size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    const auto end = line.find(']', at);
    if (end == std::string_view::npos)
      break;
    const auto inside = line.substr(at + 1, end - at - 1);
    const auto hash = inside.find('#');
    if (hash != std::string_view::npos && line.substr(end + 1, 1) != "(")
      out.push_back({inside.substr(0, hash), inside.substr(hash + 1), static_cast<int>(at) + 1});
  }
  return out;
}

// The state of one walk over the lines.
struct reader {
  const std::string& file;
  std::vector<diagnostic>& errors;
  std::vector<document_section> out;
  bool fenced = false;
  std::string info; // of the open fence
  int opened = 0;   // its line

  void error(int line, std::string message) { errors.push_back({file, line, 1, "", std::move(message)}); }

  void fence(std::string_view line, int number) {
    fenced = !fenced;
    opened = number;
    info = fenced ? std::string{trimmed(line.substr(3))} : std::string{};
    if (fenced && info.empty())
      error(number, "a fence needs a language: c, cuda, hip, triton, or text for a fragment");
    if (fenced && !out.empty())
      out.back().examples.push_back({info, "", number + 1});
  }

  void heading(std::string_view line, int number) {
    const auto level = line.find_first_not_of('#');
    if (level != 2)
      error(number, "a section begins with ##, and a document has no other headings");
    document_section s;
    s.heading = std::string{trimmed(line.substr(level))};
    s.line = number;
    out.push_back(std::move(s));
  }

  void prose(std::string_view line, int number) {
    if (out.empty()) {
      if (!trimmed(line).empty())
        error(number, "text before the first section: put it below a line '## What it says'");
      return;
    }
    auto& s = out.back();
    if (!s.sources.empty() && !trimmed(line).empty())
      error(number, "text after the Source line: it is the last line of its section");
    if (line.substr(0, source_word.size()) == source_word) {
      s.named = keys_of(line, number);
      for (const auto& source : s.named)
        s.sources.push_back(source.key);
      return;
    }
    for (const auto& b : bracketed_in(line))
      if (is_like_a_file(b.file) && !(names_a_file(b.file) && names_a_symbol(b.symbol)))
        errors.push_back(
            {file, number, b.column, "[" + std::string{b.file} + "#" + std::string{b.symbol} + "]",
             "is no reference to code: write [file#symbol], with a path below the root of the source and a "
             "name of C"});
    for (auto& r : references_in(line, number))
      if (std::find(s.references.begin(), s.references.end(), r) == s.references.end())
        s.references.push_back(std::move(r));
    s.text += std::string{line} + "\n";
  }
};

} // namespace

std::vector<code_reference> references_in(std::string_view line, int number) {
  std::vector<code_reference> out;
  for (const auto& b : bracketed_in(line))
    if (names_a_file(b.file) && names_a_symbol(b.symbol))
      out.push_back({std::string{b.file}, std::string{b.symbol}, number, b.column});
  return out;
}

std::vector<document_section> read_sections(std::string_view markdown, int first_line, const std::string& file,
                                            std::vector<diagnostic>& errors) {
  reader r{file, errors, {}, false, {}, 0};
  for (int number = first_line; !markdown.empty(); ++number) {
    const auto end = std::min(markdown.find('\n'), markdown.size());
    const auto line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (line.substr(0, 3) == "```") {
      r.fence(line, number);
      if (!r.out.empty())
        r.out.back().text += std::string{line} + "\n";
    } else if (r.fenced) {
      if (!r.out.empty()) {
        r.out.back().text += std::string{line} + "\n";
        r.out.back().examples.back().text += std::string{line} + "\n";
      }
    } else if (line.substr(0, 1) == "#" && line.find_first_not_of('#') != std::string_view::npos
               && line[line.find_first_not_of('#')] == ' ') {
      r.heading(line, number);
    } else {
      r.prose(line, number);
    }
  }
  if (r.fenced)
    r.error(r.opened, "a fence is not closed: end it with ```");
  for (auto& s : r.out) {
    const auto from = s.text.find_first_not_of('\n');
    const auto to = s.text.find_last_not_of('\n');
    s.text = from == std::string::npos ? std::string{} : s.text.substr(from, to - from + 1) + "\n";
  }
  return std::move(r.out);
}

} // namespace kevolve::knowledge
