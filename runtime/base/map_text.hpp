// Maps every text of a record through its inspect(), to remove what must not leave the machine.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kevolve {

class text_mapper {
public:
  using result_type = bool;
  using mapping = std::function<std::string(const std::string&)>;

  explicit text_mapper(mapping f) : f_(std::move(f)) {}

  template <class... Ts>
  bool operator()(Ts&... xs) {
    (map(xs), ...);
    return true;
  }

private:
  template <class T>
  void map(T& x) {
    if constexpr (std::is_class_v<T>)
      inspect(*this, x);
  }
  void map(std::string& x) { x = f_(x); }
  template <class T>
  void map(std::vector<T>& xs) {
    for (auto& x : xs)
      map(x);
  }
  template <class K, class V>
  void map(std::map<K, V>& xs) { // keys are our own names
    for (auto& [k, v] : xs)
      map(v);
  }
  template <class A, class B>
  void map(std::pair<A, B>& x) {
    map(x.first);
    map(x.second);
  }

  mapping f_;
};

} // namespace kevolve
