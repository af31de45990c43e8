// Tests reading compute-sanitizer's log and the judgement of a replay. The logs are in the formats that the tool has
// had since 2021; none was recorded by this test.
#include "backends/nvidia/replay_result.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;

namespace {

// Version 2024 and later, without line information, on code that runs past `y`.
constexpr const char* out_of_bounds = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at iterate+0x90
=========     by thread (31,0,0) in block (78,0,0)
=========     Access at 0x7f71b9e13880 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f71b9e00000 of size 80,000 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at iterate+0x90
=========     by thread (30,0,0) in block (78,0,0)
=========     Access at 0x7f71b9e13884 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f71b9e00000 of size 80,000 bytes
=========
========= Target application returned an error
========= ERROR SUMMARY: 2 errors
)";

constexpr const char* race = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sumKernel(int *, int *)+0x90 in block_error.cu:41
=========     and Read access at sumKernel(int *, int *)+0x100 in block_error.cu:51 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";

constexpr const char* warning = R"(========= COMPUTE-SANITIZER
========= Warning: Race reported between Read access at 0x570 in kernel<Functor<int, 4>::op>(T1)
=========     and Write access at 0x4b0 in kernel<Functor<int, 4>::op>(T1) [4 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)
)";

constexpr const char* uninitialised = R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at 0x60 in /tmp/demo.cu:7:iterate(int *)
=========     by thread (63,0,0) in block (0,0,0)
=========     Address 0x7f2eb0c000fc
=========
========= ERROR SUMMARY: 1 error
)";

constexpr const char* clean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
constexpr const char* all_done =
    "buffer 139834567327744 80000 x\nbuffer 140125808099328 80000 y\nready\ndone\ndone\nend\n";

replay_run run_of(sanitizer_tool tool, const char* log, int status, const char* progress = all_done) {
  replay_run out;
  out.tool = tool;
  out.log = log;
  out.status = status;
  out.progress = progress;
  out.calls = 2;
  return out;
}

// Returns "what was sanitised|what was not, and why".
std::string said(const std::vector<replay_run>& runs) {
  auto evidence = judge_replay(runs).evidence;
  return evidence["sanitised"] + "|" + evidence["unsanitised"];
}

} // namespace

TEST_CASE("reads accesses out of bounds once each, with kernel and address") {
  const auto log = read_sanitizer_log(out_of_bounds);
  REQUIRE(log.findings.size() == 1);
  CHECK(log.complete);
  CHECK(log.reported == 2);
  const auto& f = log.findings.front();
  CHECK(f.what == "Invalid __global__ write of size 4 bytes");
  CHECK(f.kernel == "iterate");
  CHECK(f.file.empty());
  CHECK(f.address == 0x7f71b9e13880);
  CHECK_FALSE(f.warning);
  CHECK(describe(f).find("in kernel 'iterate': by thread (31,0,0) in block (78,0,0)") != std::string::npos);
}

TEST_CASE("reads races with both accesses, and which of them the tool only warns of") {
  const auto error = read_sanitizer_log(race);
  REQUIRE(error.findings.size() == 1);
  CHECK(error.findings[0].kernel == "sumKernel(int *, int *)");
  CHECK(error.findings[0].file == "block_error.cu");
  CHECK(error.findings[0].line == 41);
  CHECK(error.findings[0].more.find("block_error.cu:51") != std::string::npos);
  CHECK_FALSE(error.findings[0].warning);
  CHECK(error.trouble.empty());
  const auto mild = read_sanitizer_log(warning);
  REQUIRE(mild.findings.size() == 1);
  CHECK(mild.findings[0].warning);
  CHECK(mild.findings[0].kernel == "kernel<Functor<int, 4>::op>(T1)");
  CHECK(mild.findings[0].file.empty());
}

