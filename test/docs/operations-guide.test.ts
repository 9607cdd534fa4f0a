import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { DEPLOY, deployedFiles } from '../deploy/deploy-files.js'
import { CHEAP_START } from '../support/cheap-start.js'
import { freePort } from '../support/free-port.js'
import { PageShell } from './page-shell.js'
import { ROOT, readPage } from './pages.js'

/** Folders of the guide, moved below a folder of the test. */
const FOLDERS = [
  '/etc/',
  '/opt/daybook',
  '/var/lib/daybook',
  '/var/cache/daybook',
  '/var/backups/daybook',
  '/usr/local/bin/daybook',
]
const MADE_BY_DEBIAN = [
  'etc/sysusers.d',
  'etc/tmpfiles.d',
  'etc/systemd/system',
  'etc/nginx/sites-available',
  'etc/nginx/sites-enabled',
]

/**
 * Programs that would change this machine. `systemctl` runs the commands of the units in the test's folder, with their settings;
 * the others do what the guide needs of them. Without a user `daybook`, all is done by the user of the tests.
 */
const STAND_INS = (root: string): Record<string, string> => ({
  npm: `[ "$1 $2 $3" = "install --global --prefix" ] && mkdir -p "$4" && cp -r '${root}/package/.' "$4"`,
  'systemd-sysusers': `grep -q '^u daybook ' '${root}/etc/sysusers.d/daybook.conf'`,
  'systemd-tmpfiles': `grep '^d ' '${root}/etc/tmpfiles.d/daybook.conf' | while read -r type path mode rest; do
    mkdir -p "$path"; chmod "$mode" "$path"
  done`,
  runuser: 'shift 3; exec "$@"',
  sudo: 'shift 2; exec "$@"',
  nginx: `[ "$1" = -t ] && grep -q daybook_login '${root}/etc/nginx/sites-enabled/daybook.conf'`,
  systemctl: `verb=$1; shift
settings() { sed -n 's/^Environment=//p' "$1"; }
start() {
  file="${root}/etc/systemd/system/$1"
  if grep -q '^Type=oneshot' "$file"; then
    sed -n 's/^ExecStart=//p' "$file" | sed 's/\\$\\$/$/g; s/%%/%/g' > "${root}/run/$1.sh"
    env $(settings "$file") sh -eu "${root}/run/$1.sh"
  else
    : > "${root}/run/$1.out"
    env $(settings "$file") $(sed -n 's/^ExecStart=//p' "$file") > "${root}/run/$1.out" 2>> "${root}/run/$1.log" 3>&- &
    echo $! > "${root}/run/$1.pid"
    until grep -q '"ledger"' "${root}/run/$1.out"; do kill -0 $! || exit 1; sleep 0.05; done
  fi
}
stop() {
  pid=$(cat "${root}/run/$1.pid")
  kill "$pid"
  while ps -o stat= -p "$pid" | grep -q '^[^Z]'; do sleep 0.05; done
}
for unit in "$@"; do
  case $unit in --* | *.timer | nginx.service) continue ;; esac
  case $verb in
    start | enable) start "$unit" ;;
    stop) stop "$unit" ;;
    restart) stop "$unit"; start "$unit" ;;
  esac
done`,
})

t.test('every command of the operations guide works as described', async t => {
  const home = ownFolder(t)
  const root = join(home, 'root')
  const placed = (text: string) =>
    FOLDERS.reduce((changed, folder) => changed.replaceAll(folder, root + folder), text).replaceAll(
      ' -o daybook -g daybook',
      '',
    )
  for (const folder of [...MADE_BY_DEBIAN, 'usr/local/bin', 'run', 'package/bin', 'package/lib/node_modules/daybook']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  const shell = new PageShell(t, home)
  renameSync(join(home, 'bin/daybook'), join(home, 'daybook'))
  makePackage(join(root, 'package'), { command: join(home, 'daybook'), placed })
  symlinkSync(join(root, 'usr/local/bin/daybook'), join(home, 'bin/daybook'))
  for (const [name, script] of Object.entries(STAND_INS(root))) {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\nset -eu\n${script}\n`, { mode: 0o700 })
  }
  const [ledger, board] = [await freePort(), await freePort()]
  const variables = {
    EVENT_PORT: String(ledger),
    EVENT_API_URL: `http://127.0.0.1:${ledger}`,
    BOARD_PORT: String(board),
    BOARD_API_URL: `http://127.0.0.1:${board}`,
  }
  const printed: string[] = []
  for (const { language, text, line } of readPage('docs/how-to/operate.md').blocks) {
    if (language !== 'console') continue
    const block = placed(text).replaceAll('http://127.0.0.1:8765', variables.EVENT_API_URL)
    const { ok, out, err } = await shell.run(block, variables)
    if (!t.ok(ok, `the block in line ${line} ends well`, { out, err })) return
    printed.push(out)
  }
  const all = printed.join('\n')
  t.match(all, /^200$/m, 'the server is ready')
  t.match(all, /daily-board-\d+T\d+Z\.sqlite3\ndaily-ledger-\d+T\d+Z\.db\.gz/, 'both databases are backed up')
  t.match(all, /"problems":\[\]/, 'the ledger is verified')
  const diagnosis = JSON.parse(all.split('\n').find(text => text.startsWith('{"state":')) ?? '{}')
  t.match(diagnosis, { state: /ok|warn/ })
  t.match(all, /"replaced":"[^"]+events\.db\.replaced-/, 'the backup is in the place of the ledger')
  const stopped = await shell.run('systemctl stop daybook.service', variables)
  t.ok(stopped.ok)
  t.match(readFileSync(join(root, 'run/daybook.service.log'), 'utf8'), /"closed"/)
})

/** What npm would install, with the paths of the test. @param command runs all commands but the server */
function makePackage(folder: string, { command, placed }: { command: string; placed: (text: string) => string }): void {
  const program = `#!/bin/sh
[ "$1" = serve ] || READER=/dev/null exec '${command}' "$@" # not a terminal
unset NODE_OPTIONS
exec '${process.execPath}' ${CHEAP_START.join(' ')} '${ROOT}/bin/run.js' "$@"
`
  writeFileSync(join(folder, 'bin/daybook'), program, { mode: 0o755 })
  const deploy = join(folder, 'lib/node_modules/daybook/deploy')
  cpSync(DEPLOY, deploy, { recursive: true })
  for (const file of deployedFiles()) {
    const path = join(deploy, file)
    writeFileSync(path, placed(readFileSync(path, 'utf8')))
  }
}
