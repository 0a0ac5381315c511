#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "core/settings.h"
#include "core/yaml.h"
#include "infra/yaml/plain_scalar.h"
#include "infra/yaml/source_text.h"

namespace lastro {
namespace {

constexpr std::size_t largest_file = 4 << 20;
constexpr std::size_t depth_limit = 64;   // the tree is walked recursively by those who read it

struct Stop {};   // nothing behind this point can be understood

// Builds the tree from the parser's events and refuses what they let through.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, const std::string& file, Problems& problems) : source_(source), file_(file), problems_(problems) {}
  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    const std::string_view before = source_.text().substr(0, offset(mark));
    const std::size_t last = before.find_last_not_of(" \r\n");
    const bool is_after_dots = last != before.npos && before.substr(0, last + 1).ends_with("\n...");
    if (is_after_dots || source_.text().substr(offset(mark)).starts_with("---"))
      refuse(offset(mark), "a second document begins here (a file holds one)");
    else
      refuse(offset(mark), "this does not continue what stands above it (the indentation differs, or a list and a mapping are mixed)");
    throw Stop();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (is_at_key()) return add_key(mark, Node(nullptr));
    add(Node(nullptr), place_of_null(offset(mark)));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(offset(mark), "an alias (what stands here should be readable here: write it out)");
    if (is_at_key()) return add_key(mark, Node(std::string()));
    add(Node(false), offset(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    Node node = scalar(offset(mark), tag, value);
    if (is_at_key()) return add_key(mark, Node(value));
    add(std::move(node), offset(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::sequence);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::mapping);
  }
  void OnSequenceEnd() override {
    Open closed = pop();
    close(Node(std::move(closed.items)), closed.offset);
  }
  void OnMapEnd() override {
    Open closed = pop();
    drop_duplicate_keys(closed.entries);
    close(Node(std::move(closed.entries)), closed.offset);
  }

  void refuse(std::size_t at, std::string message) { problems_.push_back({file_, source_.mark_at(at), std::move(message)}); }

  // Where what is open now was opened; for messages about what was never closed.
  std::size_t innermost_open() const { return open_.empty() ? 0 : open_.back().offset; }

 private:
  enum class Kind { sequence, mapping };
  struct Open {
    Kind kind;
    std::size_t offset;
    bool wants_value = false;   // mapping: its last entry is a key without its value
    bool is_key = false;        // it stands where a key should
    std::size_t key_offset = 0;
    Node::Mapping entries;
    Node::Sequence items;
  };

  static std::size_t offset(const YAML::Mark& mark) { return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos); }
  bool is_at_key() const { return !open_.empty() && open_.back().kind == Kind::mapping && !open_.back().wants_value; }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) refuse(offset(mark), "an anchor (what stands here should be readable where it is used: write it out there)");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    const bool is_written = source_.at(offset(mark)) == '!' || !(tag.empty() || tag == "?" || tag == "!");
    if (is_written) refuse(offset(mark), "a tag (types are known from the field: leave it out)");
  }

  Node scalar(std::size_t at, const std::string& tag, const std::string& value) {
    const char first = source_.at(at);
    if (tag == "?" && !is_decorated(at) && !source_.text().substr(at).starts_with(value))
      refuse(at, "the text " + shown(Node(value)) + " goes on over the end of its line (quote it, or mind the indentation of the next line)");
    if (tag != "?" && (first == '"' || first == '\'') && source_.end_of_quoted(at) == source_.npos) {
      refuse(at, std::string("the quote ") + first + " is not closed on its line (longer texts stand below a |)");
      throw Stop();   // it swallowed lines that were meant otherwise
    }
    if (tag != "?") return Node(value);
    PlainScalar plain = resolve_plain(value);
    if (!plain.refusal.empty() && !is_at_key()) refuse(at, value + plain.refusal);
    return std::move(plain.value);
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (open_.size() == depth_limit) {
      refuse(offset(mark), "nested deeper than " + std::to_string(depth_limit) + " levels");
      throw Stop();
    }
    const bool is_key = is_at_key();
    if (is_key) refuse(offset(mark), "a list or mapping as a key (a key is a text)");
    open_.push_back({kind, offset(mark), false, is_key, 0, {}, {}});
  }

  Open pop() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    is_closing_key_ = closed.is_key;
    return closed;
  }

  void close(Node made, std::size_t at) {
    if (!is_closing_key_) return add(std::move(made), at);
    open_.back().entries.push_back({"", Node(), source_.mark_at(at)});
    open_.back().wants_value = true;
    open_.back().key_offset = at;
  }

  void add_key(const YAML::Mark& mark, const Node& key) {
    const std::size_t at = offset(mark);
    Open& mapping = open_.back();
    if (key.is_null())
      refuse(at, "a key is missing, or is null (quote it if it is meant)");
    else if (key.text() == "<<" && source_.at(at) == '<')
      refuse(at, "a merge key << (write the fields out)");
    else if (is_after_question_mark(at))
      refuse(at, "a key written with ? (write it as `key: value`)");
    else if (!is_decorated(at) && source_.at(after_key(at, key.text())) != ':')
      refuse(at, key.text().find(':') != std::string::npos ? "the colon in " + shown(key) + " is not followed by a blank (write `key: value`)"
                                                           : shown(key) + " is a key without a colon (write `key: value`)");
    mapping.entries.push_back({key.is_null() ? "" : key.text(), Node(), source_.mark_at(at)});
    mapping.wants_value = true;
    mapping.key_offset = at;
  }

  // An alias, an anchor or a tag is refused already.
  bool is_decorated(std::size_t at) const { return std::string_view("*&!").find(source_.at(at)) != std::string_view::npos; }

  bool is_after_question_mark(std::size_t at) const {
    const std::size_t before = source_.text().substr(0, at).find_last_not_of(' ');
    return before != source_.npos && before + 1 < at && source_.at(before) == '?';
  }

  // Where the colon of the key that begins at `at` should be.
  std::size_t after_key(std::size_t at, std::string_view key) const {
    const char first = source_.at(at);
    std::size_t end = at + key.size();
    if (first == '"' || first == '\'') end = source_.end_of_quoted(at);
    while (end < source_.text().size() && source_.at(end) == ' ') ++end;
    return end;
  }

  // The parser marks a value that is not there at whatever comes next, lines below.
  std::size_t place_of_null(std::size_t at) const {
    if (const std::string_view rest = source_.text().substr(std::min(at, source_.text().size()));
        rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") || rest.starts_with("NULL"))
      if (open_.empty() || is_written_null(at)) return at;
    if (open_.empty()) return at;
    if (open_.back().kind == Kind::sequence) return source_.dash_before(at);
    const Open& mapping = open_.back();
    const std::size_t colon = after_key(mapping.key_offset, mapping.entries.back().key);
    return source_.at(colon) == ':' ? colon + 1 : mapping.key_offset;
  }

  // Whether the word null at `at` is this value, and not the key of the next entry.
  bool is_written_null(std::size_t at) const {
    const std::size_t end = at + (source_.at(at) == '~' ? 1 : 4);
    if (std::string_view(" \r\n,]}").find(source_.at(end)) == std::string_view::npos && end < source_.text().size()) return false;
    const std::size_t next = std::min(source_.text().find_first_not_of(' ', end), source_.text().size());
    return source_.at(next) != ':';
  }

  void add(Node value, std::size_t at) {
    value.mark = source_.mark_at(at);
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().kind == Kind::sequence) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().entries.back().value = std::move(value);
      open_.back().wants_value = false;
    }
  }

  void drop_duplicate_keys(Node::Mapping& entries) {
    std::vector<std::size_t> order(entries.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return entries[a].key < entries[b].key; });
    std::vector<std::size_t> repeated;
    std::size_t first = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (entries[order[i]].key != entries[order[first]].key) {
        first = i;
        continue;
      }
      const Entry& again = entries[order[i]];
      const std::string where = std::to_string(entries[order[first]].mark.line);
      problems_.push_back({file_, again.mark, "key " + shown(Node(again.key)) + " stands here a second time (first in line " + where + ")"});
      repeated.push_back(order[i]);
    }
    std::sort(repeated.rbegin(), repeated.rend());
    for (const std::size_t index : repeated) entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
  }

  const SourceText& source_;
  const std::string& file_;
  Problems& problems_;
  int documents_ = 0;
  bool is_closing_key_ = false;
  std::vector<Open> open_;
  Node root_;
};

