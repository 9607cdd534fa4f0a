import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { batchPlan } from '../ledger-calls.js'
import { cleanEnvironment, DAYBOOK, type RunningServer, runLoad, startLedger } from '../programs.js'
import { median, Times } from '../statistics.js'

const CONCURRENCY = 4
const FORWARDED = 100
const CONSUMERS = 1_000
/** Consumers that wait for the same kind of event. */
const ALIKE = 10
const LIVE = 100
/** Ticks of the processor time of a process, a second. */
const TICKS = 100

/** The rate of the command, and the cost of waiting consumers for the server. */
export async function measureConsumers(bench: Bench): Promise<Figure[]> {
  return [...(await measureCommand(bench)), ...(await measureWaiting(bench)), await measureLive(bench)]
}

async function measureCommand({ options, workspace, progress }: Bench): Promise<Figure[]> {
  const [executed, forwarded] = options.quick ? [300, 3_000] : [3_000, 60_000]
  const server = await startLedger(workspace, await workspace.folder('consume'))
  const url = `http://127.0.0.1:${server.port}`
  const env = { ...(await cleanEnvironment(workspace)), EVENT_FORWARD_SECRET: `whsec_${'A'.repeat(32)}` }
  /** Measures the seconds until all events are passed on. */
  const consume = async (name: string, flags: readonly string[]) => {
    const startedAt = performance.now()
    const argv = [DAYBOOK, 'consume', name, ...flags, '--once', '--from', 'beginning', '--api-url', url]
    await workspace.run(process.execPath, argv, { env: { ...env, PATH: process.env.PATH } })
    return (performance.now() - startedAt) / 1_000
  }
  const starting = await consume('starting', ['--exec', 'true'])
  await runLoad(workspace, batchPlan(server.port, { first: 0, events: executed }))
  progress(`consume --exec true, ${executed} events, concurrency ${CONCURRENCY}`)
  const execRate = executed / ((await consume('exec', ['--exec', 'true', '--concurrency', '4'])) - starting)
  progress('a loop that only starts processes')
  const spawnRate = await spawnTrue(executed)
  await runLoad(workspace, batchPlan(server.port, { first: executed, events: forwarded - executed }))
  const receiver = createServer((req, res) => req.resume().on('end', () => res.writeHead(204).end()))
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  progress(`consume --forward, ${forwarded} events`)
  const flags = ['--forward', to, '--batch', String(FORWARDED), '--concurrency', '4']
  const forwardRate = forwarded / ((await consume('forward', flags)) - starting)
  receiver.close()
  await server.stop()
  return [
    {
      what: `consume --exec true --concurrency ${CONCURRENCY}`,
      value: execRate,
      unit: 'events/s',
      yardstick: { what: 'starting the same processes', value: spawnRate, unit: 'events/s' },
      goal: { atLeastTimes: 0.8 },
    },
    {
      what: `consume --forward --batch ${FORWARDED}`,
      value: forwardRate,
      unit: 'events/s',
      goal: { atLeast: 3_000 },
    },
  ]
}

