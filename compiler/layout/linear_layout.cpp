#include "compiler/layout/linear_layout.h"
