#include <algorithm>
#include <cmath>

#include "kernels/attention.h"
#include "kernels/head.h"
#include "kernels/linear.h"
#include "kernels/normal.h"
#include "kernels/optimizer.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"
#include "support.h"

// Committed digests: they hold on every processor, compiler and build type. When the rules of arithmetic change they change, and with them
// the version of the rules.
namespace lastro::kernels {
namespace {

// FNV-1a over the bits.
std::uint64_t digest_of(const std::vector<float>& values) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const float value : values) {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    for (int byte = 0; byte < 4; ++byte, bits >>= 8) digest = (digest ^ (bits & 255)) * 0x100000001b3u;
  }
  return digest;
}

TEST(Golden, LinearAndRows) {
  const TestMatrix x = filled(1, 19, 300, 0), weight = filled(2, 29, 300, 0), dy = filled(3, 19, 29, 0);
  const std::vector<float> scales = test_numbers(4, 300);
  on_every_path([&](Workers& workers) {
    std::vector<std::byte> workspace(linear_workspace_bytes(workers.size()));
    TestMatrix y(19, 29, 0), dx(19, 300, 0), dweight(29, 300, 0), normed(19, 300, 0), gated(19, 300, 0);
    std::vector<float> inverse(19);
    linear_forward(workers, x.view(), weight.view(), y.view(), Start::zero, workspace);
    linear_backward_input(workers, dy.view(), weight.view(), dx.view(), Start::zero, workspace);
    linear_backward_weight(workers, dy.view(), x.view(), dweight.view(), Start::zero, workspace);
    rmsnorm_forward(workers, x.view(), scales.data(), 1e-5f, normed.view(), inverse.data());
    swiglu_forward(workers, x.view(), normed.view(), gated.view());
    EXPECT_EQ(digest_of(y.values), 0xcf2a2e315abc553fu);
    EXPECT_EQ(digest_of(dx.values), 0xaecd8c53dfd81a54u);
    EXPECT_EQ(digest_of(dweight.values), 0x2113eb831220333au);
    EXPECT_EQ(digest_of(normed.values), 0xc5ab4a642efba46bu);
    EXPECT_EQ(digest_of(gated.values), 0x4dd0f473a10c2893u);
  });
}

TEST(Golden, Attention) {
  const AttentionShape shape{2, 90, 0, 90, 4, 2, 24, 0.2f};
  const TestMatrix q = filled(1, 180, 96, 0), k = filled(2, 180, 48, 0), v = filled(3, 180, 48, 0), dout = filled(4, 180, 96, 0);
  on_every_path([&](Workers& workers) {
    std::vector<std::byte> workspace(
        std::max(attention_forward_workspace_bytes(shape, workers.size()), attention_backward_workspace_bytes(shape, workers.size())));
    TestMatrix out(180, 96, 0), dq(180, 96, 0), dk(180, 48, 0), dv(180, 48, 0);
    std::vector<float> logsumexp(2 * 4 * 90);
    attention_forward(workers, shape, q.view(), k.view(), v.view(), out.view(), logsumexp.data(), workspace);
    attention_backward(workers, shape, q.view(), k.view(), v.view(), out.view(), logsumexp.data(), dout.view(), dq.view(), dk.view(), dv.view(),
                       workspace);
    EXPECT_EQ(digest_of(out.values), 0xcb42bdbfbd9cc07bu);
    EXPECT_EQ(digest_of(logsumexp), 0x7a9109c7a3d9238au);
    EXPECT_EQ(digest_of(dq.values), 0x4efd294ec98e53bcu);
    EXPECT_EQ(digest_of(dk.values), 0x68c213248deb3f69u);
    EXPECT_EQ(digest_of(dv.values), 0x259ea67f6a3a9554u);
  });
}

TEST(Golden, HeadAndOptimizer) {
  const HeadShape shape{12, 20, 75, 5};
  const TestMatrix x = filled(1, 12, 20, 0), weight = filled(2, 75, 20, 0);
  const std::vector<std::int32_t> targets = {3, 74, -1, 0, 20, 31, -1, 42, 9, 9, 60, 1};
  const std::vector<float> dlog_probs(12, -0.1f);
  on_every_path([&](Workers& workers) {
    std::vector<std::byte> workspace(head_workspace_bytes(shape, workers.size()));
    std::vector<float> log_probs(12), m(75 * 20, 0.0f), v(75 * 20, 0.0f);
    TestMatrix dx(12, 20, 0), dweight(75, 20, 0), updated = weight;
    head_forward_backward(workers, shape, x.view(), weight.view(), targets, dlog_probs, log_probs, dx.view(), dweight.view(), Start::zero, workspace);
    AdamwSettings settings;
    settings.lr = 0.01;
    settings.weight_decay = 0.1;
    settings.step = 3;
    adamw(workers, settings, updated.values, m, v, dweight.values);
    EXPECT_EQ(digest_of(log_probs), 0x9209ff0af31fd0f7u);
    EXPECT_EQ(digest_of(dx.values), 0x28bb2eea7632aa35u);
    EXPECT_EQ(digest_of(dweight.values), 0xc134e55607fefc6fu);
    EXPECT_EQ(digest_of(updated.values), 0xe7f33e9b49c40c8cu);
  });
}

TEST(Golden, TablesAndNormalNumbers) {
  std::vector<float> cosines(300 * 32), sines(300 * 32), normals(5000);
  OneWorker one;
  rope_tables(300, 64, 10000.0, cosines.data(), sines.data());
  fill_normal(one, 42, 3, 100, 0.0, 0.02, normals);
  EXPECT_EQ(digest_of(cosines), 0xb0513822a990e49cu);
  EXPECT_EQ(digest_of(sines), 0x1ed4bb0c7b88d39du);
  EXPECT_EQ(digest_of(normals), 0xd53695b851ad8bcfu);
}

}   // namespace
}   // namespace lastro::kernels
