// Tests every behaviour of data/behaviours.json and of the formats' tables over a real connection.
#include "tests/llm_transport/calls.hpp"
#include "tests/llm_transport/certificates.hpp"
#include "tests/support/hostile_provider.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// 1994-11-06T08:49:37Z, near the tables' dates.
transport_options in_1994() {
  transport_options out;
  out.wall_clock = [] { return llm::instant{784111777000ms}; };
  return out;
}

// Parses a text, {"times": n, "of": text}, or {"hex": bytes}.
std::string bytes_of(const json& pieces) {
  std::string out;
  for (const auto& p : pieces)
    if (p.is_string())
      out += p.get<std::string>();
    else if (p.contains("hex"))
      for (size_t i = 0; i < p["hex"].get<std::string>().size(); i += 2)
        out += static_cast<char>(std::stoi(p["hex"].get<std::string>().substr(i, 2), nullptr, 16));
    else
      for (size_t i = 0; i < p["times"].get<size_t>(); ++i)
        out += p["of"].get<std::string>();
  return out;
}

script script_of(const json& does) {
  const std::map<std::string, act> plain{{"next", act::next_request},
                                         {"close", act::close},
                                         {"drop", act::drop},
                                         {"reset", act::reset},
                                         {"stay", act::stay}};
  script out;
  for (const auto& x : does) {
    const auto what = x[0].get<std::string>();
    if (what == "send")
      out.push_back({act::send, bytes_of(json(x.begin() + 1, x.end())), 0});
    else if (what == "pieces")
      out.push_back({act::send_in_pieces, x[1].get<std::string>(), x[2].get<int>()});
    else if (what == "repeat")
      out.push_back({act::repeat, x[1].get<std::string>(), x[2].get<int>()});
    else
      out.push_back({plain.at(what), {}, 0});
  }
  return out;
}

void set_limits(attempt_limits& limits, const json& small) {
  const auto ms = [&](const char* name, llm::milliseconds& to) {
    if (small.contains(name))
      to = llm::milliseconds{small[name].get<int64_t>()};
  };
  const auto size = [&](const char* name, size_t& to) { to = small.value(name, to); };
  ms("connect", limits.connect);
  ms("first_byte", limits.first_byte);
  ms("first_content", limits.content.first_content);
  ms("between", limits.content.between);
  ms("total", limits.content.total);
  size("line", limits.reply.line);
  size("reply", limits.reply.reply);
  size("body", limits.body_bytes);
}

// A provider that listens in every way that the table names.
struct many_faces {
  many_faces() : ca(folder.path(), "ca"), stranger(folder.path(), "stranger") {
    const auto speak = [&](const char* name, const certificate_files& files) {
      listening how;
      how.certificate = files.certificate;
      how.key = files.key;
      urls[name] = "https://localhost:" + std::to_string(provider.listen(how));
    };
    const auto greet = [&](const char* name, const char* scheme, greeting g) {
      listening how;
      how.greets = g;
      urls[name] = scheme + ("://localhost:" + std::to_string(provider.listen(how)));
    };
    urls["plain"] = "http://127.0.0.1:" + std::to_string(provider.listen());
    speak("tls", ca.issue("honest", "DNS:localhost", 3600));
    speak("tls_address", ca.issue("address", "IP:127.0.0.1", 3600));
    urls["tls_address"].replace(8, 9, "127.0.0.1");
    speak("expired", ca.issue("expired", "DNS:localhost", -60));
    speak("wrong_name", ca.issue("other", "DNS:other.test", 3600));
    speak("unknown_ca", stranger.issue("unknown", "DNS:localhost", 3600));
    greet("speak_plain", "https", greeting::speak_plain);
    greet("tls_mute", "https", greeting::mute);
    greet("tls_close", "https", greeting::close);
    greet("close", "http", greeting::close);
    greet("reset", "http", greeting::reset);
    urls["nobody"] = "http://127.0.0.1:1";
    urls["no_name"] = "https://provider.invalid";
  }

  temporary_folder folder;
  authority ca;
  authority stranger;
  hostile_provider provider;
  std::map<std::string, std::string> urls;
};

void check_remedy(const attempt_end& end, const json& want) {
  REQUIRE(end.remedy.has_value() == want.contains("class"));
  if (!end.remedy)
    return;
  CHECK(llm::to_string(end.remedy->what) == want["class"].get<std::string>());
  CHECK(llm::to_string(end.remedy->action) == want["action"].get<std::string>());
  CHECK((end.remedy->delay ? end.remedy->delay->count() : -1) == want.value("delay_ms", int64_t{-1}));
}

