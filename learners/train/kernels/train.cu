/* ---- the optimiser, and the iterations ---- */

/* The part of `all` that is this block's: a stretch, whole warps. */
struct Own {
  int begin, end;

  __device__ explicit Own(int all) {
    const int each = (all + BLOCKS * 32 - 1) / (BLOCKS * 32) * 32;
    begin = blockIdx.x * each + threadIdx.x;
    end = min(all, (int)(blockIdx.x + 1) * each);
  }
};

__device__ float4 *of(float *all, int model) { return (float4 *)(all + (size_t)model * P); }

__device__ void reduce(const Job &job, int model) {
  const float4 *parts = (const float4 *)(job.parts + (size_t)model * GROUPS * PARTS * P);
  const Own own(P / 4);
  double squares = 0;
  for (int i = own.begin; i < own.end; i += WARPS * 32) {
    float4 sum = {0, 0, 0, 0};
#pragma unroll 32
    for (int p = 0; p < GROUPS * PARTS; p++) {
      const float4 part = __ldcg(parts + (size_t)p * (P / 4) + i);
      sum = {sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w};
    }
    __stcg(of(job.gradient, model) + i, sum);
    squares += (double)sum.x * sum.x + (double)sum.y * sum.y + (double)sum.z * sum.z + (double)sum.w * sum.w;
  }
  squares = sum_block(squares);
  if (threadIdx.x == 0) job.squares[model * BLOCKS + blockIdx.x] = squares;
}

/* Roots and quotients of the hardware, off by an ulp or two; a quotient below 1e-38 is zero. */
__device__ __forceinline__ float root_of(float a) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(a));
  return root;
}

__device__ __forceinline__ float quotient(float a, float b) {
  float found;
  asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b));
  return found;
}

/* Fours of weights that a thread updates, at most five at a time. */
#ifdef PRIVATE
#define EACH_OWNS ((P / 4 + WARPS * 32 - 1) / (WARPS * 32))
#else
#define EACH_OWNS ((P / 4 + BLOCKS * WARPS * 32 - 1) / (BLOCKS * WARPS * 32))
#endif
#define DEEP (EACH_OWNS < 5 ? EACH_OWNS : 5)

/* Each block updates its part of the weights, or, where they are PRIVATE, all of them, as all others do. */
__device__ void adam(Shared &z, const Job &job, int model, int now) {
  const float4 *const gradients = of(job.gradient, model);
#ifdef PRIVATE
  const int begin = threadIdx.x, end = P / 4;
  float4 *const means = z.mean, *const variances = z.variance, *const weights = z.w;
#else
  const int begin = Own(P / 4).begin, end = Own(P / 4).end;
  float4 *const means = of(job.mean, model), *const variances = of(job.variance, model);
  float4 *const weights = of(job.w, model);
#endif
  float4 g[DEEP], mean[DEEP], variance[DEEP], value[DEEP];
  const auto read = [&](int base) { /* all that is read before anything is written */
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      const int i = min(base + k * WARPS * 32, end - 1);
      g[k] = __ldcg(gradients + i), mean[k] = means[i], variance[k] = variances[i], value[k] = weights[i];
    }
  };
  read(begin); /* while the sums come */
  const float step = job.step[now], root = job.root[now], keep = job.keep[now];
  double squares = 0, loss = 0;
  for (int b = threadIdx.x % 32; b < BLOCKS; b += 32) squares += __ldcg(job.squares + model * BLOCKS + b);
  for (int b = threadIdx.x % 32; b < GROUPS * CLUSTER; b += 32)
    loss += __ldcg(losses_of(job, model, job.first + now) + b);
  for (int i = 16; i; i /= 2) {
    squares += __shfl_xor_sync(EVERY, squares, i);
    loss += __shfl_xor_sync(EVERY, loss, i);
  }
  const bool frozen = !(job.clip > 0) && !isfinite((float)squares); /* Adam's variance would stay infinite */
  const bool lost = __ldcg(job.diverged + model) >= 0 || !isfinite(squares) || !isfinite((float)loss) || frozen;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    job.curve[(size_t)model * job.room + now] = lost ? nanf("") : (float)loss;
    if (lost && job.diverged[model] < 0) job.diverged[model] = job.first + now;
  }
  if (lost) return;
  const float norm = (float)sqrt(squares), inverse = 1 / root;
  const float scale = job.clip > 0 ? fminf(1.0f, job.clip / (norm + 1e-6f)) : 1.0f;
  const auto update = [&](float g, float &mean, float &variance, float &value) {
    const float slope = g * scale;
    mean = job.beta1 * mean + (1 - job.beta1) * slope;
    variance = job.beta2 * variance + (1 - job.beta2) * slope * slope;
    value = keep * value - quotient(step * mean, root_of(variance) * inverse + job.epsilon);
  };
  for (int base = begin; base < end; base += DEEP * WARPS * 32) {
    if (base > begin) read(base);
#pragma unroll
    for (int k = 0; k < DEEP; k++) {
      const int i = base + k * WARPS * 32;
      if (i >= end) break;
      update(g[k].x, mean[k].x, variance[k].x, value[k].x);
      update(g[k].y, mean[k].y, variance[k].y, value[k].y);
      update(g[k].z, mean[k].z, variance[k].z, value[k].z);
      update(g[k].w, mean[k].w, variance[k].w, value[k].w);
      means[i] = mean[k], variances[i] = variance[k], weights[i] = value[k];
      place(z, job, model, i, value[k]);
    }
  }
}

extern "C" __global__ void
#if CLUSTER > 1
__cluster_dims__(CLUSTER, 1, 1)
#endif
__launch_bounds__(WARPS * 32, 1) train(Job job) {
  extern __shared__ float4 memory[];
  Shared &z = *(Shared *)memory;
  const int model = blockIdx.y, cluster = blockIdx.x / CLUSTER;
  float4 *const w = of(job.w, model);
  unsigned met = 0, turns = 0;
  Turn turn = {job.first, cluster};
  if (threadIdx.x < 32) choose(z.casts[0], job, model, turn), count(z.casts[0], job, turn);
#ifdef ALONE
  for (int i = threadIdx.x; i < IMAGE; i += WARPS * 32) z.image[i] = 0;
  __syncthreads();
#endif
#ifdef PRIVATE
  float4 *const mean = of(job.mean, model), *const variance = of(job.variance, model);
  for (int i = threadIdx.x; i < P / 4; i += WARPS * 32) {
    z.w[i] = w[i], z.mean[i] = mean[i], z.variance[i] = variance[i];
    place(z, job, model, i, w[i]);
  }
#else
  for (int i = Own(P / 4).begin; i < Own(P / 4).end; i += WARPS * 32) place(z, job, model, i, w[i]);
#endif
  wait_for_all(job, model, met);
  for (int now = 0; now < job.count; now++) {
    take_weights(z, job, model);
    for (; turn.iteration == job.first + now; turn = turn.next()) pass(z, job, model, cluster, turn, turns++);
    wait_for_all(job, model, met);
    reduce(job, model);
    wait_for_all(job, model, met);
    adam(z, job, model, now);
#ifndef PRIVATE
    wait_for_all(job, model, met);
#endif
  }
#ifdef PRIVATE
  for (int i = threadIdx.x; blockIdx.x == 0 && i < P / 4; i += WARPS * 32)
    w[i] = z.w[i], mean[i] = z.mean[i], variance[i] = z.variance[i];
#endif
}
