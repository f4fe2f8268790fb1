#!/usr/bin/env bash
# The object that is compiled for AVX2 may not define a weak symbol that another object could also define: the linker keeps
# one copy of an inline function for the whole program, and an AVX2 copy would crash a machine without it. So every weak
# symbol must carry the namespace of that code in its name. And no code of the object may run before main().
# usage: isa_symbols.sh LIBRARY OBJECT NAMESPACE [NM] [AR]     (OBJECT is a member of the library)
set -euo pipefail
library=$1 object=$2 namespace=$3 nm=${4:-nm} ar=${5:-ar}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$ar" p "$library" "$object" >"$folder/$object"
[ -s "$folder/$object" ] || { echo "isa_symbols: $library has no member $object"; exit 1; }
"$nm" -C --defined-only "$folder/$object" >"$folder/symbols"

# W, V: weak; u: one for the whole process. Type descriptions and tables of virtual functions are data, the same from every
# compiler option; the functions that they point to are looked at themselves. DW.ref is a pointer to the exception handler.
shared=$(grep -E '^[0-9a-f]+ [WVu] ' "$folder/symbols" | grep -vF "$namespace::" |
    grep -vE ' V (typeinfo for|typeinfo name for|vtable for|DW\.ref\.)' || true)
early=$(grep -E '_GLOBAL__sub_I|__static_initialization_and_destruction' "$folder/symbols" || true)
if [ -n "$shared" ]; then
    echo "isa_symbols: AVX2 code under names that other objects may share:"
    echo "$shared"
fi
if [ -n "$early" ]; then
    echo "isa_symbols: AVX2 code that runs before main():"
    echo "$early"
fi
[ -z "$shared$early" ] || exit 1
echo "isa_symbols: $(grep -cE '^[0-9a-f]+ [WVu] ' "$folder/symbols" || true) weak symbols, none of them shared code"
