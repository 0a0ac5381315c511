#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/text_of_number.h"
#include "core/utf8.h"
#include "domain/errors.h"

namespace lastro {
namespace {

enum class Order { of_the_tree, by_key };
enum class Lines { one, indented };
enum class Unwritable { replaced, refused };   // a byte that is no UTF-8, a number that is not finite

class Writer {
 public:
  Writer(Order order, Lines lines, Unwritable unwritable) : order_(order), lines_(lines), unwritable_(unwritable) {}

  std::string write(const Node& node) {
    value(node);
    return std::move(out_);
  }

 private:
  void value(const Node& node) {
    if (const auto* boolean = node.as<bool>())
      out_ += *boolean ? "true" : "false";
    else if (const auto* integer = node.as<std::int64_t>())
      out_ += text_of(*integer);
    else if (const auto* real = node.as<double>())
      number(*real);
    else if (const auto* text = node.as<std::string>())
      string(*text);
    else if (node.is_sequence())
      sequence(node.items());
    else if (node.is_mapping())
      mapping(node.entries());
    else
      out_ += "null";
  }

  void number(double value) {
    if (std::isfinite(value))
      out_ += text_of(value);
    else if (unwritable_ == Unwritable::refused)
      throw ContractError("a number that is not finite has no JSON text (and so no digest)");
    else
      out_ += "null";
  }

  void string(std::string_view text) {
    out_ += '"';
    while (!text.empty()) {
      const std::size_t bytes = utf8_sequence_length(text);
      if (bytes > 1)
        out_ += text.substr(0, bytes);
      else if (bytes == 1)
        ascii(text.front());
      else if (unwritable_ == Unwritable::refused)
        throw ContractError("a text that is not UTF-8 has no JSON text (and so no digest)");
      else
        out_ += "\xEF\xBF\xBD";
      text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    out_ += '"';
  }

  void ascii(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (c) {
      case '"': out_ += "\\\""; return;
      case '\\': out_ += "\\\\"; return;
      case '\n': out_ += "\\n"; return;
      case '\t': out_ += "\\t"; return;
      case '\r': out_ += "\\r"; return;
      default: break;
    }
    if (static_cast<unsigned char>(c) >= 0x20) {
      out_ += c;
      return;
    }
    out_ += "\\u00";
    out_ += digits[c >> 4];
    out_ += digits[c & 15];
  }

  void sequence(const Node::Sequence& items) {
    out_ += '[';
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      separate(i);
      value(items[i]);
    }
    close(']', items.empty());
  }

  void mapping(const Node::Mapping& entries) {
    std::vector<const Entry*> ordered;
    for (const Entry& entry : entries) ordered.push_back(&entry);
    if (order_ == Order::by_key) std::sort(ordered.begin(), ordered.end(), [](const Entry* a, const Entry* b) { return a->key < b->key; });
    out_ += '{';
    ++depth_;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      separate(i);
      string(ordered[i]->key);
      out_ += lines_ == Lines::indented ? ": " : ":";
      value(ordered[i]->value);
    }
    close('}', entries.empty());
  }

  void separate(std::size_t index) {
    if (index > 0) out_ += ',';
    if (lines_ == Lines::indented) new_line();
  }

  void close(char bracket, bool is_empty) {
    --depth_;
    if (!is_empty && lines_ == Lines::indented) new_line();
    out_ += bracket;
  }

  void new_line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  Order order_;
  Lines lines_;
  Unwritable unwritable_;
  std::size_t depth_ = 0;
  std::string out_;
};

}   // namespace

std::string to_json(const Node& node) { return Writer(Order::of_the_tree, Lines::one, Unwritable::replaced).write(node); }
std::string to_json_pretty(const Node& node) { return Writer(Order::of_the_tree, Lines::indented, Unwritable::replaced).write(node); }
std::string to_canonical_json(const Node& node) { return Writer(Order::by_key, Lines::one, Unwritable::refused).write(node); }

}   // namespace lastro
