#include "tools/kevolve/output/live_view.hpp"

#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/climb.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;

namespace {

json status() {
  return {
      {"id", "1a2b3c4d5e6f"},
      {"name", "softmax"},
      {"state", "running"},
      {"reason", nullptr},
      {"stop_reason", nullptr},
      {"candidates", 30},
      {"valid", 20},
      {"in_flight", 2},
      {"priority", 250},
      {"budget", {{"candidates", 60}, {"wall_s", nullptr}, {"device_s", nullptr}}},
      {"spent", {{"wall_s", 32.0}, {"compile_s", 1.0}, {"device_s", 9.0}}},
      {"best", {{"node", 4}, {"speedup", 12.5}, {"ci95", {12.0, 13.0}}, {"final", false}, {"summary", "unroll 8"}}}};
}

json row(uint64_t index, uint64_t parent, const char* verdict, double speedup, const std::string& summary) {
  return {{"index", index},      {"parents", json::array({parent})},
          {"state", "finished"}, {"verdict", verdict},
          {"speedup", speedup},  {"ci95", {speedup - 0.1, speedup + 0.1}},
          {"estimate", false},   {"summary", summary},
          {"pinned", false},     {"banned", false}};
}

json tree() {
  json out = json::array({{{"index", 0}, {"parents", json::array()}, {"state", "finished"}, {"verdict", "reference"}}});
  out.push_back(row(1, 0, "pass", 2.0, "tile 8"));
  out.push_back(row(2, 0, "wrong_result", 0.0, "reorder"));
  out.push_back(row(3, 1, "pass", 3.0, "vectorise"));
  out.push_back(row(4, 3, "pass", 12.5, "unroll 8"));
  for (uint64_t i = 5; i < 60; ++i)
    out.push_back(row(i, 1, "pass", 1.0 + static_cast<double>(i) / 100, "try \x1b[31m" + std::to_string(i)));
  return out;
}

size_t columns(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool has(const std::vector<std::string>& frame, const std::string& text) {
  return std::any_of(frame.begin(), frame.end(), [&](const auto& l) { return l.find(text) != std::string::npos; });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the live view fits any terminal, and shows the path to the best first") {
  for (size_t lines : {6U, 9U, 12U, 24U, 200U})
    for (size_t width : {20U, 40U, 80U, 200U}) {
      CAPTURE(lines);
      CAPTURE(width);
      auto frame = live_frame(status(), tree(), {1.0, 2.0, 12.5}, {width, lines, false});
      CHECK(frame.size() <= lines);
      for (const auto& l : frame) {
        CHECK(columns(l) < width);
        CHECK(l.find('\x1b') == std::string::npos); // colours are off, and a summary cannot add its own
      }
      if (lines >= 12 && width >= 80) {
        CHECK(has(frame, "4 ★ 12.50x [12.40, 12.60]"));
        CHECK(has(frame, "3 ▲ 3.00x"));
        CHECK(has(frame, "1 ▲ 2.00x"));
        CHECK(has(frame, "more") == (lines < 60));
      }
    }
  auto all = live_frame(status(), tree(), {}, {100, 200, false});
  CHECK(has(all, "✗ wrong_result"));
  CHECK_FALSE(has(all, "more"));
  CHECK(has(all, "30 candidates of 60, 20 valid, 2 in flight"));
  CHECK(has(all, "[############------------]"));
  CHECK(has(all, "best 12.50x [12.00, 13.00]  candidate 4: unroll 8"));
}

TEST_CASE("colours appear only on request; banned and pinned nodes are marked") {
  auto t = tree();
  t[3]["pinned"] = true;
  t[2]["banned"] = true;
  auto plain = live_frame(status(), t, {}, {100, 100, false});
  CHECK(has(plain, "(pinned)"));
  CHECK(has(plain, "(banned)"));
  auto coloured = live_frame(status(), t, {}, {100, 100, true});
  CHECK(has(coloured, "\x1b[1;32m"));
  CHECK(has(coloured, "\x1b[0m"));
  CHECK(draw_frame(plain).starts_with("\x1b[H"));
  CHECK(draw_frame(plain).ends_with("\x1b[J"));
}

TEST_CASE("a campaign without candidates is shown with its reason") {
  auto s = status();
  s["best"] = nullptr;
  s["state"] = "queued";
  s["reason"] = "waits for a place";
  auto frame = live_frame(s, json::array(), {}, {80, 24, false});
  CHECK(has(frame, "best: none yet"));
  CHECK(has(frame, "waits for a place"));
}

TEST_CASE("states are worded for people: a resumed campaign is not new, a cancelled one has not finished") {
  auto s = status();
  s["state"] = "preparing";
  s["candidates"] = 0;
  CHECK(state_text(s) == "preparing");
  s["candidates"] = 3;
  CHECK(state_text(s) == "resuming");
  CHECK(has(status_text(s).substr(0, status_text(s).find('\n')), "resuming"));
  CHECK(has(status_line(s), "] resuming: 3 candidates"));
  s["state"] = "finished";
  s["stop_reason"] = "cancelled";
  CHECK(state_text(s) == "cancelled");
  CHECK_FALSE(has(status_text(s), "finished"));
  s["stop_reason"] = "budget";
  CHECK(has(status_text(s), "finished (budget)"));
  CHECK_FALSE(has(status_text(s), "kevolve tree"));
  s["valid"] = 0;
  s["best"] = nullptr;
  CHECK(has(status_text(s), "what became of each candidate: kevolve tree "));
}

TEST_CASE("the first line of a status says that the best loses to a baseline, and each baseline has a line") {
  auto s = status();
  CHECK_FALSE(has(status_text(s), "PyTorch"));
  s["best"]["baseline_headline"] = "slower than eager PyTorch: 0.43x as fast, 0.42 to 0.44";
  s["best"]["baselines"] = {{{"name", "eager PyTorch"},
                             {"speedup", 0.43},
                             {"interval", {0.42, 0.44}},
                             {"coverage", 0.96},
                             {"time_ns", 5e4},
                             {"note", nullptr}},
                            {{"name", "torch.compile default"}, {"speedup", nullptr}, {"note", "raised: it"}}};
  const auto first = status_text(s).substr(0, status_text(s).find('\n'));
  CHECK(has(first, "slower than eager PyTorch: 0.43x"));
  CHECK(has(status_line(s), "; slower than eager PyTorch: 0.43x"));
  CHECK(has(live_frame(s, tree(), {}, {80, 24, false}), "slower than eager PyTorch: 0.43x"));
  CHECK(has(status_text(s), "eager PyTorch: 0.43x [0.42, 0.44], 50"));
  CHECK(has(status_text(s), "torch.compile default: not timed: raised: it"));
}

TEST_CASE("a node in flight at its campaign's end is abandoned, not out of proposals") {
  auto rows = tree();
  rows.push_back(row(60, 0, "", 0.0, "tile 16"));
  rows.back()["state"] = "abandoned";
  rows.back()["pinned"] = true; // shown first
  CHECK(has(live_frame(status(), rows, {}, {80, 24, false}), "60 · abandoned"));
}

TEST_CASE("every displayed state can be used as a filter") {
  for (const auto& shown : shown_states()) {
    const auto candidates = shown == "resuming" ? 3U : 0U;
    CHECK(state_text(stored_state(shown), shown == "cancelled" ? "cancelled" : "", candidates) == shown);
  }
}

TEST_CASE("submitting a known campaign reports the options that have no effect") {
  auto s = status();
  CHECK(known_note(s, 300) == "");
  s["known"] = true;
  CHECK(known_note(s, 0) == "");
  CHECK(known_note(s, 250) == "");
  CHECK(known_note(s, 300) == "known already: priority stays 250; 'kevolve priority 1a2b3c4d 300' changes it");
  s["state"] = "finished";
  s["stop_reason"] = "budget";
  CHECK(known_note(s, 0)
        == "known already, and finished (budget): nothing runs; 'kevolve budget 1a2b3c4d' and then 'kevolve resume "
           "1a2b3c4d' let it go on");
  s["stop_reason"] = "cancelled";
  CHECK(has(known_note(s, 300), "known already, and cancelled: nothing runs; with other settings"));
}

TEST_CASE("a source missing in the store is reported") {
  json n{{"source", nullptr}, {"proposal", {{"source_sha256", "ab12"}}}};
  CHECK(source_text(n) == "source: lost (not in the store)\n");
  n["proposal"]["source_sha256"] = nullptr; // nothing was proposed
  CHECK(source_text(n) == "");
  n["source"] = "int x;\n";
  CHECK(source_text(n) == "int x;\n");
}

TEST_CASE("the end of a campaign determines the exit code") {
  auto s = status();
  s["state"] = "finished";
  CHECK(exit_code_of(s) == 1);
  s["best"]["final"] = true;
  CHECK(exit_code_of(s) == 0);
  s["best"] = nullptr;
  s["stop_reason"] = "budget";
  s["valid"] = 0;
  CHECK(exit_code_of(s) == 8);
}

TEST_CASE("a climb names each new best once, in order, and leaves out the middle of a long one") {
  CHECK(climb_text({}) == "");
  std::vector<best_so_far> curve{{13.2, 1, 1, 5.43}, {17.0, 5, 2, 9.11}, {89.4, 24, 22, 10.31}};
  CHECK(climb_text(curve) == "5.43x at candidate 1 (0:13), 9.11x at candidate 2 (0:17), 10.31x at candidate 22 (1:29)");
  curve.push_back({95.0, 30, 22, 10.5}); // measured again
  CHECK(climb_text(curve).find("10.50x") == std::string::npos);
  for (uint64_t i = 0; i < 20; ++i)
    curve.push_back({100.0, 31, 40 + i, 11.0 + static_cast<double>(i)});
  const auto text = climb_text(curve);
  CHECK(text.starts_with("5.43x at candidate 1 (0:13), …, 25.00x at candidate 54 "));
  CHECK(text.ends_with("30.00x at candidate 59 (1:40)"));
}
