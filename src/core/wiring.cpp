#include "core/wiring.h"

#include <algorithm>

#include "core/gatekeeper.h"
#include "core/nearest.h"

namespace lastro {
namespace {

std::vector<std::string_view> names_of(const auto& named) {
  std::vector<std::string_view> names;
  for (const auto& one : named) names.push_back(one.name);
  return names;
}

class WiringCheck {
 public:
  WiringCheck(const Manifest& manifest, const StageRegistry& registry, Problems& problems)
      : manifest_(manifest), registry_(registry), problems_(problems) {}

  void check() {
    for (const StageSpec& stage : manifest_.stages)
      if (const StageKind* kind = registry_.find(stage.kind)) check_stage(stage, *kind);
    check_cycles();
    check_gates();
  }

 private:
  void refuse(Mark mark, std::string message) { problems_.push_back({manifest_.file, mark, std::move(message)}); }

  void check_stage(const StageSpec& stage, const StageKind& kind) {
    std::vector<std::string_view> missing = missing_ports(stage, kind);
    for (const StageInput& input : stage.inputs) {
      if (const InputPort* port = kind.find_port(input.port)) {
        check_input(stage, kind, input, *port);
        continue;
      }
      refuse(input.mark, stage.name + " has no input \"" + input.port + "\"" + suggestion(input.port, names_of(kind.inputs)));
      if (missing.empty()) continue;   // else the unknown name was meant for a missing port, which is not told a second time
      const std::string_view meant = nearest(input.port, missing);
      missing.erase(meant.empty() ? missing.begin() : std::find(missing.begin(), missing.end(), meant));
    }
    for (const std::string_view name : missing) {
      const InputPort& port = *kind.find_port(name);
      refuse(stage.inputs_mark,
             stage.name + "." + std::string(name) + " is missing (" + stage.kind + " takes " + words_for(port) + ")" + candidate(stage, port));
    }
  }

  static std::vector<std::string_view> missing_ports(const StageSpec& stage, const StageKind& kind) {
    std::vector<std::string_view> missing;
    for (const InputPort& port : kind.inputs) {
      const bool is_given = std::any_of(stage.inputs.begin(), stage.inputs.end(), [&](const StageInput& input) { return input.port == port.name; });
      if (!is_given && !port.is_optional && !stage.has_unread_inputs) missing.push_back(port.name);
    }
    return missing;
  }

  void check_input(const StageSpec& stage, const StageKind& kind, const StageInput& input, const InputPort& port) {
    const std::string path = stage.name + "." + input.port;
    if (port.takes_sources()) {
      for (const InputName& name : input.names) check_source(path, name);
      if (input.names.empty() && !input.has_unread_names && !port.is_optional) refuse(input.mark, path + "=[] (must name at least one source)");
      return;
    }
    if (input.is_list)
      refuse(input.mark, path + " is a list (" + stage.kind + " takes " + words_for(port) + ": name one stage)");
    else if (!input.names.empty())
      check_artifact(stage, kind, path, input.names[0], port);
  }

  void check_source(const std::string& path, const InputName& name) {
    if (manifest_.find_source(name.name) || manifest_.has_unread_sources) return;
    if (manifest_.find_stage(name.name))
      refuse(name.mark, path + "=" + name.name + " is a stage (text sources are named here)");
    else
      refuse(name.mark, path + "=" + name.name + " names no source" + suggestion(name.name, names_of(manifest_.sources)));
  }

  void check_artifact(const StageSpec& stage, const StageKind& kind, const std::string& path, const InputName& name, const InputPort& port) {
    const StageSpec* from = manifest_.find_stage(name.name);
    if (!from) {
      const std::string what = manifest_.find_source(name.name) ? " is a source" : " names no stage";
      std::string near = suggestion(name.name, names_of(manifest_.stages));
      if (manifest_.find_source(name.name)) near = " (" + stage.kind + " takes " + words_for(port) + ")" + candidate(stage, port);
      return refuse(name.mark, path + "=" + name.name + what + near);
    }
    const StageKind* maker = registry_.find(from->kind);
    if (!maker) return;
    if (std::find(port.accepts.begin(), port.accepts.end(), maker->output) != port.accepts.end()) {
      SettingsCheck check(from->settings, {manifest_.file, from->name + ".settings", from->mark}, problems_);
      return kind.check_input(port.name, from->kind, from->settings, check);
    }
    const ArtifactType found[] = {maker->output};
    refuse(name.mark, path + " is " + words_for(found) + " (" + stage.kind + " takes " + words_for(port) + ")" + candidate(stage, port));
  }

