/* Calls one object on the cases of a list, each at either end of pages that nobody may touch, and says which case shows
   a fault. It is built for one task, with CALL and ARGUMENTS from caller.h beside it.

   witness_runner OBJECT ENTRY LIST            compares; prints one line
   witness_runner OBJECT ENTRY LIST SUFFIX     writes the outputs of each case to CASE.SUFFIX instead

   A line of LIST is "CASE REPEATS SIDES": that many calls at each of so many ends. CASE holds the arguments, CASE.want the bounds of every output element.
   Linked with an object instead (-DLINKED=entry), it calls that. Every array is then its own heap block. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "caller.h"

enum { f16, bf16, f32, f64, i8, u8, i32, i64 };
enum { by_value, array_in, array_out, array_both };
static const size_t widths[] = {2, 2, 4, 8, 1, 1, 4, 8};
static const size_t page = 4096, room = (size_t)64 << 10;

typedef struct {
  int64_t kind, type, count, untouched_from; /* the tail of an output that must keep its poison; -1: none */
  const char *data;
} argument;

typedef struct {
  char *region; /* of pages; rooms that nobody may touch lie at either end */
  size_t bytes;
} place;

static volatile int current_case, current_call;
static const char *stage = "call";

static void put(const char *text) {
  if (write(1, text, strlen(text)) < 0)
    _exit(9);
}

static void stop(const char *what, int number) {
  char line[160];
  snprintf(line, sizeof line, "%s case=%d call=%d number=%d stage=%s\n", what, current_case, current_call, number, stage);
  put(line);
  _exit(0);
}

static void on_signal(int number) { stop(number == SIGPROF ? "endless" : "signal", number); }

