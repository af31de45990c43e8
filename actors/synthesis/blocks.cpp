#include "actors/synthesis/blocks.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>

namespace kevolve::synthesis {

namespace {

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view space = " \t\r";
  const auto first = s.find_first_not_of(space);
  if (first == std::string_view::npos)
    return {};
  return s.substr(first, s.find_last_not_of(space) - first + 1);
}

std::string lowered(std::string_view s) {
  std::string out{s};
  for (auto& c : out)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

struct fence {
  char mark = '`';
  size_t length = 0;
  std::string_view info;
};

std::optional<fence> read_fence(std::string_view line) {
  const auto indent = line.find_first_not_of(' ');
  if (indent == std::string_view::npos || indent > 3 || (line[indent] != '`' && line[indent] != '~'))
    return std::nullopt;
  fence out;
  out.mark = line[indent];
  const auto end = std::min(line.find_first_not_of(out.mark, indent), line.size());
  out.length = end - indent;
  out.info = trimmed(line.substr(end));
  if (out.length < 3 || (out.mark == '`' && out.info.find('`') != std::string_view::npos))
    return std::nullopt;
  return out;
}

bool closes(std::string_view line, const fence& open) {
  const auto f = read_fence(line);
  return f && f->mark == open.mark && f->length >= open.length && f->info.empty();
}

// Accepts "kernel.c", "src/kernel.c", "../x.c", "/etc/passwd": no spaces, and a folder or an extension of letters.
bool looks_like_path(std::string_view s) {
  constexpr size_t longest = 256;
  if (s.empty() || s.size() > longest || s.find_first_of(" \t(){}<>;,*\"'") != std::string_view::npos)
    return false;
  if (s.find('/') != std::string_view::npos || s.find('\\') != std::string_view::npos)
    return true;
  const auto dot = s.rfind('.');
  if (dot == std::string_view::npos || dot == 0)
    return false;
  const auto extension = s.substr(dot + 1);
  return !extension.empty() && extension.size() <= 5 && std::all_of(extension.begin(), extension.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '+';
  });
}

void read_info(std::string_view info, code_block& b) {
  bool first = true;
  while (!(info = trimmed(info)).empty()) {
    const auto end = std::min(info.find_first_of(" \t"), info.size());
    auto word = info.substr(0, end);
    info.remove_prefix(end);
    const auto colon = word.find(':'); // "c:kernel.c", but not "C:/kernel.c"
    const bool prefixed = colon != std::string_view::npos && colon > 0 && colon + 1 < word.size()
                          && word[colon + 1] != '/' && word[colon + 1] != '\\';
    if (first && (prefixed || !looks_like_path(word))) {
      b.language = lowered(word.substr(0, colon));
      word = colon == std::string_view::npos ? std::string_view{} : word.substr(colon + 1);
    }
    first = false;
    if (const auto equals = word.find('='); equals != std::string_view::npos) {
      const auto key = lowered(word.substr(0, equals));
      if (key != "path" && key != "file" && key != "filename" && key != "title")
        continue;
      word = word.substr(equals + 1);
      if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
        word = word.substr(1, word.size() - 2);
      if (b.path.empty())
        b.path = word;
    } else if (b.path.empty() && looks_like_path(word)) {
      b.path = word;
    }
  }
}

// Returns a path that is alone on the line before a block: "### file kernel.c", "**kernel.c**", "`kernel.c`:", "File:
// kernel.c".
std::string label_of(std::string_view line) {
  line = trimmed(line);
  while (!line.empty() && line.front() == '#')
    line.remove_prefix(1);
  line = trimmed(line);
  for (std::string_view word : {"file:", "path:", "file ", "edit "})
    if (lowered(line.substr(0, word.size())) == word) {
      line = trimmed(line.substr(word.size()));
      break;
    }
  constexpr std::string_view around = "*`:";
  while (!line.empty() && around.find(line.front()) != std::string_view::npos)
    line.remove_prefix(1);
  while (!line.empty() && around.find(line.back()) != std::string_view::npos)
    line.remove_suffix(1);
  line = trimmed(line);
  return looks_like_path(line) ? std::string{line} : std::string{};
}

enum class edit_mark : uint8_t { none, search, divider, replace };

// The prompt asks for seven signs, but five are enough, because models are not exact about it.
edit_mark mark_of(std::string_view line) {
  const auto run = [&](char c) { return std::min(line.find_first_not_of(c), line.size()); };
  constexpr size_t least = 5;
  if (run('<') >= least && lowered(trimmed(line.substr(run('<')))).substr(0, 6) == "search")
    return edit_mark::search;
  if (run('=') >= least && trimmed(line.substr(run('='))).empty())
    return edit_mark::divider;
  if (run('>') >= least && lowered(trimmed(line.substr(run('>')))).substr(0, 7) == "replace")
    return edit_mark::replace;
  return edit_mark::none;
}

class reader {
public:
  explicit reader(std::string_view text) : text_(text) {}

  reply_parts read() {
    std::string_view line;
    std::string_view before; // the last line that is not blank
    while (next(line)) {
      if (mark_of(line) == edit_mark::search) {
        take_edit(line, label_of(before), nullptr);
        before = {};
      } else if (const auto f = read_fence(line)) {
        take_block(*f, before);
        before = {};
      } else {
        out_.stray_marks = out_.stray_marks || mark_of(line) == edit_mark::replace;
        out_.prose += line;
        out_.prose += '\n';
        if (!trimmed(line).empty())
          before = line;
      }
    }
    return std::move(out_);
  }

private:
  bool next(std::string_view& line) {
    if (text_.empty())
      return false;
    const auto end = text_.find('\n');
    line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    return true;
  }

  void take_block(const fence& open, std::string_view before) {
    code_block b;
    read_info(open.info, b);
    if (b.path.empty())
      b.path = label_of(before);
    bool edits = false;
    std::string_view line;
    while (next(line)) {
      if (closes(line, open)) {
        b.closed = true;
        break;
      }
      if (mark_of(line) == edit_mark::search) {
        edits = true;
        take_edit(line, b.path, &open);
        continue;
      }
      b.content += line;
      b.content += '\n';
    }
    if (edits && !b.closed && !out_.edits.empty() && out_.edits.back().closed)
      b.closed = true; // all edits are complete: the fence only wraps them
    if (!edits)
      out_.blocks.push_back(std::move(b));
  }

  void take_edit(std::string_view first, std::string path, const fence* open) {
    edit_block e;
    const auto said = trimmed(first.substr(search_end(first)));
    e.path = looks_like_path(said) ? std::string{said} : std::move(path);
    bool divided = false;
    std::string_view line;
    while (next(line)) {
      const auto m = mark_of(line);
      if (m == edit_mark::replace) {
        e.closed = divided;
        out_.stray_marks = out_.stray_marks || !divided;
        break;
      }
      if (m == edit_mark::search) {
        out_.stray_marks = true;
        break;
      }
      if (m == edit_mark::divider && !divided) {
        divided = true;
        continue;
      }
      if (open != nullptr && divided && closes(line, *open)) {
        out_.stray_marks = true; // the fence ends within the edit
        break;
      }
      auto& side = divided ? e.replace : e.search;
      side += line;
      side += '\n';
    }
    out_.edits.push_back(std::move(e));
  }

  static size_t search_end(std::string_view line) { // after the word SEARCH
    return lowered(line).find("search") + 6;
  }

  std::string_view text_;
  reply_parts out_;
};

} // namespace

reply_parts take_apart(std::string_view reply) {
  return reader{reply}.read();
}

} // namespace kevolve::synthesis
