#include "kernels/path.h"

#include <cstdio>
#include <cstdlib>

#include "domain/errors.h"
#include "support.h"

namespace lastro::kernels {
namespace {

// What a fresh process makes of LASTRO_CPU: the path is read once, so each case is a process of its own.
void say_path(const char* wanted) {
  setenv("LASTRO_CPU", wanted, 1);
  try {
    std::fprintf(stderr, "path %s", std::string(name_of(cpu_path())).c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "refused: %s", error.what());
  }
  std::exit(0);
}
using ::testing::ExitedWithCode;

TEST(CpuPathChoice, IsTheOneThatTheEnvironmentNames) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(say_path("scalar"), ExitedWithCode(0), "path scalar");
  for (const char* name : {"v3", "v4"}) {
    const bool has = processor_has(std::string(name) == "v3" ? CpuPath::v3 : CpuPath::v4);
    const std::string refusal = std::string("refused: LASTRO_CPU=") + name + " .this processor lacks its instructions.";
    EXPECT_EXIT(say_path(name), ExitedWithCode(0), has ? std::string("path ") + name : refusal);
  }
}

TEST(CpuPathChoice, RefusesAnUnknownName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(say_path("avx2"), ExitedWithCode(0), "refused: LASTRO_CPU=avx2 .unknown path.. Set scalar, v3 or v4");
}

TEST(Denormals, AreFlushedForAScopeAndThenAsBefore) {
  const bool before = flushes_denormals();
  {
    const FlushingDenormals flushing;
    EXPECT_TRUE(flushes_denormals());
    volatile float tiny = 1e-38f;
    EXPECT_EQ(tiny * 0.1f, 0.0f);
  }
  EXPECT_EQ(flushes_denormals(), before);
}

}   // namespace
}   // namespace lastro::kernels
