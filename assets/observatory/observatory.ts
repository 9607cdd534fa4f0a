import { useState } from 'preact/hooks'
import { address, href } from '../shared/address.js'
import type { MenuItem } from '../shared/controls/menu.js'
import { html } from '../shared/html.js'
import { lazily } from '../shared/lazy.js'
import { isPhone, isWide } from '../shared/media.js'
import { otherProgramUrl } from '../shared/server/root-path.js'
import { isAdmin, isOpen, logOut, ownName, session } from '../shared/server/session.js'
import { OpennessTag, Shell, type Tab } from '../shared/shell.js'
import { overview } from './overview.js'
import { failingCaptures, LedgerDialog, OverviewStrip } from './overview-strip.js'
import { EventsView } from './views/events.js'

// Not needed to show events, so loaded later.
const ConsumersView = lazily(() => import('./views/consumers.js').then(module => module.ConsumersView))
const DeliveriesView = lazily(() => import('./views/deliveries.js').then(module => module.DeliveriesView))
const OwnAccount = lazily(() => import('./views/own-account.js').then(module => module.OwnAccount))
const PeopleView = lazily(() => import('./views/people.js').then(module => module.PeopleView))
const SourcesView = lazily(() => import('./views/sources.js').then(module => module.SourcesView))
const SubscriptionsView = lazily(() => import('./views/subscriptions.js').then(module => module.SubscriptionsView))

const VIEWS = {
  '/': EventsView,
  '/subscriptions': SubscriptionsView,
  '/consumers': ConsumersView,
  '/people': PeopleView,
  '/deliveries': DeliveriesView,
  '/sources': SourcesView,
}

/** All addresses with a view. */
export const PATHS = Object.keys(VIEWS) as readonly (keyof typeof VIEWS)[]

/** The observatory: its shell with the view named by the address. */
export function Observatory() {
  const [shown, setShown] = useState<'account' | 'ledger' | undefined>(undefined)
  const close = () => setShown(undefined)
  const path = PATHS.find(path => path === address.value.path) ?? '/'
  const { user, is_bootstrap_admin: isByAdminToken } = session.value ?? {}
  const items: MenuItem[] = [
    ...(isPhone.value ? [{ label: 'Ledger…', onChoose: () => setShown('ledger') }] : []),
    ...(user || isByAdminToken ? [{ label: 'Your account…', onChoose: () => setShown('account') }] : []),
  ]
  const last: MenuItem[] = user ? [{ label: 'Log out', onChoose: () => void logOut() }] : []
  const other = otherProgramUrl === undefined ? undefined : { label: 'Board', url: otherProgramUrl }
  const tag = html`<${OpennessTag} isOpen=${isOpen()} samples="sample events in a throwaway ledger" href=${href('/people')} />`
  return html`<${Shell} tabs=${tabs()} other=${other} tags=${tag} strip=${html`<${OverviewStrip} />`}
      account=${{ name: session.value ? ownName() : 'Account', items, last }}>
      <${VIEWS[path]} key=${path} />
    <//>
    ${shown === 'account' && html`<${OwnAccount} onClose=${close} />`}
    ${shown === 'ledger' && html`<${LedgerDialog} onClose=${close} />`}`
}

function tabs(): Tab[] {
  const failing = failingCaptures()
  const all: (Tab & { isFor?: boolean })[] = [
    { path: '/', label: 'Events', glyph: 'list', key: 'e' },
    {
      ...{ path: '/subscriptions', label: 'Subscriptions', glyph: 'eye', key: 's' },
      // Counts the visible ones, because the total means nothing to a member.
      count: overview.value.value?.subscriptions.length,
      trouble: failing > 0 ? `${failing} failing` : undefined,
    },
    {
      ...{ path: '/consumers', label: 'Consumers', glyph: 'terminal', key: 'c', isInMenu: isPhone.value },
      trouble:
        overview.value.value?.health.warnings?.find(({ code }) => code === 'consumers_stalled') && 'one is stalled',
    },
    // In open mode it explains how to create the first admin. A member who follows a link learns why nothing is shown.
    {
      ...{ path: '/people', label: 'People', glyph: 'person', key: 'p', isInMenu: isPhone.value },
      isFor: isAdmin() || isOpen() || address.value.path === '/people',
    },
    { path: '/deliveries', label: 'Deliveries', glyph: 'list', key: 'd', isInMenu: !isWide.value },
    { path: '/sources', label: 'Sources', glyph: 'list', key: 'o', isInMenu: !isWide.value },
  ]
  return all.filter(tab => tab.isFor !== false)
}
