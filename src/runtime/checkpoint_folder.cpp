#include "runtime/checkpoint_folder.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/durable_file.h"
#include "core/hash.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t largest_index_bytes = std::int64_t{1} << 30;

std::string text_of(const std::filesystem::path& path) {
  const InputFile file(path);
  if (file.bytes() > largest_index_bytes) throw ContractError(path.string() + " is " + std::to_string(file.bytes()) + " bytes long (it is damaged)");
  std::string text(file.bytes(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

// "step-<digits>", maybe with "-of-<key>" behind.
bool is_step_folder(const std::string& name) {
  if (!name.starts_with("step-")) return false;
  const std::size_t end = name.find_first_not_of("0123456789", 5);
  return end != 5 && (end == std::string::npos || name.substr(end).starts_with("-of-"));
}

// The step whose place a folder is; none for what stands aside.
std::optional<Step> step_of_place(const std::filesystem::path& folder) {
  const std::string digits = folder.filename().string().substr(5);
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(Step{step}) : std::nullopt;
}

bool is_verified(const std::filesystem::path& folder, std::string_view index_text) {
  std::error_code error;
  const std::filesystem::path marker = folder / marker_file_name;
  return std::filesystem::exists(marker, error) && text_of(marker) == sha256(index_text).to_string() + "\n";
}

bool has_damaged_index(const std::filesystem::path& folder) {
  try {
    read_committed(folder);
    return false;
  } catch (const OtherCheckpointFormat&) {   // another release reads it
    return false;
  } catch (const ContractError&) {
    return true;
  } catch (const EnvironmentError&) {
    return false;
  }
}

}   // namespace

CommittedCheckpoint read_committed(const std::filesystem::path& folder) {
  CommittedCheckpoint found{.folder = folder, .index_text = text_of(folder / index_file_name)};
  found.index = parse_index(found.index_text, (folder / index_file_name).string());
  found.verified = is_verified(folder, found.index_text);
  return found;
}

std::vector<std::filesystem::path> CheckpointFolder::step_folders() const {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root_, error), end; !error && entry != end; entry.increment(error))
    if (is_step_folder(entry->path().filename().string()) && entry->is_directory(error)) folders.push_back(entry->path());
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw EnvironmentError(root_.string() + " cannot be listed (" + error.message() + ")", "libc", "opendir", error.value());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<std::string> CheckpointFolder::sweep() const {
  std::vector<std::string> lines;
  for (const std::filesystem::path& folder : step_folders()) {
    if (!std::filesystem::exists(folder / index_file_name)) {
      remove(folder);
      lines.push_back(folder.string() + " was never committed (the run that made it ended before) it is removed");
      continue;
    }
    std::vector<std::filesystem::path> drafts;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".tmp") drafts.push_back(entry.path());
    for (const std::filesystem::path& draft : drafts) {
      remove_file(draft);
      lines.push_back(draft.string() + " is an abandoned draft; it is removed");
    }
  }
  return lines;
}

std::vector<CommittedCheckpoint> CheckpointFolder::list(std::vector<std::string>* remarks) const {
  std::vector<CommittedCheckpoint> own;
  for (const std::filesystem::path& folder : step_folders()) {
    std::error_code error;
    if (!std::filesystem::exists(folder / index_file_name, error) && !error) continue;
    try {
      CommittedCheckpoint found = read_committed(folder);
      if (found.index.stage_key == stage_key_)
        own.push_back(std::move(found));
      else if (remarks)
        remarks->push_back(folder.string() + " is of another stage or other settings (stage key " + found.index.stage_key.hex().substr(0, 12) +
                           ", not " + stage_key_.hex().substr(0, 12) + ") it is left alone");
    } catch (const Error& problem) {
      if (remarks) remarks->push_back(std::string(problem.what()) + " " + folder.filename().string() + " is passed over");
    }
  }
  std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.index.step > b.index.step; });
  return own;
}

std::optional<CommittedCheckpoint> CheckpointFolder::find(Step step) const {
  for (CommittedCheckpoint& one : list())
    if (one.index.step == step) return std::move(one);
  return std::nullopt;
}

void CheckpointFolder::clear_place(Step step) const {
  const std::filesystem::path folder = folder_of(step);
  if (std::filesystem::exists(folder / index_file_name)) {
    std::optional<Digest> owner;
    try {
      owner = read_committed(folder).index.stage_key;
    } catch (const Error&) {   // damaged: nothing to keep
    }
    if (owner && *owner != stage_key_) {
      const std::filesystem::path aside = folder.string() + "-of-" + owner->hex().substr(0, 12);
      remove(aside);
      move_folder(folder, aside);
    }
  }
  if (const auto same = find(step)) remove(same->folder);   // it may have stood aside
  remove(folder);
  make_durable_folder(folder);
}

void CheckpointFolder::commit(Step step, std::string_view index_text) const {
  write_durable_file("index", folder_of(step) / index_file_name, index_text);
}

void CheckpointFolder::mark_verified(const CommittedCheckpoint& checkpoint) const {
  write_durable_file("marker", checkpoint.folder / marker_file_name, sha256(checkpoint.index_text).to_string() + "\n");
}

void CheckpointFolder::mark_damaged(const CommittedCheckpoint& checkpoint) const { remove_file(checkpoint.folder / marker_file_name); }

void CheckpointFolder::remove(const std::filesystem::path& folder) const { remove_durably(folder, index_file_name); }

void CheckpointFolder::rotate(int keep) const {
  std::vector<CommittedCheckpoint> own = list();
  std::vector<std::filesystem::path> kept;   // newest first
  for (const CommittedCheckpoint& one : own)
    if (one.verified && static_cast<int>(kept.size()) < keep) kept.push_back(one.folder);
  if (static_cast<int>(kept.size()) < keep) return;   // what is not marked so may be whole all the same
  const auto newest = std::find_if(own.begin(), own.end(), [](const CommittedCheckpoint& one) { return one.verified; });
  for (auto one = newest; one != own.end(); ++one)
    if (std::find(kept.begin(), kept.end(), one->folder) == kept.end()) remove(one->folder);
  for (const std::filesystem::path& folder : step_folders()) {
    const std::optional<Step> step = step_of_place(folder);
    if (step && *step < newest->index.step && has_damaged_index(folder)) remove(folder);
  }
}

}   // namespace lastro
