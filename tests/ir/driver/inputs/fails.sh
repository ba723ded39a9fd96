#!/bin/sh
echo "ptxas fatal   : cannot do this"
exit 7
