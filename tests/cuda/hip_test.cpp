// Target hip: what code objects for AMD's GPUs say, of ones made here and of ones that Triton makes.
#include "backends/cuda/package.hpp"
#include "backends/hip/code_object.hpp"
#include "backends/hip/hip_target.hpp"
#include "tests/cuda/plan_tasks.hpp"
#include "tests/cuda/triton_driver.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

// An object with one note section.
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

// MessagePack by hand: a map of one list of one map.
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

} // namespace

TEST_CASE("a code object says what its kernels take") {
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
                           "\tds_read_b32\n\tglobal_load_dword\n\ts_waitcnt 0\n\ts_endpgm\n\tv_add_f32 v0\n");
  CHECK(mix
        == std::map<std::string, size_t>{
            {"matrix", 1}, {"vector", 1}, {"scalar", 2}, {"lds", 1}, {"memory", 1}, {"wait", 1}});
  CHECK(hip::instruction_mix("").empty());
}

TEST_CASE("a candidate in Triton compiles for AMD, and every figure says that it only compiles") {
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

TEST_CASE("target hip judges nothing and says so") {
  const hip_target t{""};
  CHECK(t.compiles_only());
  CHECK(t.devices().empty());
  CHECK(contains(t.lacks(), "compiles only"));
  for (const auto& row : t.doctor())
    CHECK((row.state == doctor_row::state::ok) == row.remedy.empty());
}
