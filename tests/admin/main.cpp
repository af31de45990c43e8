// The shared node ends before static objects do: RocksDB has some of its own.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/admin/served_node.hpp"

int main(int argc, char** argv) {
  doctest::Context context{argc, argv};
  auto code = context.run();
  kevolve::test::end_shared_node();
  return code;
}