// The text of a reply equals the text of its events.
void check_events(const told& x) {
  std::string text;
  size_t ends = 0;
  for (const auto& e : x.events) {
    CHECK(ends == 0);
    text += e.kind == llm::event_kind::text ? e.text : "";
    ends += e.kind == llm::event_kind::done || e.kind == llm::event_kind::error ? 1 : 0;
  }
  if (!x.events.empty())
    CHECK(text == x.end.reply.text);
}

} // namespace

TEST_CASE("every behaviour of a hostile provider has its class and action, and received data is kept") {
  const auto table = json::parse(own_data("behaviours.json"));
  CHECK(table.size() >= 40);
  many_faces there;
  model_transport transport{in_1994()};
  std::set<std::string> names;
  for (const auto& row : table) {
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    const auto wire = llm::parse_wire_format(row.value("wire", "openai-chat")).value();
    const auto path = there.provider.add({script_of(row["does"])});
    auto a = attempt_at(there.urls.at(row.value("listener", "plain")) + path, wire, row.value("stream", true));
    a.network.ca_file = there.ca.certificate();
    set_limits(a.limits, row.value("limits", json::object()));
    const auto x = call(transport, a);
    const auto& want = row["expect"];
    CAPTURE(describe(x.end));
    CHECK(to_string(x.end.outcome) == want["end"].get<std::string>());
    check_remedy(x.end, want);
    check_events(x);
    CHECK(x.end.reply.complete == (x.end.outcome == attempt_outcome::answered));
    if (want.contains("status"))
      CHECK(x.end.status == want["status"].get<int>());
    if (want.contains("text"))
      CHECK(x.end.reply.text == want["text"].get<std::string>());
    if (want.contains("text_begins"))
      CHECK(x.end.reply.text.rfind(want["text_begins"].get<std::string>(), 0) == 0);
    if (want.contains("words"))
      CHECK(x.end.remedy->words.find(want["words"].get<std::string>()) != std::string::npos);
    // No redirect was followed, and only dead connections caused a repetition.
    size_t asked = 0;
    for (const auto& q : there.provider.requests())
      asked += q.head.rfind("POST " + path + "/", 0) == 0 ? 1U : 0U;
    CHECK(asked <= (x.end.resent ? 2U : 1U));
  }
}

TEST_CASE("recorded error answers have their class and action, whatever their framing") {
  const auto table = json::parse(llm_data("answers.json"));
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport{in_1994()};
  for (const auto& row : table) {
    CAPTURE(row["name"].get<std::string>());
    const auto status = row["status"].get<int>();
    if (status < 300)
      continue; // belongs to the format tests
    std::string headers;
    for (const auto& [name, value] : row["headers"].items())
      headers += name + ": " + value.get<std::string>() + "\r\n";
    const auto body = row["body"].get<std::string>();
    const auto first = "HTTP/1.1 " + std::to_string(status) + " x\r\n" + headers;
    const std::vector<script> framings{
        {{act::send, whole_answer(status, headers, body), 0}, {act::next_request, {}, 0}},
        {{act::send, first + "transfer-encoding: chunked\r\n\r\n" + (body.empty() ? "" : chunk(body)) + "0\r\n\r\n", 0},
         {act::next_request, {}, 0}},
        {{act::send, first + "\r\n" + body, 0}, {act::close, {}, 0}}};
    for (const auto& framing : framings) {
      const auto x = call(transport, attempt_at(plain_url(port, provider.add({framing}))));
      CHECK(x.end.status == status);
      check_remedy(x.end, row["expect"]);
    }
  }
}

TEST_CASE("hostile streams have their class and action over a connection, too") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  for (const auto& row : json::parse(llm_data("hostile_streams.json"))) {
    CAPTURE(row["name"].get<std::string>());
    const auto bytes = row["stream"].get<std::string>();
    const auto path = provider.add({{{act::send, std::string{stream_header} + "transfer-encoding: chunked\r\n\r\n", 0},
                                     {act::send, bytes.empty() ? "" : chunk(bytes), 0},
                                     {act::send, "0\r\n\r\n", 0},
                                     {act::next_request, {}, 0}}});
    const auto wire = llm::parse_wire_format(row["wire"].get<std::string>()).value();
    const auto x = call(transport, attempt_at(plain_url(port, path), wire));
    check_remedy(x.end, row["expect"]);
    check_events(x);
    if (row["expect"].contains("text"))
      CHECK(x.end.reply.text == row["expect"]["text"].get<std::string>());
  }
}
