import { AppError } from '../../model/app-error.js'
import type { Card } from '../../model/board/card.js'
import type { CardAction, CardActor, CardHistoryEntry } from '../../model/board/card-history.js'
import { numberOrNull, textOrNull } from './columns.js'

/** @throws AppError `outdated/version_conflict` */
export function refuseOutdated({ id, version }: Card, wanted: number | undefined): void {
  if (wanted === undefined || wanted === version) return
  throw new AppError('outdated', 'version_conflict', `The card ${id} has changed: it is version ${version} now.`, {
    hint: 'Read it again, and change that version.',
  })
}

export function boardFull(max: number): AppError {
  return new AppError('conflict', 'board_full', `The board holds ${max} cards, which is the limit.`, {
    hint: 'Delete cards that are no longer needed.',
  })
}

/**
 * A rank between those before and after a place in a column.
 *
 * @returns undefined if no number is left between the two: then the whole column has to be renumbered
 */
export function rankBetween(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined) return after === undefined ? 1 : after - 1
  if (after === undefined) return before + 1
  const between = before + (after - before) / 2
  return before < between && between < after ? between : undefined
}

export function rankOf(row: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return numberOrNull(row?.rank) ?? undefined
}

/** A card from its row. */
export function toCard(row: Readonly<Record<string, unknown>>): Card {
  return {
    id: String(row.id),
    title: String(row.title),
    body: String(row.body),
    column: String(row.board_column),
    labels: JSON.parse(String(row.labels)),
    assignee: textOrNull(row.assignee),
    links: JSON.parse(String(row.links)),
    rank: Number(row.rank),
    version: Number(row.version),
    created_at: String(row.created_at),
    updated_at: String(row.updated_at),
  }
}

/** An entry of its history from its row. */
export function toHistoryEntry(row: Readonly<Record<string, unknown>>): CardHistoryEntry {
  return {
    at: String(row.at),
    by: { kind: row.actor as CardActor['kind'], name: textOrNull(row.actor_name) },
    action: row.action as CardAction['action'],
    ...JSON.parse(String(row.body)),
  }
}
