#!/usr/bin/env bash
# figures.sh BUILD [exercises|viewer|models|steps [FOLDER]]: makes the pictures of README.md, src/*/README.md and shaders/LESSON.md again,
# all or some of them, with the program of a build folder; those of README.md in FOLDER. Needs a display (Xvfb will do), ffmpeg and gnuplot.
set -eu

cd "$(dirname "$0")/.."
holmberg=$(realpath "$1")/holmberg
figures=${3:-data/figures}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# mine NAME: a folder of shaders with the solution of the exercise NAME.
mine() {
  cp -r shaders "$work/$1"
  patch --silent -d "$work/$1" -p1 <"shaders/exercises/$1.diff"
}

make_exercises() {
  # exercise_1: the orbit that turns
  mine 1_turning_ellipse
  "$holmberg" ic twobody --e 0.5 -o "$work/pair.txt" --quiet
  HB_SHADER_DIR=$work/1_turning_ellipse "$holmberg" run "$work/pair.txt" --eps 0 --t-end 40 --scheme bag --precision ds \
    --no-tune --max-energy-error none --snap-every 1/8 -o "$work/ellipse.h5" --quiet
  "$holmberg" render "$work"/ellipse_*.h5 --frames 1 --trails 400 --zoom 0.48 --glow 0.1 --point-size 5 --size 480x360 \
    -o shaders/figures/exercise_1.png --quiet

  # exercise_2: the nearest neighbor in the free number
  mine 2_nearest_neighbor
  HB_SHADER_DIR=$work/2_nearest_neighbor "$holmberg" trace --scheme cg2007 --passes -o "$work/pictures" --quiet
  cp "$work/pictures/cg2007_36_write_accOut.svg" shaders/figures/exercise_2.svg

  # exercise_3: what a sum loses without precise
  mine 3_careless
  # errors PRECISION: N and the error of the acceleration
  errors() {
    "$holmberg" bench force --scheme bag --precision "$1" --n 256,512,1024,2048,4096 --check --float-positions --repeat 1 \
      --tuning partial=1,unroll=1,i_each=1 --json | sed -n 's/.*"n": \([0-9]*\),.*"acc_rms": \([^,]*\),.*/\1 \2/p'
  }
  errors single >"$work/single"
  errors compensated >"$work/compensated"
  HB_SHADER_DIR=$work/3_careless errors compensated >"$work/careless"
  gnuplot <<END
set terminal pngcairo size 480,300 font ",9"
set output "shaders/figures/exercise_3.png"
set logscale xy
set xlabel "N"
set ylabel "relative rms error of the acceleration"
set format y "10^{%T}"
set key left top
plot [200:5000][1e-8:3e-6] "$work/single" with linespoints pt 7 ps 1.5 title "single", \\
  "$work/careless" with points pt 6 ps 2.5 lw 2 title "compensated, without precise", \\
  "$work/compensated" with linespoints pt 7 title "compensated"
END
}

make_viewer() {
  # viewer: the lamps of 1941 beside the textures of the kernel, pass by pass; PLAY seconds of them, in place of 5
  printf '%s\n' 'key t' 'key g' 'key a' "record $work/viewer.apng" "play ${PLAY:-5}" 'key v' |
    "$holmberg" view holmberg1941 --inspect --size 960x540 --integrator leapfrog --dt 1/32 \
    --speed 0.75 --fps 6 --plain --script -
  mv "$work/viewer.apng" "$figures/viewer.png"
}

make_models() {
  # models: a contact sheet in the order of `holmberg ic`, each after a while
  n=0
  while read -r model t options; do
    # shellcheck disable=SC2086
    "$holmberg" ic "$model" -o "$work/$model.h5" --quiet $options
    # shellcheck disable=SC2046
    [ "$t" = 0 ] || "$holmberg" run "$work/$model.h5" --t-end "$t" --snap-every "$t/64" --exact-energy no --max-energy-error none \
      $(case $model in disc | merger | demo*) echo '--integrator leapfrog' ;; esac) -o "$work/$model.h5" --quiet
    n=$((n + 1))
    # shellcheck disable=SC2046
    "$holmberg" render $([ "$t" = 0 ] || echo "$work/${model}"_*.h5) $([ "$t" != 0 ] || echo "$work/$model.h5") --frames 1 \
      --size 240x180 --direction 30,40 $(case $model in twobody | figure8 | pythagorean) echo "--trails $t --glow 0.1" ;; esac) \
      $(case $model in merger) echo "--color-by group" ;; holmberg1941) echo "--direction 0,90 --point-size 12" ;; esac) \
      -o "$work/model_$(printf %02d $n).png" --quiet
  done <<END
plummer 0
coldsphere 1
cube 0
twobody 6 --e 0.6
figure8 6
pythagorean 6
holmberg1941 4
disc 8
merger 14
demo1 0
END
  ffmpeg -y -loglevel error -i "$work/model_%02d.png" -vf tile=5x2:padding=4:color=0x333333 -frames:v 1 "$figures/models.png"
}

make_steps() {
  # steps: near and far steps of a star through an encounter, by the commands of src/step/README.md
  "$holmberg" ic plummer -n 1024 --masses kroupa --mass-max 50 --seed 21 -o "$work/cluster.h5" --quiet
  "$holmberg" run "$work/cluster.h5" --scheme host --eps 1e-4 --t-end 0.5 --follow 729 --follow-out "$work/follow.csv" --quiet
  "$holmberg" plot "$work/follow.csv" -o "$figures/steps.png" --quiet
}

for part in ${2:-exercises viewer models steps}; do "make_$part"; done
