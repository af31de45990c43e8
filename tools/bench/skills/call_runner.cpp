// bench-call-runner: calls two objects with the same data in turn, and prints the fastest call of each. It is for
// candidates of the embedded generator: there is no sandbox, and no turn of the timing core.
#include <dlfcn.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr size_t most_arguments = 16;
constexpr size_t alignment = 64;
constexpr unsigned most_seconds = 20; // of processor time; ends what hangs
constexpr int least_calls = 5;

// Sizes and pointers go in their registers and on the stack, scalars of f32 in vector registers: the order among both
// does not matter in the C call of x86-64. What is passed beyond a function's parameters is not read.
using entry = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, float, float, float,
                       float);

// One argument, as call_pair.cpp writes it.
struct argument {
  uint64_t is_array = 0;
  uint64_t is_output = 0;
  uint64_t float_bytes = 0; // 4 or 8: a floating type; outputs are compared within a tolerance
  uint64_t value = 0;       // by value; of an array its bytes
};

struct call {
  std::vector<argument> arguments;
  std::vector<std::string> data; // of arrays
};

bool read(const char* path, call& to) {
  std::ifstream in{path, std::ios::binary};
  uint64_t count = 0;
  in.read(reinterpret_cast<char*>(&count), sizeof count);
  for (uint64_t i = 0; in && i < count && i < most_arguments; ++i) {
    auto& a = to.arguments.emplace_back();
    in.read(reinterpret_cast<char*>(&a), sizeof a);
    auto& bytes = to.data.emplace_back();
    if (a.is_array != 0) {
      bytes.resize(a.value);
      in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
  }
  return in.good() && to.arguments.size() == count;
}

entry load(const char* object, const char* name) {
  auto* library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<entry>(dlsym(library, name));
}

// The buffers of one call; lives as long as the program.
class buffers {
public:
  explicit buffers(const call& of) : of_(of) {
    for (size_t i = 0; i < of.arguments.size(); ++i) {
      const auto& a = of.arguments[i];
      if (a.is_array != 0) {
        arrays_[i] = static_cast<char*>(std::aligned_alloc(alignment, (of.data[i].size() / alignment + 1) * alignment));
        values_[words_++] = reinterpret_cast<uint64_t>(arrays_[i]);
      } else if (a.float_bytes != 0)
        std::memcpy(&scalars_[floats_++ % scalars_.size()], &a.value, sizeof(float));
      else
        values_[words_++] = a.value;
    }
    fill();
  }
  void fill() {
    for (size_t i = 0; i < of_.arguments.size(); ++i)
      if (of_.arguments[i].is_array != 0)
        std::memcpy(bytes(i), of_.data[i].data(), of_.data[i].size());
  }
  char* bytes(size_t i) const { return arrays_[i]; }
  void run(entry f) const {
    const auto& v = values_;
    f(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15], scalars_[0],
      scalars_[1], scalars_[2], scalars_[3]);
  }

private:
  const call& of_;
  std::array<char*, most_arguments> arrays_{};
  std::array<uint64_t, most_arguments> values_{}; // sizes and addresses, in order
  std::array<float, 4> scalars_{};
  size_t words_ = 0;
  size_t floats_ = 0;
};

template <class T>
bool agree(const char* a, const char* b, size_t bytes) {
  for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T x{};
    T y{};
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    const bool same = (x <= y && x >= y) || (std::isnan(x) && std::isnan(y));
    if (!same && !(std::abs(x - y) <= T(1e-4) + T(1e-3) * std::abs(y)))
      return false;
  }
  return true;
}

bool outputs_agree(const call& c, const buffers& a, const buffers& b) {
  for (size_t i = 0; i < c.arguments.size(); ++i) {
    if (c.arguments[i].is_output == 0)
      continue;
    const auto size = c.data[i].size();
    const bool ok = c.arguments[i].float_bytes == 4   ? agree<float>(a.bytes(i), b.bytes(i), size)
                    : c.arguments[i].float_bytes == 8 ? agree<double>(a.bytes(i), b.bytes(i), size)
                                                      : std::memcmp(a.bytes(i), b.bytes(i), size) == 0;
    if (!ok)
      return false;
  }
  return true;
}

double nanoseconds_of(const buffers& with, entry f) {
  const auto from = std::chrono::steady_clock::now();
  with.run(f);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - from).count();
}

} // namespace

// arguments: reference candidate entry call milliseconds
int main(int argc, char** argv) {
  if (argc != 6)
    return 2;
  const itimerval most{{0, 0}, {most_seconds, 0}};
  setitimer(ITIMER_PROF, &most, nullptr);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_setaffinity(0, sizeof first, &first); // not the timing core, which judges take turns at
  call c;
  if (!read(argv[4], c))
    return 2;
  const auto reference = load(argv[1], argv[3]);
  const auto candidate = load(argv[2], argv[3]);
  if (reference == nullptr || candidate == nullptr)
    return 2;
  buffers wanted{c};
  buffers made{c};
  wanted.run(reference);
  made.run(candidate);
  if (!outputs_agree(c, made, wanted)) {
    std::puts("wrong");
    return 0;
  }
  double fastest_reference = HUGE_VAL;
  double fastest_candidate = HUGE_VAL;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{std::atoi(argv[5])};
  for (int calls = 0; calls < least_calls || std::chrono::steady_clock::now() < until; ++calls) {
    fastest_reference = std::min(fastest_reference, nanoseconds_of(wanted, reference));
    fastest_candidate = std::min(fastest_candidate, nanoseconds_of(made, candidate));
  }
  std::printf("%.1f %.1f\n", fastest_reference, fastest_candidate);
  return 0;
}
