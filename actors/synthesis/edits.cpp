#include "actors/synthesis/edits.hpp"

#include <algorithm>

namespace kevolve::synthesis {

namespace {

struct line {
  size_t begin = 0;
  size_t end = 0;        // after the line feed
  std::string_view text; // without trailing white space
};

std::vector<line> lines_of(std::string_view s) {
  std::vector<line> out;
  for (size_t at = 0; at < s.size();) {
    const auto feed = s.find('\n', at);
    const auto end = feed == std::string_view::npos ? s.size() : feed + 1;
    auto text = s.substr(at, end - at);
    text = text.substr(0, text.find_last_not_of(" \t\r\n\f\v") + 1);
    out.push_back({at, end, text});
    at = end;
  }
  return out;
}

struct finding_places {
  std::vector<size_t> begins;
  size_t most = 0; // most consecutive lines of `wanted` that were found
};

// Returns where `wanted` begins in `have`, including overlapping places. It uses Knuth, Morris and Pratt, 1977, because
// hostile files and searches are long and repetitive.
finding_places places_of(const std::vector<line>& wanted, const std::vector<line>& have) {
  std::vector<size_t> border(wanted.size() + 1, 0); // of the first n lines: the longest prefix that is also a suffix
  size_t k = 0;
  for (size_t n = 1; n < wanted.size(); ++n) {
    while (k > 0 && wanted[n].text != wanted[k].text)
      k = border[k];
    k += wanted[n].text == wanted[k].text ? size_t{1} : size_t{0};
    border[n + 1] = k;
  }
  finding_places out;
  k = 0;
  for (size_t i = 0; i < have.size(); ++i) {
    while (k > 0 && (k == wanted.size() || have[i].text != wanted[k].text))
      k = border[k];
    k += have[i].text == wanted[k].text ? size_t{1} : size_t{0};
    out.most = std::max(out.most, k);
    if (k == wanted.size())
      out.begins.push_back(i + 1 - k);
  }
  return out;
}

std::string quoted(const line& l) {
  constexpr size_t shown = 120;
  return "'" + std::string{l.text.substr(0, shown)} + "'";
}

} // namespace

answer_or_refusal<std::string> apply_edit(std::string_view content, std::string_view search, std::string_view replace) {
  auto wanted = lines_of(search);
  // Empty lines around the search text are the model's layout, not the file's.
  const auto some = [](const line& l) { return !l.text.empty(); };
  wanted.erase(std::find_if(wanted.rbegin(), wanted.rend(), some).base(), wanted.end());
  wanted.erase(wanted.begin(), std::find_if(wanted.begin(), wanted.end(), some));
  if (wanted.empty())
    return refuse(refusal_class::edit_ambiguous, "an edit whose search text is empty fits everywhere");
  const auto have = lines_of(content);
  const auto places = places_of(wanted, have);
  const auto found = places.begins.size();
  if (found == 0)
    return refuse(refusal_class::edit_not_found,
                  "of the search text that begins with " + quoted(wanted.front()) + " line "
                      + std::to_string(places.most + 1)
                      + " is no whole line of the file at that place: " + quoted(wanted[places.most]));
  if (found > 1)
    return refuse(refusal_class::edit_ambiguous, "the lines that begin with " + quoted(wanted.front()) + " stand in "
                                                     + std::to_string(found) + " places");
  const auto at = places.begins.front();
  std::string out{content.substr(0, have[at].begin)};
  out += replace;
  if (!replace.empty() && replace.back() != '\n')
    out += '\n';
  out += content.substr(have[at + wanted.size() - 1].end);
  return out;
}

} // namespace kevolve::synthesis
