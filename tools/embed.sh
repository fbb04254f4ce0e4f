#!/bin/sh
# Writes C source on standard output: every shader file as a byte array, and the table that finds it by name.
set -eu
echo '/* made by tools/embed.sh */'
echo '#include "gl/gl_shader.h"'
n=0
for file; do
  printf 'static const unsigned char file_%d[] = {\n' $n
  od -An -v -tu1 "$file" | sed 's/[0-9][0-9]*/&,/g'
  echo '0};'
  n=$((n + 1))
done
echo 'const struct hb_gl_shader_file hb_gl_shader_files[] = {'
n=0
for file; do
  printf '  {"%s", (const char *)file_%d},\n' "${file#shaders/}" $n
  n=$((n + 1))
done
echo '  {0, 0}};'
