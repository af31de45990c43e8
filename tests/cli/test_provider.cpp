#include "tests/support/hostile_provider.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::test;

namespace {

std::string streamed(const std::string& finish) {
  return whole_answer(200, "content-type: text/event-stream\r\n",
                      R"(data: {"model":"m-1","choices":[{"index":0,"delta":{"content":"ready"}}]})"
                      "\n\n"
                      R"(data: {"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":")"
                          + finish
                          + "\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n");
}

struct tried {
  hostile_provider provider;
  temporary_folder folder;

  // Sends one question to a provider with this answer. Its key is read from a file.
  outcome ask(const std::string& answer, const std::string& key = "sk-canary-0123456789") {
    std::filesystem::permissions(folder.write("key", key + "\n"), std::filesystem::perms::owner_read);
    folder.write("node.toml",
                 "data_dir = \"d\"\n[[provider]]\nname = \"mine\"\nkind = \"openai-chat\"\nmodel = \"m\"\n"
                 "key_file = \"key\"\nprice = { input = 1000.0, output = 1000.0 }\nurl = \"http://127.0.0.1:"
                     + std::to_string(port) + provider.add({{{act::send, answer, 0}}}) + "\"\n");
    return run_kevolve({"provider", "test", "mine", "--node", "node.toml", "--json"}, folder.path);
  }

  uint16_t port = provider.listen();
};

} // namespace

TEST_CASE("a provider is tested with one question, and the result is reported") {
  tried t;
  const auto said = t.ask(streamed("stop"));
  REQUIRE(said.code == 0);
  const auto x = said.document();
  CHECK(x["text"] == "ready");
  CHECK(x["cut_off"] == false);
  CHECK(x["model_answered"] == "m-1");
  CHECK(x["tokens"]["input"] == 9);
  CHECK(x["cost"] == doctest::Approx(0.011));
  REQUIRE(t.provider.requests().size() == 1);
  CHECK(t.provider.requests()[0].head.find("sk-canary-0123456789") != std::string::npos);
  CHECK(said.out.find("sk-canary") == std::string::npos);
}

TEST_CASE("an answer cut by its limit counts as an answer") {
  tried t;
  const auto said = t.ask(streamed("length"));
  REQUIRE(said.code == 0);
  CHECK(said.document()["cut_off"] == true);
}

TEST_CASE("a provider's rejection is reported with its class, once, and without the key") {
  tried t;
  const auto said = t.ask(whole_answer(401, "content-type: application/json\r\n",
                                       R"({"error":{"message":"bad key sk-canary-0123456789"}})"));
  CHECK(said.code == 4);
  const auto detail = said.document()["error"]["detail"].get<std::string>();
  CHECK(detail.find("provider 'mine': auth (HTTP 401)") == 0);
  CHECK(said.out.find("sk-canary") == std::string::npos);
  CHECK(said.err.find("sk-canary") == std::string::npos);
}

TEST_CASE("a missing key or an unknown name is reported before anything is sent") {
  tried t;
  const auto said = t.ask(streamed("stop"), "");
  CHECK(said.code == 2);
  CHECK(said.document()["error"]["detail"].get<std::string>().find("provider 'mine': key file key has no key") == 0);
  CHECK(t.provider.requests().empty());
  const auto other = run_kevolve({"provider", "test", "other", "--node", "node.toml"}, t.folder.path);
  CHECK(other.code == 3);
  CHECK(other.err.find("it has: mine") != std::string::npos);
}

TEST_CASE("a node's providers are listed, and resumed by name") {
  temporary_folder f;
  f.write("kevolved.toml",
          "data_dir = \"kevolve-data\"\nlisten = \"127.0.0.1:0\"\n[[provider]]\nname = \"mine\"\nkind = "
          "\"openai-chat\"\nmodel = \"m\"\nkey_file = \"key\"\n");
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("provider 'mine' cannot be asked yet: there is no key file key: write the key into it"));
  REQUIRE(daemon.wait_for("serving "));
  const auto all = run_kevolve({"provider", "list", "--json"}, f.path).document();
  REQUIRE(all["items"].size() == 1);
  CHECK(all["items"][0]["state"] == "ready");
  const auto resumed = run_kevolve({"provider", "resume", "mine"}, f.path);
  CHECK(resumed.code == 0);
  CHECK(resumed.out == "mine is asked again\n");
  const auto other = run_kevolve({"provider", "resume", "other"}, f.path);
  CHECK(other.code == 3);
  CHECK(other.err.find("it has: mine") != std::string::npos);
}

TEST_CASE("a file without an answer is not sent") {
  temporary_folder f;
  f.write("empty", "");
  f.write("large", std::string((size_t{1} << 20) + 1, 'x'));
  f.write("binary", "\xff\xfe\x80");
  for (const auto& [file, why] : {std::pair{"empty", "empty is empty: the reply is expected in it"},
                                  {"large", "large has more than 1048576 bytes"},
                                  {"binary", "binary is not UTF-8 text"}}) {
    const auto said = run_kevolve({"relay", "answer", "0123456789abcdef0123456789abcdef-1-0-0", file}, f.path);
    CHECK(said.code == 2);
    CHECK(said.err.find(why) != std::string::npos);
  }
}
