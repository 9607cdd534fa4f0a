import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { DEPLOYS } from '../runtime/capture/capture-rig.js'
import { chatServer } from '../support/chat-server/chat-server.js'
import { CaptureCommand } from './capture-command.js'
import { ownFolder } from './own-folder.js'

/** All of them together would take more than the heap that it is given. */
const MESSAGES = 2_500
const PAGE_MESSAGES = 250
const TEXT = 'All is well on staging, as it was. '.repeat(240)
/** Limit of the old generation of the heap. */
const HEAP_MEBIBYTES = 48

t.setTimeout(600_000)

t.test('capture reads more messages than fit into memory, and its memory does not grow with them', async t => {
  const chat = await chatServer(t, { pageMessages: PAGE_MESSAGES })
  const ids = chat.book.say(DEPLOYS, MESSAGES, TEXT)
  const command = await CaptureCommand.prepare(t, chat, join(ownFolder(t), 'events.db'))
  const started = performance.now()
  // Collects garbage like the process of a user: during the work, and not only when the heap is full.
  const child = command.start([`--max-old-space-size=${HEAP_MEBIBYTES}`, '--no-single-threaded-gc'])
  const sizes: number[] = []
  while (!child.hasEnded()) {
    sizes.push(residentMebibytes(child.pid))
    await sleep(50)
  }
  const { code, out } = await child.ended
  const seconds = (performance.now() - started) / 1000
  t.comment(`${Math.round(MESSAGES / seconds)} messages a second; at most ${Math.max(...sizes)} MiB`)
  t.equal(code, 0)
  t.match(JSON.parse(out), { messages: MESSAGES, created: MESSAGES, last_cursor: String(ids.at(-1)) })
  const third = Math.floor(sizes.length / 3)
  const [early, late] = [sizes.slice(third, 2 * third), sizes.slice(2 * third)].map(part => Math.max(...part))
  t.ok(Number(late) < Number(early) * 1.4, `${early} MiB in the middle, ${late} MiB in the end`)
})

/** 0 where the system does not report it, or the process is gone. */
function residentMebibytes(pid: number): number {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return 0
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) / 1024)
}
