import fc from 'fast-check'
import t from 'tap'
import { firstTimeAt, timeAt } from '../../../src/platforms/code-b/time.js'
import { jsonOf } from '../adapter-fixtures.js'
import { eventOf, INSTANCE, readFixture } from './support.js'

t.test('every format of an instant in GitLab is read without loss', async t => {
  const cases: [text: string, instant: string][] = [
    ['2013-12-03T17:15:43Z', '2013-12-03T17:15:43.000000Z'],
    ['2015-05-17 18:08:09 UTC', '2015-05-17T18:08:09.000000Z'],
    ['2015-05-17 18:08:09.123456789 UTC', '2015-05-17T18:08:09.123456Z'],
    ['2021-04-28 21:50:00 +0200', '2021-04-28T19:50:00.000000Z'],
    ['2021-04-28 21:50:00 -0730', '2021-04-29T05:20:00.000000Z'],
    ['2021-04-28 21:50:00 +02:00', '2021-04-28T19:50:00.000000Z'],
    ['2021-02-23T02:41:37.886Z', '2021-02-23T02:41:37.886000Z'],
    ['2012-01-03T23:36:29+02:00', '2012-01-03T21:36:29.000000Z'],
    ['2012-01-03T23:36:29+0200', '2012-01-03T21:36:29.000000Z'],
    ['2026-08-02T10:41:35.000+00:00', '2026-08-02T10:41:35.000000Z'],
    ['2015-04-08T21: 00:25-07:00', '2015-04-09T04:00:25.000000Z'],
    ['2024-02-29 23:59:59 UTC', '2024-02-29T23:59:59.000000Z'],
  ]
  for (const [text, instant] of cases) t.equal(timeAt({ at: text }, 'at'), instant, text)
  t.equal(timeAt({ at: 1_935_738_000 }, 'at'), '2031-05-05T09:00:00.000000Z', 'and seconds since the epoch')
})

t.test('text that is not an instant counts as absent', async t => {
  const absent = [
    null,
    '',
    '[REDACTED]',
    '2024-01-26',
    '2015-05-17 18:08:09',
    '2015-05-17T18:08:09',
    '2023-02-29 10:00:00 UTC',
    '2015-05-17 25:00:00 UTC',
    '2015-05-17 18:08:09 +9900',
    '2015-05-17 18:08:09 CEST',
    'yesterday',
    true,
    {},
    ['2013-12-03T17:15:43Z'],
  ]
  for (const value of absent) t.equal(timeAt({ at: value }, 'at'), undefined, JSON.stringify(value))
  t.equal(timeAt(undefined, 'at'), undefined)
})

t.test('the first member with an instant gives the time', async t => {
  const from = { closed_at: null, updated_at: '2015-05-17 18:08:09 UTC', created_at: '2013-12-03T17:15:43Z' }
  t.equal(firstTimeAt(from, ['closed_at', 'updated_at', 'created_at']), '2015-05-17T18:08:09.000000Z')
  t.equal(firstTimeAt(from, ['closed_at']), undefined)
})

t.test('three formats of one instant give the same instant', async () => {
  const second = fc.integer({ min: 0, max: 4_102_444_799 })
  fc.assert(
    fc.property(second, fc.integer({ min: -12 * 60, max: 14 * 60 }), (epoch, zoneMinutes) => {
      const [utc, local] = [epoch, epoch + zoneMinutes * 60].map(at => new Date(at * 1_000).toISOString().slice(0, 19))
      const [hours, minutes] = [Math.trunc(Math.abs(zoneMinutes) / 60), Math.abs(zoneMinutes) % 60].map(part =>
        String(part).padStart(2, '0'),
      )
      const written = [
        `${utc}Z`,
        `${utc?.replace('T', ' ')} UTC`,
        `${local?.replace('T', ' ')} ${zoneMinutes < 0 ? '-' : '+'}${hours}${minutes}`,
      ]
      return written.every(text => timeAt({ at: text }, 'at') === `${utc}.000000Z`)
    }),
  )
})

t.test('an approval has the time of its delivery, and not of the change before it', async t => {
  const { headers, ...fixture } = readFixture('merge-request-approved')
  const body = jsonOf({ headers, ...fixture })
  const attributes = body.object_attributes as Record<string, unknown>
  const at = (sent: string, action: string) =>
    eventOf({ headers, body: { ...body, object_attributes: { ...attributes, action, actioned_at: sent } } })
  for (const action of ['approved', 'unapproved', 'approval', 'unapproval']) {
    const [first, second] = [at('2031-05-06 17:00:00 UTC', action), at('2031-05-06 18:00:00 UTC', action)]
    t.equal(first.occurred_at, '2031-05-06T17:00:00.000000Z')
    t.not(first.dedupe_key, second.dedupe_key, 'a second approval is another event')
    const older = eventOf({ headers, body: { ...body, object_attributes: { ...attributes, action } } })
    t.match(older, { occurred_at: null, dedupe_key: `:${action}:2031-05-06T16:00:00.000000Z:1815` })
  }
})

t.test('a later status of a job does not have the creation time of the job', async t => {
  const timeOf = (build_status: string) =>
    eventOf({
      headers: INSTANCE,
      body: { object_kind: 'build', build_id: 5, build_status, build_created_at: '2031-05-06 16:00:00 UTC' },
    }).occurred_at
  t.equal(timeOf('created'), '2031-05-06T16:00:00.000000Z')
  for (const status of ['pending', 'canceling', 'manual', 'scheduled', 'running']) t.equal(timeOf(status), null, status)
})
