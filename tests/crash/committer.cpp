// crash-committer DIRECTORY: continues the log in groups of varying size until it is killed. Writes the sequence of
// each acknowledged event to standard output as eight bytes.
#include "work.hpp"

#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace kevolve;
  if (argc != 2)
    return 2;
  store_options o;
  o.write_buffer_bytes = 256U << 10U; // small, so that kills also hit flushes and compactions
  auto opened = store::open(argv[1], o);
  if (!opened) {
    std::fputs(to_string(opened.error()).c_str(), stderr);
    return 1;
  }
  auto& s = **opened;
  for (uint64_t next = s.last_sequence() + 1;;) {
    std::vector<transaction> group;
    for (auto count = 1 + next % 9; group.size() < count;)
      group.push_back(test::transaction_of(next + group.size()));
    auto ends = s.commit(group);
    if (!ends) {
      std::fputs(to_string(ends.error()).c_str(), stderr);
      return 1;
    }
    next += group.size();
    if (::write(STDOUT_FILENO, &ends->back(), sizeof(uint64_t)) != sizeof(uint64_t))
      return 1;
  }
}
