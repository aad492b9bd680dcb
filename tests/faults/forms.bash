# SPDX-License-Identifier: BSD-3-Clause
# The forms of launches, and what becomes of their processes and surroundings. Sourced by walk.
# shellcheck shell=bash disable=SC2016 # the snippets are a job's own shell's
#
# form NAME JUDGE SNIPPET: one launch, by bash, as the job's user, in an empty folder. In the snippet's environment:
#   S     srun -N4 -n8 --ntasks-per-node=2, with the options OPTS that ask for topomap if the way does (asked, explain)
#   PROGRAM  prints its rank and the number of ranks
#   JUDGE  same: status, sorted output and what Slurm says are as with TOPOMAP=off
#          ends: what is said and done depends on when a signal comes; the launch ends, nothing is left, nodes are idle
# A form whose snippet has several launches says how many lines topomap may say in form_lines, and form_launches how
# often it is launched in each way, if not three times.
forms=()
declare -gA form_judge form_text form_lines=([array]=50 [overlapping]=20) form_launches=([array]=1)
form() {
  forms+=("$1")
  form_judge[$1]=$2
  form_text[$1]=$3
}

# Steps of other shapes.
form het same 'srun -N2 -n2 $OPTS "$PROGRAM" : -N2 -n4 "$PROGRAM"'
form multi-prog same 'printf "0-3 $PROGRAM\n4-7 /bin/echo other %%t %%o\n" >conf; $S --multi-prog conf'
form array same 'sbatch --wait -Q --array=1-50 -N1 -n2 -o "out.%a" -e err.%a --wrap "srun $OPTS -n2 $PROGRAM"; s=$?; cat out.*; exit $s'
form overlapping same 'salloc -Q -N4 -n8 sh -c "for i in $(seq -s " " 20); do $S --overlap $PROGRAM & done; wait"'
form overcommitted same 'srun -N4 -n8 --ntasks-per-node=2 -O $OPTS "$PROGRAM"'
form pty same 'script -qec "$S --pty $PROGRAM" /dev/null | tr -d "\r\000" | sed "/topomap:/d; s/\^@//g; /^$/d"'
form bcast same '$S --bcast="/tmp/faults-bcast.$$" "$PROGRAM"; s=$?; rm -f "/tmp/faults-bcast.$$"; exit $s'
form no-allocate same '$S -Z -w "node[01-04]" "$PROGRAM" 2>err; s=$?; sed "s/=[0-9.]* /= /" err >&2; exit $s'
form relative same 'salloc -Q -N4 -n8 srun -N2 -n4 --relative=2 $OPTS sh -c "echo \$SLURM_NODEID of \$SLURM_NNODES"'
form exclude same 'srun -N2 -n4 --exclude=node01,node03 $OPTS "$PROGRAM"'
form spread same '$S --spread-job "$PROGRAM"'
form kill-on-bad-exit same '$S -K1 sh -c "test \$SLURM_PROCID = 1 && exit 3; sleep 100" 2>err; s=$?; grep -o "Exited with exit code 3" err | sort -u; exit $s'
form failing same '$S sh -c "exit 3" 2>err; s=$?; grep -o "Exited with exit code 3" err | sort -u; exit $s'
form output same '$S -o "out.%t" -e "err.%t" sh -c "$PROGRAM; echo e >&2"; s=$?; cat out.* err.*; exit $s'
form input-one same 'echo one | $S -i 3 cat'
form labels same '$S -l sh -c "echo \$SLURM_NTASKS"'
form signal same '$S -t 3 --signal=USR1@60 "$PROGRAM"'
form quiet same '$S -Q "$PROGRAM"'
form verbose same '$S -vv "$PROGRAM" 2>/dev/null'
form sbatch same 'printf "#!/bin/sh\nsrun $OPTS $PROGRAM\n" >job; sbatch --wait -Q -N4 -n8 -o out -e err job; s=$?; cat out; exit $s'
form one-task same 'srun -n1 $OPTS "$PROGRAM"'