// The parser's own refusals in a reader's words.
std::string explained(const std::string& message) {
  const auto says = [&](std::string_view words) { return message.find(words) != std::string::npos; };
  if (says("end of sequence flow")) return "a list opened with [ is not closed";
  if (says("end of map flow")) return "a mapping opened with { is not closed";
  if (says("end of map") || says("end of sequence"))
    return "this does not belong to what stands above it (the indentation differs, or a quote ended early)";
  if (says("illegal map value")) return "a colon where no value can follow (quote a text that holds \": \", or mind the indentation)";
  if (says("illegal block entry")) return "a list item cannot begin here (put each `- item` on a line of its own)";
  if (says("illegal flow end")) return "a bracket is closed that was not opened";
  if (says("unknown token")) return "a text cannot begin with this character (quote it)";
  if (says("anchor is not defined")) return "an alias (what stands here should be readable here: write it out)";
  return message;
}

// What stands behind a syntax error was misread.
void drop_behind(Mark mark, Problems& problems, std::size_t first) {
  const auto is_behind = [mark](const Problem& problem) {
    return std::pair(problem.mark.line, problem.mark.column) >= std::pair(mark.line, mark.column);
  };
  problems.erase(std::remove_if(problems.begin() + static_cast<std::ptrdiff_t>(first), problems.end(), is_behind), problems.end());
}

bool is_about_an_opening(const std::string& message) { return message.find(" flow not found") != std::string::npos; }

}   // namespace

Node parse_yaml(std::string_view text, const std::string& file, Problems& problems) {
  if (text.size() > largest_file) {
    problems.push_back({file, {}, "the file has " + std::to_string(text.size()) + " bytes (at most " + std::to_string(largest_file) + " are read)"});
    return {};
  }
  const SourceText source(text);
  const std::size_t before = problems.size();
  source.check_bytes(file, problems);
  if (problems.size() > before) return {};
  std::istringstream stream{std::string(source.text()) + "\n"};   // the parser takes an end of file for a part of the last text
  TreeBuilder tree(source, file, problems);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(tree)) {}
  } catch (const Stop&) {
    return {};
  } catch (const YAML::Exception& error) {
    const std::size_t at = is_about_an_opening(error.msg) ? tree.innermost_open() : static_cast<std::size_t>(std::max(error.mark.pos, 0));
    drop_behind(source.mark_at(at), problems, before);
    tree.refuse(at, explained(error.msg));
    return {};
  }
  return tree.take();
}

}   // namespace lastro
