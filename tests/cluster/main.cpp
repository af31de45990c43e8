#define DOCTEST_CONFIG_IMPLEMENT
#include "runtime/base/log.hpp"
#include "tests/cluster/postgres_server.hpp"

#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (kevolve::test::postgres_server::programs().empty()) {
    std::puts("skipped: PostgreSQL's programs are not installed: apt-get install postgresql");
    return 77;
  }
  kevolve::log::options quiet;
  quiet.threshold = kevolve::log::level::off; // faults are intended
  kevolve::log::configure(quiet);
  return doctest::Context(argc, argv).run();
}
