#include "actors/knowledge/retrieval.hpp"
#include "tests/knowledge/documents.hpp"

using namespace kevolve;
using namespace kevolve::knowledge;

namespace {

const knowledge_base& shipped() {
  static const auto base = knowledge_base::load({});
  REQUIRE(base);
  return *base;
}

} // namespace

TEST_CASE("every shipped document is in order") {
  CHECK(to_string(shipped().problems()) == "");
  CHECK(shipped().documents().size() >= 14);
}

TEST_CASE("every verdict that a step can repair, and every family, finds documents on every target") {
  for (const auto* target : {"cpu", "cuda", "triton"})
    for (const auto kind : {signal_kind::verdict, signal_kind::family})
      for (const auto& value : row_of(kind).values) {
        retrieval_request wanted;
        wanted.signals = {{signal_kind::target, target},
                          {signal_kind::phase, kind == signal_kind::family ? "draft" : "repair"},
                          {kind, value}};
        wanted.text = value;
        const auto found = retrieve(shipped(), wanted);
        CAPTURE(target);
        CAPTURE(value);
        CHECK(found.trace.admitted > 0);
        CHECK(found.trace.sections.size() >= found.sections.size());
        int64_t used = 0;
        for (const auto& s : found.trace.sections)
          used += s.outcome == "quoted" ? s.tokens : 0;
        CHECK(used <= wanted.tokens);
      }
}

TEST_CASE("retrieval is deterministic") {
  retrieval_request wanted;
  wanted.signals = {{signal_kind::target, "cpu"}, {signal_kind::phase, "refine"}, {signal_kind::bound, "scalar_code"}};
  wanted.text = "a loop that is not vectorised";
  const auto again = knowledge_base::load({});
  REQUIRE(again);
  CHECK(retrieve(shipped(), wanted).trace == retrieve(*again, wanted).trace);
}
