import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rollup/parseAst'
import t from 'tap'
import { superlinearReasons } from './support/pattern-cost.js'

/** The compiled code, which has no comments and can be parsed as JavaScript. */
const BUILT = fileURLToPath(new URL('../', import.meta.url))

/** Places where a pattern is built at run time; the test sees only the patterns in the source. */
const PUT_TOGETHER = [
  ...['accounts/read-new-token', 'accounts/read-user', 'login/password-hash', 'model/events/search'],
  ...['platforms/deliveries/explain-delivery', 'settings/accounts-settings'],
  ...['store/sqlite/search/row-matcher', 'store/sqlite/upgrade/older-users'],
]

const TYPES = ['Literal', 'NewExpression', 'CallExpression']

const files = ['src', 'assets'].flatMap(folder =>
  readdirSync(join(BUILT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js'))
    .map(file => join(folder, file)),
)
const nodes = files.flatMap(file =>
  nodesIn(parseAst(readFileSync(join(BUILT, file), 'utf8'))).map(node => ({ file, node })),
)

t.test('no pattern takes more than linear time on any text', async t => {
  const patterns = nodes.flatMap(({ file, node }) => patternIn(node).map(pattern => ({ file, ...pattern })))
  t.ok(patterns.length > 200, 'the patterns are found')
  for (const { file, source, flags } of patterns) {
    const reasons = superlinearReasons(source, flags)
    if (reasons.length > 0) t.fail(`${file}: /${source}/${flags}: ${reasons.join(', ')}`)
  }
})

t.test('every pattern that is built at run time is on the list of reviewed patterns', async t => {
  const found = nodes.filter(({ node }) => isRegExpCall(node)).map(({ file }) => file.replace(/^src\/|\.js$/g, ''))
  t.same([...new Set(found)].sort(), PUT_TOGETHER)
})

t.test('the check finds patterns that take quadratic time or more', async t => {
  for (const pattern of [
    /\s+hook$/iu,
    /^[ \t]+|[ \t]+$/g,
    /\/+$/,
    /[ \t]#.*$/,
    /\/c\/(?:[^/]+\/)*(\d+)/u,
    /<[^>]*>/g,
    /^(a+)+$/,
    /^\s*(\S+)\s+(.*?)\s*$/,
    /^(?:a|a?b*)*$/,
    /(?:^|,)a[^;]*;/,
  ]) {
    t.not(superlinearReasons(pattern.source, pattern.flags).length, 0, String(pattern))
  }
})

t.test('the check accepts patterns that take linear time', async t => {
  for (const pattern of [/^[ \t]+/, /[^x]+/g, /"[^"]*"/g, /[ \t]+x/y, /^a+b+$/, /#.*/s, /tok_[A-Za-z0-9_-]+/g]) {
    t.same(superlinearReasons(pattern.source, pattern.flags), [], String(pattern))
  }
})

interface Node {
  type: string
  [member: string]: unknown
}

/** Literals and calls. */
function nodesIn(value: unknown, found: Node[] = []): Node[] {
  if (typeof value !== 'object' || value === null) return found
  if (isNode(value) && TYPES.includes(value.type)) found.push(value)
  for (const part of Object.values(value)) nodesIn(part, found)
  return found
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string'
}

/** A literal, or the text of one in a schema: these are whole, from their beginning to their end. */
function patternIn({ type, regex, value }: Node): { source: string; flags: string }[] {
  if (type !== 'Literal') return []
  if (isRegex(regex)) return [{ source: regex.pattern, flags: regex.flags }]
  return typeof value === 'string' && /^\^.*\$$/s.test(value) ? [{ source: value, flags: 'u' }] : []
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value
}

function isRegExpCall({ type, callee }: Node): boolean {
  if (type !== 'NewExpression' && type !== 'CallExpression') return false
  return typeof callee === 'object' && callee !== null && 'name' in callee && callee.name === 'RegExp'
}
