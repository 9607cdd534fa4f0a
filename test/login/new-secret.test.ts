import t from 'tap'
import { newSecret, SECRET_PATTERN } from '../../src/login/new-secret.js'

t.test('a secret is 256 bits as base64url, new each time', async t => {
  const secrets = Array.from({ length: 200 }, newSecret)
  t.equal(new Set(secrets).size, 200)
  for (const secret of secrets) {
    t.match(secret, SECRET_PATTERN)
    t.equal(Buffer.from(secret, 'base64url').length, 32)
  }
})

t.test('text of another form is not a secret', async t => {
  const secret = newSecret()
  const cases = [
    '',
    secret.slice(1),
    `${secret}A`,
    `${secret}=`,
    `${secret}\n`,
    ` ${secret}`,
    `"${secret}"`,
    `+${secret.slice(1)}`,
    `/${secret.slice(1)}`,
    `é${secret.slice(1)}`,
  ]
  for (const text of cases) t.notMatch(text, SECRET_PATTERN)
})
