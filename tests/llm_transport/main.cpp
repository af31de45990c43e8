// With --serve-streams, this program is a provider in a separate process, so that its CPU time and memory are not ours.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/llm_transport/many_streams.hpp"

#include <string_view>

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view{argv[1]} == "--serve-streams")
    return kevolve::test::serve_streams(argv[2], argv[3], argv[4]);
  return doctest::Context{argc, argv}.run();
}
