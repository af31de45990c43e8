#include "runtime/node/admin/knowledge_json.hpp"

namespace kevolve {

json to_json(const knowledge::document& d) {
  auto signals = json::array();
  for (const auto& s : d.signals)
    signals.push_back(knowledge::to_string(s));
  return {{"id", d.id},
          {"title", d.title},
          {"category", to_string(d.category)},
          {"targets", d.targets},
          {"languages", d.languages},
          {"hardware", d.hardware},
          {"phases", d.phases},
          {"signals", std::move(signals)},
          {"checked", d.checked},
          {"file", d.file},
          {"sections", d.sections.size()}};
}

json whole_json(const knowledge::document& d) {
  auto out = to_json(d);
  out["sources"] = d.sources;
  auto sections = json::array();
  for (const auto& s : d.sections)
    sections.push_back({{"heading", s.heading}, {"text", s.text}, {"sources", s.sources}, {"line", s.line}});
  out["sections"] = std::move(sections);
  return out;
}

json to_json(const knowledge::quoted_section& s) {
  return {{"title", s.title}, {"text", s.text}};
}

json to_json(const diagnostic& d) {
  return {{"file", d.file}, {"line", d.line}, {"column", d.column}, {"key", or_null(d.key)}, {"message", d.message}};
}

json to_json(const knowledge::code_answer& a) {
  auto items = json::array();
  for (const auto& m : a.matches)
    items.push_back({{"file", m.file}, {"line", m.line > 0 ? json(m.line) : json(nullptr)}, {"text", m.text}});
  return {{"items", std::move(items)}, {"files", a.files}, {"cut", or_null(a.cut)}};
}

json to_json(const retrieval_record& r) {
  auto sections = json::array();
  for (const auto& s : r.sections)
    sections.push_back({{"document", s.document},
                        {"heading", s.heading},
                        {"matched", s.matched},
                        {"signal_score", s.signal_score},
                        {"text_score", s.text_score},
                        {"score", s.score},
                        {"tokens", s.tokens},
                        {"outcome", s.outcome}});
  return {{"reason", r.reason},   {"signals", r.signals},           {"text", r.text},
          {"budget", r.budget},   {"documents", r.documents},       {"admitted", r.admitted},
          {"matched", r.matched}, {"sections", std::move(sections)}};
}

json to_json(const report_record& r) {
  auto problems = json::array();
  for (const auto& p : r.problems)
    problems.push_back({{"problem", p.problem},
                        {"evidence", or_null(p.evidence)},
                        {"strategy", or_null(p.strategy)},
                        {"weight", p.weight},
                        {"deferred", p.deferred}});
  return {{"by", or_null(r.by)}, {"problems", std::move(problems)}, {"look_up", r.look_up}};
}

} // namespace kevolve
