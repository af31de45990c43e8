// The instruction groups of code for AMD's GPUs, on a listing as llvm-objdump 19 prints it.
#include "backends/amd/code_object.hpp"
#include "backends/amd/isa.hpp"

#include <doctest/doctest.h>

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
