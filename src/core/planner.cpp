#include "core/planner.h"

#include <algorithm>
#include <limits>

#include "core/cost.h"
#include "core/diff.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/source_digest.h"
#include "core/text_of_number.h"
#include "core/wiring.h"
#include "domain/errors.h"

namespace lastro {
namespace {

// What the sources of a port are to the stage that reads them: everything but where they lie and notes on them.
Node sources_in_key(const Sources& sources) {
  Node list = Node::sequence();
  for (const Source& source : sources) {
    Node entry = Node::mapping();
    entry.set("name", source.name);
    entry.set("content", digest_of(source).to_string());
    entry.set("format", static_cast<std::int64_t>(source.format));
    entry.set("weight", source.weight);
    if (source.format == SourceFormat::jsonl) entry.set("text_field", source.text_field);
    entry.set("share", source.share);
    list.push(std::move(entry));
  }
  return list;
}

void update_key(Plan& plan, PlannedStage& stage) {
  Node inputs = Node::mapping();
  stage.key_is_final = true;
  for (PlannedInput& input : stage.inputs) {
    if (!input.stage) {
      inputs.set(input.port, sources_in_key(input.sources));
      continue;
    }
    const PlannedStage& maker = plan.stages[*input.stage];
    input.digest = maker.output;
    stage.key_is_final = stage.key_is_final && input.digest;
    inputs.set(input.port, input.digest ? input.digest->to_string() : "what key " + maker.key.to_string() + " leads to");
  }
  stage.key_fields.set("inputs", std::move(inputs));
  stage.key = sha256(to_canonical_json(stage.key_fields));
}

// "settings.width was 128, is 64; inputs.text is new ([...])"
std::string what_changed(const Node& last, const Node& now) {
  constexpr std::size_t most_told = 3;
  std::string text;
  const std::vector<Difference> found = differences(last, now);
  for (std::size_t i = 0; i < std::min(found.size(), most_told); ++i) text += (i > 0 ? "; " : "") + found[i].to_string();
  if (found.size() > most_told) text += "; and " + std::to_string(found.size() - most_told) + " more";
  return text.empty() ? "the store no longer has what it made" : text;
}

class Planner {
 public:
  Planner(const Manifest& manifest, const StageRegistry& registry, const Surroundings& surroundings)
      : manifest_(manifest), registry_(registry), around_(surroundings), speed_(speed_of(manifest.rates, surroundings.measured_peak_flops)) {}

  Planned make() {
    Plan& plan = planned_.plan;
    plan.name = manifest_.name;
    plan.seed = static_cast<std::uint64_t>(manifest_.seed);
    plan.numerics = around_.numerics;
    plan.ranks = around_.ranks;
    plan.threads_per_rank = around_.threads_per_rank;
    plan.peak_flops = speed_.peak_flops;
    set_memory_limit();
    order_ = stage_order(manifest_);
    for (const std::size_t index : order_) plan.stages.push_back(stage(manifest_.stages[index]));
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
      if (!plan.stages[i].output) check_memory(i);
    check_cost();
    check_hours();
    return std::move(planned_);
  }

 private:
  void set_memory_limit() {
    planned_.plan.memory_limit_bytes = around_.memory_limit_bytes;
    if (!manifest_.budget.memory_per_rank_gib) return;
    const auto stated = static_cast<std::int64_t>(*manifest_.budget.memory_per_rank_gib * static_cast<double>(std::int64_t{1} << 30));
    if (planned_.plan.memory_limit_bytes != 0 && planned_.plan.memory_limit_bytes <= stated) return;
    planned_.plan.memory_limit_bytes = stated;
    memory_limit_from_ = "budget.memory_per_rank_gib";
  }

  const StageKind& kind_of(std::string_view kind) const {
    if (const StageKind* found = registry_.find(kind)) return *found;
    throw InternalError("stage kind " + std::string(kind) + " is not registered (the manifest should have been refused)");
  }

  PlannedStage stage(const StageSpec& spec) {
    const StageKind& kind = kind_of(spec.kind);
    PlannedStage made;
    made.name = spec.name;
    made.kind = spec.kind;
    made.version = kind.version;
    made.settings = spec.settings;
    made.output_type = kind.output;
    for (const InputPort& port : kind.inputs)   // the kind's order, not the manifest's
      for (const StageInput& input : spec.inputs)
        if (input.port == port.name) made.inputs.push_back(planned_input(input, port));
    made.key_fields = Node::mapping();
    made.key_fields.set("kind", spec.kind);
    made.key_fields.set("version", kind.version);
    made.key_fields.set("settings", result_bearing(kind.specs(spec.recipe), spec.settings));
    made.key_fields.set("inputs", Node::mapping());
    made.key_fields.set("seed", manifest_.seed);
    made.key_fields.set("numerics", around_.numerics);
    update_key(planned_.plan, made);
    if (!is_edited(spec, made)) made.expected_output = spec.expected_output;
    look_up(made);
    estimate(made, kind);
    return made;
  }

