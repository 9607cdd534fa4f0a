import { PLATFORM_WORDS } from '../../model/platforms/platform-source.js'
import { OUTCOMES } from '../../model/sentences/event-outcome.js'

/** The part of oclif's manifest that completion needs. */
export interface Manifest {
  commands: Readonly<Record<string, ManifestCommand>>
  /** Descriptions of command topics, from the package. */
  topics?: Readonly<Record<string, { description: string }>>
}

interface ManifestCommand {
  summary?: string
  description?: string
  hidden?: boolean
  args: Readonly<Record<string, { name: string; options?: readonly string[] }>>
  flags: Readonly<Record<string, ManifestFlag>>
}

interface ManifestFlag {
  name: string
  char?: string
  type: 'boolean' | 'option'
  description?: string
  summary?: string
  hidden?: boolean
  options?: readonly string[]
  helpValue?: string | readonly string[]
}

interface Candidate {
  value: string
  description?: string
}

/** Lists that come from a server, or from this user's files. */
export type ListName = 'sources' | 'kinds' | 'subscriptions' | 'consumers' | 'cards' | 'runs' | 'profiles'

/** The candidates; or `files` if the shell should complete file names. */
export type Completion = readonly Candidate[] | 'files'

const VERIFICATIONS = ['signature', 'token', 'login', 'none']
const FLAG_LISTS: Readonly<Record<string, ListName>> = {
  source: 'sources',
  'exclude-source': 'sources',
  kind: 'kinds',
  'exclude-kind': 'kinds',
  'subscription-id': 'subscriptions',
  card: 'cards',
  profile: 'profiles',
  use: 'profiles',
}
const FLAG_WORDS: Readonly<Record<string, readonly string[]>> = {
  outcome: OUTCOMES,
  'exclude-outcome': OUTCOMES,
  verified: VERIFICATIONS,
  since: ['15m', '1h', '24h', '7d', 'today', 'yesterday'],
  from: ['1h', '24h', '7d', 'today', 'yesterday'],
}
/** Lists for arguments, by the command and the name of the argument. */
const ARG_LISTS: readonly { command: RegExp; arg: string; list: ListName }[] = [
  { command: /^api:(?:\w+-)?subscription$/, arg: 'id', list: 'subscriptions' },
  { command: /^capture:/, arg: 'id', list: 'subscriptions' },
  { command: /^consume(?:rs:\w|$)/, arg: 'name', list: 'consumers' },
  { command: /^board:cards:/, arg: 'id', list: 'cards' },
  { command: /^board:runs:start$/, arg: 'card_id', list: 'cards' },
  { command: /^board:runs:/, arg: 'id', list: 'runs' },
  { command: /^platforms:trigger$/, arg: 'kind', list: 'kinds' },
]

/**
 * The candidates for the next word of a command line.
 *
 * @param words the words after the program's name; the last is being typed, and may be empty
 * @param list reads lists that the manifest does not have
 */
export async function complete(
  { commands, topics = {} }: Manifest,
  words: readonly string[],
  list: (name: ListName) => Promise<readonly string[]>,
): Promise<Completion> {
  // Bash splits `--kind=issue` in three.
  const given = words.filter(word => word !== '=')
  const typed = given.at(-1) ?? ''
  const before = given.slice(0, -1)
  const id = findCommand(commands, before)
  if (id === undefined) return matching(nextWords(commands, topics, before), typed)
  const command = commands[id]
  if (!command) return []
  const rest = before.slice(id.split(':').length)
  const flags = Object.values(command.flags).filter(({ hidden }) => !hidden)
  const flag = flags.find(each => each.type === 'option' && isFlag(each, rest.at(-1)))
  if (flag) return valuesOf(flag, typed, list)
  const [, name, value] = /^--([\w-]+)=(.*)$/s.exec(typed) ?? []
  const assigned = flags.find(each => each.type === 'option' && each.name === name)
  if (assigned && value !== undefined) {
    const found = await valuesOf(assigned, value, list)
    return found === 'files' ? found : found.map(each => ({ ...each, value: `--${assigned.name}=${each.value}` }))
  }
  if (typed.startsWith('-')) return matching(flags.map(toCandidate), typed)
  const arg = Object.values(command.args)[countArgs(rest, flags)]
  if (!arg) return matching(flags.map(toCandidate), typed)
  if (arg.name === 'file') return 'files'
  return matching(await argValues(id, arg, list), typed)
}

/** The longest command at the beginning of the words. */
function findCommand(commands: Manifest['commands'], words: readonly string[]): string | undefined {
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':')
    if (Object.hasOwn(commands, id)) return id
  }
  return undefined
}

function nextWords(
  commands: Manifest['commands'],
  topics: NonNullable<Manifest['topics']>,
  words: readonly string[],
): Candidate[] {
  const prefix = words.map(word => `${word}:`).join('')
  const next = new Map<string, Candidate>()
  for (const [id, { hidden, summary, description }] of Object.entries(commands)) {
    if (hidden || !id.startsWith(prefix)) continue
    const [value = '', ...deeper] = id.slice(prefix.length).split(':')
    const text = deeper.length === 0 ? (summary ?? description) : topics[prefix + value]?.description
    if (!next.has(value) || deeper.length === 0)
      next.set(value, { value, ...(text === undefined ? {} : { description: text }) })
  }
  return [...next.values()].sort((one, other) => (one.value < other.value ? -1 : 1))
}

function isFlag({ name, char }: ManifestFlag, word: string | undefined): boolean {
  return word === `--${name}` || (char !== undefined && word === `-${char}`)
}

function toCandidate({ name, description, summary }: ManifestFlag): Candidate {
  const text = summary ?? description
  return { value: `--${name}`, ...(text === undefined ? {} : { description: text }) }
}

/** Counts the arguments: words that are neither a flag nor its value. */
function countArgs(words: readonly string[], flags: readonly ManifestFlag[]): number {
  return words.filter((word, index) => {
    if (word.startsWith('-') && word !== '-') return false
    return !flags.some(flag => flag.type === 'option' && isFlag(flag, words[index - 1]))
  }).length
}

async function valuesOf(
  { name, options, helpValue }: ManifestFlag,
  typed: string,
  list: (name: ListName) => Promise<readonly string[]>,
): Promise<Completion> {
  const listName = FLAG_LISTS[name]
  const words = options ?? FLAG_WORDS[name] ?? (listName && (await list(listName)))
  if (words) return matching(words.map(toWord), typed)
  return helpValue === '<file>' || name.endsWith('-file') ? 'files' : []
}

async function argValues(
  id: string,
  { name, options }: { name: string; options?: readonly string[] },
  list: (name: ListName) => Promise<readonly string[]>,
): Promise<Candidate[]> {
  if (options) return options.map(toWord)
  if (id.startsWith('platforms:') && name === 'source') return PLATFORM_WORDS.map(toWord)
  const found = ARG_LISTS.find(each => each.command.test(id) && each.arg === name)
  return found ? (await list(found.list)).map(toWord) : []
}

function toWord(value: string): Candidate {
  return { value }
}

function matching(candidates: readonly Candidate[], typed: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed))
}
