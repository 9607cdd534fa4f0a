import { mkdir, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { amountText, type Figure, goalText, isMet, ratioOf } from './figure.js'
import type { BenchOptions, MeasurementName } from './options.js'

/** The outcome of one measurement. */
export interface Outcome {
  measurement: MeasurementName
  figures: Figure[]
  /** Why there are no figures. */
  failure?: string
}

/** Facts on which figures depend. None of them identifies the machine. */
interface MachineFacts {
  cpu: string
  cores: number
  memoryGb: number
  platform: string
  node: string
  /** Average number of runnable processes during the minute before. With more than a few, the figures mean little. */
  loadBefore: number
}

export function machineFacts(): MachineFacts {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    platform: `${platform()} ${arch()}`,
    node: process.version,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}

const COLUMNS = ['measured', 'value', 'reference, in the same run', 'ratio', 'goal', 'met']

/** The table for a terminal. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const table = new Table({
    head: [...COLUMNS],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  })
  for (const { measurement, figures, failure } of outcomes) {
    if (failure !== undefined)
      table.push([measurement, { content: `not measured: ${failure}`, colSpan: 5, hAlign: 'left' }])
    for (const figure of figures) table.push(toRow(figure))
  }
  return table.toString()
}

/** The table of docs/performance.md: missed goals first. */
export function markdownTable(outcomes: readonly Outcome[]): string {
  const figures = outcomes.flatMap(outcome => outcome.figures)
  const missed = figures.filter(figure => isMet(figure) === false)
  const rows = [...missed, ...figures.filter(figure => !missed.includes(figure))].map(toRow)
  const failed = outcomes.flatMap(({ measurement, failure }) =>
    failure === undefined ? [] : [[measurement, `not measured: ${failure}`, '', '', '', '']],
  )
  return [COLUMNS, COLUMNS.map(() => '---'), ...rows, ...failed]
    .map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`)
    .join('\n')
}

/** Writes all outcomes as JSON. @returns the file's name */
export async function writeResults(
  folder: string,
  run: { startedAt: Date; machine: MachineFacts; options: BenchOptions; outcomes: readonly Outcome[] },
): Promise<string> {
  const { startedAt, machine, outcomes } = run
  const { quick, only, events } = run.options
  const name = `${startedAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z.json`
  const judged = outcomes.map(({ figures, ...outcome }) => ({
    ...outcome,
    figures: figures.map(figure => ({ ...figure, ratio: ratioOf(figure), met: isMet(figure) })),
  }))
  const results = { started_at: startedAt.toISOString(), machine, options: { quick, only, events }, outcomes: judged }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), `${JSON.stringify(results, undefined, 2)}\n`)
  return name
}

function toRow(figure: Figure): string[] {
  const { what, yardstick, goal, unit } = figure
  const ratio = ratioOf(figure)
  const met = isMet(figure)
  return [
    what,
    amountText(figure),
    yardstick ? `${yardstick.what}: ${amountText(yardstick)}` : '',
    ratio === undefined ? '' : `${ratio.toPrecision(3)} ×`,
    goal ? goalText(goal, unit) : '',
    met === undefined ? '' : met ? 'yes' : 'NO',
  ]
}
