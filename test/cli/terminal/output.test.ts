import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import t from 'tap'
import { Output } from '../../../src/cli/terminal/output.js'
import { Progress } from '../../../src/cli/terminal/progress.js'
import { waitForSignal } from '../../../src/cli/wait-for-signal.js'

function sink(options: { isTTY?: boolean; columns?: number; highWaterMark?: number } = {}) {
  const written: string[] = []
  const held: (() => void)[] = []
  const stream = Object.assign(
    new Writable({
      highWaterMark: options.highWaterMark ?? 1024,
      write: (chunk: Buffer, _, done) => {
        written.push(chunk.toString())
        if (options.highWaterMark === 1) held.push(done)
        else done()
      },
    }),
    options,
  )
  return { stream, written, held }
}

t.test('every text ends its line', async t => {
  const { stream, written } = sink()
  const output = new Output(stream)
  await output.print('a')
  await output.print('b\n')
  await output.print('')
  await output.print(Buffer.from('c'))
  t.equal(written.join(''), 'a\nb\nc\n')
})

t.test('an output knows whether it is a terminal, and its width', async t => {
  t.match(new Output(sink().stream), { isTerminal: false, columns: 80 })
  t.match(new Output(sink({ isTTY: true, columns: 120 }).stream), { isTerminal: true, columns: 120 })
  t.match(new Output(sink({ isTTY: true, columns: 0 }).stream), { columns: 80 })
})

t.test('the program waits for a slow reader', async t => {
  const { stream, held } = sink({ highWaterMark: 1 })
  let isDone = false
  const printed = new Output(stream).print('abc\n').then(() => {
    isDone = true
  })
  await new Promise(resolve => setImmediate(resolve))
  t.equal(isDone, false)
  held[0]?.()
  await printed
  t.equal(isDone, true)
})

t.test('a full disk fails the write and every later one', async t => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  const output = new Output(new Writable({ write: (_chunk, _encoding, done) => done(full) }))
  for (const text of ['a', 'b\n']) await t.rejects(output.print(text), { category: 'unavailable', code: 'output_full' })
  t.equal(output.closed.aborted, false, 'which is no reader that leaves')
})

t.test('if the process continues, a full disk is reported, and no write waits for it', async t => {
  const { stream } = sink({ highWaterMark: 1 })
  const output = new Output(stream)
  const reported: Error[] = []
  output.reportFailures(error => reported.push(error))
  const printed = output.print('abc\n')
  stream.destroy(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
  await printed
  t.match(reported, [{ code: 'ENOSPC' }])
})

t.test('a reader that leaves is not a failure, and the program does not wait for it', async t => {
  const { stream } = sink({ highWaterMark: 1 })
  const output = new Output(stream)
  const printed = output.print('abc\n')
  stream.destroy(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }))
  await printed
  t.equal(output.closed.aborted, true)
  await output.print('more\n')
})

t.test('progress is a line that is overwritten and removed, and appears only at a terminal', async t => {
  const terminal = sink({ isTTY: true })
  const progress = new Progress(terminal.stream)
  progress.show('1')
  progress.show('2')
  progress.end()
  progress.end()
  t.equal(terminal.written.join(''), '\r1\x1b[K\r2\x1b[K\r\x1b[K')
  const pipe = sink()
  const silent = new Progress(pipe.stream)
  silent.show('1')
  silent.end()
  t.same(pipe.written, [])
})

t.test('the first signal requests a stop, and the second ends the process', async t => {
  const exits: number[] = []
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) })
  const signalled = waitForSignal(source)
  source.emit('SIGTERM')
  await signalled
  t.same(exits, [])
  source.emit('SIGINT')
  source.emit('SIGTERM')
  t.same(exits, [130, 143])
})
