import { signal } from '@preact/signals'
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { address, go, href } from './address.js'
import { appearance, DENSITIES, PALETTES, SCHEMES, setAppearance } from './appearance.js'
import { Dialog } from './controls/dialog.js'
import { Glyph, type GlyphName } from './controls/glyph.js'
import { Menu, type MenuItem } from './controls/menu.js'
import { Note, ProblemNote } from './controls/note.js'
import { Segments } from './controls/segments.js'
import { Switch } from './controls/switch.js'
import { Toasts } from './controls/toast.js'
import { keepDrafts } from './drafts.js'
import { type Children, html } from './html.js'
import { type KeyBinding, listedKeys, useKeys } from './keys/keys.js'
import { isCoarse, isPhone } from './media.js'
import { isOutdated, outage, tryNow } from './server/connection.js'
import { isDemo } from './server/root-path.js'
import { useSeconds } from './words/now.js'
import { capital, initials } from './words/text.js'
import { clockTime, DEVICE_ZONE, fromMs } from './words/time.js'

/** New events that the user has not seen, shown in the title of the window. */
export const newCount = signal(0)

/** A view of the page with its own address. */
export interface Tab {
  /** Path from `/`. */
  path: string
  /** The part of the query that all views share. */
  query?: URLSearchParams | undefined
  label: string
  glyph: GlyphName
  /** Shortcut after `g`. */
  key: string
  count?: number | undefined
  /** A problem there, shown as a dot: `1 failing`. */
  trouble?: string | undefined
  /** Shown in a menu, because only a few tabs fit side by side. */
  isInMenu?: boolean
}

interface ShellProps {
  tabs: readonly Tab[]
  /** The other program, if its address is known. */
  other?: { label: string; url: string } | undefined
  /** The user and their actions; appearance and shortcuts are always included. */
  account: { name: string; items: readonly MenuItem[]; last: readonly MenuItem[] }
  /** Next to the tabs: open mode, demo. */
  tags?: Children
  /** Below the top bar: the overview strip. */
  strip?: Children
  children?: Children
}

const phoneActions = signal<Children>(null)

/** Adds content to the right of the title bar on phones, while a view is shown. @param changes its dependencies */
export function usePhoneActions(content: () => Children, changes: readonly unknown[] = []): void {
  useEffect(() => {
    phoneActions.value = isPhone.value ? content() : null
    return () => {
      phoneActions.value = null
    }
  }, [isPhone.value, ...changes])
}

