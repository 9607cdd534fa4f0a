import t from 'tap'
import { BOARD_ACCESS, type BoardAccess } from '../../src/gate/access.js'
import {
  type Decision,
  decide,
  type ExecutorProof,
  type GateRules,
  type Refusal,
  type ResolvedRequest,
} from '../../src/gate/decide.js'
import type { BoardIdentity } from '../../src/gate/identity.js'

const MODES = ['open', 'key only', 'password only', 'password and key', 'owner socket'] as const
type Mode = (typeof MODES)[number]

/** With a wrong key or a dead cookie, the gate receives the same as without. */
const CREDENTIALS = ['none', 'the key', 'a live cookie', 'a live cookie, the key'] as const
type Credential = (typeof CREDENTIALS)[number]

const ORIGINS = {
  absent: undefined,
  own: 'HOST',
  'https twin': 'HTTPS HOST',
  service: 'https://board.example.org',
  'service without TLS': 'http://board.example.org',
  foreign: 'https://evil.example',
  'foreign that begins alike': 'https://board.example.org.evil.example',
  null: 'null',
  empty: '',
  twice: 'HOST, HOST',
} as const
type Origin = keyof typeof ORIGINS
const OURS: readonly Origin[] = ['own', 'service']

const HOSTS = { loopback: '127.0.0.1:8766', elsewhere: 'rebound.example:8766', absent: undefined } as const
type Host = keyof typeof HOSTS

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const EXECUTORS = ['unset', 'missing', 'wrong', 'right'] as const satisfies readonly ExecutorProof[]

interface Case {
  mode: Mode
  credential: Credential
  origin: Origin
  /** Without it or with a wrong one, the gate receives the same. */
  csrf: 'absent' | 'right'
  method: (typeof METHODS)[number]
  access: BoardAccess
  host: Host
  executor: ExecutorProof
}

const SETS_PASSWORD: Record<Mode, boolean> = {
  open: false,
  'key only': false,
  'password only': true,
  'password and key': true,
  'owner socket': true,
}

type Kind = BoardIdentity['kind']

/** The identity of a caller, by the mode of the board and the credential. */
const WHO: Record<Mode, Record<Credential, Kind>> = {
  open: {
    none: 'local',
    'the key': 'local',
    'a live cookie': 'local',
    'a live cookie, the key': 'local',
  },
  'key only': {
    none: 'anonymous',
    'the key': 'key',
    'a live cookie': 'anonymous',
    'a live cookie, the key': 'key',
  },
  'password only': {
    none: 'anonymous',
    'the key': 'anonymous',
    'a live cookie': 'session',
    'a live cookie, the key': 'session',
  },
  'password and key': {
    none: 'anonymous',
    'the key': 'key',
    'a live cookie': 'session',
    'a live cookie, the key': 'key',
  },
  'owner socket': {
    none: 'owner',
    'the key': 'owner',
    'a live cookie': 'owner',
    'a live cookie, the key': 'owner',
  },
}

/** Who the caller is on routes that report the identity and refuse no caller. */
function shownTo({ mode, credential, access }: Case): Kind {
  const who = WHO[mode][credential]
  if (access === 'public' && mode !== 'owner socket') return 'anonymous'
  return access === 'optional_login' && who === 'key' && credential === 'a live cookie, the key' && SETS_PASSWORD[mode]
    ? 'session'
    : who
}

const isWrite = ({ method }: Case) => method !== 'GET' && method !== 'HEAD'
const isOurs = ({ origin, host }: Case) => OURS.includes(origin) && !(origin === 'own' && host === 'absent')
const asksWho = ({ access }: Case) => access !== 'public'
const actsByCookie = (one: Case) => asksWho(one) && isWrite(one) && WHO[one.mode][one.credential] === 'session'

/** The first that applies is the answer; where none does, the request comes through. */
const RULES: readonly [rule: string, applies: (one: Case) => boolean, refusal: Refusal][] = [
  [
    'what is for the owner comes over the socket',
    ({ access, mode }) => access === 'local' && mode !== 'owner socket',
    'local_only',
  ],
  [
    'a board that asks for nothing answers under names of its own machine',
    ({ mode, host }) => mode === 'open' && host !== 'loopback',
    'host_not_allowed',
  ],
  [
    'without a password there is no login',
    ({ access, mode }) => access === 'login' && !SETS_PASSWORD[mode],
    'password_login_disabled',
  ],
  [
    'a protected route refuses an anonymous caller',
    one => ['api', 'execute', 'logout'].includes(one.access) && WHO[one.mode][one.credential] === 'anonymous',
    'unauthenticated',
  ],
  ['a write by cookie needs an Origin of ours', one => actsByCookie(one) && !isOurs(one), 'origin_not_allowed'],
  [
    'a login from a page needs an Origin of ours',
    one => one.access === 'login' && one.mode !== 'owner socket' && one.origin !== 'absent' && !isOurs(one),
    'origin_not_allowed',
  ],
  [
    'a board that asks for nothing is not for pages elsewhere, not even to look at',
    one => one.mode === 'open' && one.origin !== 'absent' && !isOurs(one),
    'origin_not_allowed',
  ],
  ['a write by cookie needs the CSRF token', one => actsByCookie(one) && one.csrf !== 'right', 'csrf_failed'],
  [
    'execution is refused where no token is configured',
    ({ access, executor }) => access === 'execute' && executor === 'unset',
    'executor_disabled',
  ],
  [
    "execution also needs the executor's token, for every identity",
    ({ access, executor }) => access === 'execute' && executor !== 'right',
    'executor_denied',
  ],
]

