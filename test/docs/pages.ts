import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A fenced block of a page. */
export interface Block {
  /** The word after the fence: `sh` is run, `console` is shown only. */
  language: string
  text: string
  /** Of the opening fence, from 1. */
  line: number
  /** Nothing but blank lines between it and the block before. */
  followsBlock: boolean
}

export interface Page {
  /** Below the package's folder, with slashes. */
  path: string
  text: string
  blocks: Block[]
}

/** The README and every page for users. Decision records and measurements are no instructions. */
export function readPages(): Page[] {
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  const paths = below.map(path => posix.join('docs', path.split(sep).join(posix.sep)))
  const pages = paths.filter(path => path.endsWith('.md') && !/^docs\/(?:decisions\/|performance\.md)/.test(path))
  return ['README.md', ...pages.sort()].map(readPage)
}

/** @param path below the package's folder */
export function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return { path, text, blocks: toBlocks(text) }
}

/** The page without its blocks. */
export function proseOf({ text }: Page): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

function toBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let open: { language: string; line: number; lines: string[] } | undefined
  let followsBlock = false
  for (const [index, line] of text.split('\n').entries()) {
    const [, language] = /^```(.*)$/.exec(line) ?? []
    if (open && language !== undefined) {
      blocks.push({ language: open.language, text: open.lines.join('\n'), line: open.line, followsBlock })
      open = undefined
      followsBlock = true
    } else if (open) {
      open.lines.push(line)
    } else if (language !== undefined) {
      open = { language, line: index + 1, lines: [] }
    } else if (line.trim() !== '') {
      followsBlock = false
    }
  }
  if (open) throw new Error(`The block in line ${open.line} has no end`)
  return blocks
}
