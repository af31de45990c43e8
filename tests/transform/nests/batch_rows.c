/* Each pair of a batch has the one scratch row for itself while it lasts. */
// argument: a input u8 batch*n
// argument: b input u8 batch*m
// argument: distance output i32 batch
// argument: batch size
// argument: n size
// argument: m size
// sizes: batch=37 n=5 m=9
// sizes: batch=1 n=1 m=1
// sizes: batch=16 n=3 m=20
// independent: L0
// applies: vectorise(L0,16)
// applies: jam(L0,4)
#include <stdint.h>
void batch_rows(const uint8_t *a, const uint8_t *b, int32_t *distance, int64_t batch, int64_t n, int64_t m) {
    int32_t row[m + 1];
    for (int64_t p = 0; p < batch; p++) {
        for (int64_t j = 0; j <= m; j++) row[j] = (int32_t)j;
        for (int64_t i = 1; i <= n; i++) {
            int32_t diagonal = row[0];
            row[0] = (int32_t)i;
            for (int64_t j = 1; j <= m; j++) {
                int32_t substitute = diagonal + (a[p * n + i - 1] != b[p * m + j - 1]);
                int32_t remove = row[j] + 1;
                int32_t insert = row[j - 1] + 1;
                int32_t best = substitute;
                if (remove < best) best = remove;
                if (insert < best) best = insert;
                diagonal = row[j];
                row[j] = best;
            }
        }
        distance[p] = row[m];
    }
}
