import fc from 'fast-check'
import t from 'tap'
import { endedCookie, readCookie, sessionCookie } from '../../src/login/cookies.js'

const NAME = 'event_session'

t.test('a cookie is found by its exact name, with its exact value', async t => {
  const cases: [string, string | undefined][] = [
    ['event_session=abc', 'abc'],
    ['event_session=abc;', 'abc'],
    ['a=1; event_session=abc; b=2', 'abc'],
    ['a=1;event_session=abc;b=2', 'abc'],
    ['a=1 ;\t event_session=abc \t; b=2', 'abc'],
    [';; event_session=abc;;', 'abc'],
    ['event_session=a=b==', 'a=b=='],
    ['event_session=', ''],
    ['event_session="abc"', '"abc"'],
    ['event_session=%61bc', '%61bc'],
    ['event_session=a+b', 'a+b'],
    ['event_session= abc', ' abc'],
    ['event_session=a,b', 'a,b'],
    ['a="; event_session=abc; "', 'abc'],
  ]
  for (const [header, value] of cases) t.equal(readCookie(header, NAME), value, header)
})

t.test('a cookie with a similar name is not read', async t => {
  const cases = [
    '',
    ';',
    '=',
    '=abc',
    'event_session',
    'a=event_session=abc',
    'Event_Session=abc',
    'EVENT_SESSION=abc',
    'event_session =abc',
    'event_session\t=abc',
    'event_sessions=abc',
    'xevent_session=abc',
    '__Host-event_session=abc',
    '__Secure-event_session=abc',
    'event%5fsession=abc',
    '"event_session"=abc',
    '$event_session=abc',
    'event_session.=abc',
    'event_session:abc',
    'a=1, event_session=abc',
    'a=1&event_session=abc',
    // White space and look-alike characters that less strict parsers remove or convert.
    '\u00a0event_session=abc',
    '\u2003event_session=abc',
    '\ufeffevent_session=abc',
    '\u000bevent_session=abc',
    '\fevent_session=abc',
    '\nevent_session=abc',
    '\revent_session=abc',
    '\0event_session=abc',
    'event_session\0=abc',
    'event_\u017fession=abc',
    '\u00c2\u00a0event_session=abc',
  ]
  for (const header of cases) t.equal(readCookie(header, NAME), undefined, JSON.stringify(header))
  t.equal(readCookie(undefined, NAME), undefined)
})

t.test('two different values of one cookie count as none', async t => {
  const cases: [string, string | undefined][] = [
    ['event_session=abc; event_session=abc', 'abc'],
    ['event_session=abc; event_session=def', undefined],
    ['event_session=def; event_session=abc', undefined],
    ['event_session=abc; a=1; event_session=def; event_session=abc', undefined],
    ['event_session=; event_session=abc', undefined],
    ['event_session=abc; event_session=', undefined],
    ['event_session=abc; event_session="abc"', undefined],
    ['event_session=abc; event_session=ABC', undefined],
    ['event_session=abc; Event_session=def', 'abc'],
    ['event_session=abc; event_session', 'abc'],
  ]
  for (const [header, value] of cases) t.equal(readCookie(header, NAME), value, header)
})

t.test('names of Object.prototype are ordinary cookie names', async t => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    t.equal(readCookie('a=1', name), undefined)
    t.equal(readCookie(`${name}=x`, name), 'x')
  }
})

t.test('a cookie is found among any other cookies', async t => {
  const other = fc.string().map(text => `x${text.replaceAll(';', '')}`)
  const value = fc.stringMatching(/^[A-Za-z0-9_-]{0,43}$/)
  fc.assert(
    fc.property(fc.array(other), value, fc.array(other), (before, value, after) => {
      return readCookie([...before, `${NAME}=${value}`, ...after].join('; '), NAME) === value
    }),
  )
  t.pass()
})

t.test('the session cookie is HttpOnly, SameSite and limited to its host', async t => {
  const cookie = { name: NAME, value: 'abc', path: '/', secure: false }
  t.equal(sessionCookie(cookie), 'event_session=abc; Path=/; HttpOnly; SameSite=Lax')
  t.equal(
    sessionCookie({ name: `__Host-${NAME}`, value: 'abc', path: '/', secure: true }),
    '__Host-event_session=abc; Path=/; HttpOnly; SameSite=Lax; Secure',
  )
  t.equal(sessionCookie({ ...cookie, path: '/daybook' }), 'event_session=abc; Path=/daybook; HttpOnly; SameSite=Lax')
})

t.test('a session cookie is cleared under the same name and path', async t => {
  t.equal(
    endedCookie({ name: NAME, path: '/daybook', secure: false }),
    'event_session=; Max-Age=0; Path=/daybook; HttpOnly; SameSite=Lax',
  )
  t.equal(
    endedCookie({ name: `__Host-${NAME}`, path: '/', secure: true }),
    '__Host-event_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
  )
})
