// The instruction groups of code for AMD's GPUs, on a listing as llvm-objdump 19 prints it.
#include "backends/amd/code_object.hpp"
#include "backends/amd/isa.hpp"
#include "backends/capture.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/profile/locked_sandbox.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::hip;

TEST_CASE("a disassembly is counted by kernel, group and width") {
  const auto kernels = read_isa("module.hsaco:\tfile format elf64-amdgpu\n\nDisassembly of section .text:\n\n"
                                "0000000000001600 <softmax>:\n"
                                "\ts_load_dwordx4 s[0:3], s[0:1], 0x0 // 000000001600: C00A0000\n"
                                "\tglobal_load_dwordx4 v[0:3], v0, s[0:1]\n"
                                "\tglobal_load_ushort v4, v0, s[0:1]\n"
                                "\tbuffer_store_dword v4, off, s[4:7], 0\n"
                                "\tscratch_store_dword off, v1, s33\n"
                                "\tds_read_b128 v[4:7], v9\n"
                                "\tds_bpermute_b32 v1, v2, v3\n"
                                "\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
                                "\tv_exp_f32_e32 v1, v2\n"
                                "\tv_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]\n"
                                "\ts_barrier\n"
                                "\ts_waitcnt vmcnt(0)\n"
                                "\ts_cbranch_scc1 65520\n"
                                "\ts_endpgm\n"
                                "\n0000000000001700 <empty>:\n\t...\n");
  REQUIRE(kernels.size() == 1);
  const auto& k = kernels.front();
  CHECK(k.name == "softmax");
  CHECK(k.instructions == 14);
  CHECK(k.mix.at("global_load") == 2);
  CHECK(k.mix.at("global_store") == 1);
  CHECK(k.mix.at("scratch_store") == 1);
  CHECK(k.mix.at("shared_load") == 1);
  CHECK(k.mix.at("shuffle") == 1);
  CHECK(k.mix.at("matrix") == 1);
  CHECK(k.mix.at("special") == 1);
  CHECK(k.mix.at("fma") == 1);
  CHECK(k.mix.at("barrier") == 1);
  CHECK(k.mix.at("branch") == 2);
  CHECK(k.widths.at("global_load.128") == 1);
  CHECK(k.widths.at("global_load.16") == 1);
  CHECK(k.widths.at("shared_load.128") == 1);
  CHECK(read_isa("no listing").empty());
}

TEST_CASE("the resource that limits the waves of a SIMD is named") {
  code_kernel k;
  k.vgprs = 128;
  CHECK(limit_of_waves(k, 4, 0, "gfx942").waves == 4);
  CHECK(limit_of_waves(k, 4, 0, "gfx942").limit == "registers");
  k.lds_bytes = 32 << 10;
  CHECK(limit_of_waves(k, 4, 0, "gfx942").waves == 2);
  CHECK(limit_of_waves(k, 4, 0, "gfx942").limit == "LDS");
  CHECK(limit_of_waves(k, 4, 64 << 10, "gfx942").waves == 0);
  k = {};
  k.vgprs = 32;
  CHECK(limit_of_waves(k, 4, 0, "gfx942").limit == "waves");
}

TEST_CASE("the pass reads a code object that clang makes here, and disassembles it in the sandbox") {
  const auto clang = find_program("clang-19");
  if (clang.empty() || !find_pass("amd.code")->available({}).available) {
    MESSAGE("skipped: clang-19 or llvm-objdump is missing");
    return;
  }
  std::string folder = "/tmp/kevolve-amd-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::ofstream{folder + "/k.cl"}
      << "typedef float f4 __attribute__((ext_vector_type(4)));\n"
         "__kernel void scale(__global const f4 *x, __global f4 *y, __local float *t) {\n"
         "  int i = __builtin_amdgcn_workitem_id_x();\n  t[i] = x[i].x;\n  __builtin_amdgcn_s_barrier();\n"
         "  y[i] = x[i] * __builtin_amdgcn_exp2f(t[63 - i]);\n}\n";
  const auto built = capture({clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O2",
                              "-c", folder + "/k.cl", "-o", folder + "/k.o"});
  REQUIRE(built);
  REQUIRE_MESSAGE(built->status == 0, built->output);
  std::ifstream in{folder + "/k.o", std::ios::binary};
  locked_pass_sandbox sandbox;
  pass_request q;
  q.task.shapes = {{"n=64", {}}};
  q.object = pack({{std::string{std::istreambuf_iterator<char>{in}, {}}}, ""});
  q.folder = folder;
  q.sandbox = &sandbox;
  q.deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto made = find_pass("amd.code")->run(q);
  std::filesystem::remove_all(folder);
  REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
  const auto rows = nlohmann::json::parse(made->made.at(artefact_kind::resources));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["kernel"] == "scale");
  CHECK(rows[0]["architecture"] == "gfx942");
  CHECK(rows[0]["registers"].get<int>() > 0);
  const auto groups = nlohmann::json::parse(made->made.at(artefact_kind::assembly));
  REQUIRE(groups.size() == 1);
  CHECK(groups[0]["widths"]["global_load.128"].get<int>() >= 1);
  CHECK(groups[0]["widths"]["global_store.128"] == 1);
  CHECK(groups[0]["mix"]["special"] == 1);
  CHECK(groups[0]["mix"]["barrier"] == 1);
}
