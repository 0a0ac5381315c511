#include "core/manifest.h"

#include <algorithm>
#include <tuple>

#include "core/gatekeeper.h"
#include "core/nearest.h"
#include "core/overrides.h"
#include "core/record_keys.h"
#include "core/record_text.h"
#include "core/wiring.h"
#include "core/yaml.h"

namespace lastro {
namespace {

constexpr std::array<std::string_view, 3> named_parts{"sources", "stages", "gates"};
constexpr std::array<std::string_view, 5> stage_keys{"kind", "recipe", "inputs", "settings", "expect"};

bool is_one_of(std::string_view word, const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-' || c == '.'; }

// A name that is safe as a folder.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() != '.' && text.front() != '-' && std::all_of(text.begin(), text.end(), is_name_char);
}
bool is_stage_name(std::string_view text) {
  return is_name(text) && text.size() > 3 && is_digit(text[0]) && is_digit(text[1]) && text[2] == '_' && text.find_first_of(".-") == text.npos;
}

// 1.<number>, and more numbers behind it.
bool is_version_1(std::string_view text) {
  if (!text.starts_with("1.") || !is_digit(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; }) && text.find("..") == text.npos;
}

// The keys of a mapping by the fields that settings declare.
std::vector<std::string_view> names_of(const SettingSpecs& specs) {
  std::vector<std::string_view> names;
  for (const SettingSpec& spec : specs) names.push_back(spec.name);
  return names;
}

// Whether an unknown key is probably `wanted`: then that is told, and not that `wanted` is missing.
bool is_misspelt(std::string_view wanted, const Node& given, std::span<const std::string_view> known) {
  return std::any_of(given.entries().begin(), given.entries().end(),
                     [&](const Entry& entry) { return !is_one_of(entry.key, known) && nearest(entry.key, known) == wanted; });
}

// Where a whole entry stands: at its key, or in the assignment that gave the value.
Mark place_of(const Entry& entry) { return is_assigned(entry.value.mark) ? entry.value.mark : entry.mark; }

class ManifestReader {
 public:
  ManifestReader(const std::string& file, const StageRegistry& registry, Problems& problems)
      : file_(file), registry_(registry), problems_(problems) {}

  Manifest read(const Node& tree) {
    Manifest manifest;
    if (!tree.is_mapping()) {
      refuse(tree.mark, tree.is_null() ? "the file is empty (a manifest has at least name and stages)"
                                       : shown(tree) + " is no manifest (must be a mapping of fields)");
      manifest.file = file_;
      return manifest;
    }
    manifest = plain_fields(tree);
    manifest.file = file_;
    manifest.sources = sources(tree);
    manifest.has_unread_sources = is_unread(tree.find("sources"));
    manifest.stages = stages(tree);
    manifest.gates = gates(tree);
    return manifest;
  }

 private:
  void refuse(Mark mark, std::string message) { problems_.push_back({file_, mark, std::move(message)}); }

  static std::vector<std::string_view> known_parts() {
    std::vector<std::string_view> known = names_of(specs_of<Manifest>());
    known.insert(known.end(), named_parts.begin(), named_parts.end());
    return known;
  }

  Manifest plain_fields(const Node& tree) {
    const std::vector<std::string_view> known = known_parts();
    Node::Mapping entries;
    for (const Entry& entry : tree.entries()) {
      if (is_one_of(entry.key, named_parts) || is_one_of(entry.key, recorded_run_keys)) continue;
      if (is_one_of(entry.key, known))
        entries.push_back(entry);
      else
        refuse(entry.mark, "unknown key " + shown(Node(entry.key)) + suggestion(entry.key, known));
    }
    Node plain(std::move(entries));
    plain.mark = tree.mark;
    Manifest manifest = parse_settings<Manifest>(plain, {file_, "", tree.mark}, problems_);
    if (!plain.find("name") && !is_misspelt("name", tree, known)) refuse(plain.mark, "name is missing (it names the default run directory)");
    check_plain_fields(manifest, plain);
    if (const Node* reference = plain.find("reference")) manifest.reference_mark = reference->mark;
    if (const Node* baseline = plain.find("baseline")) manifest.baseline_mark = baseline->mark;
    return manifest;
  }

