import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { claimFile } from '../../../../src/store/sqlite/owner/claim.js'
import { testFolder } from '../../../support/test-folder.js'
import { own, ROUNDS, recordWith, runProgram, shortFolder } from './owner-rig.js'

/** To acquire and release a ledger takes at least so many steps that change the disk. */
const STEPS_OF_AN_OWNER = 15
const LONG = { timeout: 300_000 * ROUNDS }

t.setTimeout(4 * LONG.timeout)

t.test('a ledger never has two owners, in any order of the steps of the candidates', LONG, async t => {
  const seeds = 20 * ROUNDS
  const first = process.env.DAYBOOK_TEST_SEED ?? String(1 + Math.floor(Math.random() * 1_000_000))
  const { output } = await runProgram(t, 'interleaved', [testFolder(t), first, String(seeds)]).end
  t.equal(output.trim(), 'done', `seeds from ${first}`)
})

t.test('a ledger never has two owners among racing processes', LONG, async t => {
  const database = join(shortFolder(t), 'events.db')
  const rounds = 8 * ROUNDS
  const racers = Array.from({ length: 4 }, () => runProgram(t, 'contender', [database, String(rounds)]))
  for (const racer of racers) {
    const { output, code } = await racer.end
    t.same({ output, code }, { output: 'round\n'.repeat(rounds), code: 0 })
  }
})

t.test('a ledger never has two owners while racing processes are killed and stopped at random', LONG, async t => {
  const folder = shortFolder(t)
  const database = join(folder, 'events.db')
  const start = () => runProgram(t, 'contender', [database, '1000000'])
  const racers = Array.from({ length: 3 }, start)
  await Promise.all(racers.map(racer => racer.line('round')))
  for (let round = 0; round < 8 * ROUNDS; round += 1) {
    await sleep(Math.random() * 120)
    const victim = Math.floor(Math.random() * racers.length)
    const racer = racers[victim]
    if (Math.random() < 0.5) {
      racer?.child.kill('SIGSTOP')
      await sleep(Math.random() * 60)
      racer?.child.kill('SIGCONT')
    }
    racer?.child.kill('SIGKILL')
    const ended = await racer?.end
    t.equal(ended?.signal, 'SIGKILL', ended?.output.replaceAll('round\n', '') ?? '')
    racers[victim] = start()
  }
  for (const racer of racers) {
    racer.child.kill('SIGKILL')
    const { signal, output } = await racer.end
    t.equal(signal, 'SIGKILL', output.replaceAll('round\n', ''))
  }
  await (await own(t, { database })).release()
  t.same(
    readdirSync(folder).filter(name => name !== 'events.db.inside'),
    [],
  )
})

t.test('a kill at any instruction leaves a ledger that the next start opens without manual repair', LONG, async t => {
  const folder = shortFolder(t)
  const states = join(folder, 'states')
  const database = join(folder, 'ledger', 'events.db')
  mkdirSync(join(folder, 'ledger'))
  const dead = await recordWith({ started: '1' })
  writeFileSync(`${database}.owner`, JSON.stringify(dead))
  writeFileSync(claimFile(database, dead), '')
  writeFileSync(`${database}.owner.0123456789abcdef.tmp`, '{"pid":1')
  mkdirSync(`${database}.lock`)
  t.match(await runProgram(t, 'kill-states-of-owning', [database, states]).end, { code: 0, output: '' })
  t.same(readdirSync(join(folder, 'ledger')), [])
  const steps = readdirSync(states)

  t.ok(steps.length >= STEPS_OF_AN_OWNER)
  for (const step of steps) {
    const next = await own(t, { database: join(states, step, 'events.db'), silenceMs: 60_000 })
    t.same(readdirSync(join(states, step)), ['events.db-shm', 'events.db.owner'], `killed at step ${step}`)
    await next.release()
    t.same(readdirSync(join(states, step)), [])
  }
})