const CSRF = 'csrf-of-the-session'

function rulesOf(mode: Mode): GateRules {
  return {
    hasPassword: SETS_PASSWORD[mode],
    hasKey: ['key only', 'password and key', 'owner socket'].includes(mode),
    hasLedgerLogin: false,
    serviceOrigin: 'https://board.example.org',
  }
}

function requestOf(one: Case): ResolvedRequest {
  const { mode, credential, access, method, executor } = one
  const host = HOSTS[one.host]
  return {
    access,
    method,
    executor,
    local: mode === 'owner socket',
    host,
    origin: ORIGINS[one.origin]?.replaceAll('HTTPS HOST', `https://${host}`).replaceAll('HOST', `http://${host}`),
    referer: undefined,
    fetchSite: undefined,
    // A key that is not configured cannot be shown to be right.
    showsKey: credential.endsWith('the key') && rulesOf(mode).hasKey,
    session: credential.startsWith('a live cookie') ? { csrfToken: CSRF } : undefined,
    showsCsrfToken: one.csrf === 'right',
  }
}

function* allCases(): Generator<Case> {
  for (const mode of MODES)
    for (const credential of CREDENTIALS)
      for (const origin of Object.keys(ORIGINS) as Origin[])
        for (const csrf of ['absent', 'right'] as const)
          for (const method of METHODS)
            for (const access of BOARD_ACCESS)
              for (const host of Object.keys(HOSTS) as Host[])
                for (const executor of EXECUTORS)
                  yield { mode, credential, origin, csrf, method, access, host, executor }
}

const wordOf = ({ identity, refusal }: Decision) => refusal ?? identity?.kind

t.test('the decision follows the rules for every mode, credential, Origin, CSRF token, method and access', async t => {
  const seen = new Map<string, number>()
  const wrong: object[] = []
  let cases = 0
  for (const one of allCases()) {
    cases++
    const rule = RULES.find(([, applies]) => applies(one))
    const expected = rule?.[2] ?? shownTo(one)
    const decided = wordOf(decide(requestOf(one), rulesOf(one.mode)))
    if (decided !== expected && wrong.length < 5) wrong.push({ ...one, expected, decided })
    const name = rule?.[0] ?? `comes through: ${expected}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  t.same(wrong, [])
  const admitted = ['anonymous', 'local', 'key', 'session', 'owner'].map(kind => `comes through: ${kind}`)
  t.same([...seen.keys()].sort(), [...RULES.map(([rule]) => rule), ...admitted].sort(), 'no rule is without a case')
  t.equal(cases, 5 * 4 * 10 * 2 * 6 * 7 * 3 * 4)
})

const LOGIN: Case = {
  mode: 'password and key',
  credential: 'none',
  origin: 'absent',
  csrf: 'absent',
  method: 'POST',
  access: 'login',
  host: 'loopback',
  executor: 'unset',
}

t.test('a login without an Origin is refused if another header shows a page of another site', async t => {
  const own = `http://${HOSTS.loopback}`
  const cases: [shown: Partial<ResolvedRequest>, answer: string][] = [
    [{ fetchSite: 'cross-site' }, 'origin_not_allowed'],
    [{ fetchSite: 'Same-Site' }, 'origin_not_allowed'],
    [{ fetchSite: 'same-origin' }, 'anonymous'],
    [{ fetchSite: 'none' }, 'anonymous'],
    [{ referer: 'https://evil.example/page' }, 'origin_not_allowed'],
    [{ referer: `${own}@evil.example/` }, 'origin_not_allowed'],
    [{ referer: `${own}.evil.example/` }, 'origin_not_allowed'],
    [{ referer: 'data:text/html,x' }, 'origin_not_allowed'],
    [{ referer: 'nothing that is an address' }, 'origin_not_allowed'],
    [{ referer: `${own}/board?x=1` }, 'anonymous'],
    [{ referer: 'https://board.example.org/' }, 'anonymous'],
    [{ referer: '' }, 'anonymous'],
    [{ origin: own, referer: 'https://evil.example/' }, 'anonymous'],
    [{ origin: own, fetchSite: 'same-site' }, 'anonymous'],
    [{ origin: own, fetchSite: 'cross-site' }, 'origin_not_allowed'],
  ]
  for (const [shown, answer] of cases) {
    const decision = decide({ ...requestOf(LOGIN), ...shown }, rulesOf(LOGIN.mode))
    t.equal(wordOf(decision), answer, JSON.stringify(shown))
  }
})

t.test('no credential admits a write that a browser marks as cross-site', async t => {
  const own = `http://${HOSTS.loopback}`
  for (const mode of MODES) {
    for (const credential of CREDENTIALS) {
      const read: Case = { ...LOGIN, mode, credential, method: 'GET', access: 'api', origin: 'own', csrf: 'right' }
      const before = decide(requestOf(read), rulesOf(mode))
      for (const fetchSite of ['cross-site', 'Cross-Site']) {
        t.same(decide({ ...requestOf(read), fetchSite }, rulesOf(mode)), before, 'a read is as before')
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const write = decide({ ...requestOf(read), origin: own, method, fetchSite }, rulesOf(mode))
          const isRefused = before.refusal === undefined && mode !== 'owner socket'
          t.same(write, isRefused ? { refusal: 'origin_not_allowed' } : before, `${mode}, ${credential}, ${method}`)
        }
      }
    }
  }
})

