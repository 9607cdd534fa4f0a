import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { TestCluster } from './cluster.js'

/** The network between a test and its server, which can hang without closing. */
interface TestNetwork {
  /** For the address. */
  host: string
  /** Nothing is forwarded any more, in either direction; no connection is closed. */
  hang(): void
  /** New connections are forwarded again; those that hung stay so. */
  heal(): void
}

/** Forwards connections to a cluster, until the test ends. */
export async function networkTo(t: Test, cluster: TestCluster): Promise<TestNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-net-'))
  const socket = `.s.PGSQL.${cluster.port}`
  const open = new Set<Socket>()
  let hangs = false
  const server = createServer(near => {
    const far = connect(join(cluster.folder, socket))
    for (const side of [near, far]) {
      open.add(side)
      side.on('error', () => side.destroy())
      side.on('close', () => open.delete(side))
    }
    near.pipe(far)
    far.pipe(near)
    if (hangs) cut(near, far)
  })
  const cut = (...sides: Socket[]) => {
    for (const side of sides) side.unpipe().pause()
  }
  server.listen(join(folder, socket))
  await once(server, 'listening')
  chmodSync(join(folder, socket), 0o777)
  t.teardown(() => {
    for (const side of open) side.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    host: folder,
    hang: () => {
      hangs = true
      cut(...open)
    },
    heal: () => {
      hangs = false
    },
  }
}
