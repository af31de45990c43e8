// Tests how the end of a call over HTTP is accounted for.
#include "runtime/node/provider.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("a call answered before its request was completely written counts as sent") {
  attempt_end e;
  e.outcome = attempt_outcome::answered;
  e.status = 200;
  e.bytes_in = 4'096;
  CHECK(!end_of(e).unsent);
  e.bytes_in = 0;
  e.outcome = attempt_outcome::failed;
  CHECK(end_of(e).unsent); // it never reached the provider
  e.bytes_out = 10;
  CHECK(!end_of(e).unsent);
}
