#pragma once

#include <gtest/gtest.h>

#include "pipeline/workplace.h"

namespace lastro::pipeline {

// The small run, finished: made once in a test program, never changed. Its digests are held against the golden ones where it is made.
const Workplace& the_finished_run();

// A workplace with a copy of it.
class AFinishedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto all = std::filesystem::copy_options::recursive;
    std::filesystem::copy(the_finished_run().run, here.run, all);
    std::filesystem::copy(the_finished_run().store, here.store, all);
  }

  Workplace here;
};

}   // namespace lastro::pipeline
