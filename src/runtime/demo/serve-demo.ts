import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CardNotes } from '../../demo/cards.js'
import { Company } from '../../demo/company.js'
import { Random } from '../../demo/random.js'
import type { Step } from '../../demo/stories/story.js'
import { makeTemporaryFolder } from '../../model/files/temporary-folder.js'
import { demoSources, type SettingSources } from '../../settings/reading/setting-sources.js'
import { readServeSettings, type ServeFlags, type ServeSettings } from '../../settings/serve-settings.js'
import { boardFiles } from '../open-board.js'
import { wallClock } from '../open-ledger.js'
import type { RunningServer } from '../serve/serve.js'
import { DemoTrickle, type DemoTrickleParts } from './demo-trickle.js'
import { fillDemoBoard, fillDemoLedger } from './fill-demo.js'

/** Every demo has the same story; only the dates differ. */
const SEED = 4_711

/**
 * Serves a temporary ledger and board with sample events, and adds events every few seconds. Their files are in a
 * temporary folder, which is deleted on close.
 *
 * @throws AppError as `makeTemporaryFolder`, `readServeSettings` and `serve`
 */
export async function serveDemo(flags: ServeFlags, sources: SettingSources): Promise<RunningServer> {
  const folder = await makeTemporaryFolder('daybook-demo-')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const own = demoSources(sources, folder)
    const settings = readServeSettings({ ...flags, demo: true }, own)
    // Loads the server while the store is busy.
    const [company, { serve }] = await Promise.all([fill(settings), import('../serve/serve.js')])
    const running = await serve(settings, own)
    running.logger.info({ folder }, 'a demo: settings of a real ledger or board are ignored')
    const trickle = running.ledger && startTrickle(company, { ledger: running.ledger.ledger, logger: running.logger })
    const stop = async () => {
      try {
        await trickle?.stop()
        await running.close()
      } finally {
        await remove()
      }
    }
    let stopping: Promise<void> | undefined
    const close = () => {
      stopping ??= stop()
      return stopping
    }
    return { ...running, close }
  } catch (error) {
    await remove()
    throw error
  }
}

/** @returns the company, at the end of its history */
async function fill({ ledger, board }: ServeSettings): Promise<Company> {
  const ends = wallClock()
  const company = new Company({ seed: SEED, ends })
  const notes = new CardNotes()
  if (ledger) {
    await mkdir(dirname(ledger.database.path), { recursive: true, mode: 0o700 })
    await fillDemoLedger(ledger.database.path, noted(company.history(), notes))
  } else {
    for (const step of company.history()) notes.note(step)
  }
  if (board) {
    await fillDemoBoard(boardFiles(board.home).cards, { ends, columns: board.columns, cards: notes.cards() })
  }
  return company
}

function* noted(history: Iterable<Step>, notes: CardNotes): Generator<Step> {
  for (const step of history) {
    notes.note(step)
    yield step
  }
}

function startTrickle(company: Company, { ledger, logger }: Pick<DemoTrickleParts, 'ledger' | 'logger'>): DemoTrickle {
  return new DemoTrickle({ company, ledger, logger, clock: wallClock, random: new Random(SEED) })
}
