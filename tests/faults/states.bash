# SPDX-License-Identifier: BSD-3-Clause
# The states that things get into. Sourced by walk.
# shellcheck shell=bash

states='absent stuck slow full readonly foreign symlink fifo device directory huge garbage changing'

# The file systems are mounted before the nodes have mounts of their own, so that those see them, too.
# What cannot be mounted here leaves its state out, with a line.
make_states() {
  mkdir stuck slow slow.behind full readonly readonly.behind cell
  unmounted=
  touch stuck.ready slow.ready
  "$build/tests/slurm/stuck-mount" "$work/stuck" >stuck.ready 2>&1 &
  mounts="$!"
  wait_for stuck.ready $! || unmounted+=" stuck"
  chmod 1777 slow.behind readonly.behind
  if [[ -x $build/tests/faults/slow-mount ]]; then
    "$build/tests/faults/slow-mount" "$work/slow.behind" "$work/slow" >slow.ready 2>&1 &
    mounts+=" $!"
    wait_for slow.ready $! || unmounted+=" slow"
  else
    unmounted+=" slow"
  fi
  mount -t tmpfs -o size=64M,mode=1777 full "$work/full" || unmounted+=" full"
  { mount --bind "$work/readonly.behind" "$work/readonly" && mount -o remount,bind,ro "$work/readonly"; } ||
    unmounted+=" readonly"
}

wait_for() { # FILE PROCESS: FILE will say "ready", if PROCESS does not end
  local i
  for i in {1..600}; do
    ! grep -q ready "$1" || return 0
    kill -0 "$2" 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

end_states() {
  # shellcheck disable=SC2086 # words
  kill $mounts 2>/dev/null
  umount -l "$work/full" "$work/readonly" 2>/dev/null
}

clear_states() {
  [[ -z $changer ]] || kill "$changer" 2>/dev/null
  [[ -z $changer ]] || wait "$changer" 2>/dev/null
  changer=
  find "$work/slow.behind" "$work/full" "$work/readonly.behind" -mindepth 1 -delete
  rm -rf "$work/cell"
  mkdir "$work/cell"
  chmod 1777 "$work/cell"
}

# as_it_is SOUND PATH: PATH as it is to be, but for what the state does.
as_it_is() {
  [[ ! -e $1 ]] || cp -a "$1" "$2"
}

# enter STATE KIND SOUND NAME: sets `path` to where the thing is in that state. SOUND is one as it should be.
enter() {
  local kind=$2 sound=$3 name=$4
  path=$work/cell/$name
  "enter_$1"
}

enter_sound() { as_it_is "$sound" "$path"; }
enter_absent() { :; }
enter_stuck() { path=$work/stuck/$name; }
enter_slow() { as_it_is "$sound" "$work/slow.behind/$name" && path=$work/slow/$name; }
enter_readonly() { as_it_is "$sound" "$work/readonly.behind/$name" && path=$work/readonly/$name; }

enter_full() {
  path=$work/full/$name
  as_it_is "$sound" "$path"
  cat /dev/zero >"$work/full/rest" 2>/dev/null || true
}

enter_foreign() {
  as_it_is "$sound" "$path"
  [[ -e $path ]] || echo "somebody's" >"$path"
  chown -R 12345:12345 "$path"
  chmod -R go-rwx "$path"
}

enter_symlink() { ln -s "$path" "$path"; }
enter_fifo() { mkfifo -m 666 "$path"; }
enter_device() { ln -s /dev/zero "$path"; } # never an end

# What is no folder where there should be one, and the reverse.
enter_directory() {
  case $kind in
    folder) echo "no folder" >"$path" ;;
    *) mkdir -m 777 "$path" && echo inside >"$path/file" ;;
  esac
}

enter_huge() {
  as_it_is "$sound" "$path"
  case $kind in
    folder)
      mkdir -p -m 1777 "$path/$user" && chown "$user:$user" "$path/$user"
      (cd "$path/$user" && seq -f '%g.0.plan' 20000 | xargs touch && chown "$user" . ./*)
      ;;
    program) truncate -s 300M "$path" ;; # whoever starts it reads it
    *) truncate -s 200G "$path" ;;
  esac
}

enter_garbage() {
  case $kind in
    folder)
      mkdir -m 1777 "$path" "$path/run"
      (cd "$path" && for i in 1.0.plan key run/1.0-aaaaaa; do head -c 3000 /dev/urandom >"$i"; done)
      mkdir -m 700 "$path/$user" && cp -a "$path"/[!0-9]* "$path/$user" 2>/dev/null
      chown -R "$user:$user" "$path/$user"
      ;;
    *) head -c 65536 /dev/urandom >"$path" && chmod 755 "$path" ;;
  esac
}

# Cut, whole, away and back, some hundred times a second.
enter_changing() {
  as_it_is "$sound" "$path"
  [[ -e $path ]] || : >"$path"
  cp -a "$path" "$work/cell/.other"
  (
    trap 'exit 0' TERM
    cd "$work/cell" || exit
    while :; do
      mv "$name" .away && mv .other "$name" && mv .away .other
      [[ $kind == folder ]] || { truncate -s 100 .other && cp "$sound" .other; }
      sleep 0.002
    done
  ) 2>/dev/null &
  changer=$!
}
