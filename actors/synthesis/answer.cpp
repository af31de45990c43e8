#include "actors/synthesis/answer.hpp"

#include "actors/synthesis/blocks.hpp"
#include "actors/synthesis/edits.hpp"
#include "backends/llm/protocol/plain_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

namespace kevolve::synthesis {

namespace {

template <size_t N>
bool is_one_of(const std::string& word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_shell(const code_block& b) {
  constexpr std::array<std::string_view, 12> names{"sh",         "bash", "zsh",   "shell", "console", "shell-session",
                                                   "powershell", "cmd",  "batch", "bat",   "fish",    "terminal"};
  return is_one_of(b.language, names);
}

// Returns true for blocks that models show beside their code and do not mean as the candidate.
bool is_illustration(const code_block& b) {
  constexpr std::array<std::string_view, 14> names{"text", "txt",     "plaintext", "output", "log",
                                                   "json", "asm",     "md",        "yaml",   "toml",
                                                   "make", "mermaid", "markdown",  "cmake"};
  return is_one_of(b.language, names);
}

bool defines(const std::string& content, const std::string& entry) {
  if (entry.empty())
    return content.find_first_not_of(" \t\r\n") != std::string::npos;
  if (entry.find(' ') != std::string::npos)
    return content.find(entry) != std::string::npos;
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (auto at = content.find(entry); at != std::string::npos; at = content.find(entry, at + 1)) {
    const auto after = content.find_first_not_of(" \t\r\n", at + entry.size());
    if ((at == 0 || !word(content[at - 1])) && after != std::string::npos && content[after] == '(')
      return true;
  }
  return false;
}

std::string value_of_line(std::string_view prose, std::string_view name) {
  for (size_t at = 0; at < prose.size();) {
    const auto end = std::min(prose.find('\n', at), prose.size());
    auto line = prose.substr(at, end - at);
    at = end + 1;
    constexpr std::string_view decoration = " \t*#`-";
    line = line.substr(std::min(line.find_first_not_of(decoration), line.size()));
    const bool same =
        line.size() > name.size() && std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
          return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
        });
    if (!same)
      continue;
    line = line.substr(name.size());
    line = line.substr(std::min(line.find_first_not_of(decoration), line.size()));
    if (line.empty() || line.front() != ':')
      continue;
    line = line.substr(1);
    line = line.substr(std::min(line.find_first_not_of(decoration), line.size()));
    return std::string{line.substr(0, line.find_last_not_of(" \t*`") + 1)};
  }
  return {};
}

std::string summary_of(std::string_view prose) {
  constexpr size_t longest = 200;
  auto said = value_of_line(prose, "summary");
  if (said.empty()) {
    const auto first = prose.find_first_not_of(" \t\n#*");
    if (first != std::string_view::npos)
      said = prose.substr(first, prose.find('\n', first) - first);
  }
  said = llm::plain_text(said);
  std::replace(said.begin(), said.end(), '\n', ' ');
  std::replace(said.begin(), said.end(), '\t', ' ');
  if (said.size() > longest) {
    auto cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(said[cut]) & 0xC0U) == 0x80U)
      --cut;
    said = said.substr(0, cut) + "…";
  }
  return said;
}

std::optional<refusal> too_long(const source_file& f, const answer_rules& rules) {
  if (f.content.size() <= rules.most_file)
    return std::nullopt;
  return refusal{refusal_class::too_large, f.path + " has " + std::to_string(f.content.size()) + " bytes; at most "
                                               + std::to_string(rules.most_file) + " are taken"};
}

