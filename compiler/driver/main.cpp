// tilec: compiles .tile files. See options.h for the command line, pipeline.cpp for the compiler.
#include "compiler/driver/driver.h"

int main(int argumentCount, char **arguments) {
  return tilec::runDriver({arguments + 1, arguments + argumentCount});
}
