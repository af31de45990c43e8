#include "tests/admin/served_node.hpp"

#include "runtime/base/base64.hpp"
#include "runtime/node/admin/submission.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using test::shared_node;

namespace {

test::raw_answer post(const std::string& path, const json& body) {
  return shared_node().ask("POST", path, {{"Content-Type", "application/json"}}, to_text(body));
}

std::string campaign_path() {
  return "/v1/campaigns/" + to_string(shared_node().campaign);
}

std::vector<std::string> keys_of(const json& problem) {
  std::vector<std::string> out;
  for (const auto& e : problem["errors"])
    out.push_back(e["key"].is_string() ? e["key"].get<std::string>() : "");
  std::sort(out.begin(), out.end());
  return out;
}

submitted_files bundle() {
  submitted_files b;
  b.file = "c/campaign.toml";
  b.files["c/campaign.toml"] = "task = \"../t/x.task.toml\"\ntarget = \"cpu\"\n[[generator]]\nkind = \"transform\"\n"
                               "[budget]\ncandidates = 3\n";
  b.files["t/x.task.toml"] = "[task]\nname = \"x\"\nfamily = \"f\"\nsummary = \"s\"\n"
                             "[[argument]]\nname = \"y\"\nrole = \"inout\"\ndtype = \"f32\"\nshape = [\"n\"]\n"
                             "fill = { distribution = \"normal\", mean = 0.0, std = 1.0 }\n"
                             "[[argument]]\nname = \"n\"\nrole = \"size\"\n[[shape]]\nn = 8\n"
                             "[reference]\nlanguage = \"c\"\nfile = \"x.c\"\nentry = \"x\"\n"
                             "[tolerance]\nrelative = 1e-5\nabsolute = 1e-6\n";
  b.files["t/x.c"] =
      "#include <stdint.h>\nvoid x(float *x, int64_t n) { for (int64_t i = 0; i < n; i++) x[i] *= 2; }\n";
  return b;
}

std::string all_errors(const submitted_files& b) {
  auto spec = load_submitted(b);
  std::string out;
  if (!spec)
    for (const auto& e : spec.error())
      out += e.key + ": " + e.detail + "\n";
  return out;
}

} // namespace

TEST_CASE("an unknown campaign is 404, an ended one 409, for every way to steer") {
  const std::vector<std::pair<std::string, json>> ways{
      {"/priority", {{"priority", 7}}},
      {"/budget", {{"candidates", 9}}},
      {"/inject", {{"source", "int x;"}, {"flags", "O3"}}},
      {"/candidates/1/pin", json::object()},
      {"/candidates/1/ban", json::object()},
  };
  for (const auto& [path, body] : ways) {
    CAPTURE(path);
    CHECK(post("/v1/campaigns/" + std::string(32, '0') + path, body).status == 404);
    auto answer = post(campaign_path() + path, body);
    CHECK(answer.status == 409);
    CHECK(json::parse(answer.body)["type"] == "urn:kevolve:problem:conflict");
  }
  CHECK(post("/v1/campaigns/" + std::string(32, '0') + "/candidates/1/fork", json::object()).status == 404);
  CHECK(post(campaign_path() + "/candidates/999/fork", json::object()).status == 404);
  CHECK(post(campaign_path() + "/candidates/two/pin", json::object()).status == 400);
}

TEST_CASE("an invalid body is 422 with every error by its key") {
  auto answer =
      post(campaign_path() + "/inject", {{"flags", 3}, {"parent", -1}, {"language", "rust"}, {"colour", "red"}});
  CHECK(answer.status == 422);
  auto problem = json::parse(answer.body);
  CHECK(problem["type"] == "urn:kevolve:problem:invalid");
  CHECK(keys_of(problem) == std::vector<std::string>{"colour", "flags", "language", "parent", "source"});
  CHECK(post(campaign_path() + "/priority", {{"priority", 0}}).status == 422);
  CHECK(post(campaign_path() + "/priority", {{"priority", 1.5}}).status == 422);
  CHECK(post(campaign_path() + "/priority", json::object()).status == 422);
  CHECK(post(campaign_path() + "/budget", json::object()).status == 422);
  CHECK(post(campaign_path() + "/budget", {{"candidates", -3}, {"wall_s", "long"}}).status == 422);
  CHECK(post(campaign_path() + "/candidates/0/fork", json::object()).status == 422);
  CHECK(shared_node().ask("POST", campaign_path() + "/priority", {{"Content-Type", "application/json"}}, "{").status
        == 400);
}