  // An edited record's stage that is not the recorded one: what that came out as says nothing of it.
  bool is_edited(const StageSpec& spec, const PlannedStage& stage) const {
    return manifest_.is_edited_record && spec.is_replayed && spec.recorded_key && stage.key_is_final && *spec.recorded_key != stage.key;
  }

  PlannedInput planned_input(const StageInput& input, const InputPort& port) const {
    PlannedInput planned{input.port, std::nullopt, std::nullopt, {}};
    for (const InputName& name : input.names) {
      if (port.takes_sources())
        planned.sources.push_back(source(name.name));
      else
        planned.stage = place_of(name.name);
    }
    return planned;
  }

  const Source& source(const std::string& name) const {
    for (const Source& source : around_.sources)
      if (source.name == name) return source;
    throw InternalError("source " + name + " was not resolved before the plan");
  }

  std::size_t place_of(const std::string& stage) const {
    for (std::size_t i = 0; i < planned_.plan.stages.size(); ++i)
      if (planned_.plan.stages[i].name == stage) return i;
    throw InternalError("stage " + stage + " is not planned before what builds on it");
  }

  void look_up(PlannedStage& stage) {
    if (stage.key_is_final && around_.find_output) stage.output = around_.find_output(stage.name, stage.key);
    if (stage.output) return;
    for (const PlannedInput& input : stage.inputs)
      if (input.stage && !planned_.plan.stages[*input.stage].output) {
        stage.why = "builds on " + planned_.plan.stages[*input.stage].name + ", which has to run";
        return;
      }
    const std::optional<Node> last = around_.last_key_fields ? around_.last_key_fields(stage.name) : std::nullopt;
    stage.why = last ? what_changed(*last, stage.key_fields) : "was not run yet";
  }

  static std::uint64_t source_bytes(const PlannedStage& stage) {
    std::uint64_t bytes = 0;
    for (const PlannedInput& input : stage.inputs)
      for (const Source& source : input.sources) {
        bytes += source.generated_bytes;
        for (const SourceFile& file : source.files) bytes += file.text_bytes;
      }
    return bytes;
  }

  PlanFacts facts_for(const PlannedStage& stage, int ranks) const {
    PlanFacts facts;
    facts.ranks = ranks;
    facts.threads_per_rank = around_.threads_per_rank;
    facts.memory_limit_bytes = planned_.plan.memory_limit_bytes;
    facts.source_bytes = source_bytes(stage);
    std::vector<std::size_t> next;
    const auto look_behind = [&](const PlannedStage& of) {
      for (const PlannedInput& input : of.inputs)
        if (input.stage && std::find(next.begin(), next.end(), *input.stage) == next.end()) next.push_back(*input.stage);
    };
    look_behind(stage);
    for (std::size_t i = 0; i < next.size(); ++i) {
      const PlannedStage& before = planned_.plan.stages[next[i]];
      const bool is_made = before.output && around_.summary_of;
      facts.upstream.push_back(
          {before.name, before.kind, before.settings, is_made ? around_.summary_of(*before.output) : std::nullopt, source_bytes(before)});
      look_behind(before);
    }
    return facts;
  }

  void estimate(PlannedStage& stage, const StageKind& kind) {
    try {
      stage.resources = kind.resources(stage.settings, facts_for(stage, around_.ranks));
    } catch (const BudgetError& error) {   // the stage knows better than the general rules below what would fit
      if (!stage.output) planned_.excesses.push_back(stage.name + ": " + error.what());
    }
    stage.device_s = device_seconds(stage.resources, speed_);
    stage.cost_usd = cost_usd(manifest_.rates, stage.device_s);
  }

  void check_memory(std::size_t index) {
    const PlannedStage& stage = planned_.plan.stages[index];
    const std::int64_t limit = planned_.plan.memory_limit_bytes, need = stage.resources.memory_bytes();
    if (limit == 0 || need <= limit) return;
    std::string classes;
    for (const MemoryShare& share : stage.resources.memory_per_rank)
      classes += (classes.empty() ? "" : ", ") + share.name + " " + bytes_text(share.bytes);
    planned_.excesses.push_back(stage.name + " needs " + bytes_text(need) + " a rank (" + classes + ") and has " + bytes_text(limit) + " by " +
                                std::string(memory_limit_from_) + ". " + memory_change(stage, limit));
  }

