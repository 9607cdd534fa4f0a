import t from 'tap'
import type { AppError } from '../../../src/model/app-error.js'
import { BodyBudget } from '../../../src/server/request/body-budget.js'

/** A budget of 100 bytes that notes which bodies were refused in favour of others. */
function startBudget() {
  let now = 0
  const budget = new BodyBudget(100, () => now)
  const refused: string[] = []
  const open = (name: string) => budget.open((error: AppError) => refused.push(`${name} ${error.code}`))
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { open, refused, pass }
}

const BUSY = { category: 'unavailable', code: 'busy', retryAfterSeconds: 1 }

t.test(
  'when the budget is used up, the largest arriving body is refused, so that a smaller one is accepted',
  async t => {
    const { open, refused } = startBudget()
    const [greedy, slow, small] = [open('greedy'), open('slow'), open('small')]
    greedy.take(60)
    slow.take(40)
    small.take(10)
    t.same(refused, ['greedy busy'])
    small.take(50)
    t.same(refused, ['greedy busy'], 'its share was free again')
    t.throws(() => small.take(1), BUSY, 'now it is the largest itself')
    t.same(refused, ['greedy busy'])
  },
)

t.test('a body that is complete keeps its share until it is answered', async t => {
  const { open, refused } = startBudget()
  const [complete, late] = [open('complete'), open('late')]
  complete.take(90)
  complete.complete()
  t.throws(() => late.take(20), BUSY)
  complete.release()
  complete.release()
  late.take(100)
  t.same(refused, [])
})

t.test('many small bodies whose senders stop halfway do not exclude a larger one', async t => {
  const { open, refused, pass } = startBudget()
  const stopped = Array.from({ length: 10 }, (_, at) => open(`stopped ${at}`))
  for (const share of stopped) share.take(10)
  pass(2_000)
  const arriving = open('arriving')
  for (let bytes = 0; bytes < 100; bytes += 20) arriving.take(20)
  t.equal(refused.length, 10)
})

t.test('the slower of two long uploads is refused', async t => {
  const { open, refused, pass } = startBudget()
  const [slow, slower] = [open('slow'), open('slower')]
  slow.take(60)
  slower.take(40)
  pass(10_000)
  t.throws(() => slower.take(1), BUSY)
  slow.take(1)
  t.same(refused, ['slower busy'])
})