  void check_plain_fields(const Manifest& manifest, const Node& plain) {
    const auto mark_of = [&](std::string_view key) { return plain.find(key) ? plain.at(key).mark : plain.mark; };
    if (plain.find("name") && plain.at("name").as<std::string>() && !is_name(manifest.name))
      refuse(mark_of("name"), "name=" + shown(Node(manifest.name)) + " (must be 1 to 64 letters, digits, _, - or ., the first of them no - or .)");
    if (plain.find("pipeline_version") && plain.at("pipeline_version").as<std::string>() && !is_version_1(manifest.pipeline_version))
      refuse(mark_of("pipeline_version"), "pipeline_version=" + shown(Node(manifest.pipeline_version)) + " (this program reads 1.x, as in 1.0.0)");
  }

  // Stands where a mapping belongs; what it lacks is no problem of its own.
  static bool is_unread(const Node* given) { return given && !given->is_null() && !given->is_mapping(); }

  // The entries of a part that is a mapping by name.
  const Node::Mapping& part(const Node& tree, std::string_view name) {
    static const Node::Mapping none;
    const Node* found = tree.find(name);
    if (!found || found->is_null()) return none;
    if (!found->is_mapping()) refuse(found->mark, std::string(name) + "=" + shown(*found) + " (must be a mapping by name)");
    return found->entries();
  }

  std::vector<SourceSpec> sources(const Node& tree) {
    std::vector<SourceSpec> sources;
    for (const Entry& entry : part(tree, "sources")) {
      const std::string path = "sources." + entry.key;
      if (!is_name(entry.key)) refuse(entry.mark, "source name " + shown(Node(entry.key)) + " (must be letters, digits, _, - or .)");
      SourceSpec source = parse_settings<SourceSpec>(entry.value, {file_, path, entry.mark}, problems_);
      source.name = entry.key;
      source.mark = place_of(entry);
      if (!is_unread(&entry.value)) check_source(source, entry.value, path);
      sources.push_back(std::move(source));
    }
    return sources;
  }

  void check_source(SourceSpec& source, const Node& given, const std::string& path) {
    const bool has_path = given.find("path"), has_generated = source.generated.has_value();
    const std::vector<std::string_view> known = names_of(specs_of<SourceSpec>());
    if (has_path && has_generated) refuse(source.mark, path + " has both path and generated (its text is from one of them)");
    if (!has_path && !has_generated && !is_misspelt("path", given, known) && !is_misspelt("generated", given, known))
      refuse(source.mark, path + " has no text (give it a path, or generated: {kind: stories})");
    if (source.format && is_generated(*source.format) && !has_generated) {
      const std::string kind = given.at("format").text();
      refuse(given.at("format").mark, path + ".format=\"" + kind + "\" (" + kind + " are generated: {kind: " + kind + "}, not read)");
    }
    if (has_generated) source.format = format_of(source.generated->kind);
    if (const Node* files = given.find("path"))
      for (const Node& file : files->is_sequence() ? files->items() : Node::Sequence{*files}) {
        source.path_marks.push_back(file.mark);
        if (file == Node("")) refuse(file.mark, path + ".path=\"\" (must name a file)");
      }
    const Node* sha256 = given.find("sha256");
    source.sha256_mark = sha256 ? sha256->mark : source.mark;
    if (source.sha256) source.expected_sha256 = digest(*sha256, path + ".sha256");
  }

  std::optional<Digest> digest(const Node& given, const std::string& path) {
    const auto digest = given.as<std::string>() ? Digest::parse(given.text()) : std::nullopt;
    if (!digest) refuse(given.mark, path + "=" + shown(given) + " (must be sha256: and 64 lower-case hexadecimal digits)");
    return digest;
  }

