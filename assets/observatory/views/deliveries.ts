import { useEffect } from 'preact/hooks'
import { count, counted } from '#model/counted'
import type { Stats } from '#model/ledger-answers'
import type { DeliveryTraceState } from '#model/platforms/delivery-trace'
import type { ReconcileStatus } from '#model/platforms/reconciliation'
import { href } from '../../shared/address.js'
import { AskButton } from '../../shared/controls/ask-button.js'
import { SourceGlyph } from '../../shared/controls/glyph.js'
import { LoadProblem, Unloaded } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { api, createResource } from '../../shared/server/api.js'
import { rootPath } from '../../shared/server/root-path.js'
import { isAdmin, session, sessionLoad } from '../../shared/server/session.js'
import { ViewTitle } from '../../shared/shell.js'
import { bytes } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { bySource, keepFresh, overview, sourceLabel } from '../overview.js'

/** Interval of loading, normally and while deliveries are compared. */
const EVERY_MS = { idle: 10_000, comparing: 1_000 }
const SHOWN = 200
/** Period of a comparison: as long as refused deliveries are kept. */
const SINCE_SECONDS = 7 * 86_400

/** Data that only admins may see. */
const loaded = createResource(async signal => {
  const query = { limit: SHOWN }
  const [trace, reconcile] = await Promise.all([
    api<DeliveryTraceState>('/api/deliveries', { query, signal }),
    api<ReconcileStatus>('/api/reconciliations', { signal }),
  ])
  return { trace, reconcile }
})

/** Deliveries of each source, refused ones with the reason, and those that platforms list and the ledger lacks. */
export function DeliveriesView() {
  const { stats } = overview.value.value ?? {}
  const { trace, reconcile } = loaded.value.value ?? {}
  const isAdminHere = isAdmin()
  const everyMs = EVERY_MS[reconcile?.running ? 'comparing' : 'idle']
  useEffect(() => (isAdminHere ? keepFresh(loaded, everyMs) : undefined), [isAdminHere, everyMs])
  const known =
    trace &&
    reconcile &&
    html`<${Refused} trace=${trace} hooks=${reconcile.hooks} /><${Reconciled} status=${reconcile} />`
  const ofAdmins = known
    ? html`<${LoadProblem} of=${loaded} what="This may be outdated." />${known}`
    : html`<${Unloaded} of=${loaded} name="refused deliveries" />`
  const others = html`<p class="view-pad spaced">Admins see each refused delivery, and why it was refused. On the server, <code>daybook platforms deliveries</code> lists them.</p>`
  return html`<div class="view-main fill table-view">
    <div class="view-head row wrap"><${ViewTitle} title="Deliveries" />
      ${isAdminHere && html`<span class="quiet-text">${trace && html`Since the server started, <${Time} at=${trace.since} as="relative" />`}</span>`}</div>
    ${stats && session.value ? html`<div class="table-scroll named"><${SourceRows} stats=${stats} trace=${trace} />${isAdminHere ? ofAdmins : others}</div>` : html`<${Unloaded} of=${stats ? sessionLoad : overview} name="deliveries" />`}
  </div>`
}

function SourceRows({ stats, trace }: { stats: Stats; trace: DeliveryTraceState | undefined }) {
  const { by_source: events, refused_deliveries: sinceStart } = stats
  const known = new Map(trace?.sources.map(each => [each.source, each]))
  const names = new Set([...Object.keys(events), ...known.keys(), ...sinceStart.items.map(({ source }) => source)])
  if (names.size === 0)
    return html`<p class="view-pad">No source has delivered anything yet. <a href=${`${rootPath}/api/platforms`}>Webhook addresses</a></p>`
  return html`<table class="table">
    <thead><tr><th>Source</th><th class="if-wide number">Events</th><th class=${trace && 'if-wide'}>Newest event</th>${trace && html`<th>Last delivery</th>`}<th class="number">Refused</th></tr></thead>
    <tbody>${[...names].sort(bySource).map(source => {
      const { events: amount = 0, latest_captured_at: newest } = events[source] ?? {}
      const { last_accepted_at: accepted, refused, last_refused_at: at } = known.get(source) ?? {}
      const alike = sinceStart.items.filter(each => each.source === source)
      const reasons = alike.map(({ code, count: amount }) => `${count(amount)} ${code.replaceAll('_', ' ')}`)
      return html`<tr key=${source}>
        <td><a class="row-name touch" href=${href('/', new URLSearchParams({ source }))}><${SourceGlyph} source=${source} /><span class="anywhere">${sourceLabel(source)}</span></a></td>
        <td class="if-wide number">${count(amount)}</td>
        <td class=${trace && 'if-wide'}>${newest ? html`<${Time} at=${newest} as="relative" />` : 'never'}</td>
        ${trace && html`<td>${accepted ? html`<${Time} at=${accepted} as="relative" />` : 'never'}</td>`}
        <td class="number">${refused ? html`<span class="tag warn">${count(refused)}</span>` : (!trace && reasons.join(', ')) || '0'}${at && html` <span class="hint">last <${Time} at=${at} as="relative" /></span>`}</td>
      </tr>`
    })}</tbody>
  </table>`
}

