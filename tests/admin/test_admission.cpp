#include "runtime/node/admin/admission.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

http_limits small_house() {
  http_limits x;
  x.connections = 8;
  x.reserved = 2;
  x.per_peer = 4;
  return x;
}

std::chrono::steady_clock::time_point at(int n) {
  return std::chrono::steady_clock::time_point{} + std::chrono::seconds{n};
}

} // namespace

TEST_CASE("new clients displace nobody while there is room") {
  auto decided = admit({}, small_house());
  CHECK(decided.admitted);
  CHECK_FALSE(decided.evicted);
}

TEST_CASE("a client address displaces its own connections first") {
  std::vector<present> there;
  there.push_back({false, true, false, at(1)}); // a remote client that waits longest
  for (int i = 0; i < 4; ++i)
    there.push_back({false, true, true, at(10 - i)});
  auto decided = admit(there, small_house());
  CHECK(decided.admitted);
  CHECK(decided.evicted == 4U);
}

TEST_CASE("unauthorised clients leave the reserved places free, and the longest waiting is dropped") {
  std::vector<present> there;
  for (int i = 0; i < 6; ++i)
    there.push_back({false, true, false, at(i == 3 ? 0 : 5)});
  auto decided = admit(there, small_house());
  CHECK(decided.admitted);
  CHECK(decided.evicted == 3U);
}

TEST_CASE("authorised clients are never displaced by unauthorised ones") {
  std::vector<present> there;
  for (int i = 0; i < 3; ++i)
    there.push_back({true, true, true, at(0)});
  for (int i = 0; i < 3; ++i)
    there.push_back({false, true, false, at(5)});
  CHECK_FALSE(admit(there, small_house()).evicted);
  there.resize(3);
  for (int i = 0; i < 6; ++i)
    there.push_back({false, true, false, at(5)});
  CHECK(admit(there, small_house()).evicted == 3U);
}

TEST_CASE("a connection being answered is kept; a new client without a place is refused") {
  std::vector<present> there;
  for (int i = 0; i < 6; ++i)
    there.push_back({false, false, false, at(0)});
  auto decided = admit(there, small_house());
  CHECK_FALSE(decided.admitted);
  CHECK_FALSE(decided.evicted);
}

TEST_CASE("when all places hold authorised clients, the longest idle is dropped") {
  std::vector<present> there;
  for (int i = 0; i < 8; ++i)
    there.push_back({true, true, false, at(i == 5 ? 0 : 9)});
  CHECK(admit(there, small_house()).evicted == 5U);
}
