#include "actors/knowledge/document.hpp"

#include "actors/knowledge/document_text.hpp"
#include "config/settings.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace kevolve::knowledge {

namespace {

const std::string mark = "+++"; // a line of its own, before and after the front matter

using errors_of_file = std::vector<diagnostic>;

void choose(section& s, const char* name, signal_kind k, const char* about, bool required,
            std::vector<std::string>& x) {
  s.value(name, {.text = about, .required = required, .choices = row_of(k).values}, x);
}

// Explains what a signal that the vocabulary does not have should have been.
std::string refusal(const std::string& text) {
  const auto colon = text.find(':');
  const auto kind = colon == std::string::npos ? std::nullopt : parse_enum<signal_kind>(text.substr(0, colon));
  std::vector<std::string> choices;
  if (!kind || is_filter(*kind)) {
    for (const auto& row : vocabulary())
      if (!is_filter(row.kind))
        choices.push_back(kevolve::to_string(row.kind));
    return "'" + text + "' is no signal: write kind:value" + suggestion(text.substr(0, colon), choices);
  }
  return "'" + text.substr(colon + 1) + "' is no value of '" + kevolve::to_string(*kind) + "'"
         + suggestion(text.substr(colon + 1), row_of(*kind).values);
}

void read_signals(section& s, std::vector<signal>& out) {
  std::vector<std::string> texts;
  s.value("signals", {.text = "what the document is about", .required = true}, texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto found = parse_signal(texts[i]);
    if (found && !is_filter(found->kind))
      out.push_back(*found);
    else
      s.error("signals[" + std::to_string(i) + "]", refusal(texts[i]));
  }
}

using source_positions = std::map<std::string, source_position>;

void read_front_matter(section& s, document& out, source_positions& at) {
  s.value("title", {.text = "the subject", .required = true}, out.title);
  std::string kind;
  if (s.value("category",
              {.text = "what kind of text it is",
               .required = true,
               .choices = {category_texts.begin(), category_texts.end()}},
              kind))
    out.category = parse_enum<category>(kind).value_or(category::guidance);
  choose(s, "targets", signal_kind::target, "the targets it is for", true, out.targets);
  choose(s, "languages", signal_kind::language, "languages of candidates; all if left out", false, out.languages);
  choose(s, "hardware", signal_kind::hardware, "hardware classes; all if left out", false, out.hardware);
  choose(s, "phases", signal_kind::phase, "kinds of step; all if left out", false, out.phases);
  read_signals(s, out.signals);
  s.table("sources", {.text = "where the facts come from, by key", .required = true}, [&](section& t) {
    t.others("key", {.text = "publisher, title, version, section"}, [&](const document_member& m) {
      if (m.value.what != document_value::kind::text || m.value.text.empty())
        t.error(m.key, "expected text: publisher, title, version, section");
      else
        out.sources[m.key] = m.value.text;
      at[m.key] = m.at;
    });
  });
  s.others("checked", {.text = "day on which the sources were last looked up"}, [&](const document_member& m) {
    const std::vector<std::string> keys{"title",  "category", "targets", "languages", "hardware",
                                        "phases", "signals",  "checked", "sources"};
    if (m.key != "checked")
      s.error(m.key, "no document has the key '" + m.key + "'" + suggestion(m.key, keys));
    else if (m.value.what != document_value::kind::date || m.value.text.empty())
      s.error(m.key, "expected a day without quotes, such as 2026-11-30");
    else
      out.checked = m.value.text;
  });
  if (!s.has("checked"))
    s.error("checked", "missing: the day on which the sources were last looked up, such as 2026-11-30");
}

void check_sources(const document& d, const source_positions& keys, errors_of_file& errors) {
  std::set<std::string> used;
  const auto error = [&](source_position at, const std::string& key, std::string message) {
    errors.push_back({d.file, at.line, at.column, key, std::move(message)});
  };
  for (const auto& s : d.sections) {
    if (s.sources.empty())
      error({s.line, 1}, "Source", "section '" + s.heading + "' ends without a line 'Source: KEY; KEY'");
    for (const auto& named : s.named) {
      used.insert(named.key);
      if (keys.contains(named.key))
        continue;
      std::vector<std::string> known;
      for (const auto& [k, at] : keys)
        known.push_back(k);
      error({named.line, named.column}, "Source",
            "'" + named.key + "' is no key of [sources]" + suggestion(named.key, known));
    }
  }
  for (const auto& [key, at] : keys)
    if (!used.contains(key))
      error(at, "sources." + key, "no section names this source: remove it, or add it to a Source line");
}

errors_of_file joined(errors_of_file first, errors_of_file second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

} // namespace

result_or_errors<document> read_document(std::string_view text, const std::string& file, const std::string& id,
                                         std::vector<document_section>* sections) {
  const auto refuse = [&](int line, const std::string& key, const std::string& message) {
    return tl::unexpected(errors_of_file{{file, line, 1, key, message}});
  };
  if (text.substr(0, mark.size() + 1) != mark + "\n")
    return refuse(1, "", "a document begins with a line +++, its keys in TOML, and another line +++");
  const auto end = text.find("\n" + mark + "\n");
  if (end == std::string_view::npos)
    return refuse(1, "", "the front matter does not end: put a line +++ after its last key");
  document out;
  out.id = id;
  out.file = file;
  errors_of_file in_body;
  const auto body = end + mark.size() + 2;
  const auto first_line =
      static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(body), '\n')) + 1;
  out.sections = read_sections(text.substr(body), first_line, file, in_body);
  if (sections != nullptr)
    *sections = out.sections;
  // The first mark becomes an empty line, so that positions are those of the file.
  const auto root = parse_document("\n" + std::string{text.substr(mark.size() + 1, end - mark.size())}, file);
  if (!root)
    return tl::unexpected(joined(root.error(), std::move(in_body)));
  source_positions sources;
  error_list errors{file, *root};
  {
    table_reader reader{*root, "", errors};
    read_front_matter(reader, out, sources);
  }
  auto all = joined(errors.take(), std::move(in_body));
  if (out.sections.empty() && all.empty())
    all.push_back({file, first_line, 1, "", "no section: begin each with a line '## What it says'"});
  check_sources(out, sources, all);
  if (!all.empty())
    return tl::unexpected(std::move(all));
  return out;
}

} // namespace kevolve::knowledge
