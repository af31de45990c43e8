// The program that calls a candidate for the profile passes. It is compiled as it stands and linked with the
// candidate's object and with call_entry.c, which passes the arguments. None of its figures is a result of a judge.
//
//   calls LIMIT_MS SAMPLES REPEATS WARM SIDE…   a SIDE is FILE,HUGE,FLUSH,ARGUMENT,OFFSET,COLD
//
// LIMIT_MS is processor time of the main thread: on a busy machine the samples are as many as on an idle one.
// FILE holds the arguments: words (bytes of the arena, number of arguments; then for each: is an array, value or
// offset, bytes, is restored before a call) and the arena's image. HUGE asks for huge pages, FLUSH flushes denormals to
// zero, OFFSET moves one array, COLD evicts the arena first. Samples of all sides alternate in random order. The answer
// is text in the file calls.txt.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { most_sharing = 8, most_sides = 2, most_arguments = 64, probe_words = 5, page = 4096, huge_page = 2 << 20, slack = 2 << 20 };

void kevolve_call_entry(char* arena, const uint64_t* values);
extern uint64_t kevolve_probe_table[] __attribute__((weak));
extern const uint64_t kevolve_probe_count __attribute__((weak));
extern const char kevolve_probe_names[] __attribute__((weak));

struct argument {
  uint64_t is_array, value, bytes, restored;
};
struct side {
  uint64_t head[2];
  struct argument arguments[most_arguments];
  uint64_t values[most_arguments];
  char* image; // as it was read
  char* arena;
  long huge, flush, moved, offset, cold;
};

static struct side sides[most_sides];
static uint64_t* table; // of the fastest sample: others were interrupted more

static void give_up(const char* why) {
  fprintf(stderr, "calls: %s\n", why);
  exit(3);
}

static inline uint64_t clock_ticks(void) {
  uint64_t out;
  __asm__ volatile("lfence\n\trdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax" : "=a"(out) : : "rdx", "cc");
  return out;
}

static uint64_t read_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void) { return read_ns(CLOCK_MONOTONIC); }
static uint64_t worked_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

static void read_all(int file, void* to, uint64_t bytes) {
  for (char* at = to; bytes > 0;) {
    ssize_t got = read(file, at, bytes);
    if (got <= 0)
      give_up("an input file is cut");
    at += got;
    bytes -= (uint64_t)got;
  }
}

// The C library copies long blocks by one instruction, which valgrind simulates byte by byte: 60 ns each.
static void copy(char* to, const char* from, uint64_t bytes) {
  uint64_t i = 0;
  for (; i + 16 <= bytes; i += 16)
    _mm_storeu_si128((__m128i*)(to + i), _mm_loadu_si128((const __m128i*)(from + i)));
  for (; i < bytes; ++i)
    to[i] = from[i];
}