/** Refused deliveries. Their bodies are not kept, so the platform has to deliver them again, or to list them. */
function Refused({ trace: { refused }, hooks }: { trace: DeliveryTraceState; hooks: ReconcileStatus['hooks'] }) {
  const sources = [...new Set(refused.map(({ source }) => source))].sort(bySource)
  const listed = sources.filter(source => hooks.some(hook => hook.source === source))
  const others = sources.filter(source => !listed.includes(source)).map(sourceLabel)
  const title = html`<h2 id="refused">Refused in the last seven days</h2>`
  if (refused.length === 0)
    return html`<section class="panel-section">${title}<p class="quiet-text spaced">No delivery was refused.</p></section>`
  return html`<section class="panel-section" aria-labelledby="refused">${title}
    <p class="spaced">The server does not keep refused deliveries, because it cannot verify who sent them. Correct the reason, then receive them again:</p>
    <div class="row wrap spaced">${listed.map(source => html`<${AskButton} key=${source} label=${`Fetch those of ${sourceLabel(source)}…`} answer="Fetch" question=${`Records deliveries of ${sourceLabel(source)} of the last 7 days that the ledger lacks.`} run=${compare(false, source)} />`)}</div>
    ${others.length > 0 && html`<p class="hint spaced">${others.join(', ')}: redeliver from the sender.</p>`}
  </section>
  <table class="table" aria-labelledby="refused"><thead><tr><th>When</th><th>Source</th><th>Why</th><th class="if-wide">Delivery</th></tr></thead>
    <tbody>${refused.map(({ at, source, code, detail, delivery_id: id, bytes: size }) => {
      return html`<tr><td><${Time} at=${at} as="relative" /></td><td>${sourceLabel(source)}</td>
        <td><${Words} text=${detail} limit=${300} /> <span class="hint code anywhere">${code}</span></td>
        <td class="if-wide hint"><span class="code anywhere"><${Words} text=${id ?? ''} limit=${100} /></span> ${size !== undefined && bytes(size)}</td></tr>`
    })}</tbody></table>
  ${refused.length === SHOWN && html`<p class="view-pad hint spaced">The newest ${SHOWN} are shown.</p>`}`
}

function compare(dry_run: boolean, source?: string) {
  return async () => {
    await api('/api/reconciliations/run', { body: { dry_run, source, since_seconds: SINCE_SECONDS } })
    await loaded.load()
  }
}

const COUNTS = {
  ...{ delivered: 'delivered', known: 'known, though listed as failed', ignored: 'without an event' },
  ...{ fetched: 'missing and fetched', redelivered: 'missing and delivered again' },
  ...{ missing: 'still missing', gone: 'no longer available' },
}

/** The result of the last comparison with the list of each platform, and a button to start another one. */
function Reconciled({ status: { hooks, running, reports } }: { status: ReconcileStatus }) {
  const buttons = html`<div class="row wrap spaced">
      <${AskButton} label="Check for missing deliveries…" answer="Check" question=${`Reads the lists of ${counted(hooks.length, 'hook')} and records nothing.`} run=${compare(true)} />
      <${AskButton} label="Fetch missing deliveries…" answer="Fetch" question="Records deliveries of the last 7 days that the ledger lacks." run=${compare(false)} />
    </div>`
  const noHooks = html`<p class="spaced">This server compares no hooks. GitHub, GitLab and Discourse list what they delivered: name their hooks in${' '}
      <code>EVENT_RECONCILE_HOOKS_…</code>, set <code>EVENT_RECONCILE=1</code>, and restart the server.</p>`
  return html`<section class="panel-section" aria-labelledby="missed"><h2 id="missed">Missed deliveries</h2>
    ${hooks.length > 0 ? buttons : noHooks}
    <p class="spaced" role="status">${running && html`Comparing since <${Time} at=${running.since} />: ${counted(running.listed, 'delivery', 'deliveries')}.`}</p>
    ${reports.length === 0 && hooks.length > 0 && html`<p>Not compared yet.</p>`}
    ${reports.map(report => html`<${Report} key=${report.source} report=${report} />`)}
  </section>`
}

function Report({ report: { source, at, dry_run, problem, hooks } }: { report: ReconcileStatus['reports'][number] }) {
  return html`<p class="spaced">${sourceLabel(source)}: last compared <${Time} at=${at} as="relative" />${dry_run && ', without recording anything'}. ${problem?.detail}</p>
    <ul>${hooks.map(({ lost, url, error, complete, listed, ...counts }) => {
      const found = Object.entries(COUNTS).flatMap(([name, words]) => {
        const amount = counts[name as keyof typeof COUNTS]
        return amount > 0 ? `${count(amount)} ${words}` : []
      })
      return html`<li class="letter" key=${url}>
        <p class="code">${url}</p>
        <p>${counted(listed, 'delivery', 'deliveries')} listed: ${found.join(', ') || 'none'}.${!complete && !error && ' The list is longer than one run reads.'}</p>
        ${error && html`<p class="is-danger"><${Words} text=${error.detail} limit=${300} /></p>`}
        ${lost.map(({ id, delivery_id = id, reason }) => html`<p class="hint"><span class="code"><${Words} text=${delivery_id} limit=${100} /></span>: <${Words} text=${reason} limit=${300} /></p>`)}
      </li>`
    })}</ul>`
}
