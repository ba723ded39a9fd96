#include "compiler/target/join_ptx.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec {

/// The last directive of a header (PTX ISA, PTX Module Directives).
static constexpr StringRef kHeaderEnd = ".address_size";

void separateNames(Module &module, size_t number) {
  for (GlobalValue &value : module.global_values())
    if (value.hasLocalLinkage())
      value.setName(value.getName() + "$" + Twine(number));
}

/// The length of the definition or declaration at the start of `text`: up to a `;`, or to the end
/// of a function's body.
static size_t lengthOfItem(StringRef text) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size() - 1);
    } else if (text[i] == '"') {
      i = std::min(text.find('"', i + 1), text.size() - 1);
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}') {
      if (--depth != 0)
        continue;
      StringRef head = text.take_front(text.find_first_of("{=")); // `=`: values of a variable
      if (head.contains(".entry") || head.contains(".func"))
        return i + 1;
    } else if (text[i] == ';' && depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::string joinPtx(ArrayRef<std::string> texts) {
  std::string joined;
  DenseSet<StringRef> seen;
  for (StringRef text : texts) {
    size_t end = text.find('\n', text.find(kHeaderEnd));
    if (joined.empty())
      joined = text.take_front(end).str() + "\n";
    for (text = text.drop_front(std::min(end, text.size())).ltrim(); !text.empty();
         text = text.ltrim()) {
      if (text.starts_with("//")) {
        text = text.drop_front(std::min(text.find('\n'), text.size()));
        continue;
      }
      StringRef item = text.take_front(lengthOfItem(text));
      text = text.drop_front(item.size());
      if (seen.insert(item).second)
        joined += "\n" + item.str() + "\n";
    }
  }
  return joined;
}

} // namespace tilec
