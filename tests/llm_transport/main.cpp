// Called with --serve-streams it is a provider in a process of its own, so that its CPU and memory are not ours.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/llm_transport/many_streams.hpp"

#include <string_view>

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view{argv[1]} == "--serve-streams")
    return kevolve::test::serve_streams(argv[2], argv[3], argv[4]);
  return doctest::Context{argc, argv}.run();
}
