import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import { ChildLines } from '../child-lines.js'
import type { Figure } from '../figure.js'
import { cleanEnvironment, DAYBOOK, residentMegabytes, startChat, startLedger } from '../programs.js'

const MESSAGES = { usual: 100_000, quick: 10_000 }
const WATCHED = { stream: 'eng', topic: 'deploys' }
const WATCH = {
  id: 'deploys',
  source: 'chat',
  target: `stream:${WATCHED.stream}/topic:${WATCHED.topic}`,
  event_kinds: ['message.created'],
  capture_modes: ['api_cursor', 'poll'],
  metadata: { interval_seconds: 60 },
}
const SAMPLE_MS = 100

/** Captures a long topic from a simulated chat platform, with the command that cron runs. */
export async function measureCapture(bench: Bench): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  const messages = options.quick ? MESSAGES.quick : MESSAGES.usual
  progress(`capturing ${messages} messages`)
  const chat = await startChat(workspace, { ...WATCHED, messages })
  const folder = await workspace.folder('capture')
  await saveWatch(bench, folder)

  const database = join(folder, 'events.db')
  const args = [DAYBOOK, 'capture', 'subscription-once', WATCH.id, '--backfill', '1000000', '--json', '--db', database]
  const { url, email, apiKey } = chat.place
  const account = { EVENT_CHAT_URL: url, EVENT_CHAT_EMAIL: email, EVENT_CHAT_API_KEY: apiKey }
  const env = { ...(await cleanEnvironment(workspace)), ...account }
  const startedAt = performance.now()
  const child = workspace.start(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const answer = new ChildLines(child, 'The capture').next()
  const [sizes, line] = await Promise.all([sizesOf(child), answer])
  const seconds = (performance.now() - startedAt) / 1_000
  await chat.stop()

  const { created } = JSON.parse(line) as { created: number }
  if (created !== messages) throw new Error(`Of ${messages} messages ${created} were captured.`)
  const name = `capture of ${messages} messages`
  return [
    { what: name, value: messages / seconds, unit: 'events/s', goal: { atLeast: 5_000 } },
    ...memoryFigures(name, sizes),
  ]
}

async function saveWatch({ workspace }: Bench, folder: string): Promise<void> {
  const server = await startLedger(workspace, folder)
  const saved = await fetch(`http://127.0.0.1:${server.port}/api/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(WATCH),
  })
  await server.stop()
  if (!saved.ok) throw new Error(`The watch was answered with ${saved.status}: ${await saved.text()}`)
}

/** Resident memory in MB until the process ends. */
async function sizesOf(child: ChildProcess): Promise<number[]> {
  const sizes: number[] = []
  while (child.exitCode === null && child.signalCode === null) {
    const size = await residentMegabytes(child.pid ?? 0).catch(() => undefined) // the process may end at any moment
    if (size !== undefined) sizes.push(size)
    await sleep(SAMPLE_MS)
  }
  return sizes
}

/** If memory does not grow with the messages, it is as large in the last third as in the one before. */
function memoryFigures(name: string, sizes: readonly number[]): Figure[] {
  const third = Math.floor(sizes.length / 3)
  if (third === 0) return []
  return [
    {
      what: `${name}: memory in the last third`,
      value: Math.max(...sizes.slice(2 * third)),
      unit: 'MB',
      yardstick: { what: 'in the middle third', value: Math.max(...sizes.slice(third, 2 * third)), unit: 'MB' },
      goal: { within: 0.4 },
      details: sizes,
    },
  ]
}
