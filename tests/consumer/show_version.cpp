#include <cstdio>

#include "firn/version.h"

int main() {
    std::printf("firn %s\n", firn::version());
}
