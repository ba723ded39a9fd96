#include "elementwise_harness.h"

namespace tilec::test {

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string elementwiseText(const std::string &operation, const std::string &in,
                            const std::string &out, int size, bool binary) {
  std::vector<Bits> registers;
  for (Bits column = 32; column < static_cast<Bits>(size); column *= 2)
    registers.push_back(column);
  LinearLayout layout({size}, registers, {1, 2, 4, 8, 16}, {});
  std::string inTile = tileText(layout, in), outTile = tileText(layout, out);
  std::string inPointers = tileText(layout, "!tile.ptr<" + in + ">");
  std::string body = pointersText(layout, "p", "src", in) + "  %a = tile.load %p : " + inPointers +
                     " -> " + inTile + "\n";
  if (binary)
    body += pointersText(layout, "q", "src2", in) + "  %b = tile.load %q : " + inPointers + " -> " +
            inTile + "\n";
  body += "  " + operation + "\n" + pointersText(layout, "d", "dst", out) +
          "  tile.store %d, %r : " + tileText(layout, "!tile.ptr<" + out + ">") + ", " + outTile +
          "\n";
  replaceAll(body, "$I", inTile);
  replaceAll(body, "$O", outTile);
  replaceAll(body, "$B", tileText(layout, "i1"));
  replaceAll(body, "$F", tileText(layout, "f32"));
  replaceAll(body, "$D", tileText(layout, "f64"));
  return kernelText(
      1, "%src: !tile.ptr<" + in + ">, %src2: !tile.ptr<" + in + ">, %dst: !tile.ptr<" + out + ">",
      body);
}

} // namespace tilec::test
