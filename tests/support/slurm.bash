# shellcheck shell=bash
# A queue of Slurm on this machine alone: munged, slurmctld and slurmd without systemd, in one folder.

# queue_script GUIDE [mpirun]: the job that a guide prints, or the same with its lines for mpirun in place of srun's.
queue_script() {
  awk -v wanted="${2:-srun}" '
    /^```/ { fenced = !fenced; if (block ~ /#SBATCH/) job = block; if (block ~ /pkill -TERM/) other = block; block = ""; next }
    fenced { block = block $0 "\n" }
    END {
      n = split(job, line, "\n")
      for (k = 1; k < n; k++) if (wanted == "mpirun" && line[k] ~ /^srun /) printf "%s", other; else print line[k]
    }' "$1"
}

# queue_begin FOLDER: a node of two processors and two pretended GPUs; sets SLURM_CONF for sbatch, srun, squeue and scontrol.
# A job that is queued again may start after a few seconds, as long as its credential lives, and not after two minutes.
queue_begin() {
  local folder=$1 host user k
  host=$(hostname -s) user=$(id -un)
  PATH=$PATH:/usr/sbin:/sbin
  export SLURM_CONF=$folder/slurm.conf
  mkdir -p "$folder/state" "$folder/spool"
  chmod 700 "$folder"
  cat >"$SLURM_CONF" <<CONF
ClusterName=holmberg
SlurmctldHost=$host(localhost)
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge.socket,cred_expire=5
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,batch_sched_delay=1,bf_interval=2
GresTypes=gpu
MaxArraySize=1001
MinJobAge=86400
ReturnToService=2
NodeName=$host NodeAddr=localhost CPUs=2 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES OverSubscribe=FORCE:4 MaxTime=INFINITE State=UP
CONF
  echo 'Name=gpu File=/dev/tty[0-1]' >"$folder/gres.conf"
  head -c 128 /dev/urandom >"$folder/munge.key" && chmod 600 "$folder/munge.key"
  munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
    --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" </dev/null >"$folder/said.munged" 2>&1 3>&- &
  for ((k = 0; k < 100; k++)); do [ ! -S "$folder/munge.socket" ] || break && sleep 0.1; done
  slurmctld -D </dev/null >"$folder/said.slurmctld" 2>&1 3>&- &
  slurmd -D -N "$host" </dev/null >"$folder/said.slurmd" 2>&1 3>&- &
  for ((k = 0; k < 300; k++)); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || return 0
    sleep 0.2
  done
  tail -n 5 "$folder"/said.*
  return 1
}

queue_end() {
  local folder pid
  folder=$(dirname "$SLURM_CONF")
  scancel --state=PENDING,RUNNING --user "$(id -un)" 2>/dev/null
  sleep 1
  for pid in slurmd slurmctld munge; do
    pid=$(<"$folder/$pid.pid")
    kill "$pid"
    while kill -0 "$pid"; do sleep 0.1; done
  done 2>/dev/null
  rm -rf "$folder"
}