  std::string memory_change(const PlannedStage& stage, std::int64_t limit) const {
    const StageKind& kind = kind_of(stage.kind);
    const auto need = [&](const Node& settings, int ranks) {
      try {
        return kind.resources(settings, facts_for(stage, ranks)).memory_bytes();
      } catch (const Error&) {   // not a change that is possible at all
        return std::numeric_limits<std::int64_t>::max();
      }
    };
    for (const ChangeInfo& change : kind.changes(stage.settings))
      if (const std::int64_t bytes = need(change.settings, around_.ranks); bytes <= limit)
        return "The cheapest change that fits: " + change.what + " (" + bytes_text(bytes) + ")";
    for (int ranks = 2 * around_.ranks; ranks <= 64 * around_.ranks; ranks *= 2)
      if (const std::int64_t bytes = need(stage.settings, ranks); bytes <= limit)
        return "The cheapest change that fits: " + std::to_string(ranks) + " ranks (" + bytes_text(bytes) + ")";
    return "No single change fits; a rank would have to be allowed " + bytes_text(need(stage.settings, around_.ranks));
  }

  void check_cost() {
    if (!manifest_.budget.cost_usd) return;
    const double limit = *manifest_.budget.cost_usd, total = planned_.plan.cost_usd();
    if (total <= limit) return;
    planned_.excesses.push_back("the plan costs " + usd_text(total) + " (" + shares([](const PlannedStage& s) { return usd_text(s.cost_usd); }) +
                                ") and budget.cost_usd is " + usd_text(limit) + ". " +
                                time_change(
                                    total, limit, [this](double s) { return cost_usd(manifest_.rates, s); }, usd_text, "budget.cost_usd"));
  }

  void check_hours() {
    if (!manifest_.budget.hours) return;
    const double limit = *manifest_.budget.hours * 3600, total = planned_.plan.wall_s();
    if (total <= limit) return;
    planned_.excesses.push_back("the plan takes " + duration_text(total) + " on " + counted(around_.ranks, "rank") + " (" +
                                shares([this](const PlannedStage& s) { return duration_text(s.device_s / around_.ranks); }) +
                                ") and budget.hours allows " + duration_text(limit) + ". " +
                                time_change(
                                    total, limit, [this](double s) { return s / around_.ranks; }, duration_text, "budget.hours"));
  }

  // "04_pretrain 1.2 USD, 05_scale 3 USD" of the stages that have to run and are not free.
  std::string shares(const auto& text) const {
    std::string list;
    for (const PlannedStage& stage : planned_.plan.stages)
      if (!stage.output && stage.device_s > 0) list += (list.empty() ? "" : ", ") + stage.name + " " + text(stage);
    return list;
  }

  // The first change, of the stage that takes most first, after which the total fits. `in_units` turns device seconds into what is limited.
  std::string time_change(double total, double limit, const auto& in_units, const auto& text, const std::string& field) const {
    std::vector<const PlannedStage*> dearest;
    for (const PlannedStage& stage : planned_.plan.stages)
      if (!stage.output) dearest.push_back(&stage);
    std::stable_sort(dearest.begin(), dearest.end(), [](const PlannedStage* a, const PlannedStage* b) { return a->device_s > b->device_s; });
    for (const PlannedStage* stage : dearest)
      for (const ChangeInfo& change : kind_of(stage->kind).changes(stage->settings)) {
        const double after =
            total -
            in_units(stage->device_s - device_seconds(kind_of(stage->kind).resources(change.settings, facts_for(*stage, around_.ranks)), speed_));
        if (after <= limit) return "The cheapest change that fits: " + stage->name + "." + change.what + " (" + text(after) + ")";
      }
    return "No single change fits; " + field + " would have to allow " + text(total);
  }

  const Manifest& manifest_;
  const StageRegistry& registry_;
  const Surroundings& around_;
  Speed speed_;
  std::string_view memory_limit_from_ = "the machine";
  std::vector<std::size_t> order_;
  Planned planned_;
};

}   // namespace

Planned plan(const Manifest& manifest, const StageRegistry& registry, const Surroundings& surroundings) {
  return Planner(manifest, registry, surroundings).make();
}

void refuse_excesses(const Planned& planned) {
  std::string all;
  for (const std::string& excess : planned.excesses) all += (all.empty() ? "" : "\n") + excess;
  if (!all.empty()) throw BudgetError(all);
}

std::vector<std::size_t> descendants(const Plan& plan, std::size_t stage) {
  std::vector<std::size_t> found;
  const auto is_below = [&](const PlannedInput& input) {
    return input.stage && (*input.stage == stage || std::find(found.begin(), found.end(), *input.stage) != found.end());
  };
  for (std::size_t i = stage + 1; i < plan.stages.size(); ++i)
    if (std::any_of(plan.stages[i].inputs.begin(), plan.stages[i].inputs.end(), is_below)) found.push_back(i);
  return found;
}

std::vector<std::pair<std::string, Digest>> input_digests(const PlannedStage& stage) {
  std::vector<std::pair<std::string, Digest>> digests;
  for (const PlannedInput& input : stage.inputs)
    if (input.digest) digests.push_back({input.port, *input.digest});
  for (const PlannedInput& input : stage.inputs)
    for (const Source& source : input.sources) digests.push_back({input.port + "." + source.name, digest_of(source)});
  return digests;
}

}   // namespace lastro
