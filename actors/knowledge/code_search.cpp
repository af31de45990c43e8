#include "actors/knowledge/code_search.hpp"

#include "actors/knowledge/code_files.hpp"
#include "backends/llm/protocol/plain_text.hpp"
#include "backends/llm/protocol/redaction.hpp"

#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace kevolve::knowledge {

namespace {

using std::chrono::steady_clock;

// Returns a line as it may be shown: without keys and control characters, of bounded length.
std::string shown(std::string_view line, size_t most) {
  auto out = llm::plain_text(llm::without_key_shapes(std::string{line.substr(0, 4 * most)}));
  if (out.size() > most) {
    out.resize(most);
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) // no half character at the end
      out.pop_back();
    out += "…";
  }
  return out;
}

template <class Visit>
void each_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    if (!visit(text.substr(0, end), number))
      return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool mentions(std::string_view line, std::string_view symbol) {
  for (size_t at = line.find(symbol); at != std::string_view::npos; at = line.find(symbol, at + 1)) {
    const auto end = at + symbol.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end])))
      return true;
  }
  return false;
}

// A line defines a symbol if it begins a definition: no comment, and a declaration's word or a body on it.
bool defines(std::string_view line, std::string_view symbol) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || !mentions(line, symbol))
    return false;
  const auto text = line.substr(first);
  if (text.starts_with("//") || text.starts_with("*") || (text.starts_with("#") && !text.starts_with("#define")))
    return false;
  for (const auto* word : {"def ", "class ", "struct ", "enum ", "#define ", "namespace ", "using ", "constexpr "})
    if (text.find(word) != std::string_view::npos)
      return true;
  const auto last = line.find_last_not_of(" \t\r");
  return first == 0 && (line[last] == '{' || line[last] == '(' || line[last] == ',');
}

} // namespace

struct code_roots::parts {
  struct root {
    std::string folder;
    int fd = -1;
  };
  std::vector<root> roots;
  code_limits limits;

  ~parts() {
    for (const auto& r : roots)
      ::close(r.fd);
  }
};

code_roots::code_roots(std::unique_ptr<parts> p) : parts_(std::move(p)) {}
code_roots::code_roots(code_roots&&) noexcept = default;
code_roots& code_roots::operator=(code_roots&&) noexcept = default;
code_roots::~code_roots() = default;

bool code_roots::empty() const {
  return parts_->roots.empty();
}

result<code_roots> code_roots::open(const std::vector<std::string>& folders, const code_limits& limits) {
  auto p = std::make_unique<parts>();
  p->limits = limits;
  for (const auto& folder : folders) {
    std::error_code failed;
    const auto real = std::filesystem::canonical(folder, failed); // the operator may name a link to a root
    const auto fd = failed ? -1 : open_root(real.string());
    if (fd < 0)
      return fail(errc::bad_input, "code_search.roots: '" + folder
                                       + "' is no folder that can be read: correct it, or "
                                         "leave it out");
    p->roots.push_back({real.string(), fd});
  }
  return code_roots{std::move(p)};
}

result<code_answer> code_roots::search(const code_query& query) const {
  const auto& limits = parts_->limits;
  if (query.what.empty() || query.what.size() > limits.query)
    return fail(errc::bad_input, "a query has 1 to " + std::to_string(limits.query) + " characters");
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);
  options.set_literal(query.mode != code_query_mode::pattern);
  const RE2 wanted{query.what, options};
  if (!wanted.ok())
    return fail(errc::bad_input, "the regular expression cannot be read: " + wanted.error());
  code_answer out;
  const auto end = steady_clock::now() + limits.time;
  int64_t bytes = 0;
  for (const auto& root : parts_->roots)
    walk(root.folder, [&](const std::string& file) {
      if (out.matches.size() >= query.most)
        out.cut = std::to_string(query.most) + " matches";
      else if (out.files >= limits.files)
        out.cut = std::to_string(limits.files) + " files";
      else if (bytes >= limits.bytes)
        out.cut = std::to_string(limits.bytes) + " bytes";
      else if (steady_clock::now() >= end)
        out.cut = std::to_string(limits.time.count()) + " ms";
      if (!out.cut.empty())
        return false;
      ++out.files;
      if (query.mode == code_query_mode::file) {
        if (RE2::PartialMatch(file, wanted) && !is_secret_name(file.substr(file.rfind('/') + 1)))
          out.matches.push_back({shown(file, limits.line), 0, {}});
        return true;
      }
      const auto text = read_below(root.fd, file, limits.file_bytes);
      if (!text)
        return true;
      bytes += static_cast<int64_t>(text->size());
      each_line(*text, [&](std::string_view line, int number) {
        if (RE2::PartialMatch(re2::StringPiece{line.data(), line.size()}, wanted))
          out.matches.push_back({shown(file, limits.line), number, shown(line, limits.line)});
        return out.matches.size() < query.most;
      });
      return true;
    });
  return out;
}

result<std::string> code_roots::read(const std::string& file) const {
  for (const auto& root : parts_->roots)
    if (auto text = read_below(root.fd, file, parts_->limits.file_bytes))
      return llm::without_key_shapes(*text);
  return fail(errc::not_found, "no root of code_search has a file '" + file + "' that may be read");
}

result<code_match> code_roots::resolve(const std::string& file, const std::string& symbol, size_t lines) const {
  const auto text = read(file);
  if (!text)
    return tl::unexpected(text.error());
  const auto name = symbol.substr(symbol.rfind(':') == std::string::npos ? 0 : symbol.rfind(':') + 1);
  int found = 0;
  int first_mention = 0;
  each_line(*text, [&](std::string_view line, int number) {
    if (first_mention == 0 && mentions(line, name))
      first_mention = number;
    if (defines(line, name))
      found = number;
    return found == 0;
  });
  if (found == 0)
    found = first_mention;
  if (found == 0)
    return fail(errc::not_found, "'" + file + "' has no symbol '" + symbol + "'");
  code_match out{file, found, {}};
  each_line(*text, [&](std::string_view line, int number) {
    if (number >= found)
      out.text += shown(line, parts_->limits.line) + "\n";
    return number + 1 < found + static_cast<int>(lines) && (number <= found || line != "}");
  });
  return out;
}

std::string to_text(const code_answer& a) {
  std::string out;
  for (const auto& m : a.matches)
    out += m.file + (m.line > 0 ? ":" + std::to_string(m.line) + ": " + m.text : "") + "\n";
  if (out.empty())
    out = "nothing found in " + std::to_string(a.files) + " files\n";
  if (!a.cut.empty())
    out += "[… stopped at " + a.cut + " …]\n";
  return out;
}

} // namespace kevolve::knowledge
