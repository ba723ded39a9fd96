// Precompiled for the front end: the ANTLR runtime costs 3 s a file.
#pragma once

#include "antlr4-runtime.h"

#include <string>
#include <vector>
