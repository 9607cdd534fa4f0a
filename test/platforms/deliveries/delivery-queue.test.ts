import t from 'tap'
import { DeliveryQueue, type WaitingDelivery } from '../../../src/platforms/deliveries/delivery-queue.js'

const MIB = 1024 * 1024

interface Named extends WaitingDelivery {
  name: string
}

/** A queue that notes which deliveries it refused. */
function startQueue() {
  const queue = new DeliveryQueue<Named>()
  const refused: string[] = []
  const waiting = (name: string, bytes: number, isVerified = false): Named => ({
    name,
    bytes,
    isVerified,
    refuse: error => refused.push(`${name} ${error.code}`),
  })
  const drain = () => {
    const names: string[] = []
    for (let next = queue.next(); next; next = queue.next()) names.push(next.name)
    return names
  }
  return { queue, refused, waiting, drain }
}

t.test('a full queue refuses its largest delivery, regardless of the order of arrival', async t => {
  const { queue, refused, waiting, drain } = startQueue()
  for (const name of ['a', 'b', 'c']) queue.add(waiting(name, 20 * MIB))
  queue.add(waiting('ordinary', 300_000))
  t.same(refused, [], '64 MiB are enough for these')
  queue.add(waiting('small', 5 * MIB))
  t.same(refused, ['c busy'])
  queue.add(waiting('huge', 25 * MIB))
  t.same(refused, ['c busy', 'huge busy'])
  t.same(drain(), ['ordinary', 'small', 'a', 'b'])
  queue.add(waiting('after', 25 * MIB))
  t.same(drain(), ['after'], 'what was taken counts no longer')
})

t.test('at most 16 unverified deliveries wait; verified ones are not counted', async t => {
  const { queue, refused, waiting, drain } = startQueue()
  for (let index = 0; index < 20; index++) queue.add(waiting(`verified ${index}`, 25 * MIB, true))
  for (let index = 0; index < 17; index++) queue.add(waiting(String(index), 300_000 + index))
  t.same(refused, ['16 busy'])
  t.equal(drain().length, 36)
})

t.test('a delivery is refused while it waits, and not once its processing has begun', async t => {
  const { queue, refused, waiting, drain } = startQueue()
  const [first, second] = [waiting('first', 1), waiting('second', 2)]
  queue.add(first)
  queue.add(second)
  t.equal(queue.next(), first)
  queue.giveUp(first)
  queue.giveUp(second)
  queue.giveUp(second)
  t.same(refused, ['second busy'])
  t.same(drain(), [])
})
