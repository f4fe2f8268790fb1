#include "subcommands.h"

int main(int argc, char** argv) {
    return firn::run_firn(argc, argv);
}
