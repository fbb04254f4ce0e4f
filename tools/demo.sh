#!/bin/sh
# demo.sh BUILD: what `make run` does: integrates the paper's N = 1024 Plummer sphere with the paper's kernel on whatever
# OpenGL is available, and draws the cluster and its energy error.
set -eu
build=$1
out=$build/run
mkdir -p "$out"
# A pass of the 2007 kernel is so short that waking a software renderer's threads takes longer than the work.
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}"

echo "A Plummer sphere of 1024 stars, t = 0 ... 0.5, forces from the 2007 fragment program ([PZ07] section 4):"
"$build/holmberg" ic plummer -n 1024 --seed 1 -o "$out/plummer.txt"
"$build/holmberg" run "$out/plummer.txt" --t-end 0.5 --eta 0.01 --eps 2^-8 --dt-max 2^-3 --dt-min 2^-26 \
  --scheme cg2007 --diag-every 2^-5 --snap-every 2^-5 -o "$out/cluster.txt" | tee "$out/table.txt"
echo "The table is in $out/table.txt, the final state in $out/cluster.txt, earlier ones in cluster_0001.txt, ..."
script=$PWD/tools/energy.gp
(cd "$out" && gnuplot --default-settings "$script")
echo "wrote $out/energy.png: the energy error"
"$build/holmberg" render "$out"/cluster_00??.txt --frames 1 --trails 0.25 --zoom 1.5 --size 1200x675 \
  -o "$out/cluster.png"
echo "$out/cluster.png shows the final cluster, with the paths of its stars over the last quarter time unit."