/** Top bar, tabs, account, and everything that floats over the views. */
export function Shell({ tabs, other, account, tags, strip, children }: ShellProps) {
  const [dialog, setDialog] = useState<'keys' | 'appearance' | undefined>(undefined)
  const close = () => setDialog(undefined)
  const { path } = address.value
  const current = tabs.find(tab => tab.path === path) ?? tabs[0]
  useKeys('Everywhere', [
    { keys: '?', does: 'this list', run: () => setDialog('keys') },
    ...tabs.map(tab => ({ keys: `g ${tab.key}`, does: tab.label.toLowerCase(), run: () => go(tab.path, tab.query) })),
  ])
  usePageTitle(current?.label)
  const links = tabs
    .filter(tab => !tab.isInMenu)
    .map(tab => html`<${TabLink} tab=${tab} isCurrent=${tab === current} />`)

  const accountItems: MenuItem[] = [
    ...tabs.filter(tab => tab.isInMenu).map(tab => ({ label: tab.label, href: href(tab.path, tab.query) })),
    ...account.items,
    { label: 'Appearance…', onChoose: () => setDialog('appearance') },
    { label: 'Keys…', note: '?', onChoose: () => setDialog('keys') },
    ...account.last,
  ]
  const accountMenu = (className: string, content: Children, label?: string) =>
    html`<${Menu} button=${content} buttonClass=${className} label=${label} items=${accountItems} head=${html`<strong>${account.name}</strong>`} />`

  return html`<a class="skip-link" href="#view">Skip to the content</a>
    <header class="top-bar row">
      <a class="brand row" href=${href('/')}>
        <${Glyph} name="book" class="logo" /><span>${isPhone.value ? current?.label : 'Daybook'}</span>
      </a>
      ${!isPhone.value && html`<nav class="tabs" aria-label="Views">${links}</nav>`}
      <div class="top-tags row">${tags}</div>
      ${
        isPhone.value
          ? html`<div class="row">${phoneActions.value}</div>`
          : html`<div class="top-end row">
            ${other && html`<a class="button quiet" href=${other.url}>${other.label}<${Glyph} name="external" /></a>`}
            <button type="button" class="button quiet icon" aria-label="Keys" title="Keys (?)" onClick=${() => setDialog('keys')}>
              <kbd>?</kbd>
            </button>
            ${accountMenu(
              'button quiet account',
              html`<span class="avatar" aria-hidden="true">${initials(account.name)}</span><span class="visually-hidden">Account: </span><span class="ellipsis">${account.name}</span><${Glyph} name="chevron-down" class="small" />`,
            )}
          </div>`
      }
    </header>
    ${strip}
    <${OutageNote} />
    <main id="view" class="view" tabindex="-1"><${Boundary} key=${path}>${children}<//></main>
    ${
      isPhone.value &&
      html`<nav class="tab-bar" aria-label="Views">
        ${links}
        ${other && html`<a class="tab row" href=${other.url}><${Glyph} name="card" /><span>${other.label}</span></a>`}
        ${accountMenu('tab row', html`<${Glyph} name="person" /><span>Account</span>`, `Account: ${account.name}`)}
      </nav>`
    }
    <${Toasts} />
    ${dialog === 'keys' && html`<${KeysHelp} onClose=${close} />`}
    ${dialog === 'appearance' && html`<${AppearanceDialog} onClose=${close} />`}`
}

function TabLink({ tab, isCurrent }: { tab: Tab; isCurrent: boolean }) {
  const { path, query, label, glyph, count, trouble } = tab
  return html`<a class="tab row" href=${href(path, query)} aria-current=${isCurrent ? 'page' : undefined}>
    ${isPhone.value && html`<${Glyph} name=${glyph} />`}<span>${label}</span>
    ${count !== undefined && !isPhone.value && html`<span class="count">${count}</span>`}
    ${trouble && html`<span class="status-dot is-danger" role="img" aria-label=${trouble} title=${trouble}></span>`}
  </a>`
}

