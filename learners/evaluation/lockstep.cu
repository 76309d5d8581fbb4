/* A model in lockstep with the expert's table, one case a block: what lockstep.c does, on a GPU.
 *
 * Compiled at run time for one size: D numbers in the hidden vector, K symbols, M moves. FOLLOWERS threads,
 * whole warps, have a row of the model's matrices each; RESIDENT if the weights fit into shared memory.
 *
 * The expert needs no model, so it walks ahead: one thread takes the next PIECE steps while the followers
 * ask the model about the last ones. After a mistake the walker takes back what it did since.
 *
 * A sum goes through the columns in order with fused multiply-adds, as in lockstep.c: the same bits. */

#define D4 ((D + 3) / 4)
#define ROWS (D + K + M) /* A over B over C */
#define OUTPUT (4 * D4)  /* where writes begin among the sums; then moves, then one that never leads */
#define PIECE 64
#define LARGEST 3.402823466e38f
#define SMALLEST 1.401298464e-45f
#define INFINITE __int_as_float(0x7f800000)

typedef unsigned char byte;

enum { GOING, HALTED, STUCK, BUDGET, DIFFERS, OUTSIDE };
enum { DECIDED, ALL_ZERO, NOT_FINITE };
enum { STEP, HALT, UNDEFINED };

struct Entry {
  unsigned next; /* state times K */
  unsigned short write, wanted_write; /* the table's number of a symbol, and the model's */
  byte move, wanted_move;
  byte kind, spare;
};

struct Margin {
  double least;
  long long step, x, y; /* where it was seen first */
};

struct Case {
  byte *cells;         /* a window of the world, row after row, framed by cells that hold K */
  float *hidden;       /* (D) */
  long long left, top; /* where the window's first cell lies in the world */
  long long steps, budget;
  Margin margins[2]; /* of writes, of moves */
  int at, wide;      /* the head's cell, and the cells in a row */
  unsigned state;    /* times K */
  int ending;
  int write, move, stuck, spare; /* the last thing that the model was seen to do */
};

struct Job {
  const float4 *weights; /* (K, D4, ROWS): four columns of a row */
  const Entry *table;
  Case *cases;
};

/* Steps of the expert, and the first of them that the model does not do; -1 if there is none. */
struct Piece {
  long long before; /* steps before the first one */
  int count, ending, wrong;
  int at[PIECE];
  unsigned state[PIECE];
  uchar4 asked[PIECE + 2]; /* what was read; the write and the move that are wanted of the model */
};

__shared__ Piece pieces[2];
__shared__ float4 sums[2][D4 + (K + M + 4) / 4]; /* by turns: a hidden vector, and the outputs of the step to it */
__shared__ float least[2];                       /* below this a margin is new, or none at all */
__shared__ bool doubtful;
#ifdef RESIDENT
extern __shared__ float4 resident[];
#endif

/* ---- the expert ---- */

struct Walker {
  byte *cells;
  int at, wide, ending;
  unsigned state;
  long long steps, left;
};

/* Up to PIECE steps; none once the walk has ended. */
__device__ void walk(Walker &w, const Entry *table, Piece &piece) {
  int n = 0;
  piece.before = w.steps;
  while (n < PIECE && w.ending == GOING) {
    const byte read = w.cells[w.at];
    const Entry e = table[w.state + (read < K ? read : 0)];
    if (w.left == 0 || read == K || e.kind == UNDEFINED) {
      w.ending = w.left == 0 ? BUDGET : read == K ? OUTSIDE : STUCK;
      break;
    }
    piece.at[n] = w.at;
    piece.state[n] = w.state;
    piece.asked[n++] = {read, (byte)e.wanted_write, e.wanted_move, 0};
    w.cells[w.at] = (byte)e.write;
    w.left--;
    if (e.kind == HALT) {
      w.ending = HALTED;
      break;
    }
    w.at += e.move == 0 ? -w.wide : e.move == 1 ? w.wide : e.move == 2 ? -1 : e.move == 3 ? 1 : 0;
    w.state = e.next;
  }
  w.steps += n;
  piece.asked[n] = {0, 0, 0, 0}; /* its weights are fetched, and not used */
  piece.count = n;
  piece.ending = w.ending;
  piece.wrong = -1;
}

__device__ void take_back(Walker &w, const Piece &piece, int first) {
  for (int i = piece.count - 1; i >= first; i--) {
    w.at = piece.at[i];
    w.state = piece.state[i];
    w.cells[w.at] = piece.asked[i].x;
    w.steps--;
  }
}

/* ---- the model ---- */

/* The followers wait for one another. */
__device__ __forceinline__ void meet() {
#ifndef __CUDA_ARCH__
  wait_for(FOLLOWERS);
#else
  if (FOLLOWERS == 32)
    __syncwarp();
  else
    asm volatile("bar.sync 1, %0;" ::"n"(FOLLOWERS) : "memory");
#endif
}

/* The largest output, ties to the lowest, and by how much it leads. */
__device__ int winner(const float *outputs, int count, float *lead) {
  int best = 0;
  float second = -INFINITE;
  for (int i = 1; i < count; i++) {
    if (outputs[i] > outputs[best]) {
      second = outputs[best];
      best = i;
    } else if (outputs[i] > second) {
      second = outputs[i];
    }
  }
  *lead = outputs[best] - second;
  return best;
}

/* Looks at all outputs of a step, for the least margins and for a mistake. The decision is that of `decide` in
 * compiler/tensors/closed_loop.py. */