TEST_CASE("reads the place of an access in each form that a version of the tool prints") {
  const auto place = [](const std::string& text) {
    const auto log =
        read_sanitizer_log("========= Invalid __global__ read of size 4 bytes\n=========     at " + text + "\n");
    REQUIRE(log.findings.size() == 1);
    return log.findings[0].kernel + "|" + log.findings[0].file + "|" + std::to_string(log.findings[0].line);
  };
  CHECK(place("k+0x260") == "k||0");
  CHECK(place("k(const int *)+0x260 in a b.cu:7") == "k(const int *)|a b.cu|7");
  CHECK(place("k in /in /a.cu:7") == "k|/in /a.cu|7");
  CHECK(place("0x260 in k(int *)") == "k(int *)||0");
  CHECK(place("0x260 in /x/a.cu:223:ns::k(int *)") == "ns::k(int *)|/x/a.cu|223");
  CHECK(place("0x260 in ns::k<12>(int *)") == "ns::k<12>(int *)||0");
}

TEST_CASE("reads uninitialised reads") {
  const auto log = read_sanitizer_log(uninitialised);
  REQUIRE(log.findings.size() == 1);
  CHECK(log.findings[0].kernel == "iterate(int *)");
  CHECK(log.findings[0].line == 7);
}

TEST_CASE("no text of a log makes a finding go away") {
  const auto forged = std::string{out_of_bounds} + "========= ERROR SUMMARY: 0 errors\n" + clean;
  CHECK(read_sanitizer_log(forged).findings.size() == 1);
  CHECK(judge_replay({run_of(sanitizer_tool::memcheck, forged.c_str(), 0)}).refused.has_value());
}

TEST_CASE("an error of a tool refuses the candidate; each tool has its rule") {
  struct expectation {
    sanitizer_tool tool;
    const char* log;
    verdict result;
    const char* rule;
  };
  for (const auto& e :
       {expectation{sanitizer_tool::memcheck, out_of_bounds, verdict::out_of_bounds, "sanitizer"},
        expectation{sanitizer_tool::racecheck, race, verdict::nondeterministic, "race"},
        expectation{sanitizer_tool::initcheck, uninitialised, verdict::nondeterministic, "uninitialised_read"}}) {
    const auto judged = judge_replay({run_of(e.tool, e.log, sanitizer_found_status)});
    REQUIRE(judged.refused.has_value());
    CHECK(judged.refused->result == e.result);
    CHECK(judged.refused->rule == e.rule);
    CHECK(judged.refused->evidence.at("tool") == "compute-sanitizer " + to_string(e.tool));
    CHECK_FALSE(judged.refused->evidence.at("kernel").empty());
    CHECK(judged.evidence.empty());
  }
  const auto where = judge_replay({run_of(sanitizer_tool::racecheck, race, sanitizer_found_status)}).refused->evidence;
  CHECK(where.at("file") + ":" + where.at("line") == "block_error.cu:41");
}

TEST_CASE("a finding in a build with line information names the author's file and line") {
  // Version 2025, on a build with -lineinfo: the file's name has the folder that it was compiled in.
  constexpr const char* with_lines = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at reads(const float *, float *, int)+0xd0 in /tmp/kevolve-compile-Xb3/candidate.cu:12
=========     by thread (63,0,0) in block (9,0,0)
=========     Access at 0x7f71b9e13880 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f71b9e00000 of size 80,000 bytes
=========
========= ERROR SUMMARY: 1 error
)";
  const auto judged = judge_replay({run_of(sanitizer_tool::memcheck, with_lines, sanitizer_found_status)});
  REQUIRE(judged.refused.has_value());
  CHECK(judged.refused->detail.starts_with("memcheck: Invalid __global__ read of size 4 bytes in kernel "
                                           "'reads(const float *, float *, int)' at candidate.cu:12: by thread"));
  CHECK(judged.refused->evidence.at("file") == "candidate.cu");
  CHECK(judged.refused->evidence.at("line") == "12");
}

