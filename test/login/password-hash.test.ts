import fc from 'fast-check'
import t from 'tap'
import { digestMatches, hashPassword, PASSWORD_ITERATIONS, readPasswordHash } from '../../src/login/password-hash.js'

const SALT = '000102030405060708090a0b0c0d0e0f'

/**
 * Made by Python: `hashlib.pbkdf2_hmac('sha256', password.encode(), bytes.fromhex(salt), iterations).hex()`. The first
 * four are also the known vectors of PBKDF2-HMAC-SHA256 (those of RFC 6070 with another hash).
 */
const VECTORS: [string, string][] = [
  ['password', 'pbkdf2_sha256$1$73616c74$120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b'],
  ['password', 'pbkdf2_sha256$2$73616c74$ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43'],
  ['password', 'pbkdf2_sha256$4096$73616c74$c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a'],
  [
    'passwordPASSWORDpassword',
    'pbkdf2_sha256$4096$73616c7453414c5473616c7453414c5473616c7453414c5473616c7453414c5473616c74$348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1',
  ],
  [
    'correct horse battery staple',
    `pbkdf2_sha256$600000$${SALT}$ef177144eec9420cbc1093d2a8b344a92bc506d0d4ec9c028dd19f8324d8c1e6`,
  ],
  [
    ' geheim mit Rand ',
    'pbkdf2_sha256$1000$ff00ff00ff00ff00$6656e8a3bc198b2ee345aeff2939e0247062c42e62192e8393a24215963c21cd',
  ],
  [
    'p\u00e4ssw\u00f6rd\u2013\u5bc6\u7801\u{1f511}',
    'pbkdf2_sha256$1000$6465666768696a6b6c6d6e6f70717273$b84f75a4469c6ffb6259796aeb037539dc20e23d476b99bb3733da0bc87a4425',
  ],
  ['caf\u00e9', `pbkdf2_sha256$1000$${SALT}$de5cff441752b1d104343d42e5418f555235605db9500f8d74dfaf7897fb10ca`],
  ['a\0b', `pbkdf2_sha256$1000$${'00'.repeat(64)}$7c0d5baf8d1a473e9d25ac2194d44d6f14e8794e33c12d1902a49ecb982b2d7e`],
  ['x'.repeat(1024), `pbkdf2_sha256$1000$${SALT}$30d80202a98e0fb61919b958d1c2c939d9dd8cbc343c25a3c20ff45d52d6ff85`],
  ['', `pbkdf2_sha256$1000$${SALT}$c5b301b1fd61bced63f00642a2304ec674519fbd7cd83c4bc83dafe1743f9855`],
]

t.test('hashes of other implementations verify', async t => {
  for (const [password, stored] of VECTORS) {
    t.equal(await matches(stored, password), true, stored)
    t.equal(await matches(stored, `${password}x`), false, stored)
  }
})

t.test('a hash in the form of Django verifies after its salt and digest are converted to hex', async t => {
  const django = 'pbkdf2_sha256$1000$NaClAndPepper0123456XY$xPDwDkQVvN/QH43MI21XQkStce10QIZ1hfoiNrdLBRw='
  const [, iterations, salt = '', digest = ''] = django.split('$')
  const stored = [
    'pbkdf2_sha256',
    iterations,
    Buffer.from(salt).toString('hex'),
    Buffer.from(digest, 'base64').toString('hex'),
  ].join('$')
  t.equal(await matches(stored, 'letmein-please'), true)
  t.equal(readPasswordHash(django), undefined)
})

t.test('the salt is decoded from hex', async t => {
  const [password, stored] = ['password', VECTORS[2]?.[1] ?? '']
  const spelt = stored.replace('$73616c74$', `$${Buffer.from('73616c74').toString('hex')}$`)
  t.equal(await matches(stored, password), true)
  t.equal(await matches(spelt, password), false)
})

t.test('a password is used exactly as typed', async t => {
  const stored = await hashPassword('  Caf\u00e9  ', 10)
  t.equal(await matches(stored, '  Caf\u00e9  '), true)
  for (const other of ['Caf\u00e9', '  Cafe\u0301  ', '  caf\u00e9  ', '  Caf\u00e9 ', '']) {
    t.equal(await matches(stored, other), false, other)
  }
})

t.test('a new hash has the current iterations and its own salt of 16 bytes', async t => {
  const stored = await hashPassword('same')
  t.match(stored, /^pbkdf2_sha256\$600000\$[0-9a-f]{32}\$[0-9a-f]{64}$/)
  t.equal(readPasswordHash(stored)?.iterations, PASSWORD_ITERATIONS)
  t.equal(await matches(stored, 'same'), true)
  t.not(await hashPassword('same', 10), await hashPassword('same', 10))
})

t.test('every stored hash is read up to its bounds', async t => {
  const cases: [number, number][] = [
    [1, 4],
    [600_000, 16],
    [9_999_999, 63],
    [10_000_000, 64],
  ]
  for (const [iterations, bytes] of cases) {
    const read = readPasswordHash(`pbkdf2_sha256$${iterations}$${'Ab'.repeat(bytes)}$${'0f'.repeat(32)}`)
    t.match(read, { iterations })
    t.equal(read?.salt.length, bytes)
    t.equal(read?.digest.length, 32)
  }
})

t.test('text of another form is not a hash', async t => {
  const digest = '0f'.repeat(32)
  const cases = [
    '',
    'password',
    `pbkdf2_sha256$0$${SALT}$${digest}`,
    `pbkdf2_sha256$-1$${SALT}$${digest}`,
    `pbkdf2_sha256$+1$${SALT}$${digest}`,
    `pbkdf2_sha256$01$${SALT}$${digest}`,
    `pbkdf2_sha256$1.5$${SALT}$${digest}`,
    `pbkdf2_sha256$1e3$${SALT}$${digest}`,
    `pbkdf2_sha256$10000001$${SALT}$${digest}`,
    `pbkdf2_sha256$99999999999$${SALT}$${digest}`,
    `pbkdf2_sha256$NaN$${SALT}$${digest}`,
    `pbkdf2_sha256$$${SALT}$${digest}`,
    `pbkdf2_sha256$1000$$${digest}`,
    `pbkdf2_sha256$1000$${'00'.repeat(3)}$${digest}`,
    `pbkdf2_sha256$1000$${'00'.repeat(65)}$${digest}`,
    `pbkdf2_sha256$1000$${SALT}0$${digest}`,
    `pbkdf2_sha256$1000$${SALT.replace('0', 'g')}$${digest}`,
    `pbkdf2_sha256$1000$${SALT}$`,
    `pbkdf2_sha256$1000$${SALT}$${digest.slice(2)}`,
    `pbkdf2_sha256$1000$${SALT}$${digest}00`,
    `pbkdf2_sha256$1000$${SALT}$${digest}$`,
    `pbkdf2_sha256$1000$${SALT}$${digest}\n`,
    ` pbkdf2_sha256$1000$${SALT}$${digest}`,
    `PBKDF2_SHA256$1000$${SALT}$${digest}`,
    `pbkdf2_sha1$1000$${SALT}$${digest}`,
    `pbkdf2_sha512$1000$${SALT}$${digest}`,
    `pbkdf2_sha256:1000:${SALT}:${digest}`,
  ]
  for (const text of cases) t.equal(readPasswordHash(text), undefined, text)
  fc.assert(fc.property(fc.string(), text => readPasswordHash(text) === undefined))
})

async function matches(stored: string, password: string): Promise<boolean> {
  const hash = readPasswordHash(stored)
  if (hash === undefined) throw new Error(`No hash: ${stored}`)
  return digestMatches(hash, password)
}