__device__ void judge(Case &one, Piece &piece, int i, const float *outputs) {
  bool finite = true, zero = true;
  for (int j = 0; j < K + M; j++) {
    finite &= outputs[j] - outputs[j] == 0;
    zero &= outputs[j] == 0;
  }
  one.stuck = !finite ? NOT_FINITE : zero ? ALL_ZERO : DECIDED;
  if (one.stuck) {
    piece.wrong = i;
    return;
  }
  float lead[2];
  one.write = winner(outputs, K, &lead[0]);
  one.move = winner(outputs + K, M, &lead[1]);
  for (int j = 0; j < 2; j++)
    if (lead[j] < one.margins[j].least) {
      one.margins[j] = {lead[j], piece.before + i + 1, one.left + piece.at[i] % one.wide,
                        one.top + piece.at[i] / one.wide};
      least[j] = fmaxf(lead[j], SMALLEST); /* a tie is always looked at */
    }
  if (one.write != piece.asked[i].y || one.move != piece.asked[i].z) piece.wrong = i;
}

/* Takes the model through a piece, from this thread's sum to its sum at the end. Judges every step, or only
 * tells whether this thread has a doubt: it is not sure that the wanted output leads its own by the least
 * margin. Weights are fetched a step ahead. */
template <bool JUDGES>
__device__ float ask(const float4 *weights, Case &one, Piece &piece, float value, bool *doubt) {
  const int me = threadIdx.x, slot = me < D ? me : me - D + OUTPUT;
  const bool writes = me < D + K, works = me < ROWS;
  const float enough = least[!writes];
  float4 w[D4];
  weights += works ? me : 0;
  uchar4 now = piece.asked[0], next = piece.asked[1];
#pragma unroll
  for (int j = 0; j < D4; j++) w[j] = weights[(now.x * D4 + j) * ROWS];
  if (works) ((float *)sums[0])[slot] = value;
  meet();
  for (int i = 0; i < piece.count; i++) {
    const uchar4 coming = piece.asked[i + 2];
    const float4 *hidden = sums[i % 2], *ahead = weights + next.x * D4 * ROWS;
    float *after = (float *)sums[(i + 1) % 2];
    value = 0;
#pragma unroll
    for (int j = 0; j < D4; j++) {
      const float4 a = w[j], h = hidden[j];
      w[j] = ahead[j * ROWS];
      value = fmaf(a.w, h.w, fmaf(a.z, h.z, fmaf(a.y, h.y, fmaf(a.x, h.x, value))));
    }
    if (works) after[slot] = value;
    meet();
    if (JUDGES) {
      if (me == 0) judge(one, piece, i, after + OUTPUT);
      meet();
      if (piece.wrong >= 0) break;
    } else if (me >= D && works) {
      const int wanted = OUTPUT + (writes ? now.y : K + now.z);
      const float lead = after[wanted] - value;
      *doubt |= slot == wanted ? !(fabsf(value) <= LARGEST) || value == 0 : !(lead >= enough && lead <= LARGEST);
    }
    now = next;
    next = coming;
  }
  return value;
}

/* A piece is judged step by step only where somebody has a doubt. */
__device__ float follow(const float4 *weights, Case &one, Piece &piece, float value) {
  bool doubt = false;
  const float after = ask<false>(weights, one, piece, value, &doubt);
  if (doubt) doubtful = true;
  meet();
  const bool again = doubtful;
  meet();
  if (!again) return after;
  if (threadIdx.x == 0) doubtful = false;
  return ask<true>(weights, one, piece, value, &doubt);
}

/* ---- both ---- */

__device__ void prepare(const Job &job, const Case &one) {
  const int me = threadIdx.x, threads = blockDim.x;
  float *cleared = (float *)sums;
  for (int i = me; i < (int)(sizeof sums / sizeof(float)); i += threads) cleared[i] = 0;
#ifdef RESIDENT
  for (int i = me; i < K * D4 * ROWS; i += threads) resident[i] = job.weights[i];
#endif
  __syncthreads();
  if (me < 2) {
    ((float *)sums[me])[OUTPUT + K + M] = -LARGEST; /* wanted where the model does not have the expert's move */
    least[me] = fmaxf(fminf((float)one.margins[me].least, LARGEST), SMALLEST);
  }
  if (me == 0) doubtful = false;
}

extern "C" __global__ void __launch_bounds__(FOLLOWERS + 32, 1) lockstep(Job job) {
  Case &one = job.cases[blockIdx.x];
  const int me = threadIdx.x;
  Walker w = {one.cells, one.at, one.wide, GOING, one.state, one.steps, one.budget};
#ifdef RESIDENT
  const float4 *weights = resident;
#else
  const float4 *weights = job.weights;
#endif
  float value = me < D ? one.hidden[me] : 0;
  prepare(job, one);
  if (me == FOLLOWERS) walk(w, job.table, pieces[0]);
  __syncthreads();
  int n = 0;
  for (;; n ^= 1) {
    if (me < FOLLOWERS)
      value = follow(weights, one, pieces[n], value);
    else if (me == FOLLOWERS)
      walk(w, job.table, pieces[n ^ 1]);
    if (__syncthreads_or(me == 0 && (pieces[n].wrong >= 0 || pieces[n].ending != GOING))) break;
  }
  if (me < D) one.hidden[me] = value;
  if (me != FOLLOWERS) return;
  if (pieces[n].wrong >= 0) {
    take_back(w, pieces[n ^ 1], 0);
    take_back(w, pieces[n], pieces[n].wrong);
    w.ending = DIFFERS;
  }
  one.at = w.at;
  one.state = w.state;
  one.steps = w.steps;
  one.ending = w.ending;
}