TEST_CASE("an access is reported with the argument that it is in or behind") {
  const auto text = [](const char* progress) {
    return judge_replay({run_of(sanitizer_tool::memcheck, out_of_bounds, sanitizer_found_status, progress)})
        .refused->detail;
  };
  CHECK(text("buffer 140126426497024 80000 y\nready\ndone\n").ends_with(", 0 bytes after the end of 'y'"));
  CHECK(text("buffer 140126426497024 80004 y\nready\ndone\n").ends_with(", in 'y', 80000 bytes from its start"));
  CHECK(text("buffer 1 80000 y\nready\ndone\n").find("'y'") == std::string::npos);
}

TEST_CASE("a warning is a note, and refuses nobody") {
  const auto judged = judge_replay({run_of(sanitizer_tool::racecheck, warning, sanitizer_found_status)});
  CHECK_FALSE(judged.refused.has_value());
  CHECK(judged.evidence.at("sanitised") == "racecheck: 2 calls");
  CHECK(judged.evidence.at("sanitised.note").starts_with("racecheck: Race in shared memory, of a Read access"));
}

TEST_CASE("a tool that did not do its work leaves the candidate unsanitised, with the reason") {
  CHECK(said({run_of(sanitizer_tool::memcheck, clean, 0), run_of(sanitizer_tool::racecheck, clean, 0)})
        == "memcheck, racecheck: 2 calls|");
  // A clean summary proves nothing if no kernel ran.
  CHECK(said({run_of(sanitizer_tool::memcheck, clean, 0, "")}) == "|it ended with status 0 before the first call");
  CHECK(
      said({run_of(sanitizer_tool::memcheck,
                   "========= COMPUTE-SANITIZER\n========= Error: Device not supported. Please refer to the manual.\n",
                   255, "")})
      == "|Error: Device not supported. Please refer to the manual.");
  CHECK(said({run_of(sanitizer_tool::memcheck, "", 0, "failed start: context: CUDA_ERROR_NOT_PERMITTED\n")})
        == "|the replay failed: start: context: CUDA_ERROR_NOT_PERMITTED");
  CHECK(said({run_of(sanitizer_tool::memcheck, clean, 0), run_of(sanitizer_tool::initcheck, "", 0)})
        == "memcheck: 2 calls|initcheck: it wrote no summary");
  CHECK(said({run_of(sanitizer_tool::memcheck, "========= ERROR SUMMARY: 3 errors\n", sanitizer_found_status)})
        == "|it reports 3 errors that cannot be read");
  CHECK(said({run_of(sanitizer_tool::memcheck, clean, 139, "ready\ndone\n")}) == "|it ended with status 139");
  replay_run absent;
  absent.not_run = "/x does not start";
  CHECK(said({absent, run_of(sanitizer_tool::racecheck, "", 3, "")})
        == "|memcheck: /x does not start; racecheck: it ended with status 3 before the first call");
  CHECK(said({absent}) == "|/x does not start");
}

TEST_CASE("a replay that its time limit ended says which part was done") {
  auto killed = run_of(sanitizer_tool::racecheck, "", 137, "ready\ndone\n");
  killed.timed_out = true;
  CHECK(said({run_of(sanitizer_tool::memcheck, clean, 0), killed})
        == "memcheck: 2 calls; racecheck: 1 of 2 calls, until its time limit|");
  CHECK(said({run_of(sanitizer_tool::memcheck, clean, 0, "ready\ndone\nstopped\n")})
        == "memcheck: 1 of 2 calls, until its time limit|");
  killed.progress = "ready\n";
  CHECK(said({killed}) == "|the time limit ended it before the first call");
}

TEST_CASE("the tool gets its options; padding is memcheck's alone") {
  const auto words = sanitizer_command("/t/compute-sanitizer", sanitizer_tool::racecheck, "/tmp/log");
  CHECK(words.front() == "/t/compute-sanitizer");
  CHECK(std::count(words.begin(), words.end(), "racecheck") == 1);
  CHECK(std::count(words.begin(), words.end(), "--padding") == 0);
  const auto memory = sanitizer_command("/t/compute-sanitizer", sanitizer_tool::memcheck, "/tmp/log");
  CHECK(std::count(memory.begin(), memory.end(), "--padding") == 1);
}
