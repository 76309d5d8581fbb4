/* Which traces an iteration takes: the same text for the CPU and for the GPU; `batches` in engine.py is its twin. */

static unsigned mix(unsigned a) {
  a = (a ^ a >> 16) * 0x85EBCA6Bu;
  a = (a ^ a >> 13) * 0xC2B2AE35u;
  return a ^ a >> 16;
}

/* A permutation of the numbers below `count`. */
static unsigned shuffled(unsigned v, unsigned count, unsigned key) {
  unsigned half = 1;
  while (1ull << 2 * half < count) half++;
  const unsigned mask = (1u << half) - 1;
  do {
    unsigned left = v >> half, right = v & mask;
    for (unsigned r = 0; r < 6; r++) {
      const unsigned next = left ^ (mix(right + key + r * 0x85EBCA6Bu) & mask);
      left = right;
      right = next;
    }
    v = left << half | right;
  } while (v >= count);
  return v;
}

/* The trace at a place of a batch, out of `count`; where there are bands, they are sorted by length. */
static unsigned dealt(unsigned seed, unsigned long long iteration, unsigned place, unsigned batch, unsigned count,
                      unsigned bands) {
  const unsigned long long position = iteration * batch + place;
  const unsigned all = bands < 2 || count < 2 * batch ? 0 : count / batch; /* batches of an epoch */
  const unsigned epoch = (unsigned)(all ? iteration / all : position / count);
  const unsigned key = mix(mix(seed) + mix(epoch + 0x9E3779B9u));
  if (!all) return shuffled((unsigned)(position % count), count, key);
  const unsigned long long parts = bands < all ? bands : all, number = shuffled((unsigned)(iteration % all), all, key);
  const unsigned long long band = ((number + 1) * parts - 1) / all;
  const unsigned begin = (unsigned)(band * all / parts * batch), end = (unsigned)((band + 1) * all / parts * batch);
  const unsigned at = (unsigned)number * batch + place - begin;
  const unsigned long long rank = begin + shuffled(at, end - begin, mix(key + (unsigned)band + 1));
  return (unsigned)((rank * count + mix(key) % count) / ((unsigned long long)all * batch));
}
