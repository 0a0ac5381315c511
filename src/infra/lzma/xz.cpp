#include "core/xz.h"

#include <lzma.h>

#include <algorithm>
#include <array>

#include "domain/errors.h"

namespace lastro {

namespace {

constexpr std::uint32_t preset = 9;   // what xz -9 -T1 does

[[noreturn]] void fail(lzma_ret result, const char* call) {
  if (result == LZMA_MEM_ERROR)
    throw BudgetError("no memory for xz (its preset 9 needs about 700 MB) allow more, or set xz_bytes: 0 in the evaluate stage");
  throw EnvironmentError("liblzma cannot compress (error " + std::to_string(result) + ")", "liblzma", call, result);
}

}   // namespace

struct XzLength::State {
  lzma_stream stream = LZMA_STREAM_INIT;
  std::array<std::uint8_t, 1 << 16> block;

  void run(lzma_action action) {
    lzma_ret result;
    do {
      stream.next_out = block.data();
      stream.avail_out = block.size();
      result = lzma_code(&stream, action);
      if (result != LZMA_OK && result != LZMA_STREAM_END) fail(result, "lzma_code");
    } while (action == LZMA_FINISH ? result != LZMA_STREAM_END : stream.avail_in > 0);
  }
};

XzLength::XzLength() : state_(std::make_unique<State>()) {
  const lzma_ret result = lzma_easy_encoder(&state_->stream, preset, LZMA_CHECK_CRC64);
  if (result != LZMA_OK) fail(result, "lzma_easy_encoder");
}

// Of what is allocated, the window (1 byte a position) and the search tree (2 x 4 bytes) become resident as the text fills them.
std::int64_t XzLength::memory_bytes(std::int64_t text_bytes) {
  constexpr std::int64_t bytes_a_position = 9;
  lzma_options_lzma options;
  lzma_lzma_preset(&options, preset);
  const auto window = static_cast<std::int64_t>(options.dict_size);
  return static_cast<std::int64_t>(lzma_easy_encoder_memusage(preset)) - bytes_a_position * (window - std::min(window, text_bytes));
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