std::optional<refusal> check_content(const source_file& f, const answer_rules& rules) {
  if (auto no = too_long(f, rules))
    return no;
  if (const auto at = llm::first_unplain(f.content); at != std::string::npos) {
    const auto line = std::count(f.content.begin(), f.content.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    return refusal{refusal_class::not_text, f.path + " line " + std::to_string(line)
                                                + " has a control or invisible character, or bytes that are no UTF-8"};
  }
  return std::nullopt;
}

// Returns whole files by their index in the current ones.
answer_or_refusal<std::map<size_t, const code_block*>> pick_files(const std::vector<code_block>& blocks,
                                                                  const answer_rules& rules) {
  std::map<size_t, const code_block*> out;
  for (const auto& b : blocks) {
    if (b.path.empty())
      continue;
    const auto which = find_file(b.path, rules.current);
    if (!which)
      return tl::unexpected<refusal>(which.error());
    const auto taken = out.emplace(*which, &b);
    if (!taken.second && taken.first->second->content != b.content)
      return refuse(refusal_class::two_answers, "there are two different versions of " + rules.current[*which].path);
  }
  if (!out.empty())
    return out;
  for (const auto& b : blocks) {
    if (is_shell(b) || is_illustration(b) || !defines(b.content, rules.entry))
      continue;
    const auto taken = out.emplace(0, &b);
    if (!taken.second && taken.first->second->content != b.content)
      return refuse(refusal_class::two_answers, "more than one code block defines " + rules.entry);
  }
  return out;
}

// Returns the source if the reply is nothing else. Python has no last brace that shows completeness.
std::optional<code_block> bare_source(const reply_parts& parts, const answer_rules& rules, bool ended_early) {
  const auto first = parts.prose.find_first_not_of(" \t\r\n");
  if (!parts.blocks.empty() || first == std::string::npos || rules.entry.empty())
    return std::nullopt;
  const auto begins = [&](std::string_view with) { return parts.prose.compare(first, with.size(), with) == 0; };
  const bool python = begins(R"(""")");
  if ((!begins("#include") && !begins("/*") && !begins("//") && !python) || !defines(parts.prose, rules.entry))
    return std::nullopt;
  const auto last = parts.prose.find_last_not_of(" \t\r\n");
  const bool closed = python ? !ended_early : parts.prose[last] == '}';
  return code_block{"", "", parts.prose.substr(first, last - first + 1) + "\n", closed};
}

std::optional<refusal> apply_edits(const std::vector<edit_block>& edits, const answer_rules& rules, answer& out) {
  constexpr size_t most_edits = 200; // each reads the whole file
  if (edits.size() > most_edits)
    return refusal{refusal_class::too_large,
                   std::to_string(edits.size()) + " edits; at most " + std::to_string(most_edits) + " are taken"};
  for (const auto& e : edits) {
    size_t which = 0;
    if (!e.path.empty()) {
      const auto found = find_file(e.path, rules.current);
      if (!found)
        return found.error();
      which = *found;
    } else if (rules.current.size() > 1)
      return refusal{refusal_class::edit_malformed, "an edit names no file, and the candidate has more than one"};
    auto changed = apply_edit(out.files[which].content, e.search, e.replace);
    if (!changed)
      return changed.error();
    out.files[which].content = std::move(*changed);
    if (auto no = too_long(out.files[which], rules))
      return no;
  }
  return std::nullopt;
}

refusal nothing_found(const std::vector<code_block>& blocks, const answer_rules& rules, bool ended_early) {
  if (std::any_of(blocks.begin(), blocks.end(), [](const code_block& b) { return !b.closed; }) || ended_early)
    return {refusal_class::truncated, "the reply ends within a code block or before one"};
  if (std::any_of(blocks.begin(), blocks.end(),
                  [](const code_block& b) { return b.language == "diff" || b.language == "patch"; }))
    return {refusal_class::edit_malformed, "a unified diff; only whole files and search/replace blocks are read"};
  if (std::any_of(blocks.begin(), blocks.end(), is_shell))
    return {refusal_class::command, "the only code is a command for a shell; nothing is run"};
  if (!blocks.empty() && !rules.entry.empty())
    return {refusal_class::no_code, "no code block defines " + rules.entry};
  return {refusal_class::no_code, "the reply has no code block and no edit"};
}

} // namespace

