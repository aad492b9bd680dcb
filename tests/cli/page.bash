# SPDX-License-Identifier: BSD-3-Clause
# What the tests of pages share: the data of a page in `json`, and what a browser makes of it in `dom`.
data() { sed -n 's|.*<script type="application/json" id="data">\(.*\)</script>|\1|p' "$1" >json; jq -e . json >/dev/null; }

# What a page's scripts complain of is a failure. `drawn PAGE [WIDTH,HEIGHT [dark]]`
drawn() {
  local browser scheme=1
  browser=$(command -v chromium-headless-shell || command -v chromium) || skip "no Chromium here"
  [ "${3:-}" = dark ] && scheme=0
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --window-size="${2:-1280,900}" --virtual-time-budget=5000 \
    --blink-settings=preferredColorScheme=$scheme --user-data-dir="$PWD/browser" --enable-logging=stderr --v=0 --dump-dom \
    "file://$PWD/$1" >dom 2>log
  run ! grep CONSOLE log
  grep -q '<body data-ready="1">' dom
}

figure() { jq -e --arg name "$1" ".figures[] | select(.name == \$name).$2" json; }
