#pragma once

namespace lastro::kernels {

// Flushes denormal results and inputs to zero (FTZ, DAZ) in the calling thread, and says whether it does. Kernels set it for themselves in
// every thread they use; call it in a thread that does float arithmetic of its own.
void flush_denormals();
bool flushes_denormals();

// For a scope: restores what was set before.
class FlushingDenormals {
 public:
  FlushingDenormals();
  ~FlushingDenormals();
  FlushingDenormals(const FlushingDenormals&) = delete;
  FlushingDenormals& operator=(const FlushingDenormals&) = delete;

 private:
  unsigned before_;
};

}   // namespace lastro::kernels
