import type { Card } from '#model/board/card'
import { type DiffLine, diffLines } from './line-diff.js'
import { mergeLines } from './merge-lines.js'

/** The text of a card, without its position. */
export interface CardText {
  title: string
  body: string
  labels: readonly string[]
  assignee: string | null
  links: readonly string[]
}

/** Unsaved changes to a card, as JSON. */
export interface CardDraft {
  base: CardText
  /** Version of `base`; 0 for a new card. */
  version: number
  mine: CardText
}

export const NO_TEXT: CardText = { title: '', body: '', labels: [], assignee: null, links: [] }

export function textOf({ title, body, labels, assignee, links }: CardText): CardText {
  return { title, body, labels, assignee, links }
}

export function draftOf(card: Card): CardDraft {
  return { base: textOf(card), version: card.version, mine: textOf(card) }
}

/** The fields that differ, with their values in `to`. */
export function changesBetween(from: CardText, to: CardText): Partial<CardText> {
  const fields = Object.keys(NO_TEXT) as (keyof CardText)[]
  return Object.fromEntries(fields.filter(name => !isSame(from[name], to[name])).map(name => [name, to[name]]))
}

export function isSameText(a: CardText, b: CardText): boolean {
  return Object.keys(changesBetween(a, b)).length === 0
}

type DraftState = 'clean' | 'changed' | 'outdated' | 'conflict'

/**
 * How a draft relates to the saved card. `outdated`: the card has a later version with the same text, e.g. after a
 * move, so the draft applies to the later version.
 */
export function draftState({ base, version, mine }: CardDraft, saved: Card): DraftState {
  if (isSameText(mine, saved)) return 'clean'
  if (version >= saved.version) return isSameText(mine, base) ? 'clean' : 'changed'
  if (isSameText(base, saved)) return 'outdated'
  return isSameText(mine, base) ? 'clean' : 'conflict'
}

/** Merges both texts; conflicts are then resolved by hand. */
export function mergeDraft({ base, mine }: CardDraft, saved: Card): CardDraft {
  const merged: CardText = {
    title: isSame(mine.title, base.title) ? saved.title : mine.title,
    assignee: isSame(mine.assignee, base.assignee) ? saved.assignee : mine.assignee,
    labels: mergeWords(base.labels, mine.labels, saved.labels),
    links: mergeWords(base.links, mine.links, saved.links),
    body: mergeLines({ base: base.body, mine: mine.body, saved: saved.body }),
  }
  return { base: textOf(saved), version: saved.version, mine: merged }
}

/** Keeps words that either person added, and drops words that either removed. */
function mergeWords(base: readonly string[], mine: readonly string[], saved: readonly string[]): string[] {
  const kept = saved.filter(word => mine.includes(word) || !base.includes(word))
  return [...kept, ...mine.filter(word => !base.includes(word) && !saved.includes(word))]
}

/** The lines that differ between a draft and the saved card, with the names of their fields. */
export function differences(mine: CardText, saved: CardText): DiffLine[] {
  const names: Record<Exclude<keyof CardText, 'body'>, string> = {
    title: 'Title',
    assignee: 'Assignee',
    labels: 'Labels',
    links: 'Events',
  }
  const changed = changesBetween(mine, saved)
  const fields = (Object.keys(names) as (keyof typeof names)[]).filter(name => name in changed)
  const line = (of: 'mine' | 'saved', name: keyof typeof names, text: CardText): DiffLine => {
    const value = text[name]
    return { of, text: `${names[name]}: ${typeof value === 'string' ? value : (value ?? []).join(', ') || 'none'}` }
  }
  return [
    ...fields.flatMap(name => [line('mine', name, mine), line('saved', name, saved)]),
    ...('body' in changed ? diffLines(mine.body, saved.body) : []),
  ]
}

function isSame(a: CardText[keyof CardText], b: CardText[keyof CardText]): boolean {
  if (typeof a === 'string' || typeof b === 'string' || a === null || b === null) return a === b
  return a.length === b.length && a.every((word, at) => word === b[at])
}
