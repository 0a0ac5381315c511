#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "data/byte_stream.h"
#include "domain/errors.h"

namespace lastro {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view format, std::string_view reason) {
  throw ContractError(path.string() + " is damaged " + std::string(format) + " data (" + std::string(reason) + "). Fetch it again", path.string(),
                      std::string(format), std::string(reason));
}

bool starts_with(std::span<const std::byte> head, std::initializer_list<int> magic) {
  return head.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), head.begin(), [](int wanted, std::byte found) { return std::byte(wanted) == found; });
}

// A frame of data, or one to skip, which seekable archives and those of several threads begin with.
bool is_zstd(std::span<const std::byte> head) {
  return starts_with(head, {0x28, 0xb5, 0x2f, 0xfd}) ||
         (head.size() >= 4 && (head[0] & std::byte{0xf0}) == std::byte{0x50} && starts_with(head.subspan(1), {0x2a, 0x4d, 0x18}));
}

constexpr const char* followed_by_other_bytes = "bytes of another kind follow its end";

class PassThrough final : public Decompressor {
 public:
  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    const std::size_t count = std::min(in.size(), out.size());
    std::copy_n(in.begin(), count, out.begin());
    return {count, count};
  }
  bool may_end_here() const override { return true; }
};

// One or more gzip members, as gunzip takes them; zero bytes after the last are padding.
class GzipDecompressor final : public Decompressor {
 public:
  explicit GzipDecompressor(std::filesystem::path path) : path_(std::move(path)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK)
      throw EnvironmentError("zlib cannot start (no memory is left) free some, or use fewer ranks on this machine", "zlib", "inflateInit2", 0);
  }
  ~GzipDecompressor() override { inflateEnd(&stream_); }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    if (between_members_ && started_) {
      if (in.empty()) return {0, 0};
      if (in.front() == std::byte{0}) return {skip_padding(in), 0};
      inflateReset(&stream_);
      is_first_member_ = false;
    }
    started_ = true;
    between_members_ = false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      between_members_ = true;
    else if (code != Z_OK && code != Z_BUF_ERROR)
      refuse(path_, "gzip", !is_first_member_ && stream_.total_out == 0 ? followed_by_other_bytes : stream_.msg ? stream_.msg : "unreadable");
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }
  bool may_end_here() const override { return between_members_; }

 private:
  static std::size_t skip_padding(std::span<const std::byte> in) {
    return static_cast<std::size_t>(std::find_if(in.begin(), in.end(), [](std::byte b) { return b != std::byte{0}; }) - in.begin());
  }

  std::filesystem::path path_;
  z_stream stream_{};
  bool started_ = false;
  bool is_first_member_ = true;
  bool between_members_ = true;
};

class ZstdDecompressor final : public Decompressor {
 public:
  explicit ZstdDecompressor(std::filesystem::path path) : path_(std::move(path)), stream_(ZSTD_createDStream()) {
    if (!stream_)
      throw EnvironmentError("zstd cannot start (no memory is left) free some, or use fewer ranks on this machine", "zstd", "ZSTD_createDStream", 0);
  }
  ~ZstdDecompressor() override { ZSTD_freeDStream(stream_); }

  Progress decode(std::span<const std::byte> in, std::span<std::byte> out) override {
    if (in.empty() && frame_ended_) return {0, 0};   // asked to go on, zstd would begin a new frame
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer into{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_, &into, &from);
    if (ZSTD_isError(code)) refuse(path_, "zstd", frame_ended_ && !is_zstd(in) ? followed_by_other_bytes : ZSTD_getErrorName(code));
    frame_ended_ = code == 0;
    return {from.pos, into.pos};
  }
  bool may_end_here() const override { return frame_ended_; }

 private:
  std::filesystem::path path_;
  ZSTD_DStream* stream_;
  bool frame_ended_ = false;
};

// its first bytes are 3c 68 74 6d 6c 3e "<html>"
std::string first_bytes(std::span<const std::byte> head) {
  if (head.empty()) return "it is empty";
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex, text;
  for (const std::byte byte : head.first(std::min<std::size_t>(head.size(), 8))) {
    const auto value = std::to_integer<unsigned>(byte);
    hex += {digits[value >> 4], digits[value & 15], ' '};
    text += value >= 0x20 && value < 0x7f ? static_cast<char>(value) : '.';
  }
  return "its first bytes are " + hex + "\"" + text + "\"";
}

// What packs files and is not undone, by the bytes that stand at a place near its beginning, and the command that undoes it.
struct OtherPacker {
  std::string_view name;
  std::size_t place;
  std::string_view bytes;
  std::string_view command;
  bool packs_one_file;
};
constexpr OtherPacker other_packers[] = {
    {"xz", 0, {"\xfd\x37\x7a\x58\x5a\x00", 6}, "xz -dc", true},
    {"bzip2", 4, "1AY&SY", "bzip2 -dc", true},
    {"lzip", 0, "LZIP\x01", "lzip -dc", true},
    {"lz4", 0, "\x04\x22\x4d\x18", "lz4 -dc", true},
    {"compress", 0, "\x1f\x9d", "gzip -dc", true},
    {"zip", 0, "PK\x03\x04", "unzip", false},
    {"7z", 0, "7z\xbc\xaf\x27\x1c", "7z x", false},
    {"rar", 0, "Rar!\x1a\x07", "unrar x", false},
};

void refuse_other_packers(std::span<const std::byte> head, const std::filesystem::path& path) {
  const std::string_view bytes(reinterpret_cast<const char*>(head.data()), head.size());
  for (const OtherPacker& packer : other_packers) {
    if (bytes.size() < packer.place || !bytes.substr(packer.place).starts_with(packer.bytes)) continue;
    const std::string undo = "`" + std::string(packer.command) + " " + path.string() +
                             (packer.packs_one_file ? " | gzip > " + path.stem().string() + ".gz`" : "` and name the files that come out");
    throw ContractError(
        path.string() + " is packed by " + std::string(packer.name) + " (gzip and zstd are read, and files that are not packed). Use " + undo,
        path.string(), "text, gzip or zstd", std::string(packer.name));
  }
}

// What the name promises and the bytes do not keep: text by accident, or a page of HTML that says why there was nothing to fetch.
void expect_no_promise(std::span<const std::byte> head, const std::filesystem::path& path) {
  const std::string extension = path.extension();
  for (const auto& [promised, format] : {std::pair{".gz", "gzip"}, {".dz", "gzip"}, {".zst", "zstd"}})
    if (extension == promised)
      throw ContractError(path.string() + " is named as " + format + " data and is none (" + first_bytes(head) + "). Fetch it again, or take " +
                              promised + " from its name",
                          path.string(), format, first_bytes(head));
}

}   // namespace

std::unique_ptr<Decompressor> decompressor_for(std::span<const std::byte> head, const std::filesystem::path& path) {
  if (starts_with(head, {0x1f, 0x8b})) return std::make_unique<GzipDecompressor>(path);
  if (is_zstd(head)) return std::make_unique<ZstdDecompressor>(path);
  refuse_other_packers(head, path);
  expect_no_promise(head, path);
  return std::make_unique<PassThrough>();
}

}   // namespace lastro
