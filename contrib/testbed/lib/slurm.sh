# SPDX-License-Identifier: BSD-3-Clause
# The configuration of a private Slurm. Sourced by testbed.
# shellcheck shell=bash

# use_slurm PREFIX: the programs of the Slurm that is installed there come first; its plugins are
# those that it was built to look for. Makes the variable slurm absolute.
use_slurm() {
  local program
  slurm=$(cd "$1" 2>/dev/null && pwd) || die "$E_USAGE" "no folder $1"
  for program in bin/srun sbin/slurmctld sbin/slurmd sbin/slurmstepd; do
    [[ -x $slurm/$program ]] || die "$E_USAGE" "$slurm is no prefix of a Slurm: $program is missing"
  done
  PATH=$slurm/bin:$slurm/sbin:$PATH
}

# The release of the slurmd in PATH as a number: 2205, 2411. The commands would want a slurm.conf to say it.
slurm_release() {
  local version
  version=$(slurmd -V) || die "$E_OTHER" "slurmd -V does not run"
  [[ $version =~ ([0-9]{2})\.([0-9]{2})(\.|$) ]] || die "$E_OTHER" "slurmd -V says $version, not a version"
  printf '%s\n' "${BASH_REMATCH[1]}${BASH_REMATCH[2]}"
}

# cgroup_conf: what cgroup.conf says where nothing uses a cgroup. 24.05 and later have a word for it
# (src/interfaces/cgroup.c). Before that slurmd does not start without a plugin, and the one for
# version 2 wants systemd; version 1's only touches the file system when it is used.
cgroup_conf() {
  if (($(slurm_release) >= 2405)); then
    echo CgroupPlugin=disabled
  else
    echo CgroupPlugin=cgroup/v1
  fi
}

# Ports come in blocks of 512 below the ephemeral range; a block belongs to whoever holds the lock
# on its file, and the lock goes with the last process that inherited it.
readonly PORT_FIRST=17000 PORT_BLOCK=512 PORT_BLOCKS=28

# take_ports COUNT: locks a block whose ports nobody listens on; sets PORT_BASE and keeps the lock
# on file descriptor 8.
take_ports() {
  local count=$1 block base locks
  ((count <= PORT_BLOCK)) || die "$E_USAGE" "at most $((PORT_BLOCK - 1)) nodes"
  for locks in /run/lock /tmp; do [[ ! -w $locks ]] || break; done
  for ((block = 0; block < PORT_BLOCKS; block++)); do
    base=$((PORT_FIRST + block * PORT_BLOCK))
    exec 8>"$locks/topomap-testbed.$base.lock"
    flock -n 8 || continue
    if ! ss -Htln | awk -v lo="$base" -v hi=$((base + count)) \
      '{ n = split($4, part, ":"); if (part[n] >= lo && part[n] < hi) found = 1 } END { exit !found }'; then
      PORT_BASE=$base
      return
    fi
  done
  die "$E_OTHER" "no free block of $count ports from $PORT_FIRST up: are other testbeds still running?"
}

# need_address BRIDGE: Slurm looks names up with AI_ADDRCONFIG, which resolves nothing in a network
# namespace where only `lo` has an address. Adds a bridge with an address there and sets
# BRIDGE_MADE; sets TESTBED_INTERFACE to the interface that MPI programs may use.
need_address() {
  BRIDGE_MADE=''
  ip link set lo up 2>/dev/null
  if [[ -z $(ip -4 -o addr show scope global 2>/dev/null) ]]; then
    ip link add name "$1" type bridge 2>/dev/null ||
      die "$E_OTHER" "only lo has an address and the bridge $1 cannot be made: Slurm needs one more"
    BRIDGE_MADE=$1
    ip addr add "10.$((RANDOM % 200 + 20)).$((RANDOM % 250)).1/24" dev "$1" && ip link set "$1" up ||
      die "$E_OTHER" "the bridge $1 takes no address"
  fi
}

# slurm_conf DIR CPUS GPUS CONTENTION < names: writes slurm.conf, plugstack.conf, mpi.conf into DIR/etc, and
# DIR/nodes with `name port` lines.
#
# task/none: task/affinity refuses CPUs that this machine lacks. MpiDefault=none: a test says
# which MPI it means (--mpi=pmix, --mpi=pmi2), and plain commands start faster.
slurm_conf() {
  local dir=$1 cpus=$2 gpus=$3 contention=$4 name gres='' port=$((PORT_BASE + 1))
  local controller=127.0.0.1 address=127.0.0.1 index=0
  [[ -z $contention ]] || controller=$ADMIN_NET.255.254
  mkdir -p "$dir"/{etc,state,log,node,pmix}
  printf 'PMIxCliTmpDirBase=%s\n' "$dir/pmix" >"$dir/etc/mpi.conf"
  cgroup_conf >"$dir/etc/cgroup.conf" || exit
  cat >"$dir/etc/slurm.conf" <<END
ClusterName=testbed
SlurmctldHost=testbed($controller)
SlurmctldPort=$PORT_BASE
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
PropagateResourceLimits=NONE
ReturnToService=2
SlurmctldTimeout=300
SlurmdTimeout=300
MessageTimeout=30
KillWait=3
Waittime=0
InactiveLimit=0
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/node/%n/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/node/%n/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/%n
SlurmctldDebug=verbose
SlurmdDebug=verbose
PlugStackConfig=$dir/etc/plugstack.conf
END
  if ((gpus)); then
    # Each is another /dev/null.
    for ((name = 0; name < gpus; name++)); do mknod "$dir/gpu$name" c 1 3; done
    printf 'Name=gpu File=%s/gpu[0-%d]\n' "$dir" $((gpus - 1)) >"$dir/etc/gres.conf"
    printf 'GresTypes=gpu\n' >>"$dir/etc/slurm.conf"
    gres=" Gres=gpu:$gpus"
  fi
  : >"$dir/etc/plugstack.conf"
  : >"$dir/nodes"
  while read -r name; do
    mkdir -p "$dir/node/$name"/{spool,pmix,shm,cgroup}
    [[ -z $contention ]] || address=$ADMIN_NET.$(host_part "$index")
    index=$((index + 1))
    printf 'NodeName=%s NodeHostname=%s NodeAddr=%s Port=%d CPUs=%d Sockets=1 CoresPerSocket=%d ThreadsPerCore=1%s State=UNKNOWN\n' \
      "$name" "$name" "$address" "$port" "$cpus" "$cpus" "$gres" >>"$dir/etc/slurm.conf"
    printf '%s %d\n' "$name" "$port" >>"$dir/nodes"
    port=$((port + 1))
  done
  printf 'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO\n' \
    >>"$dir/etc/slurm.conf"
}
