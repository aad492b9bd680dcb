# SPDX-License-Identifier: BSD-3-Clause
# What topomap touches, and who touches it. Sourced by walk.
# shellcheck shell=bash

# THING KIND WAYS: each thing is put into each state (states.bash), and gone through in each way (ways.bash).
#   KIND  file, folder, program; output: a file that topomap makes; switch: a file that is there or not; form: no
#         file, but a form of launch (forms.bash)
things='
db           file     asked unasked piped show
off          switch   asked unasked
policy       file     asked unasked piped check
graph        file     asked map
capacity     file     asked
explanation  output   asked
records      folder   asked unasked piped why
spool        folder   asked spooled node
scontrol     program  asked unasked
planner      program  asked unasked auto-unasked piped
node_helper  program  asked unasked auto auto-unasked
program      program  asked unasked
store        folder   auto auto-unasked piped profile
cache        folder   auto auto-unasked
profilers    folder   auto auto-unasked
byhand       output   byhand
dump         file     import
database     file     import
mapping      output   map
launch       form     form-asked form-unasked form-explain
'

# The thirty of auto/check.
most='
db/stuck/asked db/stuck/unasked db/changing/asked db/huge/asked db/directory/unasked
off/stuck/unasked policy/stuck/unasked policy/stuck/asked policy/garbage/unasked policy/fifo/unasked
graph/stuck/asked graph/device/asked graph/slow/asked
explanation/stuck/asked explanation/full/asked explanation/symlink/asked
records/stuck/unasked records/full/asked records/foreign/unasked records/huge/unasked
spool/stuck/node scontrol/stuck/asked planner/stuck/asked planner/stuck/unasked node_helper/stuck/asked
store/stuck/auto-unasked store/garbage/auto store/foreign/auto-unasked profilers/stuck/auto dump/full/import
'
