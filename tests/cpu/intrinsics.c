// Calls every intrinsic whose accesses a sanitised build checks itself (backends/cpu/checked_intrinsics.hpp).
#include <immintrin.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C"
#endif
__attribute__((target("avx2,avx512f,avx512vl,avx512bw"))) void intrinsics(const float *x, float *y, const int32_t *ix, const int64_t *jx, double *d, const double *e, int32_t *q, int64_t *l, char *c) {
  __m256i m8 = _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, 0); __m128i m4 = _mm_setr_epi32(-1,0,0,0);
  __m256i i8 = _mm256_loadu_si256((const __m256i*)ix); __m128i i4 = _mm_loadu_si128((const __m128i*)ix);
  __m256i j4 = _mm256_loadu_si256((const __m256i*)jx); __m128i j2 = _mm_loadu_si128((const __m128i*)jx);
  __m512i j8 = _mm512_loadu_si512(jx), i16 = _mm512_loadu_si512(ix);
  __m256i a = _mm256_lddqu_si256((const __m256i*)x); __m128i b = _mm_lddqu_si128((const __m128i*)x);
  _mm256_maskstore_ps(y, m8, _mm256_maskload_ps(x, m8)); _mm_maskstore_ps(y, m4, _mm_maskload_ps(x, m4));
  _mm256_maskstore_pd(d, m8, _mm256_maskload_pd(e, m8)); _mm_maskstore_pd(d, m4, _mm_maskload_pd(e, m4));
  _mm256_maskstore_epi32(q, m8, _mm256_maskload_epi32(ix, m8)); _mm_maskstore_epi32(q, m4, _mm_maskload_epi32(ix, m4));
  _mm256_maskstore_epi64((long long*)l, m8, _mm256_maskload_epi64((const long long*)jx, m8)); _mm_maskstore_epi64((long long*)l, m4, _mm_maskload_epi64((const long long*)jx, m4));
  _mm_maskmoveu_si128(b, m4, c);
  __m256 s = _mm256_i32gather_ps(x, i8, 4); s = _mm256_add_ps(s, _mm256_mask_i32gather_ps(s, x, i8, s, 4));
  __m128 t = _mm_i32gather_ps(x, i4, 4); t = _mm_add_ps(t, _mm_i64gather_ps(x, j2, 4)); t = _mm_add_ps(t, _mm256_i64gather_ps(x, j4, 4));
  __m256d u = _mm256_i32gather_pd(e, i4, 8); u = _mm256_add_pd(u, _mm256_i64gather_pd(e, j4, 8));
  __m128d v = _mm_i32gather_pd(e, i4, 8); v = _mm_add_pd(v, _mm_i64gather_pd(e, j2, 8));
  a = _mm256_add_epi32(a, _mm256_i32gather_epi32(ix, i8, 4)); b = _mm_add_epi32(b, _mm_i32gather_epi32(ix, i4, 4)); b = _mm_add_epi32(b, _mm_i64gather_epi32(ix, j2, 4)); b = _mm_add_epi32(b, _mm256_i64gather_epi32(ix, j4, 4));
  a = _mm256_add_epi64(a, _mm256_i32gather_epi64((const long long*)jx, i4, 8)); a = _mm256_add_epi64(a, _mm256_i64gather_epi64((const long long*)jx, j4, 8)); b = _mm_add_epi64(b, _mm_i32gather_epi64((const long long*)jx, i4, 8)); b = _mm_add_epi64(b, _mm_i64gather_epi64((const long long*)jx, j2, 8));
  __m512 w = _mm512_i32gather_ps(i16, x, 4); w = _mm512_add_ps(w, _mm512_mask_i32gather_ps(w, 0x55, i16, x, 4)); w = _mm512_add_ps(w, _mm512_castps256_ps512(_mm512_i64gather_ps(j8, x, 4)));
  __m512d z = _mm512_i32gather_pd(i8, e, 8); z = _mm512_add_pd(z, _mm512_i64gather_pd(j8, e, 8));
  __m512i g = _mm512_i32gather_epi32(i16, ix, 4); g = _mm512_add_epi32(g, _mm512_i64gather_epi64(j8, jx, 8)); g = _mm512_add_epi64(g, _mm512_i32gather_epi64(i8, jx, 8));
  s = _mm256_mmask_i32gather_ps(s, 3, i8, x, 4); t = _mm_mmask_i32gather_ps(t, 3, i4, x, 4); t = _mm256_mmask_i64gather_ps(t, 3, j4, x, 4); t = _mm_mmask_i64gather_ps(t, 3, j2, x, 4);
  u = _mm256_mmask_i32gather_pd(u, 3, i4, e, 8); v = _mm_mmask_i64gather_pd(v, 3, j2, e, 8);
  _mm512_i32scatter_ps(y, i16, w, 4); _mm512_mask_i32scatter_ps(y, 5, i16, w, 4); _mm512_i64scatter_ps(y, j8, s, 4); _mm512_i32scatter_pd(d, i8, z, 8); _mm512_i64scatter_pd(d, j8, z, 8); _mm512_i32scatter_epi32(q, i16, g, 4); _mm512_i64scatter_epi64(l, j8, g, 8);
  _mm256_mask_i32scatter_ps(y, 3, i8, s, 4); _mm_mask_i64scatter_ps(y, 3, j2, t, 4); _mm256_mask_i64scatter_epi64(l, 3, j4, a, 8); _mm_i32scatter_pd(d, i4, v, 8);
  w = _mm512_add_ps(w, _mm512_maskz_loadu_ps(7, x)); w = _mm512_mask_load_ps(w, 3, y); _mm512_mask_storeu_ps(y, 3, w); _mm512_mask_store_ps(y, 3, w); s = _mm256_maskz_loadu_ps(3, x); _mm256_mask_storeu_ps(y, 7, s); _mm_mask_storeu_ps(y, 3, t);
  z = _mm512_maskz_loadu_pd(3, e); _mm512_mask_storeu_pd(d, 3, z); g = _mm512_maskz_loadu_epi32(7, ix); _mm512_mask_storeu_epi32(q, 7, g); g = _mm512_maskz_loadu_epi8(7, c); _mm512_mask_storeu_epi8(c, 7, g); g = _mm512_maskz_loadu_epi16(7, c); _mm512_mask_storeu_epi16(c, 7, g); g = _mm512_maskz_loadu_epi64(7, jx); _mm512_mask_storeu_epi64(l, 7, g); g = _mm512_maskz_load_epi32(3, ix); _mm512_mask_store_epi32(q, 3, g);
  _mm256_storeu_si256((__m256i*)c, a); _mm_storeu_si128((__m128i*)c, b); _mm256_storeu_pd(d, u); _mm_storeu_pd(d, v); _mm512_storeu_ps(y, w);
}
