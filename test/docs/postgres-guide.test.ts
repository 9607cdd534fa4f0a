import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { freePort } from '../support/free-port.js'
import { giveToServer, TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { PageShell } from './page-shell.js'
import { readPage } from './pages.js'

const PAGE = 'docs/how-to/use-postgresql.md'
const HOST = 'db.example.org'
const PASSWORD = 'the-password'
/** Of the cluster, in place of the `daybook` of the test clusters, which the guide creates. */
const SUPERUSER = 'postgres'

/** `sudo -u postgres`: the programs reach the cluster by its socket. `createuser` receives the password that it asks for. */
const sudo = (programs: string, folder: string, port: number) => `#!/bin/sh
set -eu
shift 2
export PGHOST='${folder}' PGPORT=${port} PGUSER=${SUPERUSER}
case $1 in
  createuser) printf '%s\\n%s\\n' '${PASSWORD}' '${PASSWORD}' | '${programs}/createuser' "$2" "$3" ;;
  *) program=$1; shift; exec '${programs}'/"$program" "$@" ;;
esac
`

const { blocks } = readPage(PAGE)

/** The text of the block that contains a text. */
function blockWith(text: string): string {
  const found = blocks.filter(block => block.text.includes(text))
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${PAGE} contain ${text}`)
  return found[0]?.text ?? ''
}

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  t.test('the guide creates, separates, dumps and restores a ledger and a board', async t => {
    const port = await freePort()
    const cluster = await TestCluster.start(t, programs, ['fsync=off', 'listen_addresses=127.0.0.1'], port)
    const home = ownFolder(t)
    const shell = new PageShell(t, home)
    const sudoFile = join(home, 'bin/sudo')
    writeFileSync(sudoFile, sudo(programs, cluster.folder, port), { mode: 0o700 })
    const variables = { EVENT_API_URL: 'http://127.0.0.1:9', BOARD_API_URL: 'http://127.0.0.1:9' }
    const placed = (text: string) =>
      text.replaceAll(`${HOST}:5432`, `127.0.0.1:${port}`).replaceAll(HOST, `127.0.0.1:${port}`)
    const run = async (text: string) => {
      const result = await shell.run(placed(text), variables)
      t.ok(result.ok, text, { out: result.out, err: result.err })
      return result
    }
    const address = (role: string, database = 'ledger') => placed(`postgres://${role}@${HOST}/${database}`)
    const serve = (env: Record<string, string>) => serveHere(t, { home, env, only: env.BOARD_DB ? 'board' : 'ledger' })

    // The cluster is like a new one of Debian: a superuser `postgres`, and passwords over TCP.
    await cluster.sql(`CREATE ROLE ${SUPERUSER} SUPERUSER LOGIN`)
    await run(`sudo -u postgres psql --dbname=postgres --command='ALTER ROLE daybook RENAME TO bootstrap'`)
    const rules = join(cluster.folder, 'data/pg_hba.conf')
    writeFileSync(rules, 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
    await giveToServer(rules)
    await run(`sudo -u postgres psql --dbname=postgres --command='SELECT pg_reload_conf()'`)

    await run(blockWith('--pwprompt daybook\n'))
    const begin = blockWith('daybook users create')
    t.match(begin, /\ndaybook serve$/)
    const password = `printf '%s' 'correct horse battery staple' | `
    await run(
      begin
        .replace('\ndaybook serve', '')
        .replace('daybook users create ada --role admin', `${password}$& --password-file -`),
    )
    const first = await serve({ EVENT_DB: address('daybook') })
    t.match(await (await fetch(`${first.url}/api/health`)).json(), { status: 'ok', engine: 'postgres' })
    await first.close()

    const separated = await run(blockWith('REASSIGN OWNED'))
    t.match(separated.out, /The role daybook may use the tables/)

    await t.rejects(serve({ BOARD_DB: address('daybook') }), { code: 'store_forbidden' })
    await (await serve({ BOARD_DB: address('daybook_owner') })).close()
    await t.rejects(serve({ BOARD_DB: address('daybook') }), { code: 'store_forbidden' })
    await run(
      `PGUSER=daybook_owner psql -h 127.0.0.1 -p ${port} ledger <<'END'\n${blockWith('ON ALL TABLES IN SCHEMA')}\nEND`,
    )
    const board = await serve({ BOARD_DB: address('daybook') })
    const card = await fetch(`${board.boardUrl}/api/cards`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A card' }),
    })
    t.equal(card.status, 201)
    await board.close()

    await run(blockWith('pg_dump --extension'))
    const restored = await run(blockWith('migrate --restored'))
    t.match(restored.out, /The role daybook may use the tables.\n *Its new epoch is/)
    const again = await serve({ EVENT_DB: address('daybook', 'restored') })
    t.match(await (await fetch(`${again.url}/api/health`)).json(), { status: 'ok', head: null })
    await again.close()
    const boardAgain = await serve({ BOARD_DB: address('daybook', 'restored') })
    t.match(await (await fetch(`${boardAgain.boardUrl}/api/cards`)).json(), { items: [{ title: 'A card' }] })
  })
}
