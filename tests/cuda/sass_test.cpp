// Tests the analysis of recorded disassembler listings (data/README.md).
#include "backends/nvidia/sass.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

using namespace kevolve;

namespace {

std::string recorded(const std::string& name) {
  std::ifstream in{std::string{std::getenv("KEVOLVE_SOURCE")} + "/tests/cuda/data/" + name, std::ios::binary};
  std::string out{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(out.empty());
  return out;
}

const sass_kernel& named(const std::vector<sass_kernel>& kernels, const std::string& name) {
  for (const auto& k : kernels)
    if (k.name == name)
      return k;
  FAIL("there is no kernel " << name);
  return kernels.front();
}

contract task_of(const std::string& family, dtype type) {
  contract out;
  out.family = family;
  argument x;
  x.name = "x";
  x.type = type;
  out.arguments.push_back(x);
  return out;
}

std::string line(const std::string& mnemonic) {
  return "        /*0010*/  " + mnemonic + " R0, R1 ;\n";
}

} // namespace

TEST_CASE("a profile counts accesses by width, and special functions") {
  const auto listing = ".text.f:\n" + line("LDG.E") + line("LDG.E.128.CONSTANT") + line("LDG.E.U16") + line("STS.64")
                       + line("LDGSTS.E.BYPASS.128") + line("MUFU.EX2") + line("FFMA");
  const auto kernels = read_sass(listing);
  REQUIRE(kernels.size() == 1);
  const auto told = nlohmann::json::parse(sass_groups_json(kernels))[0];
  CHECK(told["special"] == 1);
  CHECK(told["widths"] == nlohmann::json::parse(R"({"async_copy.128":1,"global_load.128":1,"global_load.16":1,
    "global_load.32":1,"shared_store.64":1})"));
  CHECK(told["mix"]["fma"] == 1);
}

TEST_CASE("a listing of nvdisasm gives the composition of each kernel") {
  using enum sass_class;
  const auto kernels = read_sass(recorded("sass.nvdisasm.txt"));
  REQUIRE(kernels.size() == 3);
  const auto& wide = named(kernels, "wide");
  CHECK(wide.of(global_load) == 1);
  CHECK(wide.wide_loads == 1);
  CHECK(wide.of(global_store) == 1);
  CHECK(wide.of(fma) == 1); // does not count the constant built by the half-precision multiplier
  CHECK(wide.of(local_load) + wide.of(local_store) == 0);
  const auto& spills = named(kernels, "spills");
  CHECK(spills.of(local_load) == 32); // ptxas reports 128 bytes of spill stores and 128 bytes of spill loads
  CHECK(spills.of(local_store) == 32);
  CHECK(spills.of(global_load) == 80);
  CHECK(spills.wide_loads == 0);
  CHECK(spills.of(fma) == 40);
  CHECK(spills.of(tensor) == 0);
  const auto& tiles = named(kernels, "tiles");
  CHECK(tiles.of(async_copy) == 1);
  CHECK(tiles.wide_loads == 1);
  CHECK(tiles.of(tensor) == 1);
  CHECK(tiles.of(shared_load) == 2); // does not count those before the copy that are never executed
  CHECK(tiles.of(shared_store) == 1);
  CHECK(tiles.of(shuffle) == 5);
  CHECK(tiles.of(atomic) == 1);
  CHECK(tiles.of(conversion) == 1);
  CHECK(tiles.of(barrier) == 3);
  for (const auto& k : kernels) {
    uint64_t sum = 0;
    for (const auto n : k.count)
      sum += n;
    CHECK(sum == k.instructions);
  }
}

TEST_CASE("the copy engine and warp-group products are recognised") {
  using enum sass_class;
  const auto kernels = read_sass(recorded("sass_hopper.nvdisasm.txt"));
  REQUIRE(kernels.size() == 1);
  const auto& k = kernels.front();
  CHECK(k.name == "hopper");
  CHECK(k.of(bulk_copy) == 1);
  CHECK(k.of(tensor) == 1);
  CHECK(k.of(global_store) == 1);
  CHECK(k.loads() == 0);
  CHECK(sass_notes(kernels, task_of("gemm", dtype::f16)).empty());
}

TEST_CASE("mnemonics map to their classes") {
  using enum sass_class;
  const struct {
    const char* mnemonic;
    sass_class is;
  } cases[] = {
      {"LD.E.64", global_load},
      {"LDG.E.128.CONSTANT", global_load},
      {"LDGSTS.E.BYPASS.LTC128B.128", async_copy},
      {"LDSM.16.MT88.4", shared_load},
      {"ULDC.64", constant_load},
      {"ST.E", global_store},
      {"STSM.16.M88.4", shared_store},
      {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", atomic},
      {"REDUX.SUM.S32", shuffle},
      {"ATOMS.ADD", atomic},
      {"UTMALDG.2D", bulk_copy},
      {"UBLKCP", bulk_copy},
      {"UTMACMDFLUSH", barrier},
      {"HGMMA.64x128x16.F32", tensor},
      {"IMMA.16832.S8.S8", tensor},
      {"UTCHMMA", tensor},
      {"HFMA2.MMA", fma},
      {"FFMA.FTZ", fma},
      {"MUFU.EX2", floating},
      {"HADD2.F32", conversion},
      {"HADD2", floating},
      {"F2FP.BF16.F32.PACK_AB", conversion},
      {"IMAD.WIDE.U32", integer},
      {"IMAD.MOV.U32", move},
      {"UMOV", move},
      {"UP2UR", other},
      {"VHMNMX.PACK_AB", floating},
      {"UIADD3", integer},
      {"SHF.R.U32.HI", integer},
      {"SHFL.BFLY", shuffle},
      {"BRA.U.ANY", branch},
      {"SYNCS.PHASECHK.TRANS64.TRYWAIT", barrier},
      {"UCGABAR_WAIT", barrier},
      {"S2R", other},
      {"A.WORD.OF.TOMORROW", other},
      {"U", other},
      {"", other},
  };
  for (const auto& c : cases)
    CHECK_MESSAGE(class_of_sass(c.mnemonic) == c.is, c.mnemonic << " is " << to_string(class_of_sass(c.mnemonic)));
}

TEST_CASE("figures are written as JSON without empty classes") {
  auto kernels = read_sass(".text.k:\n" + line("LDG.E.128") + line("@P0 LDG.E") + line("@!PT LDS") + line("NOP")
                           + line("@!UP0 EXIT") + ".text.empty:\n");
  REQUIRE(kernels.size() == 2);
  kernels[0].registers = 40;
  kernels[0].static_shared = 1024;
  const auto json = nlohmann::json::parse(sass_json(kernels));
  CHECK(json == nlohmann::json::parse(R"([{"kernel":"k","instructions":3,"mix":{"global_load":2,"branch":1},
          "wide_load_share":0.5,"registers":40,"static_shared":1024},
          {"kernel":"empty","instructions":0,"mix":{},"static_shared":0}])"));
}

TEST_CASE("spills, narrow loads and unused tensor cores are noted") {
  const auto kernels = read_sass(recorded("sass.nvdisasm.txt"));
  CHECK(sass_notes(kernels, task_of("softmax", dtype::f32))
        == "spills: 32 loads and 32 stores of local memory (spilled registers, or an array indexed at run time), none "
           "of its 80 global loads takes 128 bits");
  CHECK(sass_notes({}, task_of("softmax", dtype::f32)).empty());
  const auto plain = read_sass(".text.k:\n" + line("LDG.E.128") + line("FFMA"));
  CHECK(sass_notes(plain, task_of("gemm", dtype::f16))
        == "No instruction of the tensor cores, in a product of matrices in f16");
  CHECK(sass_notes(plain, task_of("attention", dtype::bf16)).ends_with("in bf16"));
  CHECK(sass_notes(plain, task_of("gemm", dtype::f32)).empty());
  CHECK(sass_notes(plain, task_of("softmax", dtype::f16)).empty());
  // The copy engine needs no wide loads. A few kernels are named, and the others are counted.
  CHECK(
      sass_notes(read_sass(".text.k:\n" + line("LDG.E") + line("UTMALDG.2D")), task_of("softmax", dtype::f32)).empty());
  std::string many;
  for (int i = 0; i < 9; ++i)
    many += ".text.k" + std::to_string(i) + ":\n" + line("LDL");
  CHECK(sass_notes(read_sass(many), task_of("softmax", dtype::f32)).ends_with(". And of 5 more kernels"));
}

TEST_CASE("hostile listings do no harm") {
  CHECK(read_sass("").empty());
  CHECK(read_sass("\n\n/*\n/**/\n*/\n.text.:\n.text.\n").empty());
  CHECK(read_sass(line("LDG.E")).empty()); // belongs to no kernel
  CHECK(read_sass(".text.k:\n/*00*/ @P0").at(0).instructions == 0);
  CHECK(read_sass(".text.k:\n/*00*/@P0\n/*00*/;\n/*zz*/ LDG ;\n/* 0x12 */ LDG ;\n").at(0).instructions == 0);
  CHECK(read_sass(".text." + std::string(100'000, 'k') + ":\n").at(0).name.size() == 200);
  CHECK(read_sass(".text.k:\n/*00*/ " + std::string(1'000'000, 'U') + " ;\n").at(0).instructions == 1);
  std::string many;
  for (int i = 0; i < 10'000; ++i)
    many += ".text.k" + std::to_string(i) + ":\n" + line("LDL");
  CHECK(read_sass(many).size() == 64);
  CHECK(sass_json(read_sass(".text.\xff\xfe\"k:\n" + line("EXIT"))).find("kernel") != std::string::npos);
  // Inverts bytes at random places and cuts at any place.
  const auto good = recorded("sass_hopper.nvdisasm.txt");
  std::mt19937 random{7};
  for (int i = 0; i < 2'000; ++i) {
    auto bad = good.substr(0, random() % good.size());
    for (int n = 0; n < 20 && !bad.empty(); ++n)
      bad[random() % bad.size()] = static_cast<char>(random());
    const auto kernels = read_sass(bad);
    static_cast<void>(sass_json(kernels));
    static_cast<void>(sass_notes(kernels, task_of("gemm", dtype::f16)));
  }
}
