import type { NewCard } from '../model/board/card.js'
import type { NewEvent } from '../model/events/event.js'
import type { Micros } from '../model/timestamp.js'
import { MINUTE } from './durations.js'
import type { Step } from './stories/story.js'

/** A card of the demo's board, and the time of its creation. */
export interface DemoCard {
  at: Micros
  card: NewCard & { column: string }
}

/** The plan of a card. The card links to an event of the history, so that the link works. */
interface Plan {
  about: (event: NewEvent) => boolean
  /** @param event the newest event that fits */
  card: (event: NewEvent) => Omit<DemoCard['card'], 'links'>
}

const PLANS: readonly Plan[] = [
  {
    about: ({ kind, source }) => source === 'code_b' && kind === 'job.failed',
    card: event => ({
      title: `Find out why ${titleOf(event)} fails`,
      column: 'doing',
      labels: ['pipeline'],
      assignee: 'Vikram Saltwala',
      body: [
        'Seen in the ledger:',
        '',
        quote(event),
        '',
        '- [x] run it again: fails again',
        '- [x] run it without the cache: fails as well',
        '- [ ] compare with the last run that went well',
        '- [ ] ask Lock Keeper nicely',
      ].join('\n'),
    }),
  },
  {
    about: ({ kind, source }) => source === 'code_a' && kind === 'issue.created',
    card: event => ({
      title: titleOf(event),
      column: 'backlog',
      labels: ['bug', 'kiosk'],
      assignee: null,
      body: `${quote(event)}\n\nHappens on the **kiosk** only. See [the issue](${event.target.url ?? ''}).`,
    }),
  },
  {
    about: ({ kind, source }) => source === 'code_b' && kind === 'issue.created',
    card: event => ({
      title: titleOf(event),
      column: 'doing',
      labels: ['bug'],
      assignee: '霧野 こだま',
      body: `${quote(event)}\n\n1. write the test\n2. see it fail\n3. mend it 🛠️`,
    }),
  },
  {
    about: ({ kind, source }) => source === 'code_a' && kind === 'pull_request.created',
    card: event => ({
      title: `Review ${titleOf(event)}`,
      column: 'review',
      labels: ['needs eyes'],
      assignee: 'Ottilie Brannock',
      body: `By ${event.actor.display}.\n\n${quote(event)}`,
    }),
  },
  {
    about: ({ kind, conversation }) => kind === 'post.created' && conversation.title?.startsWith('時刻表') === true,
    card: event => ({
      title: 'Red night mode for the wheelhouse · 夜間モード',
      column: 'backlog',
      labels: ['forum', '日本語', 'accessibility'],
      assignee: null,
      body: [
        quote(event),
        '',
        '| screen | white | red |',
        '| --- | ---: | ---: |',
        '| wheelhouse | 280 cd/m² | 4 cd/m² |',
        '| phone | 310 cd/m² | 6 cd/m² |',
      ].join('\n'),
    }),
  },
  {
    about: ({ kind, conversation }) => kind === 'post.created' && conversation.title?.startsWith('The 7:15') === true,
    card: () => ({
      title: 'The sign at Gull Ness says 7:15, the timetable does not',
      column: 'review',
      labels: ['forum', 'timetables'],
      assignee: 'Anouk Tidemand',
      body: 'The timetable is right. A new sign is ordered; **do not** change the data.',
    }),
  },
  {
    about: ({ kind, conversation }) => kind === 'message.created' && conversation.title === 'support > lost property',
    card: () => ({
      title: 'The watch on "found things" fails: the topic is called "lost property" now',
      column: 'backlog',
      labels: ['ledger', 'support'],
      assignee: 'سلمى الزورقية',
      body: 'Change the target of subscription `demo-lost-property` to `stream:support/topic:lost property`.',
    }),
  },
  {
    about: ({ kind, conversation }) => kind === 'message.created' && conversation.title === 'operations > incidents',
    card: event => ({
      title: 'Write up the last incident',
      column: 'done',
      labels: ['incident'],
      assignee: 'Ifeoma Kestrel',
      body: `It began, or ended, like this:\n\n${quote(event)}\n\nNobody missed a boat.`,
    }),
  },
  {
    about: ({ kind, conversation }) =>
      kind === 'deployment_status.created' && conversation.text?.startsWith('health check: 503') === true,
    card: event => ({
      title: `Find out why the deployment of ${event.conversation.title ?? 'it'} failed`,
      column: 'doing',
      labels: ['incident'],
      assignee: 'Tomás Verdeluz',
      body: `${quote(event)}\n\n- [x] revert\n- [ ] start without a cache\n- [ ] check the next deployment`,
    }),
  },
  {
    about: ({ kind }) => kind === 'release.published' || kind === 'release.created',
    card: event => ({
      title: `Tell the harbours about ${event.target.display ?? 'the release'}`,
      column: 'done',
      labels: ['release', 'announcements'],
      assignee: 'Bartholomew Featherquill-Winterbottom van der Zandweg',
      body: event.conversation.text ?? '',
    }),
  },
]

const TITLE_CHARACTERS = 150
const WRITTEN_AFTER = 12 * MINUTE

/** Reads a history, and creates cards from events in it. */
export class CardNotes {
  readonly #newest = new Map<Plan, { at: Micros; event: NewEvent }>()

  note(step: Step): void {
    if (step.does !== 'record') return
    for (const { event } of step.deliveries) {
      for (const plan of PLANS) if (plan.about(event)) this.#newest.set(plan, { at: step.at, event })
    }
  }

  /** Oldest first, each with a link to its event. */
  cards(): DemoCard[] {
    const cards = [...this.#newest].map(([{ card }, { at, event }]): DemoCard => {
      return { at: at + WRITTEN_AFTER, card: { ...card(event), links: [event.dedupe_key] } }
    })
    return cards.sort((left, right) => left.at - right.at)
  }
}

function titleOf({ conversation, target }: NewEvent): string {
  const title = conversation.title ?? target.display ?? 'it'
  return title.length > TITLE_CHARACTERS ? `${title.slice(0, TITLE_CHARACTERS)}…` : title
}

function quote({ conversation }: NewEvent): string {
  return (conversation.text ?? '').replace(/^/gmu, '> ')
}
