/* The machine. `left` counts the steps that may still be done, `q` is the state times SYMBOLS. */

#define UNUSED __attribute__((unused))

#if SYMBOLS < 255 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Sixteen cells at a time; the border of a tile stops every scan. */
typedef uint8_t bytes __attribute__((vector_size(16)));
#define SCAN_FORWARD(p, stop)                                  \
  for (;;) {                                                   \
    bytes v;                                                   \
    memcpy(&v, p, 16);                                         \
    bytes stops = stop;                                        \
    uint64_t half[2];                                          \
    memcpy(half, &stops, 16);                                  \
    if (half[0]) return p + __builtin_ctzll(half[0]) / 8;      \
    if (half[1]) return p + 8 + __builtin_ctzll(half[1]) / 8;  \
    p += 16;                                                   \
  }
#define SCAN_BACKWARD(p, stop)                                 \
  for (;;) {                                                   \
    bytes v;                                                   \
    memcpy(&v, p - 15, 16);                                    \
    bytes stops = stop;                                        \
    uint64_t half[2];                                          \
    memcpy(half, &stops, 16);                                  \
    if (half[1]) return p - __builtin_clzll(half[1]) / 8;      \
    if (half[0]) return p - 8 - __builtin_clzll(half[0]) / 8;  \
    p -= 16;                                                   \
  }
#else
#define SCAN_FORWARD(p, stop)
#define SCAN_BACKWARD(p, stop)
#endif

/* What functions change is a copy, so that the rest stays in registers. */
#define CROSS(state)              \
  {                               \
    tile *here = t;               \
    next = cross(w, &here, p);    \
    t = here;                     \
  }                               \
  if (next == NULL) {             \
    state goto budget;            \
  }                               \
  p = next;

#ifdef OBSERVING
#define BEGIN_OBSERVING uint64_t at = 0;
#define OBSERVE(state, read, write, move)              \
  if (w->reads != NULL) {                              \
    w->reads[at] = (int16_t)(read);                    \
    w->writes[at] = (int16_t)(write);                  \
    w->moves[at++] = (int16_t)(move);                  \
  }                                                    \
  if (w->counts != NULL) w->counts[(state) + (read)]++;
#define WALK(state, move, offset, scan) \
  OBSERVE(state, c, c, move)            \
  p += offset;                          \
  left--;
#define LEAP(way, state) CROSS(state)
#else
#define BEGIN_OBSERVING
#define OBSERVE(state, read, write, move)
#define WALK(state, move, offset, scan)                \
  scan {                                               \
    uint64_t run = (uint64_t)((next - p) / (offset));  \
    if (run > left) run = left;                        \
    p += (int64_t)run * (offset);                      \
    left -= run;                                       \
    saved += run - run / 16 - 3; /* a scan ends with a surprise */ \
  }
#define LEAP(way, state)                       \
  {                                            \
    tile *here = t;                            \
    uint64_t rest = left;                      \
    next = leap(w, &here, p, way, &rest);      \
    t = here;                                  \
    left = rest;                               \
  }                                            \
  if (next == NULL) {                          \
    state goto lost;                           \
  }                                            \
  p = next;
#endif

/* TABLES */
/* LAPS */
/* BLOCKS */

halted: UNUSED;
  outcome = HALTED;
  goto done;
stuck: UNUSED;
  outcome = STUCK;
  goto done;
budget: UNUSED;
  outcome = BUDGET;
done:
  w->x = column_of(t, p);
  w->y = row_of(t, p);
  w->steps += budget - left;
  w->saved += saved;
  w->state = (int32_t)(q / SYMBOLS);
  return outcome;
lost: UNUSED; /* the memory budget was spent far from any tile; the head is known */
  w->steps += budget - left;
  w->saved += saved;
  w->state = (int32_t)(q / SYMBOLS);
  return BUDGET;
}
