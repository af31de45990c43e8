#include "backends/llm/protocol/sse.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve::llm;

namespace {

std::string shown(const std::vector<sse_event>& events) {
  std::string out;
  for (const auto& e : events)
    out += "[" + e.type + "|" + e.data + "]";
  return out;
}

std::string decode(std::string_view bytes, size_t piece, bool end = false) {
  sse_decoder d;
  std::vector<sse_event> out;
  for (size_t at = 0; at < bytes.size(); at += piece)
    CHECK(d.feed(bytes.substr(at, piece), out));
  if (end)
    CHECK(d.end(out));
  return shown(out);
}

struct example {
  const char* name;
  std::string_view bytes;
  const char* events;
};

using namespace std::string_view_literals;
const example examples[] = {
    {"one event", "data: a\n\n", "[|a]"},
    {"carriage returns", "data: a\r\rdata: b\r\r", "[|a][|b]"},
    {"both", "data: a\r\n\r\ndata: b\r\n\r\n", "[|a][|b]"},
    {"mixed", "data: a\rdata: b\n\r\n", "[|a\nb]"},
    {"named", "event: x\ndata: a\n\ndata: b\n\n", "[x|a][|b]"},
    {"several lines", "data: a\ndata:\ndata: b\n\n", "[|a\n\nb]"},
    {"one space goes", "data:  a\ndata:b\n\n", "[| a\nb]"},
    {"colons in the value", "data: a: b:c\n\n", "[|a: b:c]"},
    {"comments", ": x\n:\ndata: a\n: y\n\n", "[|a]"},
    {"a name without data is none", "event: x\n\ndata: a\n\n", "[|a]"},
    {"empty data is none", "data:\n\ndata: a\n\n", "[|a]"},
    {"a field without a colon", "data\ndata: a\n\n", "[|\na]"},
    {"unknown fields", "foo: 1\n data: no\ndata: a\n\n", "[|a]"},
    {"byte order mark",
     "\xEF\xBB\xBF"
     "data: a\n\n\xEF\xBB\xBF"
     "data: no\ndata: b\n\n",
     "[|a][|b]"},
    {"not ended", "data: a\n\ndata: b\n", "[|a]"},
    {"nothing but line ends", "\n\r\n\r\r\n\n", ""},
    {"nul", "data: a\0b\n\n"sv, "[|a]"},
};

} // namespace

TEST_CASE("events do not depend on how their bytes are split") {
  for (const auto& x : examples) {
    CAPTURE(x.name);
    std::string want = x.events;
    if (std::string_view{x.name} == "nul")
      want = std::string{"[|a\0b]", 6};
    for (size_t piece = 1; piece <= x.bytes.size(); ++piece)
      CHECK(decode(x.bytes, piece) == want);
  }
}

TEST_CASE("an event that lacks only its blank line comes at the end") {
  CHECK(decode("data: a\n", 1, true) == "[|a]");
  CHECK(decode("data: a", 1, true) == "[|a]");
  CHECK(decode("data: a\n\n", 1, true) == "[|a]");
  CHECK(decode("event: x", 1, true) == "");
}

TEST_CASE("comments, ids and retry times are not reported as events") {
  sse_decoder d;
  std::vector<sse_event> out;
  CHECK(d.feed(": a\n: b\n\nid: 7\nretry: 1500\ndata: x\n\n", out));
  CHECK(out.size() == 1);
  CHECK(d.comments() == 2);
  CHECK(d.last_id() == "7");
  CHECK(d.retry_ms() == 1500);
  CHECK_FALSE(d.pending());
  CHECK(d.feed("retry: 1x\nretry: -1\nretry:\nid: a\0b\n"sv, out));
  CHECK(d.retry_ms() == 1500);
  CHECK(d.last_id() == "7");
  CHECK(d.feed("data: y", out));
  CHECK(d.pending());
}

TEST_CASE("a line or an event beyond its limit ends the reading") {
  std::vector<sse_event> out;
  sse_decoder line{{8, 100}};
  CHECK(line.feed("data: ab", out));
  CHECK_FALSE(line.feed("c", out));
  CHECK_FALSE(line.feed("\n\ndata: x\n\n", out));
  CHECK_FALSE(line.end(out));
  CHECK(out.empty());
  sse_decoder whole{{8, 100}};
  CHECK_FALSE(whole.feed("data: abc\n\n", out));
  sse_decoder data{{100, 6}};
  CHECK(data.feed("data: ab\ndata: c\n\n", out));
  CHECK(shown(out) == "[|ab\nc]");
  CHECK_FALSE(data.feed("data: ab\ndata: abcd\n\n", out));
  CHECK(out.size() == 1);
}