  // The last stage of another name that makes what the port takes.
  std::string candidate(const StageSpec& stage, const InputPort& port) {
    std::string found;
    for (const StageSpec& other : manifest_.stages) {
      const StageKind* kind = registry_.find(other.kind);
      if (kind && other.name < stage.name && std::find(port.accepts.begin(), port.accepts.end(), kind->output) != port.accepts.end())
        found = other.name;
    }
    if (port.takes_sources() && !manifest_.sources.empty()) found = manifest_.sources.front().name;
    return found.empty() ? "" : ". Did you mean " + found + "?";
  }

  // A stage that is in no order waits for itself, or for one that does; following what it waits for leads round.
  void check_cycles() {
    const std::vector<std::size_t> order = stage_order(manifest_);
    std::vector<bool> is_done(manifest_.stages.size(), false);
    for (const std::size_t index : order) is_done[index] = true;
    for (std::size_t start = 0; start < manifest_.stages.size(); ++start) {
      if (is_done[start]) continue;
      std::vector<std::size_t> path{start};
      while (true) {
        std::size_t next = path.back();
        for (const std::size_t before : stages_before(manifest_, manifest_.stages[path.back()]))
          if (std::find(order.begin(), order.end(), before) == order.end()) next = before;
        const auto again = std::find(path.begin(), path.end(), next);
        if (again == path.end()) {
          path.push_back(next);
          continue;
        }
        refuse_cycle(std::vector<std::size_t>(again, path.end()), is_done);
        break;
      }
      for (const std::size_t index : path) is_done[index] = true;
    }
  }

  void refuse_cycle(std::vector<std::size_t> cycle, const std::vector<bool>& is_done) {
    if (is_done[cycle.front()]) return;   // told already
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    std::string chain = manifest_.stages[cycle.front()].name;
    for (std::size_t i = 1; i <= cycle.size(); ++i) chain += " needs " + manifest_.stages[cycle[i % cycle.size()]].name;
    refuse(manifest_.stages[cycle.front()].mark, chain + " (a cycle: no stage of it could begin)");
  }

  void check_gates() {
    std::vector<std::string_view> known;
    for (const StageSpec& stage : manifest_.stages) {
      const StageKind* kind = registry_.find(stage.kind);
      if (!kind) return;   // it may be what measures it
      for (const std::string_view name : kind->measurements()) known.push_back(name);
    }
    if (known.empty()) return;   // nobody says what is measured
    known.insert(known.end(), run_measurements.begin(), run_measurements.end());
    const auto is_known = [&](std::string_view name) { return std::find(known.begin(), known.end(), name) != known.end(); };
    for (const Gate& gate : manifest_.gates) {
      if (!is_known(gate.measurement))
        refuse(gate.mark, "gates." + gate.measurement + " is measured by no stage" + suggestion(gate.measurement, known));
      if (!gate.reference.empty() && gate.reference != "baseline" && !is_known(gate.reference))
        refuse(gate.mark, "gates." + gate.measurement + "=\"" + gate.condition() + "\": " + gate.reference + " is measured by no stage" +
                              suggestion(gate.reference, known));
    }
  }

  const Manifest& manifest_;
  const StageRegistry& registry_;
  Problems& problems_;
};

}   // namespace

void check_wiring(const Manifest& manifest, const StageRegistry& registry, Problems& problems) { WiringCheck(manifest, registry, problems).check(); }

std::vector<std::size_t> stages_before(const Manifest& manifest, const StageSpec& stage) {
  std::vector<std::size_t> before;
  for (const StageInput& input : stage.inputs)
    for (const InputName& name : input.names)
      for (std::size_t i = 0; i < manifest.stages.size(); ++i)
        if (manifest.stages[i].name == name.name && std::find(before.begin(), before.end(), i) == before.end()) before.push_back(i);
  return before;
}

std::vector<std::size_t> stage_order(const Manifest& manifest) {
  std::vector<std::size_t> order;
  const auto is_placed = [&](std::size_t index) { return std::find(order.begin(), order.end(), index) != order.end(); };
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (std::size_t i = 0; i < manifest.stages.size() && !has_grown; ++i) {
      const std::vector<std::size_t> before = stages_before(manifest, manifest.stages[i]);
      if (is_placed(i) || !std::all_of(before.begin(), before.end(), is_placed)) continue;
      order.push_back(i);
      has_grown = true;
    }
  }
  return order;
}

}   // namespace lastro
