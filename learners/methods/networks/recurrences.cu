/* Recurrences of many GRUs or LSTMs of one layer: a block takes one network through all steps of its traces.
 *
 * This file is compiled at run time for one shape: GATES (3 of a GRU, 4 of an LSTM), D numbers a state, K symbols,
 * BATCH traces, ROWS traces that a thread sums at once. A thread holds D recurrent weights in registers: one column
 * of them on the way ahead, its part of one row on the way back. Nothing is summed in an order that depends on
 * timing. Gates are reset, keep, asked of a GRU, and enter, keep, fresh, show of an LSTM. */

#define WIDE (GATES * D)
#define ITEMS (BATCH * D)
#define IS_GRU (GATES == 3)

struct Recurrence {
  const int *x;                             /* (steps, models, BATCH) symbols that are read */
  const float *table;                       /* (models, K, WIDE) what a symbol adds to the gates */
  const float *recur, *bias;                /* (models, D, WIDE), and (models, D) of a GRU */
  float *states, *cells;                    /* (steps + 1, models, BATCH, D); cells of an LSTM */
  float *gates, *shown;                     /* (steps, models, BATCH, WIDE), and a tanh, (..., D) */
  const float *wanted;                      /* (steps, models, BATCH, D) the gradient of the states */
  float *back;                              /* (steps, models, BATCH, WIDE) that of products with the weights */
  float *of_table, *of_bias;                /* gradients */
  int steps, models;
};

extern __shared__ float4 room[];

__device__ float opened(float x) { return 1.0f / (1.0f + expf(-x)); }

/* Products of ROWS vectors in shared memory, `pitch` apart, with a vector in registers. */
__device__ void products(float *sum, const float *vectors, int pitch, const float *w) {
#pragma unroll
  for (int k = 0; k < D; k += 4)
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const float4 v = *(const float4 *)(vectors + r * pitch + k);
      sum[r] += v.x * w[k];
      sum[r] += v.y * w[k + 1];
      sum[r] += v.z * w[k + 2];
      sum[r] += v.w * w[k + 3];
    }
}

extern "C" __global__ void __launch_bounds__(WIDE, 2) ahead(Recurrence job) {
  float *h = (float *)room, *gates = h + ITEMS, *cells = gates + BATCH * WIDE;
  const int j = threadIdx.x, model = blockIdx.x;
  const float *table = job.table + (size_t)model * K * WIDE, *recur = job.recur + (size_t)model * D * WIDE;
  const bool asks = IS_GRU && j >= 2 * D;
  float w[D];
#pragma unroll
  for (int k = 0; k < D; k++) w[k] = recur[k * WIDE + j];
  for (int i = j; i < ITEMS; i += WIDE) {
    h[i] = job.states[(size_t)model * ITEMS + i] = 0;
    if (!IS_GRU) cells[i] = job.cells[(size_t)model * ITEMS + i] = 0;
  }
  __syncthreads();
  for (int t = 0; t < job.steps; t++) {
    const size_t row = ((size_t)t * job.models + model) * BATCH, next = row + (size_t)job.models * BATCH;
    const int *x = job.x + row;
    for (int b = 0; b < BATCH; b += ROWS) {
      float sum[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r++) sum[r] = asks ? job.bias[model * D + j - 2 * D] : table[x[b + r] * WIDE + j];
      products(sum, h + b * D, D, w);
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const float gate = asks ? sum[r] : !IS_GRU && j / D == 2 ? tanhf(sum[r]) : opened(sum[r]);
        gates[(b + r) * WIDE + j] = job.gates[(row + b + r) * WIDE + j] = gate;
      }
    }
    __syncthreads();
    for (int i = j; i < ITEMS; i += WIDE) {
      const int b = i / D, c = i % D;
      const float *gate = gates + b * WIDE + c;
#if IS_GRU
      const float shown = tanhf(table[x[b] * WIDE + 2 * D + c] + gate[0] * gate[2 * D]);
      h[i] = shown + gate[D] * (h[i] - shown);
#else
      cells[i] = gate[D] * cells[i] + gate[0] * gate[2 * D];
      const float shown = tanhf(cells[i]);
      h[i] = gate[3 * D] * shown;
      job.cells[next * D + i] = cells[i];
#endif
      job.shown[row * D + i] = shown;
      job.states[next * D + i] = h[i];
    }
    __syncthreads();
  }
}

