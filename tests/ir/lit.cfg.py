# The lit suite. One test alone: lit-22 -v build/release/tests/ir --filter NAME
import os
import shutil

import lit.formats

config.name = "ir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.tilec_binary_dir
config.environment["PATH"] = os.pathsep.join(
    [config.tilec_tools, config.llvm_tools, config.environment["PATH"]])
# Exact exit statuses: `%status STATUS COMMAND...`.
config.substitutions.append(
    ("%python", config.python))
config.substitutions.append(
    ("%status", "%s %s" % (config.python, os.path.join(config.test_source_root, "status.py"))))

# Without the CUDA toolkit, what needs ptxas is not run.
homes = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
if (os.environ.get("TILEC_PTXAS") or shutil.which("ptxas")
        or any(home and os.access(home + "/bin/ptxas", os.X_OK) for home in homes)):
    config.available_features.add("ptxas")
for name in ("CUDA_HOME", "CUDA_PATH", "TILEC_PTXAS", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
