import fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { type FileCalls, JoinedWrites } from '../../../../src/store/sqlite/files/joined-writes.js'

const NAMES = ['journal', 'database']
const MIB = 1024 * 1024

/** A call on one of the open files, as SQLite makes them. @returns what it answered */
type Step = (files: FileCalls, fds: readonly number[]) => unknown

const file = fc.nat(NAMES.length - 1)
const place = fc.nat(40)
const piece = fc.uint8Array({ minLength: 1, maxLength: 12 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(file, place, fc.array(piece, { minLength: 1, maxLength: 6 })).map(([at, from, pieces]): Step => {
    return (files, fds) => {
      let position = from
      for (const bytes of pieces) position += files.writeSync(fds[at] as number, bytes, 0, bytes.length, position)
      return position
    }
  }),
  fc.tuple(file, place, fc.nat(30)).map(([at, position, length]): Step => {
    return (files, fds) => {
      const into = Buffer.alloc(length)
      return [files.readSync(fds[at] as number, into, 0, length, position), into.toString('hex')]
    }
  }),
  file.map(
    (at): Step =>
      (files, fds) =>
        files.fstatSync(fds[at] as number).size,
  ),
  fc.tuple(file, place).map(
    ([at, length]): Step =>
      (files, fds) =>
        files.ftruncateSync(fds[at] as number, length),
  ),
  file.map(
    (at): Step =>
      (files, fds) =>
        files.fsyncSync(fds[at] as number),
  ),
)

/** The results of all calls, and the final content of the files. */
function run(folder: string, files: FileCalls, steps: readonly Step[]): unknown[] {
  fs.mkdirSync(folder)
  const paths = NAMES.map(name => join(folder, name))
  const fds = paths.map(path => fs.openSync(path, 'w+'))
  const answers = steps.map(step => step(files, fds))
  for (const fd of fds) files.closeSync(fd)
  const held = paths.map(path => fs.readFileSync(path, 'hex'))
  fs.rmSync(folder, { recursive: true })
  return [answers, held]
}

t.test('joined writes give the same results and files as single ones', async t => {
  const folder = t.testdir()
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), steps => {
      const single = run(join(folder, 'single'), fs, steps)
      const writes = new JoinedWrites(fs)
      t.same(
        writes.during(() => run(join(folder, 'joined'), writes.calls, steps)),
        single,
      )
    }),
    { numRuns: 300 },
  )
})

t.test('consecutive writes become one system call when the file is synced', async t => {
  const { writes, files, fd, written } = open(t.testdir())
  writes.during(() => {
    for (let at = 0; at < 100; at++) files.writeSync(fd, Buffer.alloc(8_216, at), 0, 8_216, at * 8_216)
    t.same(written, [])
    files.fsyncSync(fd)
    t.same(written, [821_600])
  })
})

t.test('at most a mebibyte of a commit is buffered', async t => {
  const { writes, files, fd, written } = open(t.testdir())
  writes.during(() => {
    for (let at = 0; at < 5_000; at++) files.writeSync(fd, Buffer.alloc(1_000), 0, 1_000, at * 1_000)
    files.writeSync(fd, Buffer.alloc(3 * MIB), 0, 3 * MIB, 5_000_000)
    files.fsyncSync(fd)
  })
  t.equal(
    written.reduce((sum, length) => sum + length, 0),
    5_000_000 + 3 * MIB,
  )
  t.ok(written.slice(0, -1).every(length => length <= MIB))
})

t.test('the rest of a page after a sync is written immediately', async t => {
  const { writes, files, fd, written } = open(t.testdir())
  const other = fs.openSync(join(t.testdirName, 'other'), 'w+')
  let end = 0
  const write = (length: number, to = fd) => {
    files.writeSync(to, Buffer.alloc(length), 0, length, end)
    end += length
  }
  writes.during(() => {
    files.fsyncSync(fd)
    for (const length of [20, 8_192]) write(length)
    t.same(written.splice(0), [20, 8_192])
    for (const length of [24, 8_192]) write(length)
    t.same(written, [], 'the next page is kept again')
    for (const length of [24, 8_192]) write(length, other)
    files.fsyncSync(other)
    t.same(written.splice(0), [8_216, 8_216], 'as are those of another file')
    files.fsyncSync(fd)
  })
  writes.during(() => {
    write(24)
    t.same(written, [], 'as is the next transaction')
  })
  t.same(written.splice(0), [24])
  write(24)
  t.same(written, [24], 'what runs outside is not')
  for (const opened of [fd, other]) files.closeSync(opened)
})

t.test('a write that the disk refuses fails one sync, and the buffer is discarded', async t => {
  let isFull = true
  const { path, writes, files, fd } = open(t.testdir(), length => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    return length
  })
  const commit = (text: string) =>
    writes.during(() => {
      files.writeSync(fd, Buffer.from(text), 0, text.length, 0)
      files.fsyncSync(fd)
    })
  t.throws(() => commit('lost'), { code: 'ENOSPC' })
  isFull = false
  files.fsyncSync(fd)
  t.equal(fs.readFileSync(path, 'utf8'), '')
  commit('again')
  t.equal(fs.readFileSync(path, 'utf8'), 'again')
})

t.test('the buffered writes of a failed transaction are discarded', async t => {
  const { path, writes, files, fd } = open(t.testdir())
  const failing = () => {
    files.writeSync(fd, Buffer.from('lost'), 0, 4, 0)
    throw new Error('a bad event')
  }
  t.throws(() => writes.during(failing), { message: 'a bad event' })
  files.closeSync(fd)
  t.equal(fs.readFileSync(path, 'utf8'), '')
})

t.test('an interrupted WAL checkpoint does not fail the commit before it', async t => {
  let isFull = false
  const { path, writes, files, fd } = open(t.testdir(), length => {
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    return length
  })
  const work = () => {
    files.writeSync(fd, Buffer.from('page'), 0, 4, 0)
    isFull = true
    return 'committed'
  }
  t.equal(writes.during(work), 'committed')
  isFull = false
  files.closeSync(fd)
  t.equal(fs.readFileSync(path, 'utf8'), '')
})

t.test('a write of which the disk stores nothing fails', async t => {
  const { writes, files, fd } = open(t.testdir(), () => 0)
  const commit = () => {
    files.writeSync(fd, Buffer.from('page'), 0, 4, 0)
    files.fsyncSync(fd)
  }
  t.throws(() => writes.during(commit), { message: /wrote no byte/ })
})

t.test('the rest of a partial write is written with the next call', async t => {
  const { path, writes, files, fd, written } = open(t.testdir(), length => Math.min(3, length))
  writes.during(() => {
    files.writeSync(fd, Buffer.from('one, two, '), 0, 10, 0)
    files.writeSync(fd, Buffer.from('three'), 0, 5, 10)
    files.fsyncSync(fd)
  })
  t.same(written, [3, 3, 3, 3, 3])
  t.equal(fs.readFileSync(path, 'utf8'), 'one, two, three')
})

/** @param takes how much of a write the disk takes; may throw */
function open(folder: string, takes = (length: number) => length) {
  const path = join(folder, 'file')
  /** The length of every write that reached the system. */
  const written: number[] = []
  const writes = new JoinedWrites({
    ...fs,
    writeSync: (fd, buffer, offset, length, position) => {
      const taken = takes(length)
      written.push(taken)
      return fs.writeSync(fd, buffer, offset, taken, position)
    },
  })
  return { path, writes, files: writes.calls, fd: fs.openSync(path, 'w+'), written }
}
