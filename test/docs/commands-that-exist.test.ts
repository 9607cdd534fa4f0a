import t from 'tap'
import { flagNames, loadCommands } from './loaded-commands.js'
import { type Page, proseOf, readPages } from './pages.js'
import { codesIn } from './reference-page.js'

const FOR_ALL = ['help', 'version', 'tree', 'tree-brief']
const commands = await loadCommands()

for (const page of readPages()) {
  t.test(`every command that ${page.path} names exists`, async t => {
    for (const line of commandLines(page)) t.equal(problemOf(line), undefined, line)
  })

  t.test(`every command to type in ${page.path} has its required arguments`, async t => {
    for (const line of typedLines(page)) t.equal(missingArgument(line), undefined, line)
  })
}

function problemOf(line: string): string | undefined {
  const [, ...words] = line.split(/\s+/)
  const firstOther = words.findIndex(word => !/^[a-z]+(?:-[a-z]+)*$/.test(word))
  const named = words.slice(0, firstOther === -1 ? undefined : firstOther)
  const flags = words.filter(word => word.startsWith('--')).map(word => word.slice(2).replace(/=.*$/, ''))
  if (flags.length > 0 && flags.every(flag => FOR_ALL.includes(flag))) return undefined
  for (let count = named.length; count > 0; count--) {
    const command = commands.get(named.slice(0, count).join(' '))
    const unknown = command && flags.find(flag => !flagNames(command).includes(flag))
    if (command) return unknown && `no flag --${unknown}`
  }
  const isTopic = named.length > 0 && [...commands.keys()].some(id => id.startsWith(`${named.join(' ')} `))
  return isTopic || words.length === 0 ? undefined : 'no such command'
}

/** The first required argument without a word. Words of a quoted text count separately, so some are overlooked. */
function missingArgument(line: string): string | undefined {
  const words = line
    .replace(/ (?:#|\d*[<>] ).*$/, '')
    .split(/\s+/)
    .slice(1)
  const command = [3, 2, 1].map(count => commands.get(words.slice(0, count).join(' '))).find(found => found)
  if (!command || words.some(word => FOR_ALL.includes(word.slice(2)))) return undefined
  const takesValue = (word: string) =>
    Object.values(command.flags).some(({ name, char, type }) => {
      return type === 'option' && (word === `--${name}` || word === `-${char}`)
    })
  const given = words.slice(command.id.split(':').length).filter((word, at, all) => {
    return !/^-./.test(word) && !takesValue(all[at - 1] ?? '')
  })
  return Object.values(command.args).filter(({ required }) => required)[given.length]?.name
}

/** What is to be typed after a prompt: in blocks, where a command may begin; in the text, code spans. */
function commandLines(page: Page): string[] {
  return [...typedLines(page), ...toCommands(codesIn(proseOf(page)))].map(text => text.replace(/ [#<>].*$/, ''))
}

function typedLines(page: Page): string[] {
  const scripts = page.blocks.filter(({ language }) => ['sh', 'console'].includes(language)).map(({ text }) => text)
  return toCommands(scripts.flatMap(script => script.replaceAll('\\\n', ' ').split(/\n|&&|\|\|?|;|\$\(/)))
}

function toCommands(texts: readonly string[]): string[] {
  return texts
    .map(text => text.trim().replace(/^(?:(?:while|if|do|then) |[A-Z_]+=\S+ +)+/, ''))
    .filter(text => /^daybook(?: |$)/.test(text))
}