answer_or_refusal<size_t> find_file(std::string_view path, const std::vector<source_file>& files) {
  constexpr size_t shown = 120;
  const std::string quoted = "'" + llm::plain_text(path.substr(0, shown)) + "'";
  while (path.substr(0, 2) == "./")
    path.remove_prefix(2);
  const bool drive = path.size() > 1 && path[1] == ':';
  if (path.empty() || path.front() == '/' || path.front() == '~' || drive || path.find('\\') != std::string_view::npos
      || llm::first_unplain(path) != std::string_view::npos)
    return refuse(refusal_class::path_outside, quoted + " is no path inside the candidate");
  for (size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..")
      return refuse(refusal_class::path_outside, quoted + " leaves the candidate");
    at = end + 1;
  }
  for (size_t i = 0; i < files.size(); ++i)
    if (files[i].path == path)
      return i;
  return refuse(refusal_class::unknown_file, quoted + " is none of the candidate's files");
}

answer_or_refusal<answer> with_words(answer a, std::string_view words, const answer_rules& rules) {
  constexpr std::array<std::string_view, 5> no_change{"none", "same", "unchanged", "default", "keep"};
  const auto on_menu = [&](const std::string& name) {
    return std::find(rules.flag_menu.begin(), rules.flag_menu.end(), name) != rules.flag_menu.end();
  };
  a.summary = summary_of(words);
  a.flags = value_of_line(words, "flags");
  if (!on_menu(a.flags))
    a.flags = a.flags.substr(0, a.flags.find_first_of(" \t,;(")); // for a reply like "O3 (it unrolls)"
  if (a.flags.empty() || on_menu(a.flags))
    return a;
  if (!is_one_of(a.flags, no_change))
    return refuse(refusal_class::unknown_flags,
                  "'" + llm::plain_text(a.flags.substr(0, 60)) + "' is not on the menu of flags");
  a.flags.clear();
  return a;
}

answer_or_refusal<answer> parse_answer(std::string_view reply, const answer_rules& rules, bool ended_early) {
  if (reply.size() > rules.most_reply)
    return refuse(refusal_class::too_large, "the reply has " + std::to_string(reply.size()) + " bytes");
  const auto parts = take_apart(reply);
  auto files = pick_files(parts.blocks, rules);
  if (!files)
    return tl::unexpected<refusal>(files.error());
  const auto bare = files->empty() && parts.edits.empty() ? bare_source(parts, rules, ended_early) : std::nullopt;
  if (bare)
    files->emplace(0, &*bare);
  if (!files->empty() && !parts.edits.empty())
    return refuse(refusal_class::two_answers, "there are both a whole file and edits");
  if (files->empty() && parts.edits.empty())
    return tl::unexpected<refusal>(parts.stray_marks
                                       ? refusal{refusal_class::edit_malformed, "an edit lacks its first mark"}
                                       : nothing_found(parts.blocks, rules, ended_early));
  const bool open_edit =
      std::any_of(parts.edits.begin(), parts.edits.end(), [](const edit_block& e) { return !e.closed; });
  if (parts.stray_marks)
    return refuse(refusal_class::edit_malformed, "the marks of an edit are missing or out of order");
  // Any open block counts, because a fence inside the code may have ended the code early.
  const bool open_file =
      std::any_of(parts.blocks.begin(), parts.blocks.end(), [](const code_block& b) { return !b.closed; })
      || (bare && !bare->closed);
  if (open_file || open_edit || (ended_early && (!parts.edits.empty() || rules.current.size() > 1)))
    return refuse(refusal_class::truncated, "the reply ends within its answer");
  if (const auto main = files->find(0); main != files->end() && !defines(main->second->content, rules.entry))
    return refuse(refusal_class::no_code, rules.current[0].path + " does not define " + rules.entry);
  answer out;
  out.files = rules.current;
  out.edited = !parts.edits.empty();
  for (const auto& [which, block] : *files)
    out.files[which].content = block->content;
  if (auto no = apply_edits(parts.edits, rules, out))
    return tl::unexpected<refusal>(std::move(*no));
  bool changed = false;
  for (size_t i = 0; i < out.files.size(); ++i) {
    if (auto no = check_content(out.files[i], rules))
      return tl::unexpected<refusal>(std::move(*no));
    changed = changed || out.files[i].content != rules.current[i].content;
  }
  auto told = with_words(std::move(out), parts.prose, rules);
  if (told && !changed && told->flags.empty())
    return refuse(refusal_class::unchanged, "the candidate is the one that was shown");
  return told;
}

} // namespace kevolve::synthesis
