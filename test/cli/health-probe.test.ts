import t from 'tap'
import { readHealthProbe } from '../../src/cli/health-probe.js'
import ApiHealth from '../../src/commands/api/health.js'

t.test('every flag of the command is read without the framework', async t => {
  t.same(readHealthProbe(['api', 'health']), { json: false })
  for (const [name, flag] of Object.entries(ApiHealth.baseFlags)) {
    const value = flag.type === 'boolean' ? true : (flag.options?.[0] ?? 'http://ledger.example.org')
    const args = flag.type === 'boolean' ? [`--${name}`] : [`--${name}`, String(value)]
    t.same(readHealthProbe(['api', 'health', ...args]), { json: false, [name]: value }, name)
  }
})

t.test('the framework handles every command line except the probe', async t => {
  const lines = [
    '',
    'api',
    'api stats',
    'api health --help',
    'api health --bogus',
    'api health --output xml',
    'api health --json -o yaml',
    'api health --token a --token-file b',
    'api health --api-url',
    'api health now',
  ]
  for (const line of lines) t.equal(readHealthProbe(line.split(' ').filter(Boolean)), undefined, line)
})
