#include "actors/knowledge/documents.hpp"

#include "backends/llm/protocol/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace kevolve::synthesis {

namespace {

// Returns the words of three letters or more, in lower case, without plural and verb endings.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    for (std::string_view ending : {"ing", "ed", "es", "s"})
      if (word.size() > ending.size() + 3 && word.compare(word.size() - ending.size(), ending.size(), ending) == 0) {
        word.resize(word.size() - ending.size());
        break;
      }
    if (word.size() > 3 && word.back() == 'e') // tile, tiles, tiling
      word.pop_back();
    if (word.size() >= 3)
      out.push_back(word);
    word.clear();
  };
  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      end_word();
  }
  end_word();
  return out;
}

int64_t hits(std::string_view text, const std::set<std::string>& wanted, int64_t most_each) {
  std::multiset<std::string> found;
  for (auto& w : words_of(text))
    if (wanted.count(w) != 0)
      found.insert(std::move(w));
  int64_t out = 0;
  for (const auto& w : wanted)
    out += std::min<int64_t>(most_each, static_cast<int64_t>(found.count(w)));
  return out;
}

} // namespace

std::vector<document> split_sections(std::string_view name, std::string_view markdown) {
  std::vector<document> out;
  document current{std::string{name}, ""};
  bool fenced = false;
  const auto keep = [&] {
    if (current.text.find_first_not_of(" \t\r\n") != std::string::npos)
      out.push_back(std::move(current));
  };
  while (!markdown.empty()) {
    const auto end = std::min(markdown.find('\n'), markdown.size());
    auto line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (line.substr(0, 3) == "```" || line.substr(0, 3) == "~~~")
      fenced = !fenced;
    const auto level = std::min(line.find_first_not_of('#'), line.size());
    if (!fenced && level >= 1 && level <= 6 && level < line.size() && line[level] == ' ') {
      keep();
      current = {std::string{name} + ": " + std::string{line.substr(level + 1)}, ""};
      continue;
    }
    current.text += line;
    current.text += '\n';
  }
  keep();
  return out;
}

section_source::section_source(std::vector<document> sections) : sections_(std::move(sections)) {}

std::vector<document> section_source::find(const std::vector<std::string>& topics, int64_t tokens) const {
  constexpr int64_t title_weight = 5;
  constexpr int64_t most_of_one_word = 4; // a word that occurs often counts no more than four times
  std::set<std::string> wanted;
  for (const auto& t : topics)
    for (auto& w : words_of(t))
      wanted.insert(std::move(w));
  std::vector<std::pair<int64_t, const document*>> ranked;
  for (const auto& s : sections_) {
    const auto score = title_weight * hits(s.title, wanted, 1) + hits(s.text, wanted, most_of_one_word);
    if (score > 0)
      ranked.emplace_back(score, &s);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second; // equal scores keep their order
  });
  std::vector<document> out;
  for (const auto& [score, s] : ranked) {
    const auto size = llm::estimate_tokens(s->text) + llm::estimate_tokens(s->title);
    if (size > tokens)
      continue;
    tokens -= size;
    out.push_back(*s);
  }
  return out;
}

} // namespace kevolve::synthesis
