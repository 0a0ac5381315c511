#pragma once

// Marks an element function that both the processor and CUDA compile.
#ifdef __CUDACC__
#define KERNEL_FN __host__ __device__ inline
#else
#define KERNEL_FN [[gnu::always_inline]] inline
#endif
