// Tests the target `hip`: reading code objects for AMD's GPUs, made here or by Triton.
#include "backends/amd/code_object.hpp"
#include "backends/hip/hip_compiler.hpp"
#include "backends/hip/hip_target.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/triton/candidate_format.hpp"
#include "tests/cuda/triton_driver.hpp"
#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

// Returns an object with one note section.
std::string object_with(const std::string& metadata, uint16_t machine = 224, uint32_t type = 32) {
  Elf64_Nhdr note{8, static_cast<uint32_t>(metadata.size()), type};
  std::string notes(sizeof note, '\0');
  std::memcpy(notes.data(), &note, sizeof note);
  notes += std::string{"AMDGPU\0\0", 8} + metadata;
  Elf64_Shdr section{};
  section.sh_type = SHT_NOTE;
  section.sh_offset = sizeof(Elf64_Ehdr);
  section.sh_size = notes.size();
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_machine = machine;
  head.e_shnum = 1;
  head.e_shoff = sizeof head + notes.size();
  std::string out(sizeof head, '\0');
  std::memcpy(out.data(), &head, sizeof head);
  out += notes;
  out.resize(out.size() + sizeof section);
  std::memcpy(out.data() + head.e_shoff, &section, sizeof section);
  return out;
}

// MessagePack written by hand: a map of one list of one map.
const std::string kernels = "\x81\xae"
                            "amdhsa.kernels"
                            "\x91\x83\xa5"
                            ".name"
                            "\xa1"
                            "k"
                            "\xab"
                            ".vgpr_count"
                            "\x60"
                            "\xb9"
                            ".group_segment_fixed_size"
                            "\xcd\x40"
                            + std::string(1, '\0');

compile_outcome compile_hip(const std::string& source, const contract& task = {}) {
  class nobody final : public attention {
  public:
    int descriptor() const override { return -1; }
    bool attend() override { return true; }
  } listener;
  const auto* base = std::getenv("TMPDIR");
  compiler_options options;
  options.scratch = base == nullptr ? "/tmp" : base;
  options.done_without = {"landlock"};
  const auto compiler = hip::hip_compiler::make(options);
  REQUIRE_MESSAGE(compiler.has_value(), (compiler ? "" : to_string(compiler.error())));
  compile_request request;
  request.job = random_id();
  request.language = "hip";
  request.source = source;
  request.flags = "default";
  request.limit_ms = 60'000;
  request.task = task;
  return compiler->run(request, listener);
}

} // namespace

