// The vector types and helper functions that a candidate's body uses, as portable C: GCC vector extensions,
// which g++ and clang share, so that no target's intrinsics appear.
#include "backends/generators/transform/codegen/elementary.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace kevolve::transform {

namespace {

using vec = std::pair<scalar_kind, unsigned>; // element, lanes

class prologue {
public:
  std::string text(const program& p) {
    walk(p.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::declare && s.type.lanes > 1)
        type({s.type.base, s.type.lanes});
      if (s.kind == stmt_kind::vector_store && s.has_value)
        store_part({s.value.type.base, s.value.type.lanes});
      else if (s.kind == stmt_kind::vector_store && s.op.empty())
        store({s.value.type.base, s.value.type.lanes});
      else if (s.kind == stmt_kind::vector_store && s.op == "stream")
        stream({s.value.type.base, s.value.type.lanes});
    });
    walk_exprs(p.body, [&](const expr& e) { use(e); });
    return types_ + (types_.empty() || helpers_.empty() ? "" : "\n") + helpers_;
  }

private:
  static std::string name(const vec& v) { return vector_name(v.first, v.second); }

  const std::string& type(const vec& v) {
    auto [it, added] = named_.emplace(v, name(v));
    if (added) {
      auto bytes = static_cast<unsigned>(bits(v.first)) / 8 * v.second;
      types_ += "typedef " + scalar_name(v.first) + " " + it->second + " __attribute__((vector_size("
                + std::to_string(bytes) + ")));\n";
    }
    return it->second;
  }

  // Adds a helper once; `make` may add the helpers it calls first.
  void helper(const std::string& key, const std::function<std::string()>& make) {
    if (!done_.insert(key).second)
      return;
    auto made = make();
    helpers_ += "static inline " + made;
  }

  static std::string lanes_of(unsigned n, const std::function<std::string(unsigned)>& f) {
    std::string out;
    for (unsigned i = 0; i < n; ++i)
      out += (i == 0 ? "" : ", ") + f(i);
    return out;
  }

  void splat(const vec& v) {
    helper("splat_" + name(v), [&] {
      const auto& t = type(v);
      return t + " splat_" + t + "(" + scalar_name(v.first) + " x) {\n  return (" + t + "){"
             + lanes_of(v.second, [](unsigned) { return "x"; }) + "};\n}\n";
    });
  }

  void store(const vec& v) {
    helper("store_" + name(v), [&] {
      const auto& t = type(v);
      return "void store_" + t + "(" + scalar_name(v.first) + " *to, " + t
             + " x) {\n  __builtin_memcpy(to, &x, sizeof x);\n}\n";
    });
  }

  // Stores past the caches, where the place is aligned as that asks for; g++ has only the instruction for 16 bytes.
  void stream(const vec& v) {
    helper("stream_" + name(v), [&] {
      const auto& t = type(v);
      const auto bytes = static_cast<unsigned>(bits(v.first)) / 8 * v.second;
      const auto aligned = [](unsigned n) { return "(__UINTPTR_TYPE__)to % " + std::to_string(n) + " == 0"; };
      std::string body = "void stream_" + t + "(" + scalar_name(v.first) + " *to, " + t + " x) {\n";
      body += "#if __has_builtin(__builtin_nontemporal_store)\n  if (" + aligned(bytes)
              + ") {\n    __builtin_nontemporal_store(x, (" + t + " *)to);\n    return;\n  }\n";
      if (bytes % 16 == 0)
        body += "#elif defined __SSE2__\n  if (" + aligned(16)
                + ") {\n    typedef long long piece __attribute__((vector_size(16)));\n    piece pieces["
                + std::to_string(bytes / 16)
                + "];\n    __builtin_memcpy(pieces, &x, sizeof x);\n    for (int i = 0; i < "
                + std::to_string(bytes / 16)
                + "; ++i)\n      __builtin_ia32_movntdq((piece *)to + i, pieces[i]);\n    return;\n  }\n";
      return body + "#endif\n  __builtin_memcpy(to, &x, sizeof x);\n}\n";
    });
  }

  // The instructions for the first n lanes that clang and g++ know by one name: AVX-512's for its registers, AVX2's for
  // smaller ones; what neither serves goes lane by lane.
  struct partial {
    std::string type;   // of a lane, as the instruction sees it
    std::string letter; // d or q
    unsigned bytes;     // 0: not served
  };

  static partial partial_of(const vec& v) {
    const auto width = static_cast<unsigned>(bits(v.first));
    const auto bytes = width / 8 * v.second;
    const bool served = (width == 32 || width == 64) && (bytes == 16 || bytes == 32 || bytes == 64);
    return {width == 32 ? "int" : "long long", width == 32 ? "d" : "q", served ? bytes : 0};
  }

  // Returns the beginning of a helper for the first n lanes, on targets that have the instruction: it makes the `mask`
  // that `wide`, for AVX-512, or `narrow` uses.
  static std::string with_mask(const partial& p, const vec& v, const std::string& wide, const std::string& narrow) {
    if (p.bytes == 0)
      return {};
    const auto lanes = std::to_string(v.second);
    std::string out = p.bytes == 64 ? "#ifdef __AVX512F__\n" : "#ifdef __AVX2__\n";
    out += "  typedef " + p.type + " lanes __attribute__((vector_size(" + std::to_string(p.bytes) + ")));\n";
    if (p.bytes == 64)
      return out + "  unsigned mask = n < " + lanes + " ? (1U << n) - 1 : " + std::to_string((1U << v.second) - 1)
             + ";\n" + wide + "#else\n";
    out += "  " + p.type + " m = n < " + lanes + " ? n : " + lanes + ";\n  lanes mask = (lanes){"
           + lanes_of(v.second, [](unsigned i) { return std::to_string(i); }) + "} < (lanes){"
           + lanes_of(v.second, [](unsigned) { return "m"; }) + "};\n";
    return out + narrow + "#else\n";
  }

  void load_part(const vec& v) {
    helper("load_part_" + name(v), [&] {
      const auto& t = type(v);
      const auto p = partial_of(v);
      const auto builtin = std::string{"__builtin_ia32_"};
      auto body = with_mask(p, v,
                            "  return (" + t + ")" + builtin + "loaddqu" + (p.letter == "d" ? "si" : "di")
                                + "512_mask((const " + p.type + " *)from, (lanes){0}, mask);\n",
                            "  return (" + t + ")" + builtin + "maskload" + p.letter + (p.bytes == 32 ? "256" : "")
                                + "((const lanes *)from, mask);\n");
      const auto end = body.empty() ? "" : "#endif\n";
      return t + " load_part_" + t + "(const " + scalar_name(v.first) + " *from, int n) {\n" + body + "  " + t
             + " x = {0};\n  for (int i = 0; i < " + std::to_string(v.second)
             + " && i < n; ++i)\n    x[i] = from[i];\n  return x;\n" + end + "}\n";
    });
  }

  void store_part(const vec& v) {
    helper("store_part_" + name(v), [&] {
      const auto& t = type(v);
      const auto p = partial_of(v);
      const auto builtin = std::string{"  __builtin_ia32_"};
      auto body = with_mask(
          p, v,
          builtin + "storedqu" + (p.letter == "d" ? "si" : "di") + "512_mask((" + p.type + " *)to, (lanes)x, mask);\n",
          builtin + "maskstore" + p.letter + (p.bytes == 32 ? "256" : "") + "((lanes *)to, mask, (lanes)x);\n");
      const auto end = body.empty() ? "" : "#endif\n";
      return "void store_part_" + t + "(" + scalar_name(v.first) + " *to, " + t + " x, int n) {\n" + body
             + "  for (int i = 0; i < " + std::to_string(v.second) + " && i < n; ++i)\n    to[i] = x[i];\n" + end
             + "}\n";
    });
  }

  void blend(const vec& v) {
    helper("blend_" + name(v), [&] {
      const auto& t = type(v);
      const auto& m = type({mask_kind(v.first), v.second});
      return t + " blend_" + t + "(" + m + " mask, " + t + " yes, " + t + " no) {\n  return (" + t + ")((mask & (" + m
             + ")yes) | (~mask & (" + m + ")no));\n}\n";
    });
  }

  // Takes the bits lane by lane, one each.
  void bits_of(const vec& v) {
    helper("fold_bits_" + name(v), [&] {
      const auto& t = type(v);
      const auto n = std::to_string(v.second);
      const auto all = v.second == 64 ? std::string{"~(uint64_t)0"} : "((uint64_t)1 << " + n + ") - 1";
      return "uint64_t fold_bits_" + t + "(" + t
             + " mask) {\n  uint64_t bits = 0;\n#if defined(__clang__) && __clang_major__ >= 15 && "
               "!defined(__cplusplus)\n"
               "  typedef _Bool flags __attribute__((ext_vector_type("
             + n
             + ")));\n  const flags set = __builtin_convertvector(mask, flags);\n"
               "  __builtin_memcpy(&bits, &set, sizeof set);\n  bits &= "
             + all + ";\n#else\n  for (int i = 0; i < " + n
             + "; ++i)\n    bits |= (uint64_t)(mask[i] & 1) << i;\n#endif\n  return bits;\n}\n";
    });
  }

  void fold(const std::string& op, const vec& v) {
    if (op == "bits")
      return bits_of(v);
    helper("fold_" + op + "_" + name(v), [&] {
      const auto& t = type(v);
      bool chooses = op == "max" || op == "min";
      if (chooses)
        blend(v);
      std::string body = scalar_name(v.first) + " fold_" + op + "_" + t + "(" + t + " x) {\n  " + t + " y;\n";
      for (auto half = v.second / 2; half > 0; half /= 2) {
        body += "  y = __builtin_shufflevector(x, x, "
                + lanes_of(v.second, [&](unsigned i) { return std::to_string((i + half) % v.second); }) + ");\n";
        if (chooses)
          body += "  x = blend_" + t + "(x " + (op == "max" ? ">" : "<") + " y, x, y);\n";
        else
          body += std::string{"  x = x "} + (op == "add" ? "+" : op == "mul" ? "*" : op == "and" ? "&" : "|") + " y;\n";
      }
      return body + "  return x[0];\n}\n";
    });
  }

  void choose(const std::string& op, const vec& v) { // max, min
    helper(op + "_" + name(v), [&] {
      const auto& t = type(v);
      auto test = std::string{"a "} + (op == "max" ? ">" : "<") + " b";
      if (v.second == 1)
        return t + " " + op + "_" + t + "(" + t + " a, " + t + " b) {\n  return " + test + " ? a : b;\n}\n";
      blend(v);
      return t + " " + op + "_" + t + "(" + t + " a, " + t + " b) {\n  return blend_" + t + "(" + test
             + ", a, b);\n}\n";
    });
  }

  void reverse(const vec& v) {
    helper("reverse_" + name(v), [&] {
      const auto& t = type(v);
      return t + " reverse_" + t + "(" + t + " x) {\n  return __builtin_shufflevector(x, x, "
             + lanes_of(v.second, [&](unsigned i) { return std::to_string(v.second - 1 - i); }) + ");\n}\n";
    });
  }

  // exp by range reduction to |r| <= ln 2 / 2 and a polynomial of degree 6 (relative error 2e-9, Remez). The result is
  // doubled, so that the scale 2^(n - 1) is a number for results up to infinity. Results that are not normal become 0.
  // The rounding constant leaves n in the sum's bits; it is not subtracted as a float, which -ffast-math would undo.
  void exp(const vec& v) {
    helper("exp_" + name(v), [&]() -> std::string {
      const bool wide = v.second > 1;
      const auto t = wide ? type(v) : "float";
      const auto i = wide ? type({scalar_kind::i32, v.second}) : "int32_t";
      if (wide) {
        splat(v);
        blend(v);
      }
      const auto constant = [&](const char* c) { return wide ? "splat_" + t + "(" + c + ")" : std::string{c}; };
      const auto pick = [&](const char* test, const char* a) {
        return wide ? "blend_" + t + "(" + test + ", " + a + ", z)" : std::string{test} + " ? " + a + " : z";
      };
      std::string body = t + " exp_" + name(v) + "(" + t + " x) {\n";
      body += "  const " + t + " low = " + constant("-87.5f") + ", high = " + constant("89.0f") + ";\n";
      body += "  " + t + " z = x;\n  z = " + pick("z < low", "low") + ";\n  z = " + pick("z > high", "high") + ";\n";
      body += "  const " + t + " t = z * 1.44269504f + 12582912.0f;\n";
      body += wide ? "  const " + i + " n = (" + i + ")t - 0x4b400000;\n  const " + t
                         + " f = __builtin_convertvector(n, " + t + ");\n"
                   : "  int32_t n;\n  __builtin_memcpy(&n, &t, 4);\n  n -= 0x4b400000;\n  const float f = (float)n;\n";
      body += "  " + t + " r = z - f * 0.693145752f;\n  r = r - f * 1.42860677e-6f;\n";
      body += "  " + t + " s = r * 2.76736752e-3f + 1.67496447e-2f;\n";
      for (const char* c : {"8.33364502e-2f", "3.33328396e-1f", "9.99999821e-1f", "2.0f", "2.0f"})
        body += std::string{"  s = s * r + "} + c + ";\n";
      body +=
          wide ? "  return s * (" + t + ")((n + 126) << 23);\n}\n"
               : "  n = (n + 126) << 23;\n  float scale;\n  __builtin_memcpy(&scale, &n, 4);\n  return s * scale;\n}\n";
      return body;
    });
  }

  void elementwise(const std::string& op, const vec& v, size_t arity) {
    if (op == "exp" && v.first == scalar_kind::f32)
      return exp(v);
    if (op == "max" || op == "min")
      return choose(op, v);
    if (op == "reverse")
      return reverse(v);
    if (v.first == scalar_kind::f32 && v.second > 1) {
      const float_vector types{name(v), name({scalar_kind::i32, v.second}), v.second};
      if (auto known = elementary_function(op, types)) {
        helper(op + "_" + name(v), [&] {
          type(v);
          exp(v); // with what it calls
          return *known;
        });
        return;
      }
    }
    helper(op + "_" + name(v), [&] {
      const auto& t = type(v);
      std::string params;
      std::string args;
      std::string lane_args;
      for (size_t i = 0; i < arity; ++i) {
        auto x = std::string(1, static_cast<char>('a' + i));
        params.append(i == 0 ? "" : ", ").append(t).append(" ").append(x);
        args += (i == 0 ? "" : ", ") + x;
        lane_args += (i == 0 ? "" : ", ") + x + "[i]";
      }
      auto head = t + " " + op + "_" + t + "(" + params + ") {\n";
      auto function = "__builtin_" + std::string{op == "abs" ? "fabs" : op} + (v.first == scalar_kind::f64 ? "" : "f");
      auto by_lane = "  " + t + " out;\n  for (int i = 0; i < " + std::to_string(v.second)
                     + "; ++i)\n    out[i] = " + function + "(" + lane_args + ");\n  return out;\n";
      bool native = op == "sqrt" || op == "abs" || op == "floor" || op == "ceil" || op == "trunc" || op == "fma"
                    || op == "round" || op == "rint";
      if (!native)
        return head + by_lane + "}\n";
      return head + "#if __has_builtin(__builtin_elementwise_" + op + ")\n  return __builtin_elementwise_" + op + "("
             + args + ");\n#else\n" + by_lane + "#endif\n}\n";
    });
  }

  void use(const expr& e) {
    vec v{e.type.base, e.type.lanes};
    if (e.type.lanes > 1)
      type(v);
    switch (e.kind) {
      case expr_kind::vector_load:
        if (e.args.size() > 1) {
          load_part(v);
          break;
        }
        helper("load_" + name(v), [&] {
          const auto& t = type(v);
          return t + " load_" + t + "(const " + scalar_name(v.first) + " *from) {\n  " + t
                 + " x;\n  __builtin_memcpy(&x, from, sizeof x);\n  return x;\n}\n";
        });
        break;
      case expr_kind::bits:
        if (v.second == 1)
          helper(bits_name(e), [&] {
            const auto to = scalar_name(v.first);
            return to + " " + bits_name(e) + "(" + scalar_name(e.args[0].type.base) + " x) {\n  " + to
                   + " y;\n  __builtin_memcpy(&y, &x, sizeof y);\n  return y;\n}\n";
          });
        break;
      case expr_kind::splat:
        splat(v);
        break;
      case expr_kind::ramp:
        helper("ramp_" + name(v), [&] {
          const auto& t = type(v);
          return t + " ramp_" + t + "(" + scalar_name(v.first) + " x) {\n  return (" + t + "){"
                 + lanes_of(v.second, [](unsigned i) { return std::to_string(i); }) + "} + x;\n}\n";
        });
        break;
      case expr_kind::gather: {
        vec w{e.args[1].type.base, e.args[1].type.lanes};
        helper("gather_" + name(v) + "_" + name(w), [&] {
          const auto& t = type(v);
          const auto& i = type(w);
          return t + " gather_" + t + "_" + i + "(const " + scalar_name(v.first) + " *base, " + i + " at) {\n  return ("
                 + t + "){" + lanes_of(v.second, [](unsigned k) { return "base[at[" + std::to_string(k) + "]]"; })
                 + "};\n}\n";
        });
        break;
      }
      case expr_kind::blend:
        blend(v);
        break;
      case expr_kind::elementwise:
        elementwise(e.text, v, e.args.size());
        break;
      case expr_kind::fold:
        fold(e.text, {e.args[0].type.base, e.args[0].type.lanes});
        break;
      case expr_kind::call:
        if (e.text == "__builtin_unpredictable" && done_.insert(e.text).second)
          types_ += "#if !__has_builtin(__builtin_unpredictable)\n#define __builtin_unpredictable(x) (x)\n#endif\n";
        break;
      default:
        break;
    }
    if (e.kind == expr_kind::call && e.text == "stream_fence")
      helper(e.text,
             [] { return "void stream_fence(void) {\n#ifdef __SSE__\n  __builtin_ia32_sfence();\n#endif\n}\n"; });
  }

  std::map<vec, std::string> named_;
  std::set<std::string> done_;
  std::string types_;
  std::string helpers_;
};

} // namespace

std::string vector_prologue(const program& p) {
  return prologue{}.text(p);
}

} // namespace kevolve::transform
