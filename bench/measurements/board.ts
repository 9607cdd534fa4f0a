import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { type RunningServer, residentMegabytes, sessionStoreTimes, startBoard, startLargeBackend } from '../programs.js'
import { ratesInTurn } from '../rates-in-turn.js'

const CONNECTIONS = 64
const CARDS = 20
const PATH = '/api/cards'
const LARGE_BYTES = 100_000_000
const PASSWORD = 'correct horse battery staple'
const KEY = 'key-of-the-board-behind'

/** The cost of the gate for a request, the speed of the proxy, and the time that sessions need in their store. */
export async function measureBoard(bench: Bench): Promise<Figure[]> {
  return [...(await measureGate(bench)), ...(await measureProxy(bench)), ...(await measureStore(bench))]
}

async function measureGate(bench: Bench): Promise<Figure[]> {
  const { workspace } = bench
  const open = await startBoard(workspace, await workspace.folder('open-board'))
  await addCards(open, {})
  const settings = { BOARD_PASSWORD: PASSWORD, BOARD_AUTH_SECRET: 'a-key-of-its-own', BOARD_API_KEY: KEY }
  const closed = await startBoard(workspace, await workspace.folder('closed-board'), settings)
  await addCards(closed, { authorization: `Bearer ${KEY}` })
  const [openRate = 0, rate = 0] = await ratesInTurn(bench, CONNECTIONS, [
    { how: 'a board that asks for nothing', server: open, path: PATH, headers: {} },
    { how: 'by a session', server: closed, path: PATH, headers: { Cookie: await logIn(closed) } },
  ])
  for (const server of [open, closed]) await server.stop()
  return [
    {
      what: `board: GET ${PATH} by a session, ${CONNECTIONS} connections`,
      value: rate,
      unit: 'requests/s',
      yardstick: { what: 'a board that asks for nothing', value: openRate, unit: 'requests/s' },
      goal: { atLeastTimes: 0.8 },
    },
  ]
}

async function measureProxy(bench: Bench): Promise<Figure[]> {
  const { workspace, progress } = bench
  const behind = await startBoard(workspace, await workspace.folder('board-behind'), { BOARD_API_KEY: KEY })
  await addCards(behind, { authorization: `Bearer ${KEY}` })
  const large = await startLargeBackend(workspace, LARGE_BYTES)
  const folder = await workspace.folder('board-in-front')
  await writeProfiles(folder, { behind, large })
  const front = await startBoard(workspace, folder)
  const [direct = 0, proxied = 0] = await ratesInTurn(bench, CONNECTIONS, [
    { how: 'another board directly', server: behind, path: PATH, headers: { Authorization: `Bearer ${KEY}` } },
    { how: 'through the proxy', server: front, path: `/api/backends/behind${PATH}`, headers: {} },
  ])
  progress(`${LARGE_BYTES / 1e6} MB through the proxy`)
  await takeLarge(front)
  const before = (await residentMegabytes(front.pid)) ?? Number.NaN
  const peak = await peakWhile(front, async () => {
    for (let round = 0; round < 3; round++) await takeLarge(front)
  })
  for (const server of [front, behind, large]) await server.stop()
  return [
    {
      what: `board: GET ${PATH} through the proxy, ${CONNECTIONS} connections`,
      value: proxied,
      unit: 'requests/s',
      yardstick: { what: 'asking the backend directly', value: direct, unit: 'requests/s' },
      goal: { atLeastTimes: 0.5 },
    },
    {
      what: `board: ${LARGE_BYTES / 1e6} MB through the proxy: memory`,
      value: peak,
      unit: 'MB',
      yardstick: { what: 'after a first one', value: before, unit: 'MB' },
      goal: { within: 0.25 },
    },
  ]
}

async function measureStore({ workspace, progress }: Bench): Promise<Figure[]> {
  progress('the store of sessions')
  const times = await sessionStoreTimes(workspace)
  return (['login', 'check', 'purge'] as const).map(what => ({
    what: `board: ${what} in the store, 1,024 sessions: p99`,
    value: times[what].p99,
    unit: 'ms' as const,
    // A commit waits for the disk, which is sometimes slow. The median shows the time of the store itself.
    details: times[what],
    goal: { atMost: 2 },
  }))
}

async function addCards({ port }: RunningServer, headers: Record<string, string>): Promise<void> {
  for (let card = 0; card < CARDS; card++) {
    const body = JSON.stringify({ title: `Card ${card}`, body: 'What is to be done. '.repeat(10), labels: ['a', 'b'] })
    await post(port, PATH, body, headers)
  }
}

async function logIn({ port }: RunningServer): Promise<string> {
  const answer = await post(port, '/api/login', JSON.stringify({ password: PASSWORD }), {})
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

async function post(port: number, path: string, body: string, headers: Record<string, string>): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  if (!answer.ok) throw new Error(`POST ${path} was answered with ${answer.status}.`)
  return answer
}

async function writeProfiles(folder: string, backends: Record<string, RunningServer>): Promise<void> {
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, KEY, { mode: 0o600 })
  const profiles = Object.fromEntries(
    Object.entries(backends).map(([name, { port }]) => [
      name,
      { url: `http://127.0.0.1:${port}`, api_key_file: keyFile },
    ]),
  )
  await writeFile(join(folder, 'backends.json'), JSON.stringify({ profiles }), { mode: 0o600 })
}

function takeLarge({ port }: RunningServer): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/backends/large/api/large' }, answer => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.once('error', reject)
      answer.once('end', () => {
        if (bytes === LARGE_BYTES) resolve()
        else reject(new Error(`Of ${LARGE_BYTES} bytes ${bytes} came through, with status ${answer.statusCode}.`))
      })
    }).once('error', reject)
  })
}

async function peakWhile({ pid }: RunningServer, work: () => Promise<void>): Promise<number> {
  let peak = 0
  const look = async () => {
    peak = Math.max(peak, (await residentMegabytes(pid)) ?? 0)
  }
  const looking = setInterval(() => void look(), 20)
  try {
    await work()
  } finally {
    clearInterval(looking)
  }
  await look()
  return peak
}