TEST_CASE("a submission is loaded only from the files sent") {
  REQUIRE_MESSAGE(load_submitted(bundle()), all_errors(bundle()));
  CHECK(load_submitted(bundle())->task.reference_path == "t/x.c");
  auto b = bundle();
  b.files["../escape"] = "x";
  CHECK(all_errors(b).find("'../escape' is no plain relative path") != std::string::npos);
  b = bundle();
  b.files["/etc/escape"] = "x";
  CHECK(all_errors(b).find("'/etc/escape' is no plain relative path") != std::string::npos);
  b = bundle();
  b.files["c/campaign.toml"].replace(0, b.files["c/campaign.toml"].find('\n'), "task = \"/etc/hostname\"");
  CHECK(all_errors(b).find("task is the absolute path '/etc/hostname'") != std::string::npos);
  b = bundle();
  b.files["c/campaign.toml"].replace(0, b.files["c/campaign.toml"].find('\n'), "task = \"../../t/x.task.toml\"");
  CHECK(all_errors(b).find("not among the files that were sent") != std::string::npos);
  b = bundle();
  auto& task = b.files["t/x.task.toml"];
  task.replace(task.find("x.c"), 3, "../../../../etc/passwd");
  CHECK(all_errors(b).find("reference.file names") != std::string::npos);
  b = bundle();
  b.files["other/y.task.toml"] = b.files["t/x.task.toml"];
  b.files["other/x.c"] = b.files["t/x.c"];
  b.files.erase("t/x.task.toml"); // no file refers to it any more
  b.overrides = {"task=other/y.task.toml"};
  REQUIRE_MESSAGE(load_submitted(b), all_errors(b));
  CHECK(load_submitted(b)->task.path == "other/y.task.toml");
  CHECK(load_submitted(b)->task.reference_path == "other/x.c");
  b = bundle();
  for (const auto* set : {"task=/etc/hostname", ".task=\"/etc/hostname\"", "[task]=/etc/hostname", "].[task=x",
                          "task=../t/x.task.toml", "task=c/../t/x.task.toml", "task=t/nowhere.toml"}) {
    b.overrides = {"seed=2", set};
    CHECK_MESSAGE(all_errors(b).starts_with("overrides: "), std::string{set});
  }
  b.overrides = {"seed=2"};
  CHECK(load_submitted(b)->seed == 2);
  b.overrides.assign(257, "seed=2");
  CHECK(all_errors(b) == "overrides: must be at most 256\n");
  b.overrides.pop_back();
  CHECK(load_submitted(b)->seed == 2);
  b = bundle();
  b.file = "other.toml";
  CHECK(all_errors(b).find("file: 'other.toml'") != std::string::npos);
  b = bundle();
  b.files["c/campaign.toml"] += "colour = 1\n[search]\npolicy = \"utc\"\n";
  auto said = all_errors(b);
  CHECK(said.find("c/campaign.toml:") != std::string::npos);
  CHECK(said.find("colour") != std::string::npos);
  CHECK(said.find("did you mean 'uct'") != std::string::npos);
  CHECK(said.find("kevolve-submit-") == std::string::npos); // the path of the check is not reported
}

TEST_CASE("a module's weights are sent as bytes, and are part of the campaign") {
  auto b = bundle();
  auto& task = b.files["t/x.task.toml"];
  task.replace(task.find("[[argument]]"), 0, "[module]\nfile = \"m.py\"\nentry = \"M\"\nweights = \"x.safetensors\"\n");
  const auto y = task.find("fill = ");
  task.insert(y, "origin = \"input 0\"\n");
  task.replace(task.find("role = \"inout\""), 14, "role = \"output\"");
  task.replace(task.find("origin = \"input 0\""), 18, "origin = \"output 0\"");
  task.erase(task.find("fill = "), task.find('\n', task.find("fill = ")) - task.find("fill = ") + 1);
  task.insert(task.find("[[argument]]"), "[[argument]]\nname = \"w\"\nrole = \"weight\"\ndtype = \"u8\"\nshape = [3]\n"
                                         "origin = \"parameter w\"\n");
  b.files["t/m.py"] = "import torch\n";
  const auto said = [&](const json& binary) {
    json body{{"file", b.file}, {"files", b.files}};
    if (!binary.is_null())
      body["binary_files"] = binary;
    return post("/v1/campaigns", body).body;
  };
  CHECK(said(nullptr).find("module.weights names 'x.safetensors', which is not among the files") != std::string::npos);
  CHECK(said({{"t/x.safetensors", "no base64"}}).find("'t/x.safetensors' is no base64") != std::string::npos);
  CHECK(said({{"t/m.py", "QUJD"}}).find("'t/m.py' is among files, too") != std::string::npos);
  const std::string header = R"({"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})";
  const auto file = std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "\xff\xfe\x01";
  b.files["t/x.safetensors"] = file;
  const auto spec = load_submitted(b);
  REQUIRE_MESSAGE(spec, all_errors(b));
  CHECK(spec->task.files.at("x.safetensors") == file);
  CHECK(from_base64(to_base64(file)).value() == file);
}

TEST_CASE("at most a hundred errors are listed, with their total number") {
  auto b = bundle();
  for (int i = 0; i < 150; ++i)
    b.files["c/campaign.toml"].insert(0, "unknown_" + std::to_string(i) + " = 1\n");
  auto answer = post("/v1/campaigns", {{"file", b.file}, {"files", b.files}});
  CHECK(answer.status == 422);
  const auto errors = json::parse(answer.body)["errors"];
  REQUIRE(errors.size() == 101);
  CHECK(errors.back()["detail"] == "and 50 more");
}

TEST_CASE("the document describes every typed body") {
  auto document = shared_node().get("/v1/openapi.json");
  const auto& inject = document["paths"]["/v1/campaigns/{id}/inject"]["post"];
  const auto& schema = inject["requestBody"]["content"]["application/json"]["schema"];
  CHECK(inject["requestBody"]["required"] == true);
  CHECK(schema["required"] == json::array({"source", "flags"}));
  CHECK(schema["properties"]["language"]["enum"] == json::array({"c", "cpp", "cuda", "hip", "triton"}));
  CHECK(schema["additionalProperties"] == false);
  for (const auto* path : {"/v1/campaigns", "/v1/campaigns/{id}/priority", "/v1/campaigns/{id}/budget",
                           "/v1/campaigns/{id}/candidates/{index}/pin", "/v1/campaigns/{id}/candidates/{index}/unban",
                           "/v1/campaigns/{id}/candidates/{index}/fork"})
    CHECK_MESSAGE(document["paths"][path].contains("post"), path);
}
