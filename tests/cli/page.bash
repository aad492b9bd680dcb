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

# `drawn` of a page in which a script does something at last; it has said(TEXT).
after() {
  { sed 's|^</body></html>$||' "$1"
    echo '<script>const said = (text) => { const p = document.createElement("pre"); p.append("said: " + text); document.body.append(p); };'
    printf '%s\n</script></body></html>\n' "$2"
  } >after.html
  drawn after.html
}

figure() { jq -e --arg name "$1" ".figures[] | select(.name == \$name).$2" json; }

# page_checks.js finds nothing wrong with the page, in light and dark, at a desk's and a phone's width.
checked() {
  local size scheme browser
  browser=$(command -v chromium-headless-shell || command -v chromium) || skip "no Chromium here"
  { # its own policy lets no script in where a page has none
    sed '/http-equiv="Content-Security-Policy"/d; s|^</body></html>$||; s|</main></body></html>$|</main>|' "$1"
    echo '<script>'
    cat "$TOPOMAP_SOURCE/tests/cli/page_checks.js"
    echo '</script></body></html>'
  } >checked.html
  for size in 1280,900 390,800; do
    for scheme in 1 0; do
      timeout 100 "$browser" --headless --no-sandbox --disable-gpu --window-size="$size" --virtual-time-budget=5000 \
        --blink-settings=preferredColorScheme=$scheme --user-data-dir="$PWD/browser" --enable-logging=stderr --v=0 --dump-dom \
        "file://$PWD/checked.html" >dom 2>log
      run ! grep CONSOLE log
      grep -o '<pre id="checks">.*</pre>' dom | grep -qF '<pre id="checks">[]</pre>' || {
        echo "$1 at $size, scheme $scheme"
        grep -o '<pre id="checks">.*</pre>' dom
        return 1
      }
    done
  done
}
