# SPDX-License-Identifier: BSD-3-Clause
# fish completion for topomap, and for its options of srun, sbatch and salloc: the words come from the command's own
# tables. It is read when a shell starts (vendor_conf.d), so that a completion of srun that others install is loaded
# as it would be without it: fish adds up what it is told.

function __topomap_words
    set -l words (commandline -opc)
    set -l plain (string match -v -- '-*' $words[2..-1])
    set -l current (commandline -ct)
    # of --option=VALUE fish asks nobody who has not named the option before
    if string match -q -- '--*' $words[-1]; and not string match -q -- '-*' $current
        topomap help --words $plain[1..2] $words[-1] 2>/dev/null
    else
        topomap help --words $plain[1..2] 2>/dev/null
    end
end

# One of a list, behind what is there of it.
function __topomap_keys
    set -l before (string match -r -- '^(?:--topomap-options=)?(.*,)?' (commandline -ct))[2]
    string replace -r -- '^' "$before" (topomap help --words srun --topomap-options 2>/dev/null)
end

complete -c topomap -a '(__topomap_words)'
for launcher in srun sbatch salloc
    complete -c $launcher -l topomap -r -a '(topomap help --words srun --topomap 2>/dev/null)' -d 'place ranks where they talk cheapest'
    complete -c $launcher -l topomap-options -x -a '(__topomap_keys)' -d 'for topomap: KEY=VALUE,...'
    complete -c $launcher -l topomap-explain -d 'what topomap did, and why'
    complete -c $launcher -s m -l distribution -x -a '(topomap help --words srun --distribution 2>/dev/null)' -d 'how ranks are laid out'
end
