// Precompiled for the lowering: what every pattern includes. LLVMDialect.h alone costs 8 s a file.
#pragma once

#include "compiler/ir/pch.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"
