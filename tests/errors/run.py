#!/usr/bin/env python3
"""Error tests: what tilec says about bad programs, compared exactly.

A case is NAME.tile with NAME.expected beside it: the standard error of
    tilec NAME.tile -o FOLDER/out.ptx --arch sm_80
run in the case's folder (so paths are short), with exit status 1 and nothing on standard output.
A first line `// options: ...` adds options. Files in folders called `imported` belong to cases.

    tests/errors/run.py --tilec build/release/bin/tilec                     all cases
    tests/errors/run.py --tilec build/release/bin/tilec syntax/elif.tile    one case
    tests/errors/run.py --tilec build/release/bin/tilec --update ...        write what is said now
"""

import argparse
import difflib
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
OPTIONS = b"// options:"
SECONDS = 60  # for one case; each takes milliseconds


def all_cases():
    return sorted(p for p in FOLDER.rglob("*.tile") if p.parent.name != "imported")


def run(tilec, case):
    """Standard error of one case, and what else is wrong with the run."""
    first = case.read_bytes().split(b"\n", 1)[0]
    options = first[len(OPTIONS):].decode().split() if first.startswith(OPTIONS) else []
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out.ptx"
        command = [tilec, case.name, "-o", str(output), "--arch", "sm_80", *options]
        try:
            result = subprocess.run(command, cwd=case.parent, stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return b"", [f"did not end within {SECONDS} seconds"]
        problems = ["an output was left behind"] if any(output.parent.iterdir()) else []
    if result.returncode != 1:
        problems.append(f"exit status {result.returncode}, not 1")
    if result.stdout:
        problems.append("something on standard output")
    return result.stderr, problems


def difference(expected, actual):
    lines = [text.decode(errors="backslashreplace").splitlines(keepends=True)
             for text in (expected, actual)]
    return "".join(difflib.unified_diff(*lines, "expected", "actual"))


def check(tilec, case, update):
    actual, problems = run(tilec, case)
    path = case.with_suffix(".expected")
    if update and not problems:
        path.write_bytes(actual)
    expected = path.read_bytes() if path.exists() else b""
    if actual != expected:
        problems.append("another message\n" + difference(expected, actual))
    for problem in problems:
        print(f"{case.relative_to(FOLDER)}: {problem}")
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", required=True, help="the compiler")
    parser.add_argument("--update", action="store_true", help="write the .expected files")
    parser.add_argument("cases", nargs="*", help="default: all")
    arguments = parser.parse_args()
    tilec = str(pathlib.Path(arguments.tilec).resolve())
    cases = [pathlib.Path(c).resolve() if pathlib.Path(c).exists() else FOLDER / c
             for c in arguments.cases] or all_cases()
    failed = sum(not check(tilec, case, arguments.update) for case in cases)
    print(f"{len(cases) - failed} of {len(cases)} cases as expected")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
