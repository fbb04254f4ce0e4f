#!/bin/sh
# embed.sh HEADER STRUCT FOLDER FILE...: writes C source to standard output: each file as a byte array, and the table STRUCTs
# of their names, relative to the folder.
set -eu
header=$1 type=$2 folder=$3
shift 3
echo '/* made by tools/embed.sh */'
echo "#include \"$header\""
n=0
for file; do
  printf 'static const unsigned char file_%d[] = {\n' $n
  od -An -v -tu1 "$file" | sed 's/[0-9][0-9]*/&,/g'
  echo '0};'
  n=$((n + 1))
done
echo "const struct $type ${type}s[] = {"
n=0
for file; do
  printf '  {"%s", (const char *)file_%d},\n' "${file#"$folder"/}" $n
  n=$((n + 1))
done
echo '  {0, 0}};'
