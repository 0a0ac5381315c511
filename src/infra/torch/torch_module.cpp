#include "infra/torch/torch_module.h"

#include <dlfcn.h>

#include <cerrno>
#include <string>

#include "domain/errors.h"
#include "infra/torch/plugin.h"

namespace lastro {

namespace {

// Beside the program, in a build tree's or an installation's lib folder.
std::filesystem::path plugin_path() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto* folder : {"", "lib", "../lib", "../../lib", "../../../lib", "../lib/lastro"})
    if (const auto path = program / folder / "lastro-torch.so"; std::filesystem::exists(path, error)) return path;
  throw EnvironmentError("LibTorch is not part of this build (audit and PyTorch checkpoints need it) build with -DLASTRO_TORCH=<folder of LibTorch>");
}

TorchPlugin open_plugin() {
  const std::string path = plugin_path().string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);   // never closed: LibTorch cannot be unloaded
  void* entry = library ? dlsym(library, torch_plugin_entry) : nullptr;
  if (!entry)
    throw EnvironmentError(path + " cannot be loaded (" + dlerror() + ") is LibTorch still where it was at build time?", "LibTorch", "dlopen", errno);
  TorchPlugin plugin{};
  reinterpret_cast<void (*)(TorchPlugin*)>(entry)(&plugin);
  return plugin;
}

const TorchPlugin& plugin() {
  static const TorchPlugin opened = open_plugin();
  return opened;
}

}   // namespace

std::unique_ptr<Oracle> load_torch_oracle() { return plugin().make_oracle(); }
std::unique_ptr<TensorSource> load_pt_file(const std::filesystem::path& file) { return plugin().open_pt_file(file); }

}   // namespace lastro
