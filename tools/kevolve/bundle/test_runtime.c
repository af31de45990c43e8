/* Stands in every test_kernel.c, behind its includes and KT_RANK; KT_HAS_F16 where a task has f16. */
enum kt_type { KT_F16, KT_BF16, KT_F32, KT_F64, KT_I8, KT_U8, KT_I32, KT_I64, KT_BOOL };
enum kt_mode { KT_ABSREL, KT_ULP, KT_REFERENCE_ERROR, KT_EXACT };

static const size_t kt_bytes[] = {2, 2, 4, 8, 1, 1, 4, 8, 1};

/* One array argument: as it is drawn, and as each of the three gets it. */
typedef struct {
  const char *name;
  enum kt_type type;
  enum kt_type oracle_type;
  int rank;
  int64_t dims[KT_RANK];
  int64_t strides[KT_RANK]; /* in elements */
  int64_t count;            /* elements */
  int64_t span;             /* elements from the first to the last, gaps included */
  void *drawn, *kernel, *reference, *oracle;
  size_t guard; /* bytes before and behind the kernel's, which no kernel may write */
} kt_array;

typedef struct {
  enum kt_mode mode;
  double relative, absolute, limit;
  int nonfinite_match;
} kt_tolerance;

/* Random numbers: splitmix64, the same on every machine. */
static uint64_t kt_state;
static inline uint64_t kt_next(void) {
  uint64_t z = (kt_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static inline double kt_uniform(void) { return (double)(kt_next() >> 11) * 0x1.0p-53; }
static inline double kt_normal(void) {
  double u = 1.0 - kt_uniform();
  return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * kt_uniform());
}
static inline int64_t kt_between(int64_t low, int64_t high) {
  uint64_t span = (uint64_t)high - (uint64_t)low + 1;
  return high <= low ? low : (int64_t)((uint64_t)low + (span == 0 ? kt_next() : kt_next() % span));
}

/* The operations of a task's expressions: division rounds down. */
static inline int64_t kt_div(int64_t a, int64_t b) {
  if (b == 0) {
    fprintf(stderr, "test_kernel: a shape divides by zero\n");
    exit(2);
  }
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
static inline int64_t kt_mod(int64_t a, int64_t b) { return a - kt_div(a, b) * b; }
static inline int64_t kt_ceildiv(int64_t a, int64_t b) { return -kt_div(-a, b); }
static inline int64_t kt_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t kt_max(int64_t a, int64_t b) { return a > b ? a : b; }

static void *kt_alloc(size_t bytes, size_t align) {
  void *p = NULL;
  if (posix_memalign(&p, align, bytes + align) != 0) {
    fprintf(stderr, "test_kernel: no memory for %zu bytes\n", bytes);
    exit(2);
  }
  return p;
}

/* Numbers of every type. */
static inline double kt_from_bf16(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
static inline uint16_t kt_to_bf16(double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  if (f != f)
    return (uint16_t)((bits >> 16) | 0x40u);
  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
static inline double kt_load(enum kt_type t, const void *p, int64_t i) {
  switch (t) {
#ifdef KT_HAS_F16
    case KT_F16: return (double)((const _Float16 *)p)[i];
#endif
    case KT_BF16: return kt_from_bf16(((const uint16_t *)p)[i]);
    case KT_F32: return ((const float *)p)[i];
    case KT_F64: return ((const double *)p)[i];
    case KT_I8: return ((const int8_t *)p)[i];
    case KT_I32: return ((const int32_t *)p)[i];
    case KT_I64: return (double)((const int64_t *)p)[i];
    default: return ((const uint8_t *)p)[i];
  }
}
static inline int64_t kt_load_whole(enum kt_type t, const void *p, int64_t i) {
  return t == KT_I64 ? ((const int64_t *)p)[i] : (int64_t)kt_load(t, p, i);
}
static inline void kt_store_whole(enum kt_type t, void *p, int64_t i, int64_t x) {
  switch (t) {
    case KT_I8: ((int8_t *)p)[i] = (int8_t)kt_max(INT8_MIN, kt_min(INT8_MAX, x)); break;
    case KT_I32: ((int32_t *)p)[i] = (int32_t)kt_max(INT32_MIN, kt_min(INT32_MAX, x)); break;
    case KT_I64: ((int64_t *)p)[i] = x; break;
    default: ((uint8_t *)p)[i] = (uint8_t)kt_max(0, kt_min(UINT8_MAX, x)); break;
  }
}
static inline void kt_store(enum kt_type t, void *p, int64_t i, double x) {
  switch (t) {
#ifdef KT_HAS_F16
    case KT_F16: ((_Float16 *)p)[i] = (_Float16)x; break;
#endif
    case KT_BF16: ((uint16_t *)p)[i] = kt_to_bf16(x); break;
    case KT_F32: ((float *)p)[i] = (float)x; break;
    case KT_F64: ((double *)p)[i] = x; break;
    default: kt_store_whole(t, p, i, x <= -9e18 ? INT64_MIN : x >= 9e18 ? INT64_MAX : (int64_t)nearbyint(x)); break;
  }
}
static inline int kt_is_float(enum kt_type t) { return t <= KT_F64; }
static double kt_ulp(enum kt_type t, double x) {
  static const int bits[] = {10, 7, 23, 52}, least[] = {-14, -126, -126, -1022};
  int exponent;
  if (!kt_is_float(t))
    return 1.0;
  frexp(x, &exponent);
  --exponent;
  if (x == 0.0 || !isfinite(x) || exponent < least[t])
    exponent = least[t];
  return ldexp(1.0, exponent - bits[t]);
}

/* Where a logical element lies. */
static inline int64_t kt_place(const kt_array *a, int64_t i) {
  int64_t at = 0;
  if (a->span == a->count)
    return i;
  for (int d = a->rank - 1; d >= 0; --d) {
    at += i % a->dims[d] * a->strides[d];
    i /= a->dims[d];
  }
  return at;
}

static void kt_make(kt_array *a, const int64_t *dims, const int64_t *strides, size_t align) {
  a->count = 1;
  for (int d = 0; d < a->rank; ++d) {
    if (dims[d] < 0) {
      fprintf(stderr, "test_kernel: '%s' has a negative extent\n", a->name);
      exit(2);
    }
    a->dims[d] = dims[d];
    a->count *= dims[d];
  }
  int64_t inner = 1;
  a->span = 1;
  for (int d = a->rank - 1; d >= 0; --d) {
    a->strides[d] = strides ? strides[d] : inner;
    inner *= kt_max(a->dims[d], 1);
    a->span += (a->dims[d] - 1) * a->strides[d];
  }
  if (a->count == 0)
    a->span = 0;
  a->oracle_type = a->type == KT_F16 || a->type == KT_F32 ? KT_F64 : a->type;
  size_t bytes = (size_t)a->span * kt_bytes[a->type];
  a->drawn = kt_alloc(bytes, align);
  a->guard = align < 4096 ? 4096 : align;
  a->kernel = (char *)kt_alloc(bytes + 2 * a->guard, align) + a->guard;
  memset((char *)a->kernel - a->guard, 0x5A, a->guard);
  memset((char *)a->kernel + bytes, 0x5A, a->guard);
  a->reference = kt_alloc(bytes, align);
  a->oracle = kt_alloc((size_t)a->span * kt_bytes[a->oracle_type], align);
  memset(a->drawn, 0, bytes);
}

static void kt_free(kt_array *a) {
  free(a->drawn);
  free((char *)a->kernel - a->guard);
  free(a->reference);
  free(a->oracle);
}

/* Gives each its own copy of what was drawn. */
static void kt_hand_out(kt_array *a) {
  size_t bytes = (size_t)a->span * kt_bytes[a->type];
  memcpy(a->kernel, a->drawn, bytes);
  memcpy(a->reference, a->drawn, bytes);
  if (a->oracle_type == a->type)
    memcpy(a->oracle, a->drawn, bytes);
  else
    for (int64_t i = 0; i < a->span; ++i)
      ((double *)a->oracle)[i] = kt_load(a->type, a->drawn, i);
}

/* Outputs begin as what no kernel writes by chance. */
static void kt_poison(kt_array *a) {
  size_t bytes = (size_t)a->span * kt_bytes[a->type];
  memset(a->kernel, 0xA5, bytes);
  memset(a->reference, 0xA5, bytes);
  memset(a->oracle, 0xA5, (size_t)a->span * kt_bytes[a->oracle_type]);
}

/* The distributions. */
static void kt_draw_normal(kt_array *a, double mean, double std) {
  for (int64_t i = 0; i < a->count; ++i)
    kt_store(a->type, a->drawn, kt_place(a, i), mean + std * kt_normal());
}
static void kt_draw_uniform(kt_array *a, double low, double high) {
  for (int64_t i = 0; i < a->count; ++i)
    kt_store(a->type, a->drawn, kt_place(a, i), low + (high - low) * kt_uniform());
}
static void kt_draw_integer(kt_array *a, double low, double high) {
  for (int64_t i = 0; i < a->count; ++i)
    kt_store(a->type, a->drawn, kt_place(a, i), (double)kt_between((int64_t)low, (int64_t)high));
}
static void kt_draw_bits(kt_array *a) {
  for (int64_t i = 0; i < a->count; ++i)
    kt_store_whole(a->type, a->drawn, kt_place(a, i), (int64_t)(kt_next() & 1));
}
static int64_t kt_largest(enum kt_type t) {
  return t == KT_I8 ? INT8_MAX : t == KT_I32 ? INT32_MAX : t == KT_I64 ? INT64_C(1) << 53 : UINT8_MAX;
}
static void kt_draw_sorted_unique(kt_array *a, double from, double to) {
  if (kt_is_float(a->type)) {
    double x = from;
    for (int64_t i = 0; i < a->count; ++i) {
      x += kt_uniform() + 2.0 * kt_ulp(a->type, x);
      kt_store(a->type, a->drawn, kt_place(a, i), x);
    }
    return;
  }
  int64_t low = (int64_t)from, high = (int64_t)to;
  if (high - low + 1 < a->count) {
    low = 0;
    high = kt_largest(a->type);
  }
  double room = (double)(high - low + 1 - a->count);
  for (int64_t i = 0; i < a->count; ++i) {
    double share = room * (((double)i + kt_uniform()) / (double)a->count);
    kt_store_whole(a->type, a->drawn, kt_place(a, i), low + i + (int64_t)share);
  }
}
/* One more than the lengths: exclusive prefix sums. */
static void kt_draw_offsets(kt_array *a, const kt_array *of) {
  int64_t sum = 0;
  for (int64_t i = 0; i < a->count; ++i) {
    kt_store_whole(a->type, a->drawn, kt_place(a, i), sum);
    if (i < of->count)
      sum += kt_load_whole(of->type, of->drawn, kt_place(of, i));
  }
}
static void kt_draw_sample(kt_array *a, const kt_array *of, double hit) {
  int64_t low = 0, high = of->count == 0 ? kt_largest(a->type) : 0;
  for (int64_t i = 0; i < of->count; ++i) {
    int64_t x = kt_load_whole(of->type, of->drawn, kt_place(of, i));
    low = kt_min(low, x);
    high = kt_max(high, x);
  }
  high = kt_min(kt_largest(a->type), high + (high - low) / 8 + 1);
  for (int64_t i = 0; i < a->count; ++i) {
    int64_t x = of->count > 0 && kt_uniform() < hit
                    ? kt_load_whole(of->type, of->drawn, kt_place(of, kt_between(0, of->count - 1)))
                    : kt_between(low, high);
    kt_store_whole(a->type, a->drawn, kt_place(a, i), x);
  }
}
static inline int64_t kt_sum(const kt_array *a) {
  int64_t sum = 0;
  for (int64_t i = 0; i < a->count; ++i)
    sum += kt_load_whole(a->type, a->drawn, kt_place(a, i));
  return sum;
}

/* The elements of an output that are valid: all, or the rows that another output counts. */
static int64_t kt_valid(const kt_array *a, const void *counted) {
  int64_t rows = a->rank > 0 ? a->dims[0] : 1, n;
  memcpy(&n, counted, sizeof n);
  return rows == 0 ? 0 : kt_max(0, kt_min(n, rows)) * (a->count / rows);
}

/* What lies around an array belongs to others. */
static int kt_outside_untouched(const char *shape, const kt_array *a) {
  const unsigned char *before = (const unsigned char *)a->kernel - a->guard;
  const unsigned char *behind = (const unsigned char *)a->kernel + (size_t)a->span * kt_bytes[a->type];
  for (size_t i = 0; i < a->guard; ++i)
    if (before[i] != 0x5A || behind[i] != 0x5A) {
      printf("%s: FAIL: the kernel wrote outside of '%s'\n", shape, a->name);
      return 0;
    }
  return 1;
}

/* What only is read must be as it was. */
static int kt_unchanged(const char *shape, const kt_array *a) {
  if (!kt_outside_untouched(shape, a))
    return 0;
  if (memcmp(a->kernel, a->drawn, (size_t)a->span * kt_bytes[a->type]) == 0)
    return 1;
  printf("%s: FAIL: the kernel changed its input '%s'\n", shape, a->name);
  return 0;
}

/* Elements past the valid ones must be as they were. */
static int kt_tail_untouched(const char *shape, const kt_array *a, int64_t valid) {
  size_t size = kt_bytes[a->type];
  for (int64_t i = valid; i < a->count; ++i)
    for (size_t k = 0; k < size; ++k)
      if (((const unsigned char *)a->kernel)[(size_t)kt_place(a, i) * size + k] != 0xA5) {
        printf("%s: FAIL: the kernel wrote '%s' past its valid rows, at index %lld\n", shape, a->name, (long long)i);
        return 0;
      }
  return 1;
}

static int kt_accepts(const kt_array *a, double c, double o, kt_tolerance t, double reference_error) {
  if (a->oracle_type != a->type && isfinite(o) && fabs(o) > (a->type == KT_F16 ? 65504.0 : 0x1.fffffep127))
    o = o > 0 ? INFINITY : -INFINITY; /* beyond the type's range */
  if (!isfinite(o))
    return isnan(o) ? isnan(c) : c == o;
  if (!isfinite(c))
    return 0;
  double difference = fabs(c - o);
  switch (t.mode) {
    case KT_ABSREL: return difference <= t.absolute + t.relative * fabs(o);
    case KT_ULP: return difference <= t.limit * kt_ulp(a->type, o) + t.absolute;
    case KT_REFERENCE_ERROR: return difference <= t.limit * reference_error + kt_ulp(a->type, o);
    default: return difference == 0.0;
  }
}

/* The first `n` elements that the kernel wrote, against the exact result; prints what it finds. */
static int kt_compare(const char *shape, const kt_array *a, int64_t n, kt_tolerance t) {
  if (!kt_outside_untouched(shape, a))
    return 0;
  double own = 0.0, largest = 0.0;
  int64_t bad = 0, first = -1;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = kt_place(a, i);
    double r = kt_load(a->type, a->reference, at), o = kt_load(a->oracle_type, a->oracle, at);
    if (isfinite(r) && isfinite(o) && fabs(r - o) > own)
      own = fabs(r - o);
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = kt_place(a, i);
    double c = kt_load(a->type, a->kernel, at), o = kt_load(a->oracle_type, a->oracle, at);
    int good = kt_is_float(a->type) || t.mode != KT_EXACT
                   ? kt_accepts(a, c, o, t, own)
                   : kt_load_whole(a->type, a->kernel, at) == kt_load_whole(a->oracle_type, a->oracle, at);
    if (isfinite(c) && isfinite(o) && fabs(c - o) > largest)
      largest = fabs(c - o);
    if (!good && bad++ == 0)
      first = i;
  }
  if (bad == 0) {
    printf("%s: ok: '%s', %lld elements, largest error %.3g (the reference's own: %.3g)\n", shape, a->name,
           (long long)n, largest, own);
    return 1;
  }
  int64_t at = kt_place(a, first);
  printf("%s: FAIL: '%s', %lld of %lld elements are outside the tolerance, the first at index %lld: "
         "%.9g where %.9g was expected\n",
         shape, a->name, (long long)bad, (long long)n, (long long)first, kt_load(a->type, a->kernel, at),
         kt_load(a->oracle_type, a->oracle, at));
  return 0;
}
