import fc from 'fast-check'
import t from 'tap'
import {
  type CardText,
  changesBetween,
  differences,
  draftState,
  mergeDraft,
  NO_TEXT,
} from '../../assets/board/cards/card-draft.js'
import { commonLines, countDiffering, diffLines, excerpt } from '../../assets/board/cards/line-diff.js'
import { countMarked, mergeLines } from '../../assets/board/cards/merge-lines.js'
import type { Card } from '../../src/model/board/card.js'

const BASE: CardText = { title: 'Retries', body: 'one\ntwo\nthree', labels: ['bug'], assignee: null, links: ['chat:1'] }

function saved(text: Partial<CardText>, version = 2, column = 'doing'): Card {
  const { labels, links, ...rest } = { ...BASE, ...text }
  return {
    ...rest,
    labels: [...labels],
    links: [...links],
    id: '1',
    column,
    rank: 1,
    version,
    created_at: '',
    updated_at: '',
  }
}

const draft = (mine: Partial<CardText>) => ({ base: BASE, version: 1, mine: { ...BASE, ...mine } })

t.test('the state of a draft is clean, changed, outdated or conflict', async t => {
  t.equal(draftState(draft({}), saved({}, 1)), 'clean')
  t.equal(draftState(draft({ title: 'x' }), saved({}, 1)), 'changed')
  t.equal(draftState(draft({ title: 'x' }), saved({}, 2, 'done')), 'outdated')
  t.equal(draftState(draft({ title: 'x' }), saved({ body: 'other' })), 'conflict')
  t.equal(draftState(draft({ title: 'x' }), saved({ title: 'x' })), 'clean', 'both wrote the same')
  t.equal(draftState(draft({}), saved({ body: 'other' })), 'clean', 'nothing was written here')
})

t.test('only changed members are sent', async t => {
  t.same(changesBetween(BASE, { ...BASE, labels: ['bug'], assignee: 'Ada' }), { assignee: 'Ada' })
  t.same(changesBetween(NO_TEXT, BASE), {
    title: 'Retries',
    body: 'one\ntwo\nthree',
    labels: ['bug'],
    links: ['chat:1'],
  })
})

t.test('an excerpt groups differing lines, ours first, with one line of context', async t => {
  const lines = diffLines('a\nb\nc\nd\ne', 'a\nb\nC\nd\ne')
  t.same(
    excerpt(lines).map(line => line && `${line.of} ${line.text}`),
    ['both b', 'mine c', 'saved C', 'both d'],
  )
  t.equal(countDiffering(lines), 1)
  t.equal(countDiffering(diffLines('a\nb', 'a\nb\nc\nd')), 2)
  t.same(
    excerpt(diffLines('a\nb\nc\nd\ne\nf', 'A\nb\nc\nd\ne\nF')).map(line => line?.of),
    ['mine', 'saved', 'both', undefined, 'both', 'mine', 'saved'],
  )
})

t.test('a difference contains both texts completely', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map(lines => lines.join('\n'))
  await fc.assert(
    fc.property(text, text, (mine, other) => {
      const lines = diffLines(mine, other)
      const of = (side: 'mine' | 'saved') =>
        lines
          .filter(line => line.of !== side)
          .map(line => line.text)
          .join('\n')
      return of('saved') === mine && of('mine') === other
    }),
  )
})

t.test('texts that are too large to compare count as completely different', async t => {
  const [a, b] = ['a', 'b'].map(word => Array.from({ length: 30_000 }, (_, at) => `${word}${at}`)) as [
    string[],
    string[],
  ]
  t.same(commonLines(['same', ...a, 'same'], ['same', ...b, 'same']).length, 2)
})

t.test('a change by one side is merged; a change by both sides appears in both versions', async t => {
  const base = 'one\ntwo\nthree\nfour'
  const applied = mergeLines({ base, mine: 'ONE\ntwo\nthree\nfour', saved: 'one\ntwo\nthree\nFOUR' })
  t.equal(applied, 'ONE\ntwo\nthree\nFOUR')
  t.equal(countMarked(applied), 0)
  const marked = mergeLines({ base, mine: 'one\nMINE\nthree\nfour', saved: 'one\nSAVED\nthree\nfour' })
  t.equal(marked, 'one\n<<<<<<< yours\nMINE\n=======\nSAVED\n>>>>>>> saved\nthree\nfour')
  t.equal(countMarked(marked), 1)
  t.equal(countMarked(marked.replace('<<<<<<< yours\n', '')), 1, 'half removed')
  const same = 'one\nSAME\nthree\nfour'
  t.equal(mergeLines({ base, mine: same, saved: same }), same)
  t.equal(mergeLines({ base, mine: 'one\nthree\nfour', saved: base }), 'one\nthree\nfour')
})

t.test('a merge keeps every line of both sides', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 10 }).map(lines => lines.join('\n'))
  await fc.assert(
    fc.property(text, text, text, (base, mine, other) => {
      const merged = mergeLines({ base, mine, saved: other }).split('\n')
      const known = new Set(base.split('\n'))
      return [...mine.split('\n'), ...other.split('\n')].every(line => known.has(line) || merged.includes(line))
    }),
  )
  await fc.assert(fc.property(text, text, (base, mine) => mergeLines({ base, mine, saved: base }) === mine))
})

t.test('a merged draft has the changes of each side to members that the other left unchanged', async t => {
  const mine = { title: 'Mine', body: 'ONE\ntwo\nthree', labels: ['bug', 'mine'], links: [] }
  const theirs = saved({ body: 'one\ntwo\nTHREE', labels: ['saved'], assignee: 'Ada', links: ['chat:1', 'chat:2'] }, 7)
  t.match(mergeDraft(draft(mine), theirs), {
    version: 7,
    base: { assignee: 'Ada' },
    mine: { title: 'Mine', body: 'ONE\ntwo\nTHREE', labels: ['saved', 'mine'], assignee: 'Ada', links: ['chat:2'] },
  })
})

t.test('fields that differ are listed by name', async t => {
  t.same(
    differences({ ...BASE, assignee: 'Ada' }, { ...BASE, labels: [] }).map(({ of, text }) => `${of} ${text}`),
    ['mine Assignee: Ada', 'saved Assignee: none', 'mine Labels: bug', 'saved Labels: none'],
  )
})
