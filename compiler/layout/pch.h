// Precompiled for the layouts: the standard headers that nearly all of them include.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
