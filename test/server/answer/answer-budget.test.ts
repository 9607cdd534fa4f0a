import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import {
  AnswerBudget,
  type AnswerLimits,
  type AnswerRoom,
  PIECE_BYTES,
} from '../../../src/server/answer/answer-budget.js'
import { until } from '../../support/until.js'

const LIMITS: AnswerLimits = { bytes: 100, waiting: 2, waitMs: 1_000_000, patienceMs: 4, takenMs: 1_000_000 }
const BUSY = { category: 'unavailable', code: 'busy', retryAfterSeconds: 1 }

/** A budget of 100 bytes that notes which answers were cut off. */
function startBudget(limits: Partial<AnswerLimits> = {}) {
  const time = { now: 0 }
  const budget = new AnswerBudget({ ...LIMITS, ...limits }, () => time.now)
  const cut: string[] = []
  const open = (name: string) => {
    const res = new EventEmitter() as ServerResponse
    Object.assign(res, { req: { socket: { destroy: () => cut.push(name) } } })
    return { room: budget.roomFor(res), leave: () => res.emit('close') }
  }
  return { budget, cut, open, time }
}

/** The state of a request for room. */
function ask(room: AnswerRoom, bytes: number) {
  const asked = { isAdmitted: false, code: '' }
  const answered = room.reserve(bytes).then(
    () => {
      asked.isAdmitted = true
    },
    error => {
      asked.code = error.code ?? error.message
    },
  )
  return { asked, answered }
}

t.test('an answer waits until another one returns its room', async t => {
  const { open } = startBudget()
  const [first, second] = [open('first'), open('second')]
  await first.room.reserve(80)
  const waiting = ask(second.room, 40)
  t.same(waiting.asked, { isAdmitted: false, code: '' })
  first.room.hold(60)
  await waiting.answered
  t.equal(waiting.asked.isAdmitted, true)
})

t.test('an answer that ends returns all its room, even while it waits for more', async t => {
  const { open } = startBudget()
  const [first, second, third] = [open('first'), open('second'), open('third')]
  await first.room.reserve(80)
  const leaving = ask(second.room, 40)
  const staying = ask(third.room, 100)
  second.leave()
  await leaving.answered
  t.equal(leaving.asked.code, 'The reader left.')
  first.leave()
  await staying.answered
  t.equal(staying.asked.isAdmitted, true)
  first.room.hold(50)
  t.equal(first.room.bytes, 0)
})

t.test('answers that wait too long, or exceed the queue, are refused', async t => {
  const { open } = startBudget({ waitMs: 1 })
  await open('first').room.reserve(100)
  await t.rejects(open('second').room.reserve(1), BUSY)
  const full = startBudget({ waiting: 0 })
  await full.open('first').room.reserve(100)
  await t.rejects(full.open('second').room.reserve(1), BUSY)
})

t.test('readers that stopped reading are disconnected to make room for others, the longest idle first', async t => {
  const { open, cut, time } = startBudget()
  const names = ['reading', 'stopped last', 'stopped first']
  const [reading, last, first] = names.map(open) as [
    ReturnType<typeof open>,
    ReturnType<typeof open>,
    ReturnType<typeof open>,
  ]
  for (const { room } of [reading, last, first]) await room.reserve(30)
  first.room.leftUntaken()
  time.now = 1
  last.room.leftUntaken()
  reading.room.leftUntaken()
  reading.room.taken()
  time.now = 100
  t.same(cut, [])
  const waiting = ask(open('waiting').room, 40)
  await waiting.answered
  t.same(cut, ['stopped first'])
  const more = open('more')
  const { asked, answered } = ask(more.room, 70)
  await until(() => cut.length === 2)
  t.same(cut, ['stopped first', 'stopped last'])
  t.equal(asked.isAdmitted, false, 'the one that reads keeps its room')
  more.leave()
  await answered
})

t.test('an answer that is larger than a chunk leaves half of the memory to others', async t => {
  const { budget, open } = startBudget({ bytes: 4 * PIECE_BYTES })
  await open('large').room.reserve(2 * PIECE_BYTES)
  t.equal(budget.hasRoom(PIECE_BYTES + 1), false)
  t.equal(budget.hasRoom(PIECE_BYTES), true)
})

t.test('an answer that is too large counts as the half of the memory that it may use', async t => {
  const { open } = startBudget({ bytes: 4 * PIECE_BYTES })
  const { room } = open('largest')
  await room.reserve(100 * PIECE_BYTES)
  t.equal(room.bytes, 2 * PIECE_BYTES)
})

t.test('an answer whose reader has left gets no room', async t => {
  const { budget } = startBudget()
  const res = Object.assign(new EventEmitter(), { closed: true, req: { socket: {} } }) as unknown as ServerResponse
  const room = budget.roomFor(res)
  await t.rejects(room.reserve(1), { message: 'The reader left.' })
  room.hold(50)
  t.equal(room.bytes, 0)
})

t.test('memory is freed immediately when its last holder returns it', async t => {
  const { budget } = startBudget()
  const bytes = new Uint8Array(64 * 1024)
  budget.free(bytes)
  t.equal(bytes.length, 0)
  // Node shares a buffer between what is smaller than half of it.
  const shared = Buffer.from('x'.repeat(Buffer.poolSize / 2 - 1))
  budget.free(shared)
  t.equal(shared.length, Buffer.poolSize / 2 - 1)
})

/** Pieces that wait, and the names of those that may be written. */
function askForPieces(budget: AnswerBudget, names: readonly string[]): string[] {
  const admitted: string[] = []
  for (const name of names) void budget.nextPiece().then(() => admitted.push(name))
  return admitted
}

const turn = () => new Promise(setImmediate)

t.test('one chunk is written per turn of the event loop, in the order of the requests', async t => {
  const { budget } = startBudget()
  const admitted = askForPieces(budget, ['a', 'b', 'c'])
  t.same(admitted, [])
  await turn()
  t.same(admitted, ['a'])
  await turn()
  t.same(admitted, ['a', 'b'])
  await turn()
  t.same(admitted, ['a', 'b', 'c'])
  const later = askForPieces(budget, ['d'])
  await turn()
  t.same(later, ['d'], 'after a pause as before')
})

t.test('a chunk waits for a turn without a new connection, at most 20 ms', async t => {
  const { budget, time } = startBudget()
  const admitted = askForPieces(budget, ['a', 'b', 'c', 'd'])
  await turn()
  t.same(admitted, ['a'])
  budget.connected()
  await turn()
  t.same(admitted, ['a'])
  await turn()
  t.same(admitted, ['a', 'b'])
  time.now += 19
  budget.connected()
  await turn()
  t.same(admitted, ['a', 'b'])
  time.now += 1
  budget.connected()
  await turn()
  t.same(admitted, ['a', 'b', 'c'])
  await turn()
  t.same(admitted, ['a', 'b', 'c', 'd'])
})
