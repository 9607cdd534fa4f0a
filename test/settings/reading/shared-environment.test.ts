import t from 'tap'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { readSharedEnvironment } from '../../../src/settings/reading/shared-environment.js'
import { HOME, memorySources, SHARED } from '../memory-sources.js'
import { problemsOf } from '../refusal.js'

const places = [
  { name: 'ARCH_ENV_FILE', env: { ARCH_ENV_FILE: '/etc/arch', XDG_CONFIG_HOME: '/xdg' }, path: '/etc/arch' },
  { name: 'ARCH_ENV_FILE relative to the home folder', env: { ARCH_ENV_FILE: '~/arch.env' }, path: `${HOME}/arch.env` },
  { name: 'XDG_CONFIG_HOME', env: { XDG_CONFIG_HOME: '/xdg' }, path: '/xdg/arch/environment' },
  { name: 'a relative XDG_CONFIG_HOME, which is to be ignored', env: { XDG_CONFIG_HOME: 'xdg' }, path: SHARED },
  { name: 'nothing', env: {}, path: SHARED },
]
for (const { name, env, path } of places) {
  t.test(`the shared environment is found by ${name}`, async t => {
    const files = { [path]: 'EVENT_PORT=9000\n' }
    t.same(readSharedEnvironment(memorySources({ env, files })), { path, values: new Map([['EVENT_PORT', '9000']]) })
  })
}

t.test('a file that no setting names may be missing', async t => {
  t.same(readSharedEnvironment(memorySources()), { path: SHARED, values: new Map() })
})

const unusable = [
  { name: 'is missing though it was named', env: { ARCH_ENV_FILE: '/e' }, files: {}, expected: /"\/e" does not exist/ },
  { name: 'may not be read', files: { [SHARED]: { code: 'EACCES' } }, expected: /may not be read by this user/ },
  { name: 'is a folder', files: { [SHARED]: { code: 'EISDIR' } }, expected: /is a folder/ },
  {
    name: 'cannot be read for another reason',
    files: { [SHARED]: { code: 'EIO' } },
    expected: /cannot be read \(EIO\)/,
  },
  {
    name: 'has lines of another form',
    files: { [SHARED]: 'A=1\nsecret-word\n=x\n' },
    expected: /, lines 2, 3: not NAME=value/,
  },
  { name: 'is huge', files: { [SHARED]: `A=${'x'.repeat(1024 * 1024)}` }, expected: /larger than 1 MiB/ },
]
for (const { name, env, files, expected } of unusable) {
  t.test(`a shared environment that ${name} is a problem`, async t => {
    const problems = problemsOf(() => readLocalSettings({}, memorySources({ ...(env ? { env } : {}), files })))
    t.match(problems, [{ detail: expected }])
    t.notMatch(JSON.stringify(problems), /secret-word/)
  })
}

t.test('names of other programs are ignored', async t => {
  const files = { [SHARED]: 'EVENT_TEAPOT=1\nBOARD_SPOUT=x\nOTHER=y\n' }
  t.same(
    problemsOf(() => readLocalSettings({}, memorySources({ files }))),
    [],
  )
})

t.test('a defect while reading is not reported as a missing file', async t => {
  const sources = {
    ...memorySources(),
    readTextFile: () => {
      throw new TypeError('a defect')
    },
  }
  t.throws(() => readSharedEnvironment(sources), TypeError)
})