static void open_side(struct side* s, char* words) {
  char* rest = NULL;
  const char* name = strtok_r(words, ",", &rest);
  long* to[] = {&s->huge, &s->flush, &s->moved, &s->offset, &s->cold};
  for (unsigned i = 0; i < 5; ++i) {
    const char* word = strtok_r(NULL, ",", &rest);
    *to[i] = word != NULL ? atol(word) : 0;
  }
  int file = open(name, O_RDONLY);
  if (file < 0)
    give_up("an input file is missing");
  read_all(file, s->head, sizeof s->head);
  if (s->head[1] > most_arguments)
    give_up("too many arguments");
  read_all(file, s->arguments, s->head[1] * sizeof(struct argument));
  const uint64_t bytes = s->head[0] + slack;
  s->image = malloc(s->head[0] + 1);
  read_all(file, s->image, s->head[0]);
  close(file);
  char* all = mmap(NULL, bytes + 2 * huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || s->image == NULL)
    give_up("there is not enough memory");
  s->arena = (char*)(((uintptr_t)all + huge_page - 1) & ~(uintptr_t)(huge_page - 1));
  madvise(s->arena, (bytes + huge_page - 1) & ~(uint64_t)(huge_page - 1),
          s->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  for (uint64_t i = 0; i < bytes; i += page) // new pages hold zeros
    s->arena[i] = 0;
  copy(s->arena, s->image, s->head[0]);
  for (uint64_t i = 0; i < s->head[1]; ++i) {
    const struct argument* a = &s->arguments[i];
    s->values[i] = a->value;
    if (a->is_array && (long)i == s->moved) {
      s->values[i] += (uint64_t)s->offset;
      copy(s->arena + s->values[i], s->image + a->value, a->bytes);
    }
  }
}

static void restore(struct side* s) {
  for (uint64_t i = 0; i < s->head[1]; ++i)
    if (s->arguments[i].is_array && s->arguments[i].restored)
      copy(s->arena + s->values[i], s->image + s->arguments[i].value, s->arguments[i].bytes);
}

static void evict(const struct side* s) {
  for (uint64_t i = 0; i < s->head[0]; i += 64)
    _mm_clflush(s->arena + i);
  _mm_mfence();
}

static uint64_t sample(struct side* s, long repeats, long warm) {
  const unsigned state = _mm_getcsr();
  if (s->flush)
    _mm_setcsr(state | 0x8040U);
  for (long i = 0; i < warm; ++i) {
    restore(s);
    kevolve_call_entry(s->arena, s->values);
  }
  restore(s);
  if (s->cold)
    evict(s);
  const uint64_t words = kevolve_probe_table != NULL ? kevolve_probe_count * probe_words : 0;
  if (words > 0)
    memset(kevolve_probe_table, 0, words * sizeof(uint64_t));
  const uint64_t begin = clock_ticks();
  for (long i = 0; i < repeats; ++i)
    kevolve_call_entry(s->arena, s->values);
  const uint64_t took = clock_ticks() - begin;
  _mm_setcsr(state);
  static uint64_t fastest = ~(uint64_t)0;
  if (words > 0 && took < fastest) {
    fastest = took;
    memcpy(table, kevolve_probe_table, words * sizeof(uint64_t));
  }
  return took;
}

// The cost of one reading within its own interval, and of a pair of readings in the time around them.
static void calibrate(FILE* out) {
  enum { pairs = 2000 };
  uint64_t own = ~(uint64_t)0;
  uint64_t best = ~(uint64_t)0;
  static volatile uint64_t sink[6];
  for (int k = 0; k < 5; ++k) {
    const uint64_t begin = clock_ticks();
    for (int i = 0; i < pairs; ++i) {
      sink[0] += 1; // as the probes' own variables
      sink[1] += 1;
      const uint64_t a = clock_ticks();
      const uint64_t took = clock_ticks() - a;
      sink[2] += took;
      sink[3] += sink[0];
      own = took < own ? took : own;
    }
    const uint64_t all = clock_ticks() - begin;
    best = all < best ? all : best;
  }
  fprintf(out, "clock %lu %.3f\n", (unsigned long)own, (double)best / pairs);
}

int main(int argc, char** argv) {
  if (argc < 6 || argc > 5 + most_sides)
    give_up("wrong arguments");
  const uint64_t limit_ns = strtoull(argv[1], NULL, 10) * 1000000U;
  const long samples = atol(argv[2]);
  const long repeats = atol(argv[3]);
  const long warm = atol(argv[4]);
  const int count = argc - 5;
  for (int i = 0; i < count; ++i)
    open_side(&sides[i], argv[5 + i]);
  FILE* out = fopen("calls.txt", "w");
  if (out == NULL)
    give_up("calls.txt cannot be written");
  if (kevolve_probe_table != NULL)
    table = calloc(kevolve_probe_count * probe_words + 1, sizeof(uint64_t));
  calibrate(out);
  const uint64_t first_ns = now_ns();
  const uint64_t first_worked_ns = worked_ns();
  const uint64_t first_ticks = clock_ticks();
  uint64_t random = 88172645463325252U;
  long done = 0;
  while (done < samples
         && (done < 3 || (worked_ns() - first_worked_ns < limit_ns && now_ns() - first_ns < most_sharing * limit_ns))) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint64_t took[most_sides] = {0};
    for (int k = 0; k < count; ++k) {
      const int which = count == 2 && (random >> 40) % 2 == 1 ? 1 - k : k;
      took[which] = sample(&sides[which], repeats, warm);
    }
    fprintf(out, "sample");
    for (int k = 0; k < count; ++k)
      fprintf(out, " %.3f", (double)took[k] / (double)repeats);
    fprintf(out, "\n");
    ++done;
  }
  // The ticks' rate, over 20 ms at least.
  while (now_ns() - first_ns < 20000000U)
    continue;
  const uint64_t ns = now_ns() - first_ns;
  fprintf(out, "rate %.9f\n", (double)(clock_ticks() - first_ticks) / (double)ns);
  fprintf(out, "calls %ld\n", kevolve_probe_table != NULL ? repeats : done * repeats);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fprintf(out, "faults %ld\n", usage.ru_minflt);
  if (kevolve_probe_table != NULL) {
    for (uint64_t i = 0; i < kevolve_probe_count; ++i) {
      fprintf(out, "loop %lu", (unsigned long)i);
      for (int k = 0; k < probe_words; ++k)
        fprintf(out, " %lu", (unsigned long)table[i * probe_words + (uint64_t)k]);
      fprintf(out, "\n");
    }
    fprintf(out, "names\n%s", kevolve_probe_names);
  }
  return fclose(out) == 0 ? 0 : 4;
}
