import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { LogOutput, MAX_PENDING_BYTES } from '../../../src/server/logging/log-output.js'
import { createLogger } from '../../../src/server/logging/logger.js'

/** A disk, or a pipe, that accepts a number of bytes and then fails. */
function disk(room = Number.POSITIVE_INFINITY) {
  const state = { room, text: '' }
  const write = (bytes: Uint8Array) => {
    if (state.room === 0) throw new Error('ENOSPC: no space left on device, write')
    const taken = bytes.subarray(0, state.room)
    state.room -= taken.length
    state.text += Buffer.from(taken).toString()
    return taken.length
  }
  return { state, write }
}

function output(room?: number) {
  const retries: (() => void)[] = []
  const { state, write } = disk(room)
  const log = new LogOutput({
    write,
    lostLine: count => `${count} lost\n`,
    later: retry => retries.push(retry),
  })
  return { state, log, retries }
}

t.test('lines that a full disk refuses are written once it has room', async t => {
  const { state, log, retries } = output(9)
  for (const line of ['first\n', 'second\n', 'third\n']) log.write(line)
  t.equal(state.text, 'first\nsec')
  t.equal(retries.length, 1)
  state.room = Number.POSITIVE_INFINITY
  retries[0]?.()
  t.equal(state.text, 'first\nsecond\nthird\n')
})

t.test('the next line also writes the pending lines, in order', async t => {
  const { state, log } = output(0)
  log.write('first\n')
  state.room = Number.POSITIVE_INFINITY
  log.write('second\n')
  t.equal(state.text, 'first\nsecond\n')
})

t.test('the buffer is bounded, and one line gives the number of dropped lines', async t => {
  const { state, log, retries } = output(0)
  const long = `${'x'.repeat(MAX_PENDING_BYTES / 2 - 1)}\n`
  for (const line of [long, long, 'a\n', 'b\n', 'c\n']) log.write(line)
  state.room = Number.POSITIVE_INFINITY
  retries[0]?.()
  log.write('after\n')
  t.equal(state.text.replaceAll(long, 'long\n'), 'long\nlong\n3 lost\nafter\n')
})

t.test('writes to a full disk are retried with one timer', async t => {
  const { log, retries } = output(0)
  for (let n = 0; n < 3; n++) log.write(`${n}\n`)
  t.equal(retries.length, 1)
  retries[0]?.()
  t.equal(retries.length, 2)
})

for (const pretty of [false, true]) {
  t.test(
    `a logger ${pretty ? 'for people' : 'for programs'} survives a full disk, and reports the missing lines`,
    async t => {
      const { state, write } = disk(0)
      const logger = createLogger({ level: 'info', pretty }, write)
      for (let n = 0; n < 12_000; n++) logger.info({ text: 'x'.repeat(100) }, 'while it is full')
      state.room = Number.POSITIVE_INFINITY
      logger.info('with room')
      const lines = stripVTControlCharacters(state.text).trimEnd().split('\n')
      const written = lines.filter(line => line.includes('while it is full')).length
      t.ok(written > 3_000 && written < 12_000)
      const lost = lines.map(line => /lost_lines"?: ?(\d+)/.exec(line)?.[1]).filter(count => count !== undefined)
      t.same(lost, [String(12_000 - written)])
      t.match(lines.at(-1), 'with room')
    },
  )
}

t.test('an object that cannot be serialised is logged without its members', async t => {
  const { state, write } = disk()
  const logger = createLogger({ level: 'info', pretty: false }, write)
  const hostile = new Error('the cause')
  Object.defineProperty(hostile, 'stack', {
    get: () => {
      throw new Error('no stack for you')
    },
  })
  logger.error({ err: hostile }, 'a request failed')
  t.match(JSON.parse(state.text), { level: 50, msg: /no stack for you.*a request failed/ })
})
