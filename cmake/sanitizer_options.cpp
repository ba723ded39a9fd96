// AddressSanitizer's defaults for programs on MLIR. LLVM's allocators poison memory in our inlined
// copies of their headers and unpoison it inside libMLIR, which is not built with the sanitizer; a
// thread's alternate signal stack is LLVM's own, not the sanitizer's to free; and the lowering's
// tests switch stacks without saying so.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:use_sigaltstack=0:detect_stack_use_after_return=0";
}
