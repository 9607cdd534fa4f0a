import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Completion, complete, type ListName, type Manifest } from '../../../src/cli/completion/complete.js'
import { FILES, REQUEST, SCRIPTS } from '../../../src/cli/completion/scripts.js'

const lacks = (program: string) => spawnSync('which', [program]).status !== 0 && `${program} is not installed`

const manifest: Manifest = JSON.parse(readFileSync(new URL('../../../../oclif.manifest.json', import.meta.url), 'utf8'))
const LISTS: Partial<Record<ListName, string[]>> = {
  kinds: ['issue.opened', 'issue.closed', 'push.created'],
  sources: ['chat', 'code_a', 'ci'],
  subscriptions: ['sub_1', 'sub_2'],
  consumers: ['mail'],
  profiles: ['work'],
}
const asked: ListName[] = []
const list = async (name: ListName) => {
  asked.push(name)
  return LISTS[name] ?? []
}
const wordsOf = (found: Completion) => (found === 'files' ? found : found.map(({ value }) => value))
const completed = async (...words: string[]) => wordsOf(await complete(manifest, words, list))

const cases: [words: string[], expected: string[] | 'files'][] = [
  [['cons'], ['consume', 'consumers']],
  [
    ['board', ''],
    ['backends', 'backup', 'cards', 'copy', 'executor', 'runs'],
  ],
  [
    ['api', 'event'],
    ['event', 'events'],
  ],
  [['api', 'events', '--fo'], ['--follow']],
  [
    ['api', 'events', '--kind', 'issue'],
    ['issue.opened', 'issue.closed'],
  ],
  [['api', 'events', '--kind=issue.o'], ['--kind=issue.opened']],
  [['api', 'events', '--kind', '=', 'push'], ['push.created']],
  [
    ['api', 'events', '--source', 'c'],
    ['chat', 'code_a', 'ci'],
  ],
  [
    ['api', 'events', '--order', ''],
    ['asc', 'desc'],
  ],
  [['api', 'events', '-o', 'y'], ['yaml']],
  [['api', 'events', '--outcome', 'f'], ['failed']],
  [
    ['api', 'subscription', 'sub_'],
    ['sub_1', 'sub_2'],
  ],
  [['api', 'subscription', '--json', 'sub_2'], ['sub_2']],
  [['consume', 'm'], ['mail']],
  [['api', 'stats', '--profile', ''], ['work']],
  [
    ['platforms', 'setup', 'git'],
    ['github', 'gitea', 'gitlab'],
  ],
  [['platforms', 'trigger', 'github', 'push'], ['push.created']],
  [
    ['api', 'schema', ''],
    ['event', 'subscription'],
  ],
  [['api', 'record-json', ''], 'files'],
  [['login', '--token-file', ''], 'files'],
  [['nowhere', ''], []],
]
for (const [words, expected] of cases) {
  t.test(`"daybook ${words.join(' ')}" is completed`, async t => t.same(await completed(...words), expected))
}

t.test('completion asks a server only for values', async t => {
  asked.length = 0
  await completed('api', 'ev')
  await completed('api', 'events', '--')
  t.same(asked, [])
})

t.test('in bash, the completion sends the words up to the cursor, and uses the first column of the answer', async t => {
  const script = `
daybook() { printf 'asked:%s\\n' "$*" >&3; printf 'issue.opened\\tIssues\\nissue.closed\\t\\n'; }
${SCRIPTS.bash}
COMP_WORDS=(daybook api events --kind iss ignored) COMP_CWORD=4
_daybook 3>&1
printf '%s\\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
  t.same(out.trim().split('\n'), [`asked:${REQUEST} -- api events --kind iss`, 'issue.opened', 'issue.closed'])
})

/** A program that notes the words it is asked about, in a folder that is first on the search path. */
function askedProgram(t: Test, ...lines: string[]) {
  const folder = t.testdir({
    daybook: `#!/bin/sh\nprintf '%s\\n' "$*" >> "$ASKED"\nprintf '${lines.join('\\n')}\\n'\n`,
  })
  chmodSync(join(folder, 'daybook'), 0o755)
  const file = join(folder, 'asked')
  const env = { PATH: `${folder}:${process.env.PATH}`, ASKED: file, HOME: folder }
  return { folder, env, asked: () => readFileSync(file, 'utf8').trim() }
}

t.test(
  'in zsh, the completion sends the words up to the cursor, and shows a description of each value',
  { skip: lacks('zsh') },
  t => {
    const { env, asked } = askedProgram(t, 'a:b\\tAbout it: all', 'plain\\t')
    const script = `
compdef() { : }
_describe() { print -rl -- "\${(@P)2}" }
${SCRIPTS.zsh}
words=(daybook api events --kind iss ignored) CURRENT=5
_daybook`
    const out = execFileSync('zsh', ['-fc', script], { encoding: 'utf8', env })
    t.same(out.trim().split('\n'), ['a\\:b:About it: all', 'plain'])
    t.equal(asked(), `${REQUEST} -- api events --kind iss`)
    t.end()
  },
)

t.test('in zsh, file names are completed if the program asks for them', { skip: lacks('zsh') }, t => {
  const { env } = askedProgram(t, FILES)
  const script = `
compdef() { : }
_files() { print files }
${SCRIPTS.zsh}
words=(daybook api record-json '') CURRENT=4
_daybook`
  t.equal(execFileSync('zsh', ['-fc', script], { encoding: 'utf8', env }), 'files\n')
  t.end()
})

t.test(
  'in fish, the completion sends the words up to the cursor, and file names are completed',
  { skip: lacks('fish') },
  t => {
    const ask = (line: string, env: NodeJS.ProcessEnv, cwd: string) =>
      execFileSync('fish', ['--no-config', '-c', `${SCRIPTS.fish}\ncomplete -C ${JSON.stringify(line)}`], {
        encoding: 'utf8',
        env,
        cwd,
      })
    const words = askedProgram(t, 'issue.opened\\tIssues', 'issue.closed\\t')
    t.equal(ask('daybook api events --kind iss', words.env, words.folder), 'issue.closed\nissue.opened\tIssues\n')
    t.equal(words.asked(), `${REQUEST} -- api events --kind iss`)
    const files = askedProgram(t, FILES)
    t.match(ask('daybook api record-json day', files.env, files.folder), /^daybook/)
    t.end()
  },
)

t.test('a word that several commands begin with has the description of its topic', async t => {
  const topics = { consumers: { description: 'Named consumers.' } }
  const found = await complete({ ...manifest, topics }, ['consumer'], list)
  t.same(found, [{ value: 'consumers', description: 'Named consumers.' }])
})
