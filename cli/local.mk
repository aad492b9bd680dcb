# SPDX-License-Identifier: BSD-3-Clause
# The command: options, help, manual pages, completion; a folder for each subject.
bin_PROGRAMS += cli/topomap
cli_topomap_SOURCES = cli/main.c cli/cli.h cli/commands.c cli/completion.c cli/json_output.c cli/manual.c cli/options.c cli/policy.c \
  cli/registries.c cli/signals.c cli/subprocess.c cli/subprocess.h plugin/common/record.c
include cli/db/local.mk
include cli/doctor/local.mk
include cli/graph/local.mk
include cli/launch/local.mk
include cli/map/local.mk
include cli/page/local.mk
include cli/picture/local.mk
include cli/run/local.mk
include cli/terminal/local.mk
cli_topomap_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS) -DTOPOMAP_SPANKDIR='"$(spankdir)"'
cli_topomap_LDFLAGS = $(program_link_flags)
cli_topomap_LDADD = plugin/planner/liblaunch.la plugin/planner/libplanner.la plugin/libsite.la plugin/libslurmlines.la plugin/libreply.la plugin/policy/libpolicy.la \
  plugin/store/libstore.la topology-db/libdb.la lib/libcore.la $(JANSSON_LIBS)

# Manual pages and completion walk the command's own tables.
MAN_PAGES = cli/topomap.1 cli/topomap-map.1 cli/topomap-eval.1 cli/topomap-graph.1 \
  cli/topomap-db.1 cli/topomap-policy.1 cli/topomap-profile.1 cli/topomap-why.1 cli/topomap-show.1 cli/topomap-report.1 cli/topomap-run.1 cli/topomap-srun.1 \
  cli/topomap-algorithms.1 cli/topomap-formats.1 \
  cli/topomap-policy.5 cli/topomap-graph-formats.5 cli/topomap-doctor.8 cli/topomap-refresh.8
man_MANS = $(MAN_PAGES)
CLEANFILES += $(MAN_PAGES)
$(MAN_PAGES): cli/topomap$(EXEEXT)
	$(AM_V_GEN)page=`echo $@ | sed 's,^cli/topomap-*,,; s,\.1$$,,'`; \
	cli/topomap$(EXEEXT) help --man "$$page" >$@.tmp && mv $@.tmp $@

completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = contrib/completion/topomap
# Read by every shell, as srun's completion may be Slurm's own.
eager_completiondir = $(sysconfdir)/bash_completion.d
dist_eager_completion_DATA = contrib/completion/topomap-srun
zsh_completiondir = $(datadir)/zsh/site-functions
dist_zsh_completion_DATA = contrib/completion/_topomap
# Read by every shell: what others install for srun is looked for nevertheless.
fish_completiondir = $(datadir)/fish/vendor_conf.d
dist_fish_completion_DATA = contrib/completion/topomap.fish
