#include "core/xz.h"

#include <lzma.h>

#include <array>

#include "domain/errors.h"

namespace lastro {

struct XzLength::State {
  lzma_stream stream = LZMA_STREAM_INIT;
  std::array<std::uint8_t, 1 << 16> block;

  void run(lzma_action action) {
    lzma_ret result;
    do {
      stream.next_out = block.data();
      stream.avail_out = block.size();
      result = lzma_code(&stream, action);
      if (result != LZMA_OK && result != LZMA_STREAM_END)
        throw EnvironmentError("liblzma cannot compress (error " + std::to_string(result) + "; preset 9 needs about 700 MB of memory)", "liblzma",
                               "lzma_code", result);
    } while (action == LZMA_FINISH ? result != LZMA_STREAM_END : stream.avail_in > 0);
  }
};

XzLength::XzLength() : state_(std::make_unique<State>()) {
  const lzma_ret result = lzma_easy_encoder(&state_->stream, 9, LZMA_CHECK_CRC64);   // what xz -9 -T1 does
  if (result != LZMA_OK)
    throw EnvironmentError("liblzma cannot start preset 9 (error " + std::to_string(result) + "; it needs about 700 MB of memory)", "liblzma",
                           "lzma_easy_encoder", result);
}

XzLength::~XzLength() { lzma_end(&state_->stream); }

void XzLength::update(std::string_view bytes) {
  state_->stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  state_->stream.avail_in = bytes.size();
  state_->run(LZMA_RUN);
}

std::uint64_t XzLength::finish() {
  state_->run(LZMA_FINISH);
  return state_->stream.total_out;
}

}   // namespace lastro
