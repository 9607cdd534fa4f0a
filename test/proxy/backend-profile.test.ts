import fc from 'fast-check'
import t from 'tap'
import { readBackendProfiles } from '../../src/proxy/backend-profile.js'

const FOLDER = '/srv/board'

function read(profiles: unknown) {
  const result = readBackendProfiles(JSON.stringify({ profiles }), FOLDER)
  if (typeof result === 'string') throw new Error(result)
  return result
}

t.test('paths of key files are relative to the folder of the profiles, and addresses are normalised', async t => {
  const { usable } = read({
    plain: { url: 'http://board.example.org', api_key_file: 'keys/plain' },
    deep: { url: 'https://Board.Example.org:8443/a/b/', api_key_file: '/run/secrets/deep' },
    six: { url: 'http://[::1]:8766' },
  })
  t.same(usable.get('plain'), {
    name: 'plain',
    url: 'http://board.example.org',
    secure: false,
    host: 'board.example.org',
    port: 80,
    authority: 'board.example.org',
    pathPrefix: '',
    keyFile: '/srv/board/keys/plain',
  })
  t.same(usable.get('deep'), {
    name: 'deep',
    url: 'https://board.example.org:8443/a/b',
    secure: true,
    host: 'board.example.org',
    port: 8443,
    authority: 'board.example.org:8443',
    pathPrefix: '/a/b',
    keyFile: '/run/secrets/deep',
  })
  t.match(usable.get('six'), { host: '::1', port: 8766, authority: '[::1]:8766' })
})

t.test('text that is not an address of a board is refused', async t => {
  const urls = [
    ...['', 'board.example.org', 'ftp://x', 'file:///etc/passwd', 'javascript:a', 'http:', 'http://', '//x', 'http:x'],
    ...['http://a@x', 'http://a:b@x', 'http://@x', 'http://x?', 'http://x/?a=1', 'http://x#', 'http://x/#a'],
    ...[
      'http://x y',
      ' http://x',
      'http://x\n',
      'http:\\\\x',
      'http://x\\y',
      'http://é',
      'http://x:99999',
      'http://x:a',
    ],
    ...['unix:/run/x', `http://${'x'.repeat(2048)}`, 7, null, [], {}, undefined],
  ]
  for (const url of urls) {
    const { usable, refused } = read({ p: { url } })
    t.equal(usable.size, 0, JSON.stringify(url))
    t.match(refused.get('p'), /"url" must be/, JSON.stringify(url))
  }
})

t.test('an invalid member makes its own profile unusable, and no other', async t => {
  const { usable, refused } = read({
    good: { url: 'http://x' },
    key: { url: 'http://x', api_key: 'hunter2' },
    misspelled: { url: 'http://x', api_key_fil: 'x' },
    no: null,
    list: [],
    number: { url: 'http://x', api_key_file: 7 },
    empty: { url: 'http://x', api_key_file: '' },
    zero: { url: 'http://x', api_key_file: 'a\0b' },
    '../x': { url: 'http://x' },
    __proto__x: { url: 'http://x' },
  })
  t.same([...usable.keys()], ['good'])
  t.same([...refused.keys()].sort(), ['?', 'empty', 'key', 'list', 'misspelled', 'no', 'number', 'zero'])
  t.notMatch([...refused.values()].join(), /hunter2|http/i)
})

t.test('an invalid file is refused as a whole, without its content', async t => {
  const texts = [
    '',
    '{',
    'null',
    '7',
    '[]',
    '{}',
    '{"profiles":[]}',
    '{"profiles":null}',
    '{"profiles":{},"a":1}',
    '"hunter2"',
  ]
  for (const text of texts) t.equal(typeof readBackendProfiles(text, FOLDER), 'string', text)
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`p${n}`, { url: 'http://x' }]))
  t.match(readBackendProfiles(JSON.stringify({ profiles: many }), FOLDER), /more than 200/)
})

t.test('every content of the file is either read or refused', async t => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.jsonValue().map(profiles => JSON.stringify({ profiles })),
      ),
      text => {
        const result = readBackendProfiles(text, FOLDER)
        return typeof result === 'string' || result.usable.size + result.refused.size >= 0
      },
    ),
    { numRuns: 2_000 },
  )
  t.pass()
})
