#include "data/resolve_source.h"

#include <glob.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <vector>

#include "data/text_size.h"
#include "domain/errors.h"

namespace lastro {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

std::vector<fs::path> matches_of(const fs::path& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i)
      if (std::error_code ignored; !fs::is_directory(found.gl_pathv[i], ignored)) paths.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What a path is that names no file; empty where nothing has that name.
std::string words_for_no_file(const fs::path& path) {
  std::error_code reason;
  const fs::file_status there = fs::status(path, reason);
  switch (there.type()) {
    case fs::file_type::fifo: return "is a pipe (a source is read several times, so it is a regular file). Write what the pipe gives to a file";
    case fs::file_type::socket: return "is a socket (a source is read several times, so it is a regular file). Name a file";
    case fs::file_type::block:
    case fs::file_type::character: return "is a device (a source is read several times, so it is a regular file). Name a file";
    case fs::file_type::none: return "cannot be looked at (" + reason.message() + "). Mend the path, or its permissions";
    default: break;
  }
  if (std::error_code ignored; fs::is_symlink(fs::symlink_status(path, ignored)))
    return "is a link to " + fs::read_symlink(path, ignored).string() + " (nothing is there). Mend the link, or fetch the file";
  return "";
}

SourceFormat format_by_name(fs::path path) {
  for (const char* packed : {".gz", ".zst", ".dz"})
    if (path.extension() == packed) {
      path.replace_extension();
      break;
    }
  const std::string extension = path.extension().string();
  if (extension == ".md" || extension == ".markdown") return SourceFormat::markdown;
  if (extension == ".jsonl" || extension == ".ndjson") return SourceFormat::jsonl;
  if (extension == ".dict") return SourceFormat::dictd;
  return SourceFormat::text;
}

std::string_view word_for(SourceFormat format) {
  for (const auto& entry : enum_names(format))
    if (entry.value == format) return entry.name;
  return "?";
}

// Resolves one declaration; refuse() says what is wrong with it.
class Resolver {
 public:
  Resolver(const SourceSpec& declared, const SourcePlace& place, FileDigests& digests, Problems& problems)
      : declared_(declared), place_(place), digests_(digests), problems_(problems) {}

  std::optional<Source> resolve() {
    Source source;
    source.name = declared_.name;
    source.weight = declared_.weight;
    source.text_field = declared_.text_field;
    source.share = declared_.share;
    if (declared_.generated) {
      if (!declared_.path.empty()) refuse("path=\"" + declared_.path.front() + "\" (text that is generated is not read). Remove path: or generated:");
      source.format = format_of(declared_.generated->kind);
      source.generated_seed = static_cast<std::uint64_t>(declared_.generated->seed);
      source.generated_bytes = static_cast<std::uint64_t>(declared_.generated->bytes);
    } else if (declared_.format && is_generated(*declared_.format)) {
      const std::string kind(word_for(*declared_.format));
      refuse("format=" + kind + " (" + kind + " are generated). Write generated: {kind: " + kind +
             ", seed: 1, bytes: 1000000} instead of path and format");
    } else {
      add_files(source);
    }
    if (is_refused_) return std::nullopt;
    return source;
  }

 private:
  void refuse(const std::string& message) { refuse(declared_.mark, message); }

  void refuse(Mark mark, const std::string& message) {
    is_refused_ = true;
    problems_.push_back({place_.file, mark, "sources." + declared_.name + ": " + message});
  }

  // Of one of the declared paths; of the source where it was not read from a manifest.
  Mark mark_of_path(std::size_t index) const { return index < declared_.path_marks.size() ? declared_.path_marks[index] : declared_.mark; }

  void add_files(Source& source) {
    if (declared_.path.empty()) return refuse("no path (a source is read from files). Add path:, or generated: for text made by lastro itself");
    std::map<fs::path, Mark> paths;
    for (std::size_t i = 0; i < declared_.path.size(); ++i)
      for (fs::path& found : find_files(declared_.path[i], mark_of_path(i))) paths.emplace(std::move(found), mark_of_path(i));
    if (is_refused_) return;
    source.format = declared_.format.value_or(format_by_name(paths.begin()->first));
    std::set<fs::path> taken;   // by the files' own names: ./a.txt and a link to a.txt are a.txt
    for (const auto& [path, mark] : paths) {
      if (!declared_.format && format_by_name(path) != source.format)
        return refuse(mark, "path has " + std::string(word_for(source.format)) + " and " + std::string(word_for(format_by_name(path))) + " files (" +
                                path.string() + "; a source has one format). Say format:, or part it into two sources");
      if (taken.insert(fs::canonical(path)).second) add_file(path, mark, source);
    }
    std::sort(source.files.begin(), source.files.end(),
              [](const SourceFile& a, const SourceFile& b) { return std::tie(a.sha256, a.path) < std::tie(b.sha256, b.path); });
  }

  std::vector<fs::path> find_files(const std::string& declared, Mark mark) {
    const fs::path path = place_.base_folder / declared;
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return {path};
    if (fs::is_directory(path, ignored)) {
      refuse(mark, "path=\"" + declared + "\" is a folder (a source is files). Name them: " + (fs::path(declared) / "*.txt").string());
      return {};
    }
    if (const std::string words = words_for_no_file(path); !words.empty()) {
      refuse(mark, "path=\"" + declared + "\" " + words);
      return {};
    }
    if (!is_pattern(declared)) {
      refuse(mark,
             "path=\"" + declared + "\" is no file (looked for " + fs::absolute(path, ignored).string() + "). Mend the path, or fetch the file");
      return {};
    }
    std::vector<fs::path> paths = matches_of(path);
    if (paths.empty())
      refuse(mark, "path=\"" + declared + "\" matches no file (looked from " +
                       fs::absolute(place_.base_folder.empty() ? "." : place_.base_folder, ignored).string() +
                       "). Mend the pattern, or fetch the files");
    for (const fs::path& found : paths)
      if (std::error_code none; !fs::is_regular_file(found, none))
        refuse(mark, "path=\"" + declared + "\" matches " + found.string() + ", which " + words_for_no_file(found));
    return paths;
  }

  void add_file(const fs::path& path, Mark mark, Source& source) {
    try {
      expect_named_truly(path);
      source.files.push_back(digests_.of(path));
    } catch (const Error& error) {
      refuse(mark, error.what());
    }
  }

  const SourceSpec& declared_;
  const SourcePlace& place_;
  FileDigests& digests_;
  Problems& problems_;
  bool is_refused_ = false;
};

}   // namespace

std::optional<Source> resolve_source(const SourceSpec& declared, const SourcePlace& place, FileDigests& digests, Problems& problems) {
  return Resolver(declared, place, digests, problems).resolve();
}

}   // namespace lastro
