#define TOML_IMPLEMENTATION
#include "toml_parser.h"
