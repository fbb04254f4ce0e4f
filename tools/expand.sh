#!/bin/sh
# expand.sh SHADER VERSION [INTERACTION DEFINES]: prints a shader as the loader passes it to a driver, for the reference
# compiler. VERSION is 330, 430, 300es or 310es. #version first, then the lines DEFINES; each #include "path under shaders/" is replaced by the file, "INTERACTION"
# by that of the interaction.
set -eu
part=${3:-}
defines=${4:-}
cd "$(dirname "$0")/../shaders"
case $2 in
*es)
  echo "#version ${2%es} es"
  printf 'precision highp %s;\n' float int sampler2D isampler2D usampler2D sampler2DArray usampler2DArray
  printf '#define %ssamplerBuffer %ssampler2D\n' '' '' i i u u
  echo '#define bufferFetch(array, k) texelFetch(array, ivec2((k) & 1023, (k) >> 10), 0)'
  echo '#define precise'
  ;;
*)
  echo "#version $2 core"
  if [ "$2" = 330 ]; then
    echo '#extension GL_ARB_gpu_shader5 : require'
    echo '#extension GL_ARB_gpu_shader_fp64 : require'
  fi
  echo '#define HB_HAS_PRECISE 1'
  echo '#define HB_HAS_DOUBLE 1'
  echo '#define bufferFetch(array, k) texelFetch(array, k)'
  ;;
esac
[ -z "$defines" ] || printf '%s\n' "$defines"
# The records that an interaction declares: the brackets in its comment.
records() { sed -n "s|^// *$1:||p" "$part" | tr -cd '(' | wc -c; }
if [ -n "$part" ]; then
  echo "#define RECORDS $(records particle)"
  echo "#define F_RECORDS $(records force)"
fi
expand() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    '#include "INTERACTION"') expand "$part" ;;
    '#include "'*) expand "$(echo "$line" | cut -d'"' -f2)" ;;
    *) printf '%s\n' "$line" ;;
    esac
  done <"$1"
}
expand "${1#shaders/}"