/* The gradient of one number of a state becomes that of its gates; what goes on to the step before is carried. */
__device__ void divide(const Recurrence &job, size_t row, int i, float gradient, float *carried, float *into, float *last) {
  const float *gate = job.gates + (row + i / D) * WIDE + i % D;
  const float keep = gate[D], shown = job.shown[row * D + i];
#if IS_GRU
  const float reset = gate[0], before = job.states[row * D + i];
  gradient += *carried;
  *last = gradient * (1 - keep) * (1 - shown * shown);
  into[0] = *last * gate[2 * D] * reset * (1 - reset);
  into[D] = gradient * (before - shown) * keep * (1 - keep);
  into[2 * D] = *last * reset;
  *carried = gradient * keep;
#else
  const float enter = gate[0], fresh = gate[2 * D], show = gate[3 * D];
  const float cell = *carried + gradient * show * (1 - shown * shown);
  into[0] = cell * fresh * enter * (1 - enter);
  into[D] = cell * job.cells[row * D + i] * keep * (1 - keep);
  into[2 * D] = cell * enter * (1 - fresh * fresh);
  into[3 * D] = gradient * shown * show * (1 - show);
  *carried = cell * keep;
#endif
}

extern "C" __global__ void __launch_bounds__(WIDE, 2) back(Recurrence job) {
  float *back = (float *)room, *parts = back + BATCH * WIDE, *carried = parts + BATCH * WIDE;
  float *last = carried + ITEMS, *of_table = last + ITEMS, of_bias = 0;
  const int j = threadIdx.x, model = blockIdx.x;
  const float *recur = job.recur + (size_t)model * D * WIDE + j % D * WIDE + j / D * D;
  const bool asks = IS_GRU && j >= 2 * D;
  float w[D];
#pragma unroll
  for (int k = 0; k < D; k++) w[k] = recur[k];
  for (int i = j; i < BATCH * WIDE; i += WIDE) parts[i] = 0;
  for (int i = j; i < ITEMS; i += WIDE) carried[i] = 0;
  for (int i = j; i < K * WIDE; i += WIDE) of_table[i] = 0;
  __syncthreads();
  for (int t = job.steps - 1; t >= 0; t--) {
    const size_t row = ((size_t)t * job.models + model) * BATCH;
    const int *x = job.x + row;
#pragma unroll 4
    for (int i = j; i < ITEMS; i += WIDE) {
      const int at = i / D * WIDE + i % D;
      float gradient = job.wanted[row * D + i];
      for (int g = 0; g < GATES; g++) gradient += parts[at + g * D];
      divide(job, row, i, gradient, carried + i, back + at, last + i);
    }
    __syncthreads();
    for (int b = 0; b < BATCH; b += ROWS) {
      float sum[ROWS] = {};
      products(sum, back + b * WIDE + j / D * D, WIDE, w);
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const float own = back[(b + r) * WIDE + j];
        parts[(b + r) * WIDE + j] = sum[r];
        job.back[(row + b + r) * WIDE + j] = own;
        of_table[x[b + r] * WIDE + j] += asks ? last[(b + r) * D + j - 2 * D] : own;
        of_bias += own;
      }
    }
    __syncthreads();
  }
  for (int i = j; i < K * WIDE; i += WIDE) job.of_table[(size_t)model * K * WIDE + i] = of_table[i];
  if (asks) job.of_bias[model * D + j - 2 * D] = of_bias;
}
