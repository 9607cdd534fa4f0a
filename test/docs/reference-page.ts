import { type Page, readPage } from './pages.js'

/** The text under one heading, down to the next of any level. */
interface Section {
  title: string
  text: string
  tables: Table[]
}

export interface Table {
  /** The title of the first column. */
  of: string
  rows: string[][]
}

/** @param name of a page in docs/reference, without its ending */
export function readReference(name: string): Page & { sections: Section[] } {
  const page = readPage(`docs/reference/${name}.md`)
  return { ...page, sections: toSections(page.text) }
}

/** The words in code spans. */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}

/** The code spans in the first cells of those tables. */
export function firstCodes(tables: readonly Table[], of?: string): string[] {
  const wanted = tables.filter(table => of === undefined || table.of === of)
  return wanted.flatMap(table => table.rows.flatMap(([first = '']) => codesIn(first)))
}

function toSections(text: string): Section[] {
  const [, ...parts] = withoutBlocks(text).split(/^#+ /m)
  const bodies = text.replace(/^```[\s\S]*?^```$/gm, block => block.replace(/^#/gm, ' #'))
  const [, ...whole] = bodies.split(/^#+ /m)
  return parts.map((part, index) => {
    const end = part.indexOf('\n')
    return { title: part.slice(0, end), text: whole[index] ?? '', tables: toTables(part) }
  })
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

function toTables(text: string): Table[] {
  return [...text.matchAll(/^\|.*\n\|[ :|-]+\n(?:\|.*\n?)*/gm)].map(([table]) => {
    const [titles = '', , ...rows] = table.trim().split('\n')
    return { of: toCells(titles)[0] ?? '', rows: rows.map(toCells) }
  })
}

function toCells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim())
}
