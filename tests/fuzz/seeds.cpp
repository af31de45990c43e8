// fuzz-seeds DIR: writes the corpora that need our own encodings, one folder per target. make_seeds.py adds those that
// need clang.
#include "actors/messages/records.hpp"
#include "backends/generator.hpp"
#include "backends/judge/zygote/wire.hpp"
#include "config/campaign.hpp"
#include "runtime/base/channel.hpp"
#include "store/record.hpp"
#include "tests/support/small_object.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using kevolve::testing::small_object;

namespace {

namespace fs = std::filesystem;

fs::path root;

void write(const std::string& target, const std::string& name, const std::string& bytes) {
  fs::create_directories(root / target);
  std::ofstream{root / target / name, std::ios::binary} << bytes;
}

contract some_contract() {
  contract c;
  c.name = "seed";
  c.entry = "f";
  c.language = "c";
  argument x;
  x.name = "x";
  x.shape = {"n", "m"};
  x.strides = {"m+8", "1"};
  x.edge = {"zeros", "large"};
  argument y;
  y.name = "y";
  y.role = argument_role::output;
  y.shape = {"n*m"};
  argument n;
  n.name = "n";
  n.role = argument_role::size;
  n.type = dtype::i64;
  c.arguments = {x, y, n};
  c.derived = {{"m", "n+1"}};
  c.shapes = {{"n=8", {{"n", 8}}, false, 1.0}, {"n=3", {{"n", 3}}, true, 1.0}};
  c.tolerances = {{"", tolerance_mode::absrel, 1e-5, 1e-6, 0.0}};
  c.work_flops = "2*n*m";
  c.work_bytes = "8*n*m";
  return c;
}

judge_request some_request() {
  judge_request r;
  r.task = some_contract();
  r.reference = "reference";
  r.candidate = "candidate";
  r.seed = 1;
  return r;
}

// Must use the numbers of the readers in tests/fuzz/records.cpp.
template <class T>
void record_seed(char kind, const std::string& name, const T& x) {
  write("records", name, kind + encode(x));
}

void records() {
  write("records", "sealed", std::string{'\0'} + record::seal(table::nodes, "key", "payload"));
  write("records", "frames", '\1' + frame_bytes(4, "first") + frame_bytes(6, "second"));
  record_seed(2, "hello", helper_hello{1, "judge", "print", {{"sandbox", "landlock7"}}});
  record_seed(5, "compile_request", compile_request{});
  compile_outcome compiled;
  compiled.log = "candidate.c:1:1: error";
  record_seed(6, "compile_outcome", compiled);
  record_seed(7, "judge_request", some_request());
  judge_outcome judged;
  judged.evidence = {{"pairs", "30"}};
  judged.timings.resize(2);
  judged.timings[0].baseline_ns = {1.0, 2.0};
  record_seed(8, "judge_outcome", judged);
  record_seed(9, "contract", some_contract());
  record_seed(11, "campaign", campaign_spec{});
  record_seed(18, "evaluation", evaluation_record{});
  record_seed(19, "node", node_record{});
  device_record device;
  device.sample.clocks_mhz = {{"sm", 1}};
  device.sample.throttled_by = {{"sw_power_cap"}};
  record_seed(27, "device", device);
  record_seed(24, "ancestor",
              ancestor{{2.0, 1.9, 2.1},
                       "L0:tile(8)",
                       "source",
                       "O3",
                       "pass",
                       "",
                       3,
                       "tiled",
                       2,
                       {{"mid", 5e6}},
                       {{"mid", 2.5e6}},
                       "memory",
                       "90 % of its rate",
                       "spills",
                       0,
                       R"({"findings":[]})",
                       {}});
}

void objects() {
  write("object_file", "honest", small_object{{{DT_NEEDED, "libm.so.6"}, {DT_NEEDED, "libc.so.6"}}}.lay_out().bytes());
  write("object_file", "library", small_object{{{DT_NEEDED, "libopenblas.so.0"}}}.lay_out().bytes());
  write("object_file", "runpath", small_object{{{DT_RUNPATH, "/tmp"}, {DT_AUDIT, "a.so"}}}.lay_out().bytes());
  small_object more{{{DT_NEEDED, "libc.so.6"}}};
  more.segments.resize(4);
  more.segments[3].p_type = PT_INTERP;
  more.lay_out();
  more.segments[2] = more.segments[0];
  more.segments[2].p_vaddr = 8192;
  write("object_file", "segments", more.bytes());
}

void messages() {
  wire::load_report report = {};
  report.state = wire::load_state::load_failed;
  std::snprintf(report.text, sizeof(report.text), "no function named 'f'");
  const std::string heard{"\x01\x01"}; // decoded as true by value_source
  write("child_messages", "load_report", heard + std::string{reinterpret_cast<const char*>(&report), sizeof(report)});
  const uint64_t token = 0x1122'3344'5566'7788ULL;
  write("child_messages", "done", heard + std::string{reinterpret_cast<const char*>(&token), sizeof(token)});
  for (char type = 0; type < 9; ++type) {
    std::string output{'\0'};
    output += type;
    output += std::string{"\x02\x04\x05\x01\x00\x01\x00\x01\x01\x01\x01\x00\x01\x20", 14};
    for (int i = 0; i < 64; ++i)
      output += static_cast<char>(i * 7 * (type + 1));
    write("child_messages", "output-" + std::to_string(type), output);
  }
}

void requests() {
  write("judge_request", "decoded", std::string{'\0'} + '\0' + encode(some_request()));
  for (int k = 1; k < 8; ++k) {
    std::string bytes{static_cast<char>(k)};
    for (int i = 0; i < 300; ++i)
      bytes += static_cast<char>((i * 37 + k * 101) % 97);
    write("judge_request", "made-" + std::to_string(k), bytes);
  }
}

void diagnostics() {
  write("compiler_output", "error",
        std::string{"\x00\x01", 2}
            + "/tmp/headers/a.h:1:1: error: no\n/tmp/kevolve-compile.1.abcdef/candidate.c:3:4: x\n");
  write("compiler_output", "crash",
        "\x01\x0b"
        "PLEASE submit a bug report\nStack dump:\n0. Program arguments\n");
  write("compiler_output", "memory", std::string{"\x00\x01", 2} + "LLVM ERROR: out of memory\n");
  write("compiler_output", "driver", std::string{"\x00\x00", 2} + R"( "/usr/bin/clang" "-cc1" "-D" "a\"b\\c" -x c "")");
}

void requests_to_the_admin() {
  const std::string host = "Host: 127.0.0.1:7700\r\n";
  const std::string token = "Authorization: Bearer " + std::string(64, 'a') + "\r\n";
  write("http_request", "get", "GET /v1/campaigns?state=running&limit=5 HTTP/1.1\r\n" + host + token + "\r\n");
  write("http_request", "post",
        "POST /v1/campaigns/abcd/pause HTTP/1.1\r\n" + host + token
            + "Content-Length: 14\r\nIdempotency-Key: k\r\n\r\n{\"reason\":\"x\"}");
  write("http_request", "chunked",
        "POST /v1/campaigns/ab%2Fcd/pause HTTP/1.1\r\n" + host
            + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  write("http_request", "leak", "GET /v1/campaigns?token=" + std::string(64, 'a') + " HTTP/1.1\r\n" + host + "\r\n");
  write("http_request", "foreign", "GET / HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n");
}

void settings() {
  write("config_files", "task",
        std::string{'\0'}
            + "[task]\nname = \"t\"\n[[argument]]\nname = \"x\"\nrole = \"input\"\ndtype = \"f32\"\nshape = [\"n*2\"]\n"
              "[[argument]]\nname = \"n\"\nrole = \"size\"\n[[shape]]\nn = 4\n[reference]\nlanguage = \"c\"\n"
              "file = \"t.c\"\nentry = \"t\"\n[tolerance]\nrelative = 1e-5\n");
  write("config_files", "campaign",
        "\1task = \"t.task.toml\"\ntarget = \"cpu\"\nseed = 1\n[[generator]]\nkind = \"transform\"\nweight = 1.0\n"
        "[search]\npolicy = \"uct\"\n[budget]\ncandidates = 30\nwall = \"2m\"\n[stop]\nstall = 8\n");
  write("config_files", "node",
        "\2data_dir = \"d\"\nlisten = \"127.0.0.1:7700\"\n[[device]]\ntarget = \"cpu\"\ncores = [1]\n[limits]\n"
        "campaigns = 2\n[tls]\ncertificate = \"c\"\nkey = \"k\"\n[log]\nlevel = \"info\"\n");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz-seeds DIR\n");
    return 2;
  }
  root = argv[1];
  records();
  objects();
  messages();
  requests();
  diagnostics();
  requests_to_the_admin();
  settings();
  return 0;
}