/* Processor time, since a busy machine makes nobody guilty. */
static void limit_calls(long seconds) {
  const struct itimerval limit = {{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

static char *load(const char *path, size_t *bytes) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    fprintf(stderr, "%s is missing\n", path);
    exit(2);
  }
  fseek(f, 0, SEEK_END);
  *bytes = (size_t)ftell(f);
  rewind(f);
  char *out = malloc(*bytes + 1);
  if (fread(out, 1, *bytes, f) != *bytes)
    exit(2);
  fclose(f);
  return out;
}

static double half(uint16_t h) {
  const int e = (h >> 10) & 31, m = h & 1023;
  const double size = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return h & 0x8000 ? -size : size;
}

static double number_at(int64_t type, const char *p, int64_t i) {
  union { uint32_t u; float f; } x;
  switch (type) {
  case f16: return half(((const uint16_t *)p)[i]);
  case bf16: x.u = (uint32_t)((const uint16_t *)p)[i] << 16; return x.f;
  case f32: return ((const float *)p)[i];
  default: return ((const double *)p)[i];
  }
}

static int64_t whole_at(int64_t type, const char *p, int64_t i) {
  switch (type) {
  case i8: return ((const int8_t *)p)[i];
  case u8: return ((const uint8_t *)p)[i];
  case i32: return ((const int32_t *)p)[i];
  default: return ((const int64_t *)p)[i];
  }
}

static const unsigned char poisons[2][8] = {{0xdb, 0x0f, 0xc9, 0xff, 0xdb, 0x0f, 0xf9, 0xff}, {0xdb, 0x0f, 0x49, 0x40, 0xdb, 0x0f, 0x49, 0x40}};

static void poison(char *from, size_t bytes, int which) {
  for (size_t i = 0; i < bytes; ++i)
    from[i] = (char)poisons[which][i % 8];
}

static int poisoned(const char *from, size_t bytes, size_t phase, int which) {
  for (size_t i = 0; i < bytes; ++i)
    if (from[i] != (char)poisons[which][(i + phase) % 8])
      return 0;
  return 1;
}

static void complain(int a, int64_t i, double got) {
  char line[200];
  snprintf(line, sizeof line, "wrong case=%d call=%d number=%d element=%lld got=%.9g\n", current_case, current_call, a,
           (long long)i, got);
  put(line);
  _exit(0);
}

/* The bounds of an output: count, then lower and upper bounds as doubles (both NaN: NaN is wanted), or two int64 lists
   either of which may be met; then what the reference gave, which is accepted bit by bit. */
static const char *check(int a, const argument *x, const char *p, const char *want, int which) {
  const int64_t n = *(const int64_t *)want;
  want += 8;
  const size_t w = widths[x->type];
  const double *low = (const double *)want, *high = low + n;
  const int64_t *one = (const int64_t *)want, *other = one + n;
  const char *given = want + 16 * n;
  for (int64_t i = 0; i < n; ++i) {
    if (memcmp(p + (size_t)i * w, given + (size_t)i * w, w) == 0)
      continue;
    if (x->type <= f64) {
      const double got = number_at(x->type, p, i);
      if (isnan(low[i]) ? !isnan(got) : !(got >= low[i] && got <= high[i]))
        complain(a, i, got);
    } else {
      const int64_t got = whole_at(x->type, p, i);
      if (got != one[i] && got != other[i])
        complain(a, i, (double)got);
    }
  }
  if (x->untouched_from >= 0)
    for (int64_t i = x->untouched_from; i < x->count; ++i)
      if (!poisoned(p + (size_t)i * w, w, (size_t)i * w, which))
        complain(a, i, 0.0);
  return given + ((size_t)n * w + 7) / 8 * 8;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
#ifdef LINKED
  entry_type *entry = LINKED;
  const int own_blocks = 1;
#else
  const int own_blocks = 0;
  void *object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    fprintf(stderr, "%s\n", dlerror());
    put("unloadable\n");
    return 0;
  }
  entry_type *entry = (entry_type *)dlsym(object, argv[2]);
  if (!entry)
    return 2;
  static char stack[64 << 10];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  struct sigaction on = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    sigaction(numbers[i], &on, NULL);
#endif
  const long limit = getenv("WITNESS_SECONDS") ? atoi(getenv("WITNESS_SECONDS")) : 10;
  FILE *list = fopen(argv[3], "r");
  static place places[ARGUMENTS];
  char path[4096], extra[4200];
  int repeats, sides;
  while (list && fscanf(list, "%4095s %d %d", path, &repeats, &sides) == 3) {
    size_t bytes, want_bytes;
    char *whole = load(path, &bytes);
    argument arguments[ARGUMENTS];
    const char *at = whole;
    for (int a = 0; a < ARGUMENTS; ++a) {
      memcpy(&arguments[a], at, 32);
      arguments[a].data = at + 32;
      const size_t size = arguments[a].kind == by_value ? 8 : arguments[a].kind == array_out ? 0
                          : (size_t)arguments[a].count * widths[arguments[a].type];
      at += 32 + (size + 7) / 8 * 8;
    }
    snprintf(extra, sizeof extra, "%s.want", path);
    char *want = argc > 4 ? NULL : load(extra, &want_bytes);
    for (int pass = 0; pass < sides * repeats && !(argc > 4 && pass > 0); ++pass) {
      const int side = pass % sides;
      current_call = pass;
      void *pointers[ARGUMENTS];
      char *starts[ARGUMENTS];
      for (int a = 0; a < ARGUMENTS; ++a) {
        const argument *x = &arguments[a];
        if (x->kind == by_value) {
          pointers[a] = (void *)x->data;
          continue;
        }
        const size_t size = (size_t)x->count * widths[x->type], rounded = (size + 63) / 64 * 64;
        char *start;
        if (own_blocks) {
          if (pass == 0 && posix_memalign((void **)&start, 64, size ? size : 1) != 0)
            return 2;
          start = pass == 0 ? start : places[a].region;
          places[a].region = start;
        } else {
          const size_t inside = (rounded + page - 1) / page * page + page;
          if (places[a].bytes < inside) {
            if (places[a].region)
              munmap(places[a].region - room, places[a].bytes + 2 * room);
            char *region = mmap(NULL, inside + 2 * room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            places[a] = (place){region + room, inside};
          }
          char *region = places[a].region, *behind = region + places[a].bytes;
          const size_t used = (rounded + page - 1) / page * page;
          mprotect(region, places[a].bytes, PROT_NONE);
          char *first = side == 0 ? behind - used : region;
          if (used)
            mprotect(first, used, PROT_READ | PROT_WRITE);
          start = side == 0 ? behind - rounded : region;
          poison(first, used, side);
        }
        poison(start, size, side);
        if (x->kind != array_out && size)
          memcpy(start, x->data, size);
        pointers[a] = starts[a] = start;
      }
      limit_calls(limit);
      CALL(entry, pointers);
      limit_calls(0);
      const char *bounds = want;
      for (int a = 0; a < ARGUMENTS; ++a) {
        const argument *x = &arguments[a];
        if (x->kind == by_value)
          continue;
        const size_t size = (size_t)x->count * widths[x->type], slack = (64 - size % 64) % 64;
        if (x->kind == array_in && memcmp(starts[a], x->data, size) != 0)
          stop("changed", a);
        if (!own_blocks) {
          const char *behind = side == 0 ? places[a].region + places[a].bytes
                                         : places[a].region + (size + slack + page - 1) / page * page;
          const char *first = side == 0 ? behind - (size + slack + page - 1) / page * page : starts[a];
          if (!poisoned(starts[a] + size, (size_t)(behind - starts[a]) - size, size, side)
              || !poisoned(first, (size_t)(starts[a] - first), 0, side))
            stop("touched", a);
        }
        if (argc > 4 && x->kind != array_in) {
          snprintf(extra, sizeof extra, "%s.%s", path, argv[4]);
          FILE *f = fopen(extra, a == FIRST_OUTPUT ? "wb" : "ab");
          fwrite(starts[a], 1, size, f);
          fclose(f);
        } else if (x->kind != array_in)
          bounds = check(a, x, starts[a], bounds, side);
      }
    }
    if (own_blocks)
      for (int a = 0; a < ARGUMENTS; ++a)
        if (arguments[a].kind != by_value)
          free(places[a].region);
    free(whole);
    free(want);
    ++current_case;
  }
  char line[64];
  snprintf(line, sizeof line, "right cases=%d\n", current_case);
  put(line);
  return 0;
}