/** Processes a second, if started as the command starts them. */
async function spawnTrue(count: number): Promise<number> {
  let left = count
  const startedAt = performance.now()
  const work = async () => {
    while (left-- > 0) {
      const child = spawn('true', { shell: true, detached: true, stdio: ['pipe', 'inherit', 'pipe'] })
      child.stdin.on('error', () => undefined)
      child.stdin.end('{}\n')
      await once(child, 'exit')
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return count / ((performance.now() - startedAt) / 1_000)
}

async function measureWaiting({ options, workspace, progress }: Bench): Promise<Figure[]> {
  const [idleSeconds, events] = options.quick ? [3, 20] : [20, 200]
  const server = await startLedger(workspace, await workspace.folder('waiting'))
  const consumers = new WaitingConsumers(server)
  progress(`${CONSUMERS} consumers wait`)
  await consumers.start(CONSUMERS, at => `woken.${Math.floor(at / ALIKE)}`)
  await sleep(2_000)
  const before = await processorTicks(server.pid)
  await sleep(idleSeconds * 1_000)
  const idle = (100 * ((await processorTicks(server.pid)) - before)) / TICKS / idleSeconds
  const times = new Times()
  for (let at = 0; at < events; at++) {
    const woken = consumers.wakes(ALIKE)
    const startedAt = performance.now()
    await post(server, `woken.${at % (CONSUMERS / ALIKE)}`, at)
    for (const arrivedAt of await woken) times.add(arrivedAt - startedAt)
  }
  await consumers.stop()
  await server.stop()
  return [
    {
      what: `${CONSUMERS} consumers wait: processor time of the server`,
      value: idle,
      unit: '%',
      goal: { atMost: 5 },
    },
    {
      what: 'from a POST to the answer of the consumers that match: p99',
      value: times.summary().p99,
      unit: 'ms',
      goal: { atMost: 100 },
    },
  ]
}

/** Measures consumers whose filters match none of the posted events. Matching ones cost as much as reading. */
async function measureLive({ options, workspace, progress }: Bench): Promise<Figure> {
  const without = await startLedger(workspace, await workspace.folder('without'))
  const live = await startLedger(workspace, await workspace.folder('live'))
  const consumers = new WaitingConsumers(live)
  await consumers.start(LIVE, at => `never.${at}`)
  const rates: { without: number[]; live: number[] } = { without: [], live: [] }
  for (let round = 0; round < (options.quick ? 1 : 5); round++) {
    progress(`one event a POST, without and with ${LIVE} consumers, round ${round + 1}`)
    for (const [how, { port }] of Object.entries({ without, live })) {
      const plan = { port, connections: 64, requests: 1_000_000, prepare: 20_000, warmupMs: options.warmupMs / 4 }
      const work = { kind: 'events', first: round * 10_000_000 } as const
      const { rate } = await runLoad(workspace, { ...plan, measureMs: options.measureMs / 2, work })
      rates[how as 'live'].push(rate)
    }
  }
  await consumers.stop()
  await Promise.all([without.stop(), live.stop()])
  return {
    what: `one new event a POST, ${LIVE} consumers wait`,
    value: median(rates.live),
    unit: 'events/s',
    yardstick: { what: 'without consumers', value: median(rates.without), unit: 'events/s' },
    goal: { atLeastTimes: 0.9 },
    details: rates,
  }
}

/** Consumers that read, acknowledge and read again. */
class WaitingConsumers {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  readonly #url: string
  readonly #runs: Promise<void>[] = []
  #arrived: (at: number) => void = () => {}
  #isStopped = false

  constructor({ port }: RunningServer) {
    this.#url = `http://127.0.0.1:${port}`
  }

  async start(count: number, kindOf: (at: number) => string): Promise<void> {
    for (let at = 0; at < count; at++) {
      const filters = { kind: kindOf(at) }
      await this.#send(`/api/consumers/c${at}`, 'PUT', { filters })
      const run = this.#run(`/api/consumers/c${at}`)
      run.catch(() => undefined) // reported by `wakes` or `stop`
      this.#runs.push(run)
    }
  }

  /** The times at which the next batches with events arrive. @throws if a consumer fails */
  async wakes(count: number): Promise<number[]> {
    const times: number[] = []
    const enough = new Promise<void>(resolve => {
      this.#arrived = at => {
        if (times.push(at) === count) resolve()
      }
    })
    await Promise.race([enough, Promise.all(this.#runs)])
    return times
  }

  /** @throws if a consumer has failed before */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#agent.destroy()
    await Promise.all(this.#runs)
  }

  async #run(path: string): Promise<void> {
    let fence = ''
    while (!this.#isStopped) {
      const batch = await this.#next(`${this.#url}${path}/events?wait=50&limit=100${fence}`)
      if (!batch) continue
      if (batch.count > 0) this.#arrived(performance.now())
      fence = `&fence=${batch.ack.fence}`
      await this.#send(`${path}/ack`, 'POST', batch.ack)
    }
  }

  #next(url: string): Promise<{ count: number; ack: { fence: number } } | undefined> {
    return new Promise((resolve, reject) => {
      get(url, { agent: this.#agent }, res => {
        let text = ''
        res.setEncoding('utf8').on('data', part => {
          text += part
        })
        res.on('end', () => resolve(JSON.parse(text)))
        res.on('close', () => resolve(undefined)) // `stop` has cut it
      }).on('error', error => (this.#isStopped ? resolve(undefined) : reject(error)))
    })
  }

  async #send(path: string, method: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(this.#url + path, { method, headers, body: JSON.stringify(body) })
    await answer.arrayBuffer()
    if (!answer.ok && !this.#isStopped) throw new Error(`${method} ${path} was answered with ${answer.status}.`)
  }
}

async function post({ port }: RunningServer, kind: string, at: number): Promise<void> {
  const body = JSON.stringify({ source: 'bench', kind, subject_type: 'x', subject_id: String(at) })
  const headers = { 'content-type': 'application/json' }
  await (await fetch(`http://127.0.0.1:${port}/api/events`, { method: 'POST', headers, body })).arrayBuffer()
}

/** Processor time that a process has used so far. */
async function processorTicks(pid: number): Promise<number> {
  const [, , ...fields] = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, 'pid name ').split(' ')
  return Number(fields[11]) + Number(fields[12])
}
