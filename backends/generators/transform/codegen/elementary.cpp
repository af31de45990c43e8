#include "backends/generators/transform/codegen/elementary.hpp"

#include <map>
#include <vector>

namespace kevolve::transform {

namespace {

// Returns c[0] + x (c[1] + x (…)).
std::string polynomial_of(const std::string& x, const std::vector<std::string>& c) {
  auto out = c.back();
  for (auto i = c.size() - 1; i-- > 0;) {
    out.insert(0, i + 2 == c.size() ? "" : "(").append(i + 2 == c.size() ? "" : ")");
    out = out + " * " + x + " + " + c[i];
  }
  return out;
}

class writer {
public:
  explicit writer(const float_vector& v) : v_(v) {}

  std::string function(const std::string& name, const std::string& body) const {
    return v_.floats + " " + name + "_" + v_.floats + "(" + v_.floats + " x) {\n" + body + "}\n";
  }

  std::string floats(const std::string& name, const std::string& value) const {
    return "  " + v_.floats + " " + name + " = " + value + ";\n";
  }

  std::string ints(const std::string& name, const std::string& value) const {
    return "  const " + v_.ints + " " + name + " = " + value + ";\n";
  }

  std::string all(const std::string& value) const { return "splat_" + v_.floats + "(" + value + ")"; }

  std::string choose(const std::string& test, const std::string& yes, const std::string& no) const {
    return "blend_" + v_.floats + "(" + test + ", " + yes + ", " + no + ")";
  }

  std::string as_floats(const std::string& value) const {
    return "__builtin_convertvector(" + value + ", " + v_.floats + ")";
  }

  std::string bits(const std::string& value) const { return "(" + v_.ints + ")" + value; }

  // x = 2^n (1 + f) with f in [-1/3, 1/3); what is no normal number is scaled first. `after` makes the result of n and
  // of r = log(1 + f).
  std::string logarithm(const std::string& name, const std::string& after) const {
    std::string b;
    b += ints("below", "x < " + all("1.17549435e-38f"));
    b += floats("y", choose("below", "x * 8388608.0f", "x"));
    b += ints("bits", bits("y") + " - 0x3f2aaaab");
    b += floats("n", as_floats("bits >> 23") + " - " + choose("below", all("23.0f"), all("0.0f")));
    b += ints("m", "(bits & 0x007fffff) + 0x3f2aaaab");
    b += floats("f", "(" + v_.floats + ")m - 1.0f");
    b += floats("p", polynomial_of("f", {"0.333332151f", "-0.249997973f", "0.200104058f", "-0.16680488f",
                                         "0.140058696f", "-0.121842608f", "0.139844358f", "-0.128916845f"}));
    b += after;
    b += "  r = " + choose("x == " + all("0.0f"), all("-__builtin_inff()"), "r") + ";\n";
    b += "  r = " + choose("x < " + all("0.0f"), all("__builtin_nanf(\"\")"), "r") + ";\n";
    b += "  r = " + choose("x == " + all("__builtin_inff()"), "x", "r") + ";\n";
    b += "  return " + choose("x == x", "r", "x") + ";\n";
    return function(name, b);
  }

  // x = k pi / 2 + r, and the quarter selects sin r or cos r. From 8192 on the C library computes it.
  std::string sine(const std::string& name, const std::string& first_quarter) const {
    std::string b;
    b += ints("k", bits("(x * 0.636619747f + 12582912.0f)") + " - 0x4b400000");
    b += floats("f", as_floats("k"));
    b += floats("r", "x - f * 1.5703125f");
    b += "  r = r - f * 0.000483751297f;\n  r = r - f * 7.549789416e-08f;\n";
    b += floats("z", "r * r");
    b += floats("s",
                "(" + polynomial_of("z", {"-0.166666552f", "0.00833215471f", "-0.000195140849f"}) + ") * (z * r) + r");
    b += floats("c", "(" + polynomial_of("z", {"0.0416666456f", "-0.00138873374f", "2.44348466e-05f"})
                         + ") * (z * z) - 0.5f * z + 1.0f");
    b += ints("q", "k + " + first_quarter);
    b += floats("v", choose("-(q & 1)", "c", "s"));
    b += "  v = " + choose("-((q >> 1) & 1)", "-v", "v") + ";\n";
    b += ints("far", "(x > " + all("8192.0f") + ") | (x < " + all("-8192.0f") + ")");
    const auto each = "for (int i = 0; i < " + std::to_string(v_.lanes) + "; ++i)\n";
    b += "  int any = 0;\n  " + each + "    any |= far[i];\n  if (any)\n    " + each
         + "      if (far[i])\n        v[i] = __builtin_" + name + "f(x[i]);\n";
    return function(name, b + "  return v;\n");
  }

  // Returns `near` below the bound, `away` with x's sign from there on.
  std::string odd(const std::string& name, const std::string& near, const std::string& away,
                  const std::string& bound) const {
    std::string b = floats("a", choose("x < " + all("0.0f"), "-x", "x")) + floats("z", "x * x");
    b += floats("near", near) + away;
    b += "  away = " + choose("x < " + all("0.0f"), "-away", "away") + ";\n";
    return function(name, b + "  return " + choose("a < " + all(bound), "near", "away") + ";\n");
  }

  std::string exp(const std::string& x) const { return "exp_" + v_.floats + "(" + x + ")"; }

private:
  const float_vector& v_;
};

} // namespace

std::optional<std::string> elementary_function(const std::string& function, const float_vector& v) {
  const writer w{v};
  if (function == "log")
    return w.logarithm("log", w.floats("r", "n * 1.42860677e-6f + f * f * (f * p - 0.5f) + f")
                                  + "  r = r + n * 0.693145752f;\n");
  if (function == "log2")
    return w.logarithm("log2", w.floats("r", "(f * f * (f * p - 0.5f) + f) * 1.44269504f + n"));
  if (function == "sin")
    return w.sine("sin", "0");
  if (function == "cos")
    return w.sine("cos", "1");
  if (function == "tanh")
    return w.odd(
        "tanh",
        "(" + polynomial_of("z", {"-0.333332837f", "0.133314908f", "-0.0537434965f", "0.020650588f", "-0.00571704563f"})
            + ") * (z * x) + x",
        w.floats("away", "1.0f - 2.0f / (" + w.exp("a + a") + " + 1.0f)"), "0.625f");
  if (function == "erf") {
    const auto exponent = polynomial_of("b", {"-0.000207024001f", "-1.12762737f", "-0.637265861f", "-0.103856266f",
                                              "0.0221897215f", "-0.00303367758f", "0.000194945183f"});
    return w.odd("erf",
                 "("
                     + polynomial_of("z", {"1.12837911f", "-0.376124948f", "0.112818152f", "-0.0267665684f",
                                           "0.0049931095f", "-0.000599048799f"})
                     + ") * x",
                 w.floats("b", w.choose("a > " + w.all("4.0f"), w.all("4.0f"), "a"))
                     + w.floats("away", "1.0f - " + w.exp(exponent)),
                 "0.92f");
  }
  return {};
}

} // namespace kevolve::transform
