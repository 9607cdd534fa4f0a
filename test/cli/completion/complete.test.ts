import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Completion, complete, type ListName, type Manifest } from '../../../src/cli/completion/complete.js'
import { REQUEST, SCRIPTS } from '../../../src/cli/completion/scripts.js'

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

t.test('servers are asked for values alone', async t => {
  asked.length = 0
  await completed('api', 'ev')
  await completed('api', 'events', '--')
  t.same(asked, [])
})

t.test('bash asks with the words up to the cursor, and takes the first column of the answer', async t => {
  const script = `
daybook() { printf 'asked:%s\\n' "$*" >&3; printf 'issue.opened\\tIssues\\nissue.closed\\t\\n'; }
${SCRIPTS.bash}
COMP_WORDS=(daybook api events --kind iss ignored) COMP_CWORD=4
_daybook 3>&1
printf '%s\\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
  t.same(out.trim().split('\n'), [`asked:${REQUEST} -- api events --kind iss`, 'issue.opened', 'issue.closed'])
})
