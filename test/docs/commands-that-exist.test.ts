import t from 'tap'
import { flagNames, loadCommands } from './own-commands.js'
import { type Page, proseOf, readPages } from './pages.js'
import { codesIn } from './reference-page.js'

const FOR_ALL = ['help', 'version', 'tree', 'tree-brief']
const commands = await loadCommands()

for (const page of readPages()) {
  t.test(`every command that ${page.path} names exists`, async t => {
    for (const line of commandLines(page)) t.equal(problemOf(line), undefined, line)
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

/** What is to be typed after a prompt: in blocks, where a command may begin; in the text, code spans. */
function commandLines(page: Page): string[] {
  const scripts = page.blocks.filter(({ language }) => ['sh', 'console'].includes(language)).map(({ text }) => text)
  const typed = scripts.flatMap(script => script.replaceAll('\\\n', ' ').split(/\n|&&|\|\|?|;|\$\(/))
  return [...typed, ...codesIn(proseOf(page))]
    .map(text => text.trim().replace(/^(?:(?:while|if|do|then) |[A-Z_]+=\S+ +)+/, ''))
    .filter(text => /^daybook(?: |$)/.test(text))
    .map(text => text.replace(/ [#<>].*$/, ''))
}