  std::vector<StageSpec> stages(const Node& tree) {
    std::vector<StageSpec> stages;
    const Node::Mapping& entries = part(tree, "stages");
    if (entries.empty() && !is_unread(tree.find("stages")) && !is_misspelt("stages", tree, known_parts()))
      refuse(tree.find("stages") ? tree.at("stages").mark : tree.mark,
             "there are no stages (a manifest has at least one, as in 01_vocabulary: {kind: vocabulary, ...})");
    for (const Entry& entry : entries) {
      if (is_stage_name(entry.key) || entry.value.find("kind")) stages.push_back(stage(entry));
      if (!is_stage_name(entry.key))
        refuse(entry.mark,
               "stage name " + shown(Node(entry.key)) + " (must be two digits, _ and a name of letters, digits and _, as in 04_pretrain)");
    }
    return stages;
  }

  StageSpec stage(const Entry& entry) {
    StageSpec spec;
    spec.name = entry.key;
    spec.mark = place_of(entry);
    spec.kind_mark = spec.inputs_mark = spec.mark;
    const Node& given = entry.value;
    if (!given.is_mapping()) {
      refuse(given.mark, entry.key + "=" + shown(given) + " (must be a mapping with at least kind)");
      return spec;
    }
    refuse_unknown_stage_keys(entry.key, given);
    const StageKind* const kind = kind_of(spec, given);
    spec.inputs = inputs(entry.key, given, kind);
    spec.has_unread_inputs = is_unread(given.find("inputs"));
    if (const Node* ports = given.find("inputs"); ports && is_assigned(ports->mark)) spec.inputs_mark = ports->mark;
    expectation(spec, given);
    if (kind) {
      spec.recipe = recipe(entry.key, given, *kind);
      const Node* settings = given.find("settings");
      spec.settings = kind->parse(settings ? *settings : Node(), spec.recipe,
                                  {file_, entry.key + ".settings", settings ? settings->mark : entry.mark}, problems_);
    }
    return spec;
  }

  void refuse_unknown_stage_keys(const std::string& stage, const Node& given) {
    for (const Entry& entry : given.entries())
      if (!is_one_of(entry.key, stage_keys) && !is_one_of(entry.key, recorded_stage_keys))
        refuse(entry.mark, "unknown key " + shown(Node(entry.key)) + " in " + stage + suggestion(entry.key, stage_keys));
  }

  const StageKind* kind_of(StageSpec& spec, const Node& given) {
    const std::vector<std::string_view> kinds = registry_.names();
    const Node* kind = given.find("kind");
    if (!kind) {
      if (!is_misspelt("kind", given, stage_keys))
        refuse(spec.mark, spec.name + ".kind is missing" + suggestion(spec.name.substr(std::min<std::size_t>(3, spec.name.size())), kinds));
      return nullptr;
    }
    spec.kind_mark = kind->mark;
    const std::string* word = kind->as<std::string>();
    if (word) spec.kind = *word;
    const StageKind* found = word ? registry_.find(*word) : nullptr;
    if (!found) refuse(kind->mark, spec.name + ".kind=" + shown(*kind) + " is no kind of stage" + suggestion(word ? *word : "", kinds));
    return found;
  }

  std::string recipe(const std::string& stage, const Node& given, const StageKind& kind) {
    const Node* recipe = given.find("recipe");
    if (!recipe || recipe->is_null()) return "";
    std::vector<std::string_view> known;
    for (const RecipeInfo& info : kind.recipes()) known.push_back(info.name);
    const std::string* word = recipe->as<std::string>();
    if (word && is_one_of(*word, known)) return *word;
    const std::string what = known.empty() ? " (" + std::string(kind.kind) + " has no recipes)" : " is no recipe of " + std::string(kind.kind);
    refuse(recipe->mark, stage + ".recipe=" + shown(*recipe) + what + suggestion(word ? *word : "", known));
    return "";
  }

