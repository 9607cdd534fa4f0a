import type { Command, Interfaces } from '@oclif/core'

/** The part of oclif's configuration that the tree shows. */
export type CommandSource = Pick<Interfaces.Config, 'bin' | 'commands' | 'topics'>

interface TreeOptions {
  /** Whether to show the parameters of each command, not only its summary. */
  signatures: boolean
}

interface Node {
  name: string
  command?: Command.Loadable
  summary: string
  children: Node[]
}

/**
 * The tree of all loaded commands.
 *
 * Source: Event Ledger Service, "Command-line client" (`--tree`, `--tree-brief`).
 */
export function printTree(source: CommandSource, options: TreeOptions): string {
  const root: Node = { name: source.bin, summary: '', children: [] }
  const commands = source.commands.filter(command => !command.hidden).sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const command of commands) {
    const node = nodeAt(root, command.id.split(':'), source.topics)
    node.command = command
    // In plugins, the program's name is a template, which oclif's own help expands.
    node.summary = firstLine(command.summary ?? command.description).replaceAll('<%= config.bin %>', source.bin)
  }
  return [root.name, ...branches(root, '', options)].join('\n')
}

/** Finds or creates the node under those words. */
function nodeAt(root: Node, words: readonly string[], topics: CommandSource['topics']): Node {
  let node = root
  for (const [depth, name] of words.entries()) {
    let child = node.children.find(candidate => candidate.name === name)
    if (!child) {
      const topic = topics.find(candidate => candidate.name === words.slice(0, depth + 1).join(':'))
      child = { name, summary: firstLine(topic?.description), children: [] }
      node.children.push(child)
    }
    node = child
  }
  return node
}

function branches(parent: Node, indent: string, options: TreeOptions): string[] {
  return parent.children.flatMap((node, index) => {
    const isLast = index === parent.children.length - 1
    const deeper = `${indent}${isLast ? '    ' : '│   '}`
    const lines = [`${indent}${isLast ? '└── ' : '├── '}${toTitle(node, options)}`]
    if (options.signatures && node.command) lines.push(`${deeper}${toFlagsText(node.command)}`.trimEnd())
    return [...lines, ...branches(node, deeper, options)]
  })
}

function toTitle({ name, command, summary }: Node, { signatures }: TreeOptions): string {
  const taken = signatures && command ? ` ${Object.values(command.args).map(toArgText).join(' ')}`.trimEnd() : ''
  return `${name}${taken}${summary && `  # ${summary}`}`
}

function toFlagsText({ flags }: Command.Loadable): string {
  return Object.values(flags)
    .filter(flag => !flag.hidden)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(toFlagText)
    .join(' ')
}

function toArgText({ name, required, options }: Command.Arg.Cached): string {
  const value = options ? options.join('|') : name
  return required ? `<${value}>` : `[${value}]`
}

function toFlagText(flag: Command.Flag.Cached): string {
  if (flag.type === 'boolean') return `[--${flag.name}]`
  const { name, required, multiple, options, helpValue } = flag
  const value = options?.join('|') ?? (Array.isArray(helpValue) ? helpValue[0] : helpValue) ?? '<value>'
  return `${required ? `--${name} ${value}` : `[--${name} ${value}]`}${multiple ? '...' : ''}`
}

function firstLine(text: string | undefined): string {
  return text?.split('\n')[0] ?? ''
}
