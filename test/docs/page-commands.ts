import type { Test } from 'tap'
import type { Block, Page } from './pages.js'
import type { Reader } from './reader.js'
import { differences } from './shown-output.js'

/** Its commands run where the tests start a demo, which takes seconds: `test/demo/serve-demo.test.ts`. */
export const DEMO_PAGE = 'docs/how-to/try-the-demo.md'

interface CommandsOptions {
  reader: Reader
  /** Called for each block, of any language. */
  before?: (block: Block) => Promise<void>
}

/** Runs the commands of a page in order, until one fails, and compares what they print with what the page shows. */
export async function runCommands(t: Test, page: Page, { reader, before }: CommandsOptions): Promise<void> {
  for (const [index, block] of page.blocks.entries()) {
    await before?.(block)
    if (block.language !== 'sh') continue
    const { ok, out, err } = await reader.run(block.text)
    if (!t.ok(ok, `the block in line ${block.line} ends well`, { out, err })) return
    const shown = page.blocks[index + 1]
    if (!shown?.followsBlock || !['json', 'text'].includes(shown.language)) continue
    t.same(differences(shown.language, shown.text, out), [], `and prints what line ${shown.line} shows`)
  }
}