t.test('an open board accepts no write that a browser marks as cross-site', async t => {
  const post = requestOf({ ...LOGIN, mode: 'open', access: 'api' })
  for (const fetchSite of ['cross-site', 'same-site']) {
    t.same(decide({ ...post, fetchSite }, rulesOf('open')), { refusal: 'origin_not_allowed' })
    t.same(decide({ ...post, fetchSite, method: 'GET' }, rulesOf('open')), { identity: { kind: 'local' } })
  }
})

t.test('a malformed host is neither an origin nor a name of this machine', async t => {
  const hosts = [
    ...['a@127.0.0.1', '127.0.0.1@evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.0.0.1:x'],
    ...['[::1', '::1', '[::ffff:1.2.3.4]', '0.0.0.0', '', ' localhost', 'localhost:', '2130706433'],
  ]
  for (const host of hosts) {
    t.same(
      decide({ ...requestOf({ ...LOGIN, mode: 'open', access: 'api' }), host }, rulesOf('open')),
      { refusal: 'host_not_allowed' },
      host,
    )
  }
  for (const host of ['LOCALHOST', 'localhost:1', '[::1]:8766', '127.255.0.1']) {
    const request = { ...requestOf({ ...LOGIN, mode: 'open', access: 'api' }), host }
    t.same(decide(request, rulesOf('open')), { identity: { kind: 'local' } }, host)
  }
})

t.test('browsers leave out the port of http, and write a host in lower case', async t => {
  const write = requestOf({ ...LOGIN, access: 'api', credential: 'a live cookie', csrf: 'right' })
  const from = (host: string, origin: string) => wordOf(decide({ ...write, host, origin }, rulesOf(LOGIN.mode)))
  t.equal(from('Board.Example:80', 'http://board.example'), 'session')
  t.equal(from('board.example:8080', 'http://board.example'), 'origin_not_allowed')
  t.equal(from('board.example:443', 'https://board.example'), 'origin_not_allowed')
  t.equal(from('board.example', 'http://BOARD.example'), 'origin_not_allowed')
  t.equal(from('board.example', 'http://board.example/'), 'origin_not_allowed')
})

t.test(
  'a ledger session is accepted if that is configured, and a board session if the board has a password',
  async t => {
    const session = { csrfToken: CSRF }
    const request = requestOf({
      mode: 'password only',
      credential: 'none',
      origin: 'absent',
      csrf: 'absent',
      method: 'GET',
      access: 'api',
      host: 'elsewhere',
      executor: 'unset',
    })
    const kindOf = (hasLedgerLogin: boolean, ledgerUser?: string) => {
      const rules = { ...rulesOf('open'), hasLedgerLogin }
      const { identity, refusal } = decide({ ...request, session: { ...session, ledgerUser } }, rules)
      return identity?.kind ?? refusal
    }
    t.equal(kindOf(true, 'ada'), 'session')
    t.equal(kindOf(true), 'unauthenticated')
    t.equal(kindOf(false, 'ada'), 'host_not_allowed', 'without the setting the board is open, for this machine only')
    const { identity } = decide({ ...request, session: { ...session, ledgerUser: 'ada' } }, rulesOf('password only'))
    t.equal(identity, undefined)
  },
)
