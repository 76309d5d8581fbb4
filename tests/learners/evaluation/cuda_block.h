/* Just enough of CUDA to run a block of a kernel on a CPU: its threads are fibers that take turns, and
 * change places only where they wait for one another. A race between them shows when the turns are reversed. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define STACK (64 * 1024)

struct alignas(16) float4 {
  float x, y, z, w;
};
struct uchar4 {
  unsigned char x, y, z, w;
};
struct place {
  int x;
};
struct barrier {
  int arrived, passed, votes, result;
};

static place threadIdx, blockIdx, blockDim;
static barrier everybody, followers;
static ucontext_t scheduler, *fibers;
static bool moved; /* whether somebody got further since the last round */

static float __int_as_float(int bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int arrive(barrier &b, int count, int vote) {
  const int before = b.passed, me = threadIdx.x;
  b.votes |= vote;
  if (++b.arrived == count) {
    b.result = b.votes;
    b.arrived = b.votes = 0;
    b.passed++;
    moved = true;
  }
  while (b.passed == before) swapcontext(&fibers[me], &scheduler);
  return b.result;
}

static void __syncthreads() { arrive(everybody, blockDim.x, 0); }
static int __syncthreads_or(int vote) { return arrive(everybody, blockDim.x, vote); }
static void wait_for(int count) { arrive(followers, count, 0); }

/* Runs one block, its last thread first if `reversed`; false if its threads wait for one another forever. */
template <typename Argument>
static bool run_block(void (*kernel)(Argument), const Argument &argument, int block, int threads, bool reversed) {
  static void (*entry)(Argument);
  static const Argument *given;
  static bool *ended;
  char *stacks = (char *)malloc((size_t)threads * STACK);
  fibers = (ucontext_t *)malloc(threads * sizeof *fibers);
  ended = (bool *)calloc(threads, 1);
  entry = kernel;
  given = &argument;
  everybody = followers = {};
  blockIdx.x = block;
  blockDim.x = threads;
  void (*begin)() = [] {
    entry(*given);
    ended[threadIdx.x] = moved = true;
  };
  for (int i = 0; i < threads; i++) {
    getcontext(&fibers[i]);
    fibers[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
    fibers[i].uc_stack.ss_size = STACK;
    fibers[i].uc_link = &scheduler;
    makecontext(&fibers[i], begin, 0);
  }
  int left = threads;
  do {
    moved = false;
    for (int i = 0; i < threads; i++) {
      threadIdx.x = reversed ? threads - 1 - i : i;
      if (ended[threadIdx.x]) continue;
      swapcontext(&scheduler, &fibers[threadIdx.x]);
      left -= ended[threadIdx.x];
    }
  } while (left && moved);
  free(stacks);
  free(fibers);
  free(ended);
  return left == 0;
}
