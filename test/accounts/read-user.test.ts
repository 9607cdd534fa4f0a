import fc from 'fast-check'
import t from 'tap'
import { COMMON_PASSWORDS } from '../../src/accounts/common-passwords.js'
import { readChangedUser, readLogin, readNewUser } from '../../src/accounts/read-user.js'
import { AppError } from '../../src/model/app-error.js'
import { anyCharacter } from '../support/any-character.js'

const SHORTEST = 8
const PASSWORD = 'correct horse battery'

/** The fields that a reader refuses; empty if it refuses none. */
function refusedFields(read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof AppError) || !['invalid_field', 'invalid_json'].includes(error.code)) throw error
    return error.errors.map(({ field }) => field)
  }
}

t.test('a new user is read as sent, and an absent role stays absent', async t => {
  t.same(readNewUser({ username: 'Ada', password: PASSWORD }, SHORTEST), { username: 'Ada', password: PASSWORD })
  const whole = { username: 'a.b_c@d-E9', password: ' \t ÄÖ 😀 ', role: 'admin' }
  t.same(readNewUser(whole, SHORTEST), whole)
})

t.test('a refusal of a new user names every invalid field', async t => {
  const everything = { username: '', password: 'short', role: 'root', enabled: false }
  t.same(
    refusedFields(() => readNewUser(everything, SHORTEST)),
    ['/username', '/password', '/role', ''],
  )
  t.same(
    refusedFields(() => readNewUser({}, SHORTEST)),
    ['/username', '/password'],
  )
})

const USERNAMES = [
  ['a', true],
  ['9', true],
  [`a${'b'.repeat(63)}`, true],
  [`a${'b'.repeat(64)}`, false],
  ['', false],
  ['.a', false],
  ['-a', false],
  ['@a', false],
  ['a b', false],
  [' a', false],
  ['a\n', false],
  ['a\0', false],
  ['a/b', false],
  ['а', false], // Cyrillic
  ['ada\u200b', false],
  ['ａda', false], // full width
  ['ad\u0061\u0301', false],
  ['\u212a', false], // the Kelvin sign, which some fold to k
  ['\ud800', false],
  [1, false],
  [null, false],
  [['ada'], false],
  [{ toString: () => 'ada' }, false],
] as const

for (const [username, isAllowed] of USERNAMES) {
  t.test(`a user ${isAllowed ? 'may' : 'may not'} be called ${JSON.stringify(username)}`, async t => {
    const refused = refusedFields(() => readNewUser({ username, password: PASSWORD }, SHORTEST))
    t.same(refused, isAllowed ? [] : ['/username'])
  })
}

const PASSWORDS = [
  { name: 'seven bytes', password: '1234567', isAllowed: false },
  { name: 'eight bytes', password: 'x7#kQ2&p', isAllowed: true },
  { name: 'the most common kind', password: 'password', isAllowed: false },
  { name: 'a common kind in other letters', password: 'QwertyUIOP', isAllowed: false },
  { name: 'a common kind between blanks', password: ' password ', isAllowed: false },
  { name: 'a common kind in wide letters', password: 'ｐａｓｓｗｏｒｄ１', isAllowed: false },
  { name: 'a common word and more', password: 'password-and-more', isAllowed: true },
  { name: 'eight bytes in two characters', password: '😀😀', isAllowed: true },
  { name: '1024 bytes', password: 'x'.repeat(1024), isAllowed: true },
  { name: '1025 bytes', password: 'x'.repeat(1025), isAllowed: false },
  { name: '1025 bytes in fewer characters', password: `${'ä'.repeat(512)}x`, isAllowed: false },
  { name: 'half of a surrogate pair', password: 'long enough \ud83d', isAllowed: false },
  { name: 'the other half of a surrogate pair', password: 'long enough \ude00', isAllowed: false },
  { name: 'trailing NULs, which hashing ignores', password: 'long enough\0', isAllowed: false },
  { name: 'a number', password: 1234567890, isAllowed: false },
  { name: 'null', password: null, isAllowed: false },
  { name: 'a list', password: ['long enough'], isAllowed: false },
]

