#include "text/incremental_decoder.h"

#include "text/utf8.h"

namespace lastro {

std::string_view IncrementalDecoder::push(TokenId id) {
  text_.clear();
  const std::string_view bytes = tokenizer_->bytes_of(id);
  if (special_ == BpeTokenizer::Special::skip && tokenizer_->is_special(id)) return text_;
  pending_ += bytes;
  const std::size_t certain = pending_.size() - incomplete_tail(pending_);
  text_ = utf8_lossy(std::string_view(pending_).substr(0, certain));
  pending_.erase(0, certain);
  return text_;
}

std::string_view IncrementalDecoder::finish() {
  text_ = utf8_lossy(pending_);
  pending_.clear();
  return text_;
}

}   // namespace lastro
