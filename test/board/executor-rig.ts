import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { Executor, type ExecutorParts } from '../../src/board/executor.js'
import type { ExecutorSettings } from '../../src/board/new-run.js'
import type { Card } from '../../src/model/board/card.js'
import { LogText } from '../../src/model/board/log-text.js'
import { isFinished, type Run } from '../../src/model/board/run.js'
import { type BoardDatabase, openBoardDatabase } from '../../src/store/sqlite/board/board-database.js'
import { asyncStore } from '../../src/store/sqlite/thread/task.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'

const START = Date.UTC(2031, 4, 4, 9) * 1000

export const CARD: Card = {
  id: 'card_1',
  title: 'Mend the gate',
  body: 'It **creaks**.',
  column: 'doing',
  labels: [],
  assignee: null,
  links: [],
  rank: 1,
  version: 3,
  created_at: '2031-05-04T09:00:00.000000Z',
  updated_at: '2031-05-04T09:00:00.000000Z',
}

/** Shorter waits than the default, before processes are killed. */
export const SHORT_TIMES = { graceMs: 300, killMs: 5_000, pollMs: 80, mockStepMs: 1, retryMs: 5 }

interface Rig {
  executor: Executor
  database: BoardDatabase
  /** The working folder of runs. */
  folder: string
  /** What was reported. */
  reported: unknown[]
  /** Resolves with the run once it is over. */
  over(run: Run): Promise<Run>
  /** The kept log as text. */
  text(run: Run): Promise<string>
}

export interface RigOptions extends Partial<Omit<ExecutorParts, 'settings'>> {
  settings?: Partial<ExecutorSettings>
  /** Folder of the database; default: a folder of the test. */
  home?: string
}

/** An executor over its own board database, closed when the test ends. */
export async function createExecutor(
  t: Test,
  { settings, home = testFolder(t), ...parts }: RigOptions = {},
): Promise<Rig> {
  const database = openBoardDatabase(join(home, 'board.sqlite3'))
  const folder = join(home, 'work')
  const reported: unknown[] = []
  let [clock, made] = [START, 0]
  const environment = { PATH: process.env.PATH ?? '' }
  const executor = await Executor.open({
    runs: asyncStore(database.runs),
    findCard: async id => (id === CARD.id ? CARD : undefined),
    hasToken: async () => true,
    now: () => ++clock,
    newId: () => `run_${++made}`,
    newMarker: () => `marker-of-${process.pid}-${made}`,
    report: error => reported.push(error),
    times: SHORT_TIMES,
    ...parts,
    settings: { timeoutSeconds: 60, environment, folder, ...settings },
  })
  t.teardown(async () => {
    await executor.close()
    database.close()
  })
  return {
    executor,
    database,
    folder,
    reported,
    over: async ({ id }) => {
      await until(async () => isFinished(await executor.get(id)))
      return await executor.get(id)
    },
    text: async ({ id }) => {
      const text = new LogText()
      const pieces = await executor.log(id)
      return pieces.map(piece => text.add(piece)).join('')
    },
  }
}

/** A command that runs a shell script. */
export function shell(script: string): string[] {
  return ['/bin/sh', '-c', script]
}

/** A command that runs one of the programs beside this file. */
export function program(name: string, ...args: string[]): string[] {
  return [process.execPath, fileURLToPath(new URL(`programs/${name}.js`, import.meta.url)), ...args]
}

/** Whether a process runs; a zombie does not. */
export function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
      return false
    throw error
  }
}