for (const { name, password, isAllowed } of PASSWORDS) {
  t.test(`a new password of ${name} is ${isAllowed ? 'read' : 'refused'}`, async t => {
    const expected = isAllowed ? [] : ['/password']
    t.same(
      refusedFields(() => readNewUser({ username: 'ada', password }, SHORTEST)),
      expected,
    )
    t.same(
      refusedFields(() => readChangedUser({ password }, SHORTEST)),
      expected,
    )
  })
}

t.test('a password that equals the username in any spelling is refused', async t => {
  for (const password of ['ada.lovelace', 'Ada.Lovelace', 'ａda.lovelace']) {
    const input = { username: 'Ada.Lovelace', password }
    t.same(
      refusedFields(() => readNewUser(input, SHORTEST)),
      ['/password'],
    )
    t.same(
      refusedFields(() => readChangedUser({ password }, SHORTEST, input.username)),
      ['/password'],
    )
  }
  t.same(readChangedUser({ password: 'ada.lovelace' }, SHORTEST, 'bob'), { password: 'ada.lovelace' })
})

t.test('the list of common passwords holds 3,000, each of at least 8 characters and as it is compared', async t => {
  const words = COMMON_PASSWORDS.trim().split(/\s+/)
  t.equal(new Set(words).size, 3_000)
  t.same(
    words.filter(word => word.length < 8 || word !== word.normalize('NFKC').toLowerCase()),
    [],
  )
})

t.test('a refusal does not repeat the refused values', async t => {
  const secret = 'hunter2'
  for (const input of [{ username: secret, password: secret, role: secret, [secret]: 1 }, { password: secret }]) {
    for (const read of [() => readNewUser(input, SHORTEST), () => readChangedUser(input, SHORTEST)]) {
      try {
        read()
        t.fail('read')
      } catch (error) {
        t.notMatch(JSON.stringify([error, String(error)]), secret)
      }
    }
  }
})

t.test('a change contains only the members that were sent', async t => {
  t.same(readChangedUser({ enabled: false }, SHORTEST), { enabled: false })
  t.same(readChangedUser({ role: 'member', password: PASSWORD }, SHORTEST), { role: 'member', password: PASSWORD })
})

t.test('a change without members, of other members or to invalid values is refused', async t => {
  const cases: [unknown, string[]][] = [
    [{}, ['']],
    [{ username: 'eve' }, ['']],
    [{ id: 'user_1', enabled: true }, ['']],
    [{ enabled: 'false' }, ['/enabled']],
    [{ enabled: null }, ['/enabled']],
    [{ role: 'Admin' }, ['/role']],
    [{ role: null, enabled: 0 }, ['/role', '/enabled']],
    [JSON.parse('{"__proto__":{"role":"admin"},"enabled":true}'), ['']],
  ]
  for (const [input, fields] of cases) {
    t.same(
      refusedFields(() => readChangedUser(input, SHORTEST)),
      fields,
      JSON.stringify(input),
    )
  }
})

t.test('a login accepts any username and ignores unknown fields', async t => {
  const login = { username: 'Аda\0', password: '', next: ['/'], remember: true }
  t.same(readLogin(login), { username: 'Аda\0', password: '', next: ['/'] })
})

t.test('a login without a valid username and password is refused', async t => {
  const cases: [unknown, string[]][] = [
    [{}, ['/username', '/password']],
    [{ username: 'ada' }, ['/password']],
    [{ username: ['ada'], password: { $ne: '' } }, ['/username', '/password']],
    [{ username: 'ada', password: 'x'.repeat(1025) }, ['/password']],
    [{ username: 'ada', password: 'x'.repeat(1 << 20) }, ['/password']],
    [{ username: '\udc00', password: '\ud800' }, ['/username', '/password']],
    [JSON.parse('{"__proto__":{"username":"ada","password":"x"}}'), ['/username', '/password']],
  ]
  for (const [input, fields] of cases)
    t.same(
      refusedFields(() => readLogin(input)),
      fields,
    )
})

t.test('every input is either read or refused with named fields', async () => {
  const member = fc.constantFrom('username', 'password', 'role', 'enabled', 'next', '__proto__', 'other')
  const value = fc.oneof(fc.anything(), fc.string({ unit: anyCharacter }))
  const input = fc.oneof(fc.anything(), fc.dictionary(member, value), fc.jsonValue())
  await fc.assert(
    fc.property(input, input => {
      for (const read of [readNewUser, readChangedUser, readLogin]) refusedFields(() => read(input, SHORTEST))
    }),
  )
})
