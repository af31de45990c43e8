#include "runtime/base/codec.hpp"
#include "runtime/base/contract.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kevolve;

namespace {

argument make(const std::string& name, argument_role role, dtype type) {
  argument a;
  a.name = name;
  a.role = role;
  a.type = type;
  if (role != argument_role::size && role != argument_role::scalar)
    a.shape = {"n"};
  return a;
}

contract example() {
  contract c;
  c.name = "f";
  c.entry = "f";
  c.arguments = {make("x", argument_role::input, dtype::f32), make("w", argument_role::weight, dtype::bf16),
                 make("s", argument_role::inout, dtype::f16), make("y", argument_role::output, dtype::boolean),
                 make("n", argument_role::size, dtype::i64),  make("eps", argument_role::scalar, dtype::f64)};
  c.shapes = {{"n=4", {{"n", 4}}, false, 1.0}};
  return c;
}

} // namespace

TEST_CASE("the prototype follows roles and types in the order of the arguments") {
  CHECK(c_prototype(example())
        == "void f(const float *x, const uint16_t *w, _Float16 *s, uint8_t *y, int64_t n, double eps)");
  contract none;
  none.entry = "g";
  CHECK(c_prototype(none) == "void g(void)");
}

TEST_CASE("the call check hands the contract's values to the entry") {
  auto text = c_call_check(example(), "c");
  CHECK(text.find("(float *kevolve_x, uint16_t *kevolve_w, _Float16 *kevolve_s, uint8_t *kevolve_y, int64_t kevolve_n, "
                  "double kevolve_eps) { f(kevolve_x, kevolve_w, kevolve_s, kevolve_y, kevolve_n, kevolve_eps); }")
        != std::string::npos);
  contract none;
  none.entry = "g";
  CHECK(c_call_check(none, "cpp").find("(void) { g(); }") != std::string::npos);
  CHECK(c_call_check(none, "cuda").empty());
}

TEST_CASE("element types have a name, a size and a C type") {
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, size_t>>{{"f16", 2},
                                                                               {"bf16", 2},
                                                                               {"f32", 4},
                                                                               {"f64", 8},
                                                                               {"i8", 1},
                                                                               {"u8", 1},
                                                                               {"i32", 4},
                                                                               {"i64", 8},
                                                                               {"bool", 1}}) {
    auto type = parse_dtype(name);
    REQUIRE(type);
    CHECK(to_string(*type) == name);
    CHECK(size_bytes(*type) == bytes);
    CHECK(is_floating(*type) == (name.find('f') != std::string::npos));
  }
  CHECK(!parse_dtype("float"));
}

TEST_CASE("an output takes its own tolerance, else the general one, else a default") {
  auto c = example();
  const auto& y = c.arguments[3];
  auto z = make("z", argument_role::output, dtype::f32);
  CHECK(tolerance_for(c, y).mode == tolerance_mode::exact);
  CHECK(tolerance_for(c, z).relative == 1e-5);
  CHECK(tolerance_for(c, z).absolute == 1e-6);
  c.tolerances.push_back({"", tolerance_mode::absrel, 0.5, 0.25, 0.0});
  CHECK(tolerance_for(c, z).relative == 0.5);
  CHECK(tolerance_for(c, z).argument == "z");
  CHECK(tolerance_for(c, y).mode == tolerance_mode::exact); // integers are compared exactly under a general tolerance
  c.tolerances.push_back({"z", tolerance_mode::ulp, 0.0, 0.0, 3.0});
  CHECK(tolerance_for(c, z).limit == 3.0);
}

TEST_CASE("a contract's id is its content's") {
  auto c = example();
  CHECK(contract_id(c) == contract_id(example()));
  c.arguments[0].align = 32;
  CHECK(contract_id(c) != contract_id(example()));
}

TEST_CASE("a contract survives the codec whole") {
  auto c = example();
  c.derived = {{"m", "n*2"}};
  c.arguments[0].fill.of = "w";
  c.arguments[0].edge = {"zeros"};
  c.libraries = {"openblas"};
  auto again = decode<contract>(encode(c));
  REQUIRE(again);
  CHECK(encode(*again) == encode(c));
  CHECK(again->derived == c.derived);
  CHECK(again->arguments[0].edge == c.arguments[0].edge);
  CHECK(find_argument(*again, "eps")->role == argument_role::scalar);
  CHECK(find_argument(*again, "nobody") == nullptr);
}

TEST_CASE("the contract keeps unread outputs in the cache's byte, as earlier contracts do") {
  auto c = example();
  const auto usual = encode(c);
  c.timing.cold_cache = true;
  const auto cold = encode(c);
  CHECK(usual.back() == 0); // a contract of before ends with the cache alone, and keeps its id
  CHECK(cold.back() == 1);
  CHECK(cold.size() == usual.size());
  c.timing.outputs_not_read = true;
  CHECK(encode(c).back() == 3);
  const auto read = decode<contract>(encode(c));
  REQUIRE(read);
  CHECK(read->timing.cold_cache);
  CHECK(read->timing.outputs_not_read);
  const auto old = decode<contract>(cold);
  REQUIRE(old);
  CHECK(old->timing.cold_cache);
  CHECK_FALSE(old->timing.outputs_not_read);
  CHECK(old->timing.tf32 == tf32_use::by_default);
  for (const auto use : {tf32_use::on, tf32_use::off}) {
    c.timing.tf32 = use;
    const auto again = decode<contract>(encode(c));
    REQUIRE(again);
    CHECK(again->timing.tf32 == use);
    CHECK(again->timing.outputs_not_read);
    CHECK(encode(c).size() == usual.size());
  }
}
