// Ends the shared node before static objects are destroyed, since RocksDB has some. With --serve DIR, this program is a
// node that a test kills.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/admin/killed_node.hpp"
#include "tests/admin/served_node.hpp"

#include <string_view>

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view{argv[1]} == "--serve")
    return kevolve::test::serve_until_killed(argv[2]);
  doctest::Context context{argc, argv};
  auto code = context.run();
  kevolve::test::end_shared_node();
  return code;
}
