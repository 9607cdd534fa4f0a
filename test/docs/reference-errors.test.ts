import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import t from 'tap'
import { exitCodeOf } from '../../src/cli/exit-codes.js'
import { AppError, type ErrorCategory } from '../../src/model/app-error.js'
import { HTTP_STATUS } from '../../src/server/answer/problem.js'
import { ROOT } from './pages.js'
import { readReference } from './reference-page.js'

/** Where an error code is given, and what is answered with it. */
interface Given {
  code: string
  /** The first folder below src. */
  room: string
  /** Where the code is answered with a status that no category has. */
  status?: number
  category?: ErrorCategory
}

/** The ways in which sources give a code. */
const WAYS = [
  /new AppError\(\s*'(?<category>[a-z_]+)',\s*'(?<code>[a-z_]+)'/g,
  /category: '(?<category>[a-z_]+)',\s*code: '(?<code>[a-z_]+)'/g,
  /status: (?<status>\d+), code: '(?<code>[a-z_]+)'/g,
  /\bfailure\(\s*'(?<code>[a-z_]+)'/g,
  /\bmismatchCode: '(?<code>[a-z_]+)'/g,
  /^ {2}(?<code>[a-z_]+): \{\s*category: '(?<category>[a-z_]+)'/gm,
]
/** Folders whose errors the API returns, except those that only the operator can resolve. */
const ANSWERING = ['server', 'gate', 'board', 'proxy', 'accounts', 'login', 'ledger', 'platforms', 'model']
const SHARED = 'store'

const given = sources().flatMap(codesGiven)
const answered = new Map([...rowsOf('rest', 'Refusals'), ...rowsOf('board-rest', 'Refusals')])
const ending = new Map(rowsOf('commands', 'Error codes'))

t.test('every error code is in the reference of the part that reports it', async t => {
  t.ok(given.length > 50, 'the sources were read')
  for (const { code, room, category } of given) {
    if (room === SHARED) t.ok(answered.has(code) || ending.has(code), code)
    else if (ANSWERING.includes(room) && category !== 'configuration') t.ok(answered.has(code), `${code} of the API`)
    else t.ok(ending.has(code) || answered.has(code), `${code} of the commands`)
  }
})

t.test('every documented error code exists', async t => {
  const codes = new Set(given.map(({ code }) => code))
  t.same(
    [...answered.keys(), ...ending.keys()].filter(code => !codes.has(code)),
    [],
  )
})

t.test('the documented status of each error code is the status of the answer', async t => {
  for (const { code, category, status = category && HTTP_STATUS[category] } of given) {
    if (status === undefined || !answered.has(code)) continue
    t.ok(answered.get(code)?.split(', ').includes(String(status)), `${code} with ${status}`)
  }
})

t.test('the documented exit code of each error code is that of the commands', async t => {
  for (const { code, category = 'unavailable' } of given) {
    if (ending.has(code)) t.equal(ending.get(code), String(exitCodeOf(new AppError(category, code, ''))), code)
  }
})

t.test('the reference explains every exit code', async t => {
  const categories = Object.keys(HTTP_STATUS) as ErrorCategory[]
  const failures = [...categories.map(category => new AppError(category, '', '')), unreachable()].map(exitCodeOf)
  const explained = new Map(rowsOf('commands', 'Exit codes')).keys()
  t.same([...explained].sort(), [...new Set([0, ...failures])].map(String).sort())
})

function unreachable(): AppError {
  return new AppError('unavailable', 'server_unreachable', '')
}

/** The first two cells of each row, without code marks. */
function rowsOf(page: string, title: string): [string, string][] {
  const tables = readReference(page).sections.find(section => section.title === title)?.tables ?? []
  return tables.flatMap(({ rows }) =>
    rows.map(([first = '', second = '']) => [first.replaceAll('`', ''), second] as const),
  ) as [string, string][]
}

function sources(): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  return files.filter(file => file.endsWith('.ts'))
}

function codesGiven(file: string): Given[] {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8')
  return WAYS.flatMap(way => [...text.matchAll(way)]).map(({ groups = {} }) => ({
    code: groups.code ?? '',
    room: file.split(sep)[0] ?? '',
    ...(groups.category ? { category: groups.category as ErrorCategory } : {}),
    ...(groups.status ? { status: Number(groups.status) } : {}),
  }))
}
