#include "actors/search/tree.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;

namespace {

node_outcome passed(double fitness) {
  return {{{fitness, fitness * 0.99, fitness * 1.01}, verdict::pass, false}, false};
}

node_outcome failed(verdict v = verdict::wrong_result) {
  return {{{7.0, 6.0, 8.0}, v, false}, true};
}

std::vector<uint64_t> children_of(const search_tree& t, uint64_t index) {
  return {t.at(index).children.begin(), t.at(index).children.end()};
}

} // namespace

TEST_CASE("the root is the reference: finished, fitness 1, one visit") {
  search_tree t;
  CHECK(t.size() == 1);
  CHECK(t.at(0).phase == node_phase::finished);
  CHECK(t.at(0).speedup == 1.0);
  CHECK(t.at(0).visits == 1);
  CHECK(t.at(0).parents.empty());
  CHECK(t.finished() == 0);
  CHECK(t.valid() == 0);
  CHECK(!t.finish(0, passed(2.0)));
}

TEST_CASE("a node in flight is a virtual loss along the path of first parents") {
  search_tree t;
  auto a = t.add({0}, true);
  auto b = t.add({0}, true);
  auto c = t.add({a, b}, false);
  CHECK(t.in_flight() == 3);
  CHECK(t.at(0).virtual_loss == 3);
  CHECK(t.at(a).virtual_loss == 2);
  CHECK(t.at(b).virtual_loss == 1);
  CHECK(t.at(c).virtual_loss == 1);
  CHECK(children_of(t, a) == std::vector<uint64_t>{c});
  CHECK(t.at(b).children.empty());
  CHECK(t.at(a).draft);
  CHECK(!t.at(c).draft);
}

TEST_CASE("finishing counts a visit, raises the value of every ancestor and removes the virtual loss") {
  search_tree t;
  auto a = t.add({0}, true);
  auto b = t.add({0}, true);
  CHECK(t.finish(a, passed(2.0)));
  auto c = t.add({a, b}, false);
  CHECK(t.finish(c, passed(5.0)));
  CHECK(t.at(c).value == 5.0);
  CHECK(t.at(a).value == 5.0);
  CHECK(t.at(a).speedup == 2.0);
  CHECK(t.at(a).visits == 2);
  CHECK(t.at(0).value == 5.0);
  CHECK(t.at(0).visits == 3);
  CHECK(t.at(0).virtual_loss == 1);
  CHECK(t.at(a).virtual_loss == 0);
  CHECK(t.at(b).visits == 0); // a second parent is not credited
  CHECK(t.in_flight() == 1);
  CHECK(t.finished() == 2);
  CHECK(t.valid() == 2);
}

TEST_CASE("a node that does not pass has fitness 0, whatever it claims") {
  search_tree t;
  auto a = t.add({0}, true);
  CHECK(t.finish(a, failed()));
  CHECK(t.at(a).speedup == 0.0);
  CHECK(t.at(a).ci_high == 0.0);
  CHECK(!t.at(a).confirmed);
  CHECK(t.at(a).value == 0.0);
  CHECK(t.at(a).visits == 1);
  CHECK(t.at(0).value == 1.0);
  CHECK(t.valid() == 0);
  CHECK(t.finished() == 1);
}

TEST_CASE("only a node in flight can finish, and only once") {
  search_tree t;
  auto a = t.add({0}, true);
  CHECK(!t.finish(7, passed(2.0)));
  CHECK(t.finish(a, passed(2.0)));
  auto before = t.hash();
  CHECK(!t.finish(a, passed(9.0)));
  CHECK(t.at(a).speedup == 2.0);
  CHECK(t.hash() == before);
}

TEST_CASE("a missing parent is ignored; without any, the root is the parent") {
  search_tree t;
  auto a = t.add({99}, false);
  CHECK(t.at(a).parents == std::vector<uint64_t>{0});
}

TEST_CASE("the hash does not depend on the order of independent events") {
  search_tree x;
  search_tree y;
  for (auto* t : {&x, &y})
    for (int i = 0; i < 4; ++i)
      t->add({0}, true);
  x.finish(1, passed(2.0));
  x.finish(2, passed(3.0));
  x.finish(3, failed());
  y.finish(3, failed());
  y.finish(2, passed(3.0));
  CHECK(x.hash() != y.hash());
  y.finish(1, passed(2.0));
  CHECK(x.hash() == y.hash());
  x.add({2}, false);
  y.add({2}, false);
  CHECK(x.hash() == y.hash());
}

TEST_CASE("the hash does not depend on whether a node was added before or after another finished") {
  search_tree x;
  x.add({0}, true);
  x.add({0}, true);
  x.finish(1, passed(2.0));
  search_tree y;
  y.add({0}, true);
  y.finish(1, passed(2.0));
  y.add({0}, true);
  CHECK(x.hash() == y.hash());
  search_tree z;
  z.add({0}, true);
  z.finish(1, passed(2.0));
  z.add({0}, false);
  CHECK(z.hash() != y.hash());
}

TEST_CASE("every change changes the hash, and equal trees have equal hashes") {
  std::set<id128> seen;
  search_tree t;
  seen.insert(t.hash());
  auto a = t.add({0}, true);
  seen.insert(t.hash());
  auto b = t.add({a}, false);
  seen.insert(t.hash());
  t.finish(a, passed(2.0));
  seen.insert(t.hash());
  t.finish(b, passed(3.0));
  seen.insert(t.hash());
  CHECK(seen.size() == 5);

  search_tree slower;
  slower.add({0}, true);
  slower.add({a}, false);
  slower.finish(a, passed(2.0));
  slower.finish(b, passed(2.5));
  CHECK(slower.hash() != t.hash());
  CHECK(search_tree{}.hash() == search_tree{}.hash());
}

TEST_CASE("a tree recognises the hash of older campaigns, and goes on with it") {
  // Recorded before version 4, when the hash covered visits, values and virtual losses as well.
  search_tree t;
  CHECK(t.recognises(parse_id("ac429fee279896512dcf2daf82f9cb9e")));
  t.add({0}, true);
  t.add({0}, true);
  const auto c = t.add({1, 2}, false);
  t.finish(1, {{{2.0, 1.9, 2.1}, verdict::pass, false}, false, true});
  t.finish(2, {{{0.0, 0.0, 0.0}, verdict::wrong_result, false}, false, false});
  t.finish(c, {{{3.0, 2.9, 3.1}, verdict::pass, true}, true, true});
  t.add({c}, false);
  t.amend(1, {{1.5, 1.4, 1.6}, verdict::pass, false});
  CHECK(to_string(t.hash()) == "f171642aaf33f0360ae68c7d46e61b4c");
}

TEST_CASE("a tree that does not recognise a hash keeps its own") {
  search_tree t;
  t.add({0}, true);
  const auto before = t.hash();
  CHECK_FALSE(t.recognises(random_id()));
  CHECK(t.hash() == before);
  CHECK(t.recognises(before));
}
