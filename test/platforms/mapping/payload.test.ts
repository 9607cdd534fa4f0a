import t from 'tap'
import {
  firstInstantAt,
  idAt,
  instantAt,
  objectAt,
  objectsAt,
  textAt,
  webUrlAt,
} from '../../../src/platforms/mapping/payload.js'
import { canonicalVerb } from '../../../src/platforms/mapping/words.js'

t.test('missing, null, empty, redacted and malformed values count as absent', async t => {
  const values = [undefined, null, '', '[REDACTED]', [], {}, true]
  for (const value of values) {
    const from = { member: value }
    const absent = [textAt, idAt, objectAt, instantAt, webUrlAt].map(read => read(from, 'member'))
    t.strictSame(absent, [undefined, undefined, undefined, undefined, undefined], JSON.stringify(value))
  }
  t.equal(textAt(undefined, 'member'), undefined)
  for (const value of [[{}], 'text', 7])
    t.equal(objectAt({ member: value }, 'member'), undefined, JSON.stringify(value))
  t.strictSame(objectsAt({ member: [1, null, { id: 1 }, []] }, 'member'), [{ id: 1 }])
})

t.test('inherited members count as absent', async t => {
  t.equal(objectAt({}, '__proto__'), undefined)
  t.equal(textAt({}, 'constructor'), undefined)
})

t.test('an id may be a number or a text', async t => {
  t.equal(idAt({ id: 12 }, 'id'), '12')
  t.equal(idAt({ id: 0 }, 'id'), '0')
  t.equal(idAt({ id: 'PR_1' }, 'id'), 'PR_1')
  t.equal(idAt({ id: Number.NaN }, 'id'), undefined)
  t.equal(idAt({ id: Number.POSITIVE_INFINITY }, 'id'), undefined)
})

t.test('instants are read in all formats that platforms write', async t => {
  const cases: [unknown, string | undefined][] = [
    ['2031-05-04T09:00:00Z', '2031-05-04T09:00:00.000000Z'],
    ['2031-05-04T09:00:00.1234567Z', '2031-05-04T09:00:00.123456Z'],
    ['2031-05-04T11:00:00.000+02:00', '2031-05-04T09:00:00.000000Z'],
    [1935738000, '2031-05-05T09:00:00.000000Z'],
    [1935738000.25, '2031-05-05T09:00:00.250000Z'],
    ['0001-01-01T00:00:00Z', undefined],
    ['2031-05-04T09:00:00', undefined],
    ['2031-02-30T09:00:00Z', undefined],
    ['yesterday', undefined],
    [0, undefined],
    [-1, undefined],
    [1e300, undefined],
    [Number.NaN, undefined],
  ]
  for (const [value, instant] of cases) t.equal(instantAt({ at: value }, 'at'), instant, String(value))
  t.equal(firstInstantAt({ a: null, b: 1935738000 }, ['a', 'b']), '2031-05-05T09:00:00.000000Z')
})

t.test('only http and https addresses are read as addresses', async t => {
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//example.com',
    'git@example.com:a/b',
    'ftp://example.com',
  ]) {
    t.equal(webUrlAt({ url }, 'url'), undefined, url)
  }
  t.equal(webUrlAt({ url: 'https://example.com/a' }, 'url'), 'https://example.com/a')
})

t.test('synonyms become one verb, and other words stay', async t => {
  const synonyms = {
    created: ['opened', 'open', 'create', 'created'],
    added: ['award', 'add', 'added'],
    removed: ['revoke', 'revoked', 'remove', 'removed'],
    updated: ['edited', 'edit', 'update', 'updated', 'synchronize'],
    deleted: ['delete', 'deleted', 'destroyed', 'destroy', 'trashed'],
    restored: ['recovered', 'restored', 'undeleted'],
    closed: ['close', 'closed'],
    reopened: ['reopen', 'reopened'],
    merged: ['merge', 'merged'],
  }
  for (const [verb, words] of Object.entries(synonyms))
    for (const word of words) t.equal(canonicalVerb(word), verb, word)
  for (const word of ['labeled', 'transferred', 'completed', 'released', 'constructor'])
    t.equal(canonicalVerb(word), word)
})
