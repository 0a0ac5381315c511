#include "infra/torch/pickle.h"

#include <map>
#include <stdexcept>

namespace lastro {

const PickledItems* Pickled::items() const {
  const auto* list = as<PickledItems*>();
  return list ? *list : nullptr;
}
const PickledPairs* Pickled::pairs() const {
  const auto* mapping = as<PickledPairs*>();
  return mapping ? *mapping : nullptr;
}

namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

std::int64_t integer(const Pickled& value) {
  const auto* number = value.as<std::int64_t>();
  if (!number) refuse("a number is missing where a tensor is described");
  return *number;
}

std::vector<std::int64_t> integers(const Pickled& value) {
  if (!value.items()) refuse("a tensor's sizes are not a tuple");
  std::vector<std::int64_t> numbers;
  for (const auto& item : *value.items()) numbers.push_back(integer(item));
  return numbers;
}

std::string text(const Pickled& value) {
  if (const auto* plain = value.as<std::string>()) return *plain;
  if (const auto* name = value.as<PickledName>()) return name->text;
  refuse("a text is missing where a tensor is described");
}

// A small machine with a stack: each operation is one byte and its operands. (Python's pickletools.py lists them.)
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Pickle read() {
    for (;;) {
      const auto operation = static_cast<unsigned char>(take(1)[0]);
      if (operation == '.') break;
      step(operation);
    }
    made_.value = pop();
    return std::move(made_);
  }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) refuse("it ends too early");
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  std::uint64_t number(int width) {
    std::uint64_t value = 0;
    const auto bytes = take(static_cast<std::uint64_t>(width));
    for (int i = 0; i < width; ++i) value |= std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i)]) << (8 * i);
    return value;
  }
  std::string characters(std::uint64_t count) {
    const auto bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string line() {
    std::string characters_of_line;
    for (char c; (c = static_cast<char>(take(1)[0])) != '\n';) characters_of_line += c;
    return characters_of_line;
  }

  void push(Pickled value) { stack_.push_back(std::move(value)); }
  Pickled pop() {
    if (stack_.empty()) refuse("its stack runs empty");
    Pickled value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  Pickled& top() {
    if (stack_.empty()) refuse("its stack runs empty");
    return stack_.back();
  }
  PickledItems pop_to_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) refuse("a mark is missing");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    marks_.pop_back();
    PickledItems items(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
    stack_.erase(begin, stack_.end());
    return items;
  }
  PickledItems pop_some(std::size_t count) {
    PickledItems items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  void push_items(PickledItems items) { push({&made_.lists.emplace_back(std::move(items))}); }

  // Into the mapping on top, or nowhere when that is opaque.
  void set_items(const PickledItems& keys_and_values) {
    if (const auto* pairs = top().as<PickledPairs*>())
      for (std::size_t i = 0; i + 1 < keys_and_values.size(); i += 2) (*pairs)->emplace_back(keys_and_values[i], keys_and_values[i + 1]);
  }
  void append(const PickledItems& more) {
    if (const auto* items = top().as<PickledItems*>()) (*items)->insert((*items)->end(), more.begin(), more.end());
  }

  // ("storage", type, key, device, elements): a tensor of the whole storage.
  Pickled persistent(const Pickled& id) {
    const auto* parts = id.items();
    if (!parts || parts->size() < 5 || text((*parts)[0]) != "storage") refuse("it refers to something outside that is no storage");
    std::string type = text((*parts)[1]);
    type.erase(0, type.rfind(' ') + 1);
    PickledTensor storage;
    storage.storage_type = type;
    storage.storage_key = text((*parts)[2]);
    storage.storage_elements = integer((*parts)[4]);
    return {storage};
  }

  Pickled call(const Pickled& function, const Pickled& arguments) {
    const auto* name = function.as<PickledName>();
    const auto* items = arguments.items();
    if (!name || !items) return {};
    if (name->text == "collections OrderedDict") return {&made_.mappings.emplace_back()};
    // A parameter is a tensor with a flag; a C++ program that saves a mapping states its type beside it.
    const bool is_wrapper = name->text == "torch._utils _rebuild_parameter" || name->text == "torch.jit._pickle restore_type_tag";
    if (is_wrapper && !items->empty()) return items->front();
    if (name->text != "torch._utils _rebuild_tensor_v2") return {};
    if (items->size() < 4 || !(*items)[0].as<PickledTensor>()) refuse("a tensor has no storage");
    PickledTensor tensor = *(*items)[0].as<PickledTensor>();
    tensor.offset = integer((*items)[1]);
    tensor.sizes = integers((*items)[2]);
    tensor.strides = integers((*items)[3]);
    return {tensor};
  }

  void call_top(Pickled arguments) {
    const Pickled function = pop();
    push(call(function, arguments));
  }
  void remember(std::uint64_t place) { memo_[place] = top(); }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse("it refers to a value that it does not have");
    push(found->second);
  }

  std::int64_t long_integer(std::uint64_t width) {
    if (width > 8) refuse("it has an integer beyond 64 bits");
    std::uint64_t value = number(static_cast<int>(width));
    if (width > 0 && width < 8 && value >> (8 * width - 1)) value |= ~std::uint64_t{0} << (8 * width);
    return static_cast<std::int64_t>(value);
  }

  void step(unsigned char operation) {
    switch (operation) {
      case 0x80: take(1); break;                                                     // PROTO
      case 0x95: take(8); break;                                                     // FRAME
      case '(': marks_.push_back(stack_.size()); break;                              // MARK
      case '0': pop(); break;                                                        // POP
      case 'N': push({}); break;                                                     // NONE
      case 0x88: push({true}); break;                                                // NEWTRUE
      case 0x89: push({false}); break;                                               // NEWFALSE
      case 'J': push({std::int64_t{static_cast<std::int32_t>(number(4))}}); break;   // BININT
      case 'K': push({static_cast<std::int64_t>(number(1))}); break;                 // BININT1
      case 'M': push({static_cast<std::int64_t>(number(2))}); break;                 // BININT2
      case 0x8a: push({long_integer(number(1))}); break;                             // LONG1
      case 'G':
        take(8);
        push({});
        break;                                                   // BINFLOAT: no tensor needs one
      case 'X': push({characters(number(4))}); break;            // BINUNICODE
      case 0x8c: push({characters(number(1))}); break;           // SHORT_BINUNICODE
      case 'U': push({characters(number(1))}); break;            // SHORT_BINSTRING
      case 'T': push({characters(number(4))}); break;            // BINSTRING
      case 'C': push({characters(number(1))}); break;            // SHORT_BINBYTES
      case 'B': push({characters(number(4))}); break;            // BINBYTES
      case '}': push({&made_.mappings.emplace_back()}); break;   // EMPTY_DICT
      case ']':
      case ')':
      case 0x8f: push_items({}); break;             // EMPTY_LIST, EMPTY_TUPLE, EMPTY_SET
      case 't': push_items(pop_to_mark()); break;   // TUPLE
      case 0x85: push_items(pop_some(1)); break;    // TUPLE1
      case 0x86: push_items(pop_some(2)); break;    // TUPLE2
      case 0x87: push_items(pop_some(3)); break;    // TUPLE3
      case 'a': append(pop_some(1)); break;         // APPEND
      case 'e':
      case 0x90: append(pop_to_mark()); break;     // APPENDS, ADDITEMS
      case 's': set_items(pop_some(2)); break;     // SETITEM
      case 'u': set_items(pop_to_mark()); break;   // SETITEMS
      case 'q': remember(number(1)); break;        // BINPUT
      case 'r': remember(number(4)); break;        // LONG_BINPUT
      case 0x94: remember(memo_.size()); break;    // MEMOIZE
      case 'h': recall(number(1)); break;          // BINGET
      case 'j': recall(number(4)); break;          // LONG_BINGET
      case 'c': {                                  // GLOBAL
        const std::string module = line();
        push({PickledName{module + " " + line()}});
        break;
      }
      case 0x93: {   // STACK_GLOBAL
        const auto names = pop_some(2);
        push({PickledName{text(names[0]) + " " + text(names[1])}});
        break;
      }
      case 'Q': push(persistent(pop())); break;   // BINPERSID
      case 'R':
      case 0x81: call_top(pop()); break;   // REDUCE, NEWOBJ
      case 'b': pop(); break;              // BUILD: attributes, such as a state_dict's _metadata, are left out
      default: refuse("it has operation " + std::to_string(operation) + ", which torch.save does not write for tensors");
    }
  }

  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;
  Pickle made_;
  PickledItems stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Pickled> memo_;
};

}   // namespace

Pickle read_pickle(std::span<const std::byte> bytes) { return Reader(bytes).read(); }

}   // namespace lastro
