/* GRUs and LSTMs a step at a time: what learners/methods/networks/sequences.py says in PyTorch. Here a step of a
 * small network takes some microseconds, and there some hundred.
 *
 * Weights are one flat vector, tensor after tensor as `NetworkShape.pieces` lists them, and a vector is multiplied
 * from the left: so all that is summed over lies in rows, and the inner loops run along memory. */

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { AT_ONCE = 4 /* rows that one pass over the sums takes in; widths are a multiple of it */ };

typedef struct network {
  int32_t is_gru, symbols, moves, d, layers, state;
  const float *weights;
} network;

/* Within some units in the last place of exp, and without a branch, so that loops over it are vectors. */
static inline float exp_of(float x) {
  x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
  float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f; /* rounds to a whole number */
  float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  union { int32_t bits; float value; } power = {.bits = ((int32_t)n + 127) << 23};
  return p * power.value;
}
static inline float sigmoid_of(float x) { return 1.0f / (1.0f + exp_of(-x)); }
static inline float tanh_of(float x) { return 1.0f - 2.0f / (1.0f + exp_of(2.0f * x)); }

/* sums += vector times matrix (d, wide). */
static void add_product(const float *restrict vector, const float *restrict matrix, int d, int wide, float *restrict sums) {
  for (int j = 0; j < d; j += AT_ONCE) {
    const float *a = matrix + (size_t)j * (size_t)wide, *b = a + wide, *c = b + wide, *e = c + wide;
    float p = vector[j], q = vector[j + 1], r = vector[j + 2], s = vector[j + 3];
    for (int i = 0; i < wide; i++) sums[i] += p * a[i] + q * b[i] + r * c[i] + s * e[i];
  }
}

static const float *gru_cell(const network *n, const float *w, float *restrict gates, const float *restrict h, float *restrict after) {
  const int d = n->d, wide = 3 * d;
  float recurrent[wide];
  memset(recurrent, 0, sizeof recurrent);
  add_product(h, w, d, wide, recurrent);
  const float *bias = w + (size_t)d * (size_t)wide;
  for (int i = 0; i < d; i++) {
    float reset = sigmoid_of(gates[i] + recurrent[i]), keep = sigmoid_of(gates[d + i] + recurrent[d + i]);
    float fresh = tanh_of(gates[2 * d + i] + reset * (recurrent[2 * d + i] + bias[i]));
    after[i] = fresh + keep * (h[i] - fresh);
  }
  return bias + d;
}

static const float *lstm_cell(const network *n, const float *w, float *restrict gates, const float *restrict state, float *restrict after) {
  const int d = n->d;
  add_product(state, w, d, 4 * d, gates);
  for (int i = 0; i < d; i++) {
    float c = sigmoid_of(gates[d + i]) * state[d + i] + sigmoid_of(gates[i]) * tanh_of(gates[2 * d + i]);
    after[d + i] = c;
    after[i] = sigmoid_of(gates[3 * d + i]) * tanh_of(c);
  }
  return w + (size_t)d * 4 * (size_t)d;
}

static void softmax(float *out, int count) {
  float most = out[0], sum = 0;
  for (int i = 1; i < count; i++) most = out[i] > most ? out[i] : most;
  for (int i = 0; i < count; i++) sum += out[i] = exp_of(out[i] - most);
  for (int i = 0; i < count; i++) out[i] /= sum;
}

/* What the network says on a symbol, (symbols + moves), and its state after that. */
void network_step(const network *n, int symbol, const float *state, float *after, float *out) {
  const int d = n->d, wide = (n->is_gru ? 3 : 4) * d, per = n->state / n->layers, outs = n->symbols + n->moves;
  const float *w = n->weights;
  float gates[wide];
  for (int layer = 0; layer < n->layers; layer++) {
    const int rows = layer ? d : n->symbols;
    const float *bias = w + (size_t)rows * (size_t)wide;
    memcpy(gates, bias, sizeof gates);
    if (layer) {
      add_product(after + (layer - 1) * per, w, d, wide, gates);
    } else {
      const float *row = w + (size_t)symbol * (size_t)wide;
      for (int i = 0; i < wide; i++) gates[i] += row[i];
    }
    w = (n->is_gru ? gru_cell : lstm_cell)(n, bias + wide, gates, state + layer * per, after + layer * per);
  }
  memcpy(out, w + (size_t)d * (size_t)outs, (size_t)outs * sizeof *out);
  add_product(after + (n->layers - 1) * per, w, d, outs, out);
  softmax(out, n->symbols);
  softmax(out + n->symbols, n->moves);
}

/* What is gathered into points: the state, a cell of an LSTM as its tanh, so that no number is beyond one; all of
 * it by the root of its length, so that no point is beyond one either. */
void network_point(const network *n, const float *state, float *point) {
  const float scale = 1.0f / sqrtf((float)n->state);
  for (int i = 0; i < n->state; i++)
    point[i] = scale * (!n->is_gru && i / n->d % 2 ? tanh_of(state[i]) : state[i]);
}

/* What the network says on reads (rows, steps), (rows, steps, symbols + moves); the states (rows, state) go on. */
void network_follow(const network *n, int64_t rows, int64_t steps, const int64_t *reads, float *states, float *out) {
  float after[n->state];
  for (int64_t row = 0; row < rows; row++, states += n->state)
    for (int64_t t = 0; t < steps; t++, out += n->symbols + n->moves) {
      network_step(n, (int)*reads++, states, after, out);
      memcpy(states, after, sizeof after);
    }
}