  std::vector<StageInput> inputs(const std::string& stage, const Node& given, const StageKind* kind) {
    std::vector<StageInput> inputs;
    const Node* ports = given.find("inputs");
    if (!ports || ports->is_null()) return inputs;
    if (!ports->is_mapping()) refuse(ports->mark, stage + ".inputs=" + shown(*ports) + " (must be a mapping, as in {text: [prose]})");
    for (const Entry& entry : ports->entries()) {
      if (entry.value.is_null()) continue;   // as if it were not there
      StageInput input{.port = entry.key, .is_list = entry.value.is_sequence(), .mark = place_of(entry)};
      if (!kind || takes(*kind, input)) add_names(stage, entry.value, input);
      inputs.push_back(std::move(input));
    }
    return inputs;
  }

  // Otherwise the wiring refuses it as a whole.
  static bool takes(const StageKind& kind, const StageInput& input) {
    const InputPort* port = kind.find_port(input.port);
    return port && (port->takes_sources() || !input.is_list);
  }

  void add_names(const std::string& stage, const Node& given, StageInput& input) {
    for (const Node& name : input.is_list ? given.items() : Node::Sequence{given}) {
      if (const std::string* text = name.as<std::string>()) {
        input.names.push_back({*text, name.mark});
        continue;
      }
      input.has_unread_names = true;
      refuse(name.mark, stage + ".inputs." + input.port + "=" + shown(name) + " (must be the name of a stage, or of sources)");
    }
  }

  void expectation(StageSpec& spec, const Node& given) {
    const Node* expect = given.find("expect");
    const Node* wanted = expect ? expect->find("output_hash") : nullptr;
    if (expect && !expect->is_null() && !expect->is_mapping())
      refuse(expect->mark, spec.name + ".expect=" + shown(*expect) + " (must be {output_hash: sha256:...})");
    constexpr std::array<std::string_view, 1> known{"output_hash"};
    if (expect)
      for (const Entry& entry : expect->entries())
        if (entry.key != known[0])
          refuse(entry.mark, "unknown key " + shown(Node(entry.key)) + " in " + spec.name + ".expect" + suggestion(entry.key, known));
    const bool is_wish = wanted && !wanted->is_null();
    const Node* recorded = given.find("output_hash");
    const Node* hash = is_wish ? wanted : recorded;
    if (!hash || hash->is_null()) return;
    const std::string path = spec.name + (is_wish ? ".expect.output_hash" : ".output_hash");
    spec.expected_output = digest(*hash, path);
    spec.is_replayed = !is_wish;
    if (const Node* key = given.find("key"); key && key->as<std::string>()) spec.recorded_key = Digest::parse(key->text());
    spec.expected_mark = hash->mark;
  }

  std::vector<Gate> gates(const Node& tree) {
    std::vector<Gate> gates;
    for (const Entry& entry : part(tree, "gates"))
      if (auto gate = parse_gate(entry.key, entry.value, file_, problems_)) gates.push_back(std::move(*gate));
    return gates;
  }

