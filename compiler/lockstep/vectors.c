/* Vectors of as many numbers as the processor adds at once. */

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t mask __attribute__((vector_size(4 * LANES)));
typedef uint64_t words __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

/* Whether any lane of a mask is set. */
INLINE int any(mask found) {
  words bits = (words)found;
  uint64_t all = 0;
  for (int i = 0; i < LANES / 2; i++) all |= bits[i];
  return all != 0;
}

