/* ---- the optimiser ---- */

extern "C" __global__ void reduce(Job job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, model = blockIdx.y;
  float sum = 0;
  let_next_kernel_start();
  wait_for_kernel_before();
  if (i < P) {
    const float *part = job.parts + (size_t)model * job.parts_count * P + i;
#pragma unroll 16
    for (int p = 0; p < job.parts_count; p++) sum += part[(size_t)p * P];
    job.gradient[(size_t)model * P + i] = sum;
  }
  const double total = sum_block((double)sum * sum);
  if (threadIdx.x == 0) job.squares[model * gridDim.x + blockIdx.x] = total;
  if (i == 0 && model == 0) job.clock[0] = (job.clock[1] = job.clock[0]) + 1;
}

extern "C" __global__ void arrange(Job job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, model = blockIdx.y;
  if (i < P) place(job, model, i, job.w[(size_t)model * P + i]);
}

extern "C" __global__ void adam(Job job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, model = blockIdx.y;
  wait_for_kernel_before();
  let_next_kernel_start(); /* not sooner: it reads the number of its iteration, which `reduce` writes */
  const long long iteration = job.clock[1], now = iteration - job.clock[2];
  double squares = 0, loss = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) squares += job.squares[model * gridDim.x + b];
  for (int b = threadIdx.x; b < LOSSES; b += blockDim.x) loss += job.losses[model * LOSSES + b];
  squares = sum_block(squares);
  loss = sum_block(loss);
  const bool frozen = !(job.clip > 0) && !isfinite((float)squares); /* Adam's variance would stay infinite */
  const bool lost = job.diverged[model] >= 0 || !isfinite(squares) || !isfinite((float)loss) || frozen;
  if (i == 0) {
    job.curve[(size_t)model * job.room + now] = lost ? nanf("") : (float)loss;
    if (lost && job.diverged[model] < 0) job.diverged[model] = iteration;
  }
  if (lost || i >= P) return;
  const size_t place_of = (size_t)model * P + i;
  const float norm = (float)sqrt(squares);
  const float scale = job.clip > 0 ? fminf(1.0f, job.clip / (norm + 1e-6f)) : 1.0f;
  const float g = job.gradient[place_of] * scale;
  const float mean = job.beta1 * job.mean[place_of] + (1 - job.beta1) * g;
  const float variance = job.beta2 * job.variance[place_of] + (1 - job.beta2) * g * g;
  const float value = job.keep[now] * job.w[place_of] - job.step[now] * mean / (sqrtf(variance) / job.root[now] + job.epsilon);
  job.mean[place_of] = mean;
  job.variance[place_of] = variance;
  job.w[place_of] = value;
  place(job, model, i, value);
}
