#include "actors/evaluation/telemetry.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("words that a kernel hardly needs are noted, except in comments, literals and other names") {
  CHECK(noteworthy_words("void f(void) { syscall(1); asm(\"nop\"); }") == "asm syscall");
  CHECK(noteworthy_words("// fork\n/* open */ const char *s = \"mmap \\\" kill\"; char c = '\\''; int opens, xfork;")
            .empty());
  CHECK(noteworthy_words("__attribute__((constructor)) static void g(void) { fork(); fork(); }") == "constructor fork");
  CHECK(noteworthy_words("1open 0xsignal").empty());
  for (const char* cut : {"", "/", "/*", "\"", "'\\", "\"\\", "//"})
    CHECK(noteworthy_words(cut).empty());
}
