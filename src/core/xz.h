#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace lastro {

// How long `xz -9 -T1` makes a text, which is not kept. A port: infra/lzma has the implementation.
class XzLength {
 public:
  XzLength();
  ~XzLength();
  XzLength(const XzLength&) = delete;
  XzLength& operator=(const XzLength&) = delete;
  void update(std::string_view bytes);
  std::uint64_t finish();   // compressed bytes in all; call once

  // What one of them keeps in memory for a text: 97 MiB, and 9 bytes for each byte of the text that its window of 64 MiB holds.
  static std::int64_t memory_bytes(std::int64_t text_bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}   // namespace lastro
