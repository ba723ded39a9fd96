# status.py STATUS COMMAND...: runs the command, fails unless it exits with STATUS.
import subprocess
import sys

result = subprocess.run(sys.argv[2:]).returncode
if result != int(sys.argv[1]):
    print("exit status %d, expected %s" % (result, sys.argv[1]), file=sys.stderr)
    sys.exit(1)
