// A file of pre-token counts: it is refused, or its records are written as a file with the same records.
#include "text/pretoken_counts.h"

#include "fuzz_target.h"

namespace lastro {
namespace {

using Records = std::vector<std::pair<std::string, std::uint64_t>>;

Records read(const std::filesystem::path& file) {
  Records records;
  for (PretokenCountsReader reader(file); reader.next();) records.emplace_back(reader.current().bytes, reader.current().count);
  return records;
}

std::filesystem::path written(const Records& records) {
  const std::filesystem::path file = fuzz_folder() / "written.counts";
  PretokenCountsWriter writer(file);
  for (const auto& [bytes, count] : records) writer.write({bytes, count});
  writer.finish();
  return file;
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  const auto file = fuzz_file("fuzzed.counts", bytes);
  reads_or_refuses([&] {
    const Records records = read(file);
    require(read(written(records)) == records);
  });
}

std::vector<std::string> good_inputs() { return {bytes_of(written({{" a", 5}, {" ab", 300}, {"\xFF", std::uint64_t{1} << 62}}))}; }

}   // namespace lastro
