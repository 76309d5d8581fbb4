/* How well a processor would foresee the jumps of an agent's code: what came after the same cases before. */

enum { SHORT = 1 << 10, LONG = 1 << 11 };

typedef struct guess {
  uint16_t tag, next, sure;
} guess;

typedef struct forecast {
  uint64_t past; /* the last cases, four bits each */
  uint64_t steps, jumps, missed;
  uint16_t last;
  uint16_t brief[SHORT];
  guess full[LONG];
} forecast;

/* A long past is believed where it was right before, a short one else. */
static void see(forecast *f, uint16_t now) {
  f->steps++;
  if (now == f->last && now & 1) return; /* a walk is one jump */
  f->jumps++;
  uint64_t h = f->past * 0x9E3779B97F4A7C15u ^ f->last;
  uint16_t *brief = &f->brief[((f->past & 0xFFF) * 31 + f->last) & (SHORT - 1)], tag = (uint16_t)(h >> 48);
  guess *full = &f->full[h >> 32 & (LONG - 1)];
  int known = full->tag == tag && full->sure > 0;
  f->missed += (known ? full->next : *brief) != now;
  if (full->tag != tag || (full->next != now && full->sure == 0)) *full = (guess){tag, now, 0};
  else if (full->next == now) full->sure = 1;
  else full->sure = 0;
  *brief = now;
  f->past = f->past << 4 ^ (now >> 1);
  f->last = now;
}