# Where and with what the launch runs.
form no-folder same 'mkdir gone; cd gone; rmdir ../gone; $S "$PROGRAM" 2>/dev/null'
form no-home same 'unset HOME; $S "$PROGRAM"'
form bad-home same 'HOME=/proc/none $S "$PROGRAM"'
form no-tmpdir same 'TMPDIR=/nonexistent $S "$PROGRAM"'
form full-output same '$S "$PROGRAM" >/dev/full'
form large-environment same 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do printf -v "LARGE$i" "%115000s" x; export "LARGE$i"; done; $S "$PROGRAM"'
form odd-environment same 'export ODD="$(printf "a\nb=c\001\033[31m")" TOPOMAP_ODD="$(printf "x\ny")"; $S sh -c "printf %s \"\$ODD\" | od -An -tx1"'
form small-stack same 'ulimit -s 64; $S --propagate=NONE "$PROGRAM"'
form few-processes same 'ulimit -u 4000; $S "$PROGRAM"'
form few-files same 'ulimit -n 32; $S "$PROGRAM"'
form no-locked-memory same 'ulimit -l 0; $S "$PROGRAM"'
form no-core same 'ulimit -c 0; ulimit -f 100; $S "$PROGRAM"'
form preload same 'LD_PRELOAD=libm.so.6 $S "$PROGRAM"'
form no-passwd same '$S "$PROGRAM"'
form memory same 'ulimit -v 2000000; $S "$PROGRAM"'

# Descriptors 0, 1 and 2 of srun, closed. Slurm 22.05 itself waits for a minute if it has output for a closed one.
for closed in 0 1 2 01 02 12 012; do
  text=
  for number in 0 1 2; do
    [[ $closed != *$number* ]] || text+=" $number>&-"
  done
  form "closed-$closed" same '$S -o out "$PROGRAM"'"$text"'; s=$?; cat out; exit $s'
done
form closed-2-sbatch same 'printf "#!/bin/sh\nsrun $OPTS $PROGRAM\n" >job; sbatch --wait -Q -N4 -n8 -o out -e err job 2>&-; cat out'
form closed-2-salloc same 'salloc -Q -N4 -n8 $OPTS srun "$PROGRAM" 2>&-'
unset closed text number

# Signals. Each form waits for its srun. Slurm 24.11 itself sometimes leaves tasks of a step that is cancelled while it
# starts; these end by themselves.
form stopped same '$S "$PROGRAM" 2>/dev/null & sleep 0.05; kill -STOP $!; sleep 0.3; kill -CONT $!; wait $!'
for tenth in 00 02 04 06 08 10 12 14 16 18 20 22 24 26 28 30; do
  form "cancelled-${tenth}0" ends '$S sleep 20 & sleep 0.'"$tenth"'; until scancel --user="$(id -u)" && ! kill -0 $! 2>/dev/null; do sleep 0.05; done; wait $!'
done
unset tenth
form planner-killed same '$S "$PROGRAM" & p=$!; for i in $(seq 50); do ! pkill -KILL -u $(id -u) -x planner || break; sleep 0.005; done; wait $p'
form srun-killed ends '$S sleep 20 & sleep 0.3; kill -KILL $!; wait $!; scancel --user="$(id -u)"'
form stepd-killed ends '$S sleep 4 & sleep 1; until scancel --user="$(id -u)" && ! kill -0 $! 2>/dev/null; do sleep 0.05; done; wait $!'

# The forms that auto/check walks.
forms_most='het multi-prog overlapping overcommitted kill-on-bad-exit output closed-2 closed-012 stopped planner-killed
  no-folder odd-environment cancelled-100'

# slurmstepd is root's.
kill_stepds() {
  sleep 0.4
  pkill -KILL slurmstepd
}

run_form() ( # NAME=VALUE...
  rm -rf "$work/form"
  mkdir -m 1777 "$work/form"
  cd "$work/form" || return
  [[ $state != no-passwd ]] || user=54321
  [[ $state != stepd-killed ]] || kill_stepds &
  as_user "$@" "OPTS=$opts" "S=srun ${steps[*]} $opts" "PROGRAM=${at[program]}" bash -c "${form_text[$state]}"
)

way_form-asked() { opts="--topomap=${at[graph]}" && plugstack default=only-when-asked && run_form "$@"; }
way_form-unasked() { opts='' && plugstack default=on && run_form "$@"; }
way_form-explain() { opts="--topomap=${at[graph]} --topomap-explain" && plugstack default=only-when-asked && run_form "$@"; }
way_form-off() { opts='' && plugstack default=on && run_form TOPOMAP=off "$@"; }