/** Names the current view in the window title, and moves the focus to a new view for screen readers. */
function usePageTitle(label: string | undefined): void {
  const isFirst = useRef(true)
  const unseen = newCount.value
  useEffect(() => {
    if (label !== undefined) document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${label} · Daybook`
  }, [label, unseen])
  useEffect(() => {
    // The clicked element may have disappeared with the previous view.
    if (!isFirst.current && document.activeElement === document.body) document.getElementById('view')?.focus()
    isFirst.current = false
  }, [label])
}

/** The heading of a view. On phones the title bar already shows it. */
export function ViewTitle({ title }: { title: string }) {
  return html`<h1 class=${isPhone.value ? 'visually-hidden' : undefined}>${title}</h1>`
}

interface OpennessTagProps {
  isOpen: boolean
  /** `sample events in a throwaway ledger` */
  samples: string
  href?: string
  title?: string
}

/** Shows that no login is set up. A demo is open as well, which need not be shown. */
export function OpennessTag({ isOpen, samples, ...more }: OpennessTagProps) {
  if (isDemo)
    return html`<span class="tag accent open-tag"><span>Demo<span class="tag-rest">: ${samples}</span></span></span>`
  if (!isOpen) return null
  return html`<${more.href ? 'a' : 'span'} class="tag warn open-tag" ...${more}>
    <${Glyph} name="warning" class="small" /><span>Open<span class="tag-rest">: no login is set up</span></span>
  <//>`
}

/** Shown above the view while the server does not respond, and once it has another version of the page. */
function OutageNote() {
  const current = outage.value
  const present = useSeconds(current !== undefined)
  if (!current) return isOutdated.value ? html`<${OutdatedNote} />` : null
  const again = html`<button type="button" class="button small" onClick=${() => void tryNow()}>Try now</button>`
  const seconds = Math.ceil((current.retryAt - present) / 1000)
  const words = seconds > 0 ? `Trying again in ${seconds}\u202fs.` : 'Trying again…'
  return html`<section class="outage" aria-label="Connection">
    <${Note} kind="warn" what=${`The server has not answered since ${clockTime(fromMs(current.since))}.`} actions=${again}>
      You can read on. ${words}
    <//>
  </section>`
}

/** The address holds the state of the view. */
function OutdatedNote() {
  const reload = () => {
    keepDrafts()
    location.reload()
  }
  const action = html`<button type="button" class="button small" onClick=${reload}>Reload</button>`
  return html`<section class="outage" aria-label="Version">
    <${Note} kind="info" what="A new version of Daybook is running." actions=${action}>Reload the page to use it.<//>
  </section>`
}

/** Confines an error in one view: the rest of the page keeps working. Another `key` renders the view again. */
function Boundary({ children }: { children?: Children }) {
  const [error] = useErrorBoundary(console.error)
  if (!error) return html`${children}`
  return html`<div class="boundary"><${ProblemNote} what="This view stopped working." problem=${error}
    onRetry=${() => window.location.reload()} /></div>`
}

function KeysHelp({ onClose }: { onClose: () => void }) {
  return html`<${Dialog} title="Keys" onClose=${onClose} class="keys-help">
    ${listedKeys().map(
      ({ scope, bindings }) => html`<section>
        <h3>${scope}</h3>
        <dl class="keys stack">${bindings.map(toEntry)}</dl>
      </section>`,
    )}
    <p class="hint">Single-letter shortcuts are off while you type. Switch them off completely in Appearance.</p>
  <//>`
}

const NAMES: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', Enter: '↵', Escape: 'Esc', Mod: 'Ctrl' }

function toEntry({ keys, does }: KeyBinding) {
  const first = typeof keys === 'string' ? keys : (keys[0] ?? '')
  const names = first.split(/[ +](?=.)/).map(name => NAMES[name] ?? name)
  return html`<div class="row"><dt>${names.map(name => html`<kbd>${name}</kbd>`)}</dt><dd>${does}</dd></div>`
}

/** Settings of appearance and keys on this device. Changes apply immediately. */
function AppearanceDialog({ onClose }: { onClose: () => void }) {
  const { palette, scheme, density, singleKeys, utc } = appearance.value
  const choices = (values: readonly string[]) => values.map(value => ({ value, label: capital(value) }))
  return html`<${Dialog} title="Appearance" onClose=${onClose}>
    <div class="settings stack">
      <${Segments} legend="Colours" choices=${choices(PALETTES)} value=${palette}
        onChange=${(value: typeof palette) => setAppearance({ palette: value })} />
      <${Segments} legend="Scheme" choices=${choices(SCHEMES)} value=${scheme}
        onChange=${(value: typeof scheme) => setAppearance({ scheme: value })} />
      <${Segments} legend="Rows" choices=${choices(DENSITIES)} value=${density}
        onChange=${(value: typeof density) => setAppearance({ density: value })} />
      ${isCoarse.value && html`<p class="field-hint">Touch screens always use comfortable rows.</p>`}
      <${Segments} legend="Times" choices=${[
        { value: 'local', label: `Local (${DEVICE_ZONE})` },
        { value: 'utc', label: 'UTC' },
      ]} value=${utc ? 'utc' : 'local'} onChange=${(value: string) => setAppearance({ utc: value === 'utc' })} />
      <div>
        <${Switch} label="Single-letter shortcuts" isOn=${singleKeys} onChange=${(isOn: boolean) => setAppearance({ singleKeys: isOn })} />
        <p class="field-hint">Such as / for the search. Press ? for all of them.</p>
      </div>
    </div>
    <p class="hint">Saved on this device.</p>
  <//>`
}
