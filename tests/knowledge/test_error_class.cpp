#include "actors/knowledge/error_class.hpp"
#include "runtime/base/enum_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kevolve;
using namespace kevolve::knowledge;

TEST_CASE("the messages of compilers have the class of their first error") {
  struct message {
    const char* text;
    error_class what;
  };
  const std::vector<message> messages{
      {"candidate.c:7:3: error: use of undeclared identifier 'acc'", error_class::undeclared},
      {"candidate.c:1:10: fatal error: 'immintrinn.h' file not found", error_class::undeclared},
      {"candidate.c:4:5: error: call to undeclared function '_mm256_reduce_add_ps'; ISO C99 and later do not support "
       "implicit function declarations",
       error_class::undeclared},
      {"ld.lld: error: undefined symbol: helper", error_class::undefined_symbol},
      {"/usr/bin/ld: k.o: undefined reference to `cblas_sgemm'", error_class::undefined_symbol},
      {"candidate.c:9:12: error: always_inline function '_mm512_add_ps' requires target feature 'avx512f', but would "
       "be "
       "inlined into function 'f'",
       error_class::target_feature},
      {"candidate.c:3:9: error: initializing '__m256' with an expression of incompatible type 'int'",
       error_class::type_mismatch},
      {"candidate.c:3:9: error: expected ';' after expression", error_class::syntax},
      {"candidate.c:3:9: error: argument to '__builtin_ia32_shufps256' must be a constant integer",
       error_class::constexpr_needed},
      {"candidate.cu(12): error: identifier \"foo\" is undefined", error_class::undeclared},
      {"candidate.cu(12): error: no suitable conversion function from \"__half\" to \"int\" exists",
       error_class::type_mismatch},
      {"ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)",
       error_class::resource_limit},
      {"ptxas /tmp/x.ptx, line 20; error   : Instruction 'wgmma.mma_async' not supported on .target 'sm_90'",
       error_class::target_feature},
      {"triton.compiler.errors.CompilationError: at 5:4:\nNameError('cols is not defined')", error_class::undeclared},
      {"triton.compiler.errors.CompilationError: at 9:10:\nValueError('arange's arguments must be of type "
       "tl.constexpr')",
       error_class::constexpr_needed},
      {"triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 262144, Hardware limit: "
       "232448. ",
       error_class::resource_limit},
      {"  File \"candidate.py\", line 3\n    def k(x\n         ^\nSyntaxError: '(' was never closed",
       error_class::syntax},
      {"candidate.py:4: error: import os: an import of 'os' is not allowed", error_class::forbidden},
      {"error: something nobody has seen", error_class::other},
      {"", error_class::other},
  };
  for (const auto& m : messages) {
    CAPTURE(m.text);
    CHECK(kevolve::to_string(classify_error(m.text)) == kevolve::to_string(m.what));
  }
}

TEST_CASE("a note or a warning before the error does not decide") {
  CHECK(classify_error(
            "a.c:1:1: warning: alignment of a cast increases\na.c:2:2: error: use of undeclared identifier 'x'")
        == error_class::undeclared);
}