  const std::string& file_;
  const StageRegistry& registry_;
  Problems& problems_;
};

// What is left of a record would pass for the manifest of a smaller run.
Problem refusal_of_a_cut_record(std::string_view text, const std::string& file) {
  const int last_line = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
  return {file,
          {last_line, 1},
          "this record " + std::string(words_for(RecordState::cut_off)) +
              " take a whole copy; to make a new manifest of what is left, remove its line \"" + std::string(record_head_key) + ": ...\""};
}

// Each fault once: what stands in the place of what could not be read is none, and a setting may be refused by each stage that builds on it.
Problems each_once(const Problems& of_reading, const Problems& of_content) {
  Problems all = of_reading;
  for (const Problem& problem : of_content) {
    const bool is_unread = std::any_of(of_reading.begin(), of_reading.end(), [&](const Problem& unread) { return unread.mark == problem.mark; });
    if (!is_unread && std::find(all.begin(), all.end(), problem) == all.end()) all.push_back(problem);
  }
  return all;
}

Node inputs_node(const StageSpec& stage) {
  Node inputs = Node::mapping();
  for (const StageInput& input : stage.inputs) {
    Node names = Node::sequence();
    for (const InputName& name : input.names) names.push(name.name);
    inputs.set(input.port, input.is_list ? std::move(names) : Node(input.names.empty() ? Node() : Node(input.names[0].name)));
  }
  return inputs;
}

Node stage_node(const StageSpec& stage) {
  Node node = Node::mapping();
  node.set("kind", stage.kind);
  if (!stage.recipe.empty()) node.set("recipe", stage.recipe);
  node.set("inputs", inputs_node(stage));
  node.set("settings", stage.settings);
  if (stage.expected_output && !stage.is_replayed) node.set("expect", Node::mapping()).set("output_hash", stage.expected_output->to_string());
  return node;
}

Node source_node(const SourceSpec& source) {
  Node given = to_node<SourceSpec>(source), node = Node::mapping();
  for (const Entry& entry : given.entries()) {
    const bool is_of_the_other_form = source.generated
                                          ? entry.key == "path" || entry.key == "format" || entry.key == "text_field" || entry.key == "sha256"
                                          : entry.key == "generated";
    if (is_of_the_other_form) continue;
    const bool is_one_path = entry.key == "path" && entry.value.items().size() == 1;
    node.set(entry.key, is_one_path ? entry.value.items()[0] : entry.key == "sha256" && entry.value.is_null() ? Node("auto") : entry.value);
  }
  return node;
}

}   // namespace

void sort_by_place(Problems& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    const auto place = [](const Problem& p) { return std::tuple(!p.file.starts_with("--set "), p.file, p.mark.line, p.mark.column); };
    return place(a) < place(b);
  });
}

Manifest parse_manifest(const Node& tree, const std::string& file, const StageRegistry& registry, Problems& problems) {
  Manifest manifest = ManifestReader(file, registry, problems).read(tree);
  check_wiring(manifest, registry, problems);
  return manifest;
}

Manifest read_manifest(std::string_view text, const std::string& file, const std::vector<std::string>& assignments, const StageRegistry& registry,
                       Problems& problems) {
  Manifest manifest;
  manifest.file = file;
  const RecordState state = state_of_record(text);
  if (state == RecordState::cut_off) {
    problems.push_back(refusal_of_a_cut_record(text, file));
    return manifest;
  }
  Problems of_reading, of_content;
  Node tree = parse_yaml(text, file, of_reading);
  const bool is_unread = tree.is_null() && !of_reading.empty();
  assign(tree, assignments, of_reading);
  if (!is_unread) manifest = parse_manifest(tree, file, registry, of_content);
  Problems found = each_once(of_reading, of_content);
  manifest.is_edited_record = state == RecordState::edited;
  name_assignments(found, assignments);
  sort_by_place(found);
  problems.insert(problems.end(), found.begin(), found.end());
  return manifest;
}

Node to_node(const Manifest& manifest) {
  Node node = Node::mapping();
  const auto plain = to_node<Manifest>(manifest);
  const auto copy = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) node.set(key, plain.at(key));
  };
  copy({"pipeline_version", "name", "seed", "git_commit", "budget", "rates"});
  if (!manifest.rates.peak_tflops) {
    Node rates = node.at("rates");
    rates.set("peak_tflops", "auto");
    node.set("rates", std::move(rates));
  }
  Node sources = Node::mapping(), stages = Node::mapping(), gates = Node::mapping();
  for (const SourceSpec& source : manifest.sources) sources.set(source.name, source_node(source));
  for (const StageSpec& stage : manifest.stages) stages.set(stage.name, stage_node(stage));
  for (const Gate& gate : manifest.gates) gates.set(gate.measurement, gate.condition());
  node.set("sources", std::move(sources));
  node.set("stages", std::move(stages));
  copy({"store", "reference", "baseline"});
  node.set("gates", std::move(gates));
  return node;
}

}   // namespace lastro