TEST_CASE("reads the resources of a code object's kernels") {
  const auto found = hip::read_code_object(object_with(kernels));
  REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().detail));
  REQUIRE(found->size() == 1);
  CHECK(found->front().name == "k");
  CHECK(found->front().vgprs == 96);
  CHECK(found->front().lds_bytes == 16384);
  for (const auto& bad : {std::string{},
                          std::string{"\x7f"
                                      "ELF"},
                          object_with(kernels, 190), object_with(kernels, 224, 1), object_with(""), object_with("\x80"),
                          object_with(kernels.substr(0, 40)), object_with(std::string(10'000, '\x91')),
                          object_with(std::string(1 << 20, '\x91')),
                          object_with("\x81\xae"
                                      "amdhsa.kernels"
                                      "\x91\xc0"),
                          object_with(kernels).substr(0, 100)})
    CHECK_FALSE(hip::read_code_object(bad).has_value());
}

TEST_CASE("occupancy follows from registers and LDS") {
  const auto with = [](uint64_t vgprs, uint64_t lds) {
    hip::code_kernel k;
    k.vgprs = vgprs;
    k.lds_bytes = lds;
    return k;
  };
  CHECK(hip::waves_per_simd(with(64, 0), 4, 0, "gfx942") == 8);
  CHECK(hip::waves_per_simd(with(65, 0), 4, 0, "gfx942") == 7);
  CHECK(hip::waves_per_simd(with(128, 0), 4, 0, "gfx942") == 4);
  CHECK(hip::waves_per_simd(with(512, 0), 4, 0, "gfx942") == 1);
  CHECK(hip::waves_per_simd(with(32, 0), 4, 65'536, "gfx942") == 1);
  CHECK(hip::waves_per_simd(with(32, 1024), 4, 65'536, "gfx942") == 0);
  CHECK(hip::waves_per_simd(with(32, 0), 4, 65'536, "gfx950") == 2);
  CHECK(hip::waves_per_simd(with(32, 0), 0, 0, "gfx942") == 0);
}

TEST_CASE("a listing's instructions are counted by kind, to the kernel's end") {
  const auto mix =
      hip::instruction_mix("k:\n; note\n\t.text\n\tv_mfma_f32_16x16x16_f16 a, b\n\tv_add_f32 v0\n\ts_mov_b32\n"
                           "\ts_endpgm\n.LBB0_2:\n\tds_read_b32\n\tglobal_load_dword\n\ts_waitcnt 0\n\ts_endpgm\n"
                           ".Lfunc_end0:\n\tv_add_f32 v0\n");
  CHECK(mix
        == std::map<std::string, size_t>{
            {"matrix", 1}, {"vector", 1}, {"scalar", 3}, {"lds", 1}, {"memory", 1}, {"wait", 1}});
  CHECK(hip::instruction_mix("").empty());
}

TEST_CASE("each kernel has its own part of a listing") {
  const std::string two = "\t.text\nfirst:\n\tv_add_f32\n.Lfunc_end0:\nfirst_2:\n\ts_endpgm\n.Lfunc_end1:\n";
  CHECK(hip::instruction_mix(hip::listing_of(two, "first")) == std::map<std::string, size_t>{{"vector", 1}});
  CHECK(hip::instruction_mix(hip::listing_of(two, "first_2")) == std::map<std::string, size_t>{{"scalar", 1}});
  for (const auto* text : {"", "\n", "first", "a\nfirst", "first_2:"})
    CHECK(hip::listing_of(text, "first").empty());
}

TEST_CASE("a candidate in HIP C++ compiles with Debian's compiler, and every figure says that it was only compiled") {
  const auto tools = hip::find_hip_toolchain();
  if (tools.clang.empty()) {
    MESSAGE("skipped: " << tools.missing << " is missing: apt-get install hipcc");
    return;
  }
  const std::string plan = "/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [1]\nblock = [256]\narguments = [\"x\", "
                           "\"y\"]\n*/\n#include <hip/hip_runtime.h>\n";
  const auto built =
      compile_hip(plan
                  + "extern \"C\" __global__ void __launch_bounds__(256) k(const float *x, float *y) {\n"
                    "  __shared__ float s[256];\n  s[threadIdx.x] = expf(x[threadIdx.x]);\n  __syncthreads();\n"
                    "  y[threadIdx.x] = s[255 - threadIdx.x];\n}\n"
                    "extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }\n");
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
  MESSAGE(built.log);
  CHECK(contains(built.log, "k for gfx90a, compiles only: "));
  CHECK(contains(built.log, "1024 bytes of LDS"));
  CHECK(contains(built.log, "twice for gfx90a, compiles only: "));
  CHECK(contains(built.log, "of 8 waves a SIMD; instructions: "));
  CHECK(unpack(built.artifact)->modules.size() == 1);
  const auto wrong = compile_hip(plan + "extern \"C\" __global__ void k(float *x) { x[0] = nothing; }\n");
  CHECK(wrong.result == verdict::compile_error);
  CHECK_MESSAGE(contains(wrong.log, "candidate.hip:9:"), wrong.log);
  CHECK(compile_hip("__global__ void k() {}\n").result == verdict::compile_error); // there is no plan
  // There is no kernel.
  CHECK(compile_hip(plan + "__device__ float f() { return 1.0f; }\n").result == verdict::compile_error);
  const auto reads = compile_hip(plan + "#include \"/etc/shadow\"\n");
  CHECK(reads.result == verdict::compile_error);
  CHECK_FALSE(contains(reads.log, "root:"));
}

TEST_CASE("a plan in HIP C++ is checked against task, code and GPU limits, with its own line numbers") {
  const auto with = [](const std::string& keys) {
    return compile_hip(
               "/* launch plan\n[[kernel]]\nname = \"k\"\n" + keys
                   + "\n*/\n#include <hip/hip_runtime.h>\n"
                     "extern \"C\" __global__ void __launch_bounds__(512) k(const float *x, float *y, long rows) {\n"
                     "  extern __shared__ float s[];\n  s[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
                     "  y[threadIdx.x] = s[rows - threadIdx.x];\n}\n",
               rows_task())
        .log;
  };
  const std::string rest = "\ngrid = [\"rows\"]\narguments = [\"x\", \"y\", \"rows\"]";
  // The plan's text is checked without a compiler.
  CHECK(contains(with("block = [64]\ngrid = [1]\narguments = [\"x\", \"nothing\"]"),
                 "candidate.hip:6:19: error: kernel[0].arguments[1]"));
  if (hip::find_hip_toolchain().clang.empty()) {
    MESSAGE("skipped from here: hipcc is missing: apt-get install hipcc");
    return;
  }
  CHECK(contains(with("block = [256]" + rest), "k for gfx90a, compiles only: "));
  const auto expect = [&](const std::string& keys, const std::string& words) {
    const auto log = with(keys);
    CHECK_MESSAGE(contains(log, words), log);
  };
  expect("block = [2048]" + rest, "candidate.hip:4:");
  expect("block = [2048]" + rest, "2048 x 1 x 1 threads, the device allows 1024");
  expect("block = [1024]" + rest, "1024 threads, its launch bounds and registers allow 512");
  expect("block = [256]\nshared = 131072" + rest, "131072, the device allows 65536 bytes");
  expect("block = [256]\ngrid = [1]\narguments = [\"x\", \"y\"]", "candidate.hip:6:");
  expect("block = [256]\ncluster = [2]" + rest, "the device has no clusters");
  expect("block = [256]\ngrid = [1]\narguments = [\"x\", \"y\", \"eps\"]", "kernel[0].arguments");
}

TEST_CASE("a candidate in Triton beyond the limits of AMD's GPUs is refused") {
  if (!why_no_triton().empty()) {
    MESSAGE("skipped: " << why_no_triton());
    return;
  }
  const std::string text =
      "\"\"\"launch plan\n[[kernel]]\nname = 'k'\ngrid = [1]\nnum_warps = 32\narguments = ['x', 'y']\n"
      "\"\"\"\nimport triton\nimport triton.language as tl\n"
      "@triton.jit\ndef k(x, y):\n    at = tl.arange(0, 4096)\n    tl.store(y + at, tl.load(x + at))\n";
  const auto built = compile_triton(text, rows_task(), "default", 60'000, "gfx942");
  CHECK(built.result == verdict::compile_error);
  CHECK_MESSAGE(contains(built.log, "2048 x 1 x 1 threads, the device allows 1024"), built.log);
}

TEST_CASE("a candidate in Triton compiles for AMD, and every figure says that it was only compiled") {
  if (!why_no_triton().empty()) {
    MESSAGE("skipped: " << why_no_triton());
    return;
  }
  for (const auto* architecture : {"gfx942", "gfx950"}) {
    CAPTURE(architecture);
    const auto built =
        compile_triton("\"\"\"launch plan\n[[kernel]]\nname = 'k'\ngrid = [1]\narguments = ['x', 'y']\n\"\"\"\n"
                       "import triton\nimport triton.language as tl\n"
                       "@triton.jit\ndef k(x, y):\n    at = tl.arange(0, 256)\n    tl.store(y + at, tl.load(x + at))\n",
                       rows_task(), "default", 60'000, architecture);
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    CHECK_MESSAGE(contains(built.log, std::string{"k for "} + architecture + ", compiles only: "), built.log);
    CHECK(contains(built.log, "of 8 waves a SIMD; instructions: "));
    CHECK(unpack(built.artifact)->modules.size() == 1);
  }
}

TEST_CASE("target hip judges nothing and reports that") {
  const hip_target t{triton_language(), ""};
  CHECK(t.compiles_only());
  CHECK(t.devices().empty());
  CHECK(contains(t.missing_requirements(), "compiles only"));
  for (const auto& row : t.doctor())
    CHECK((row.state == doctor_row::state::ok) == row.remedy.empty());
}
