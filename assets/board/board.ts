import { address } from '../shared/address.js'
import type { MenuItem } from '../shared/controls/menu.js'
import { LoadProblem } from '../shared/controls/note.js'
import { html } from '../shared/html.js'
import { otherProgramUrl } from '../shared/server/root-path.js'
import { logOut } from '../shared/server/session.js'
import { OpennessTag, Shell, type Tab } from '../shared/shell.js'
import { type AccessMode, access, accessMode, forgetKey, holdsKey, isIn, ledgerUser } from './access.js'
import { boardQuery } from './board-address.js'
import { BoardTag } from './board-switch.js'
import { BoardView } from './board-view.js'
import { areLoaded, cardCount } from './cards/cards.js'
import { KeyView } from './key-view.js'
import { forgetTokens, heldTokens } from './runs/execution.js'
import { RunsView } from './runs/runs-view.js'

const VIEWS = { '/': BoardView, '/runs': RunsView }

/** All addresses with a view. */
export const PATHS = Object.keys(VIEWS) as readonly (keyof typeof VIEWS)[]

/** Display names: only a login to the ledger is personal. */
const NAMES: Record<Exclude<AccessMode, 'ledger'>, string> = {
  open: 'Not logged in',
  password: 'Shared login',
  key: 'API key',
}

/** The board: its shell with the view named by the address. */
export function Board() {
  const mode = accessMode.value
  const path = PATHS.find(path => path === address.value.path) ?? '/'
  const needsKey = mode === 'key' && !isIn.value
  const held = heldTokens.value.length
  const items: MenuItem[] = [
    ...(held === 0 ? [] : [{ label: `Forget the executor token${held === 1 ? '' : 's'}`, onChoose: forgetTokens }]),
    ...(holdsKey.value ? [{ label: 'Forget the API key', onChoose: forgetKey }] : []),
  ]
  const last: MenuItem[] = mode === 'password' ? [{ label: 'Log out', onChoose: () => void logOut() }] : []
  const other = otherProgramUrl === undefined ? undefined : { label: 'Observatory', url: otherProgramUrl }
  const tags = html`<${OpennessTag} isOpen=${mode === 'open'} samples="sample cards on a throwaway board"
      title="Every visitor of this address has full access. Set BOARD_PASSWORD to require a login." /><${BoardTag} />`
  return html`<${Shell} tabs=${tabs()} other=${other} tags=${tags}
      account=${{ name: accountName(mode), items, last }}>
      ${access.problem.value !== undefined && mode === undefined ? html`<div class="boundary"><${LoadProblem} of=${access} what="The board could not be loaded." /></div>` : needsKey ? html`<${KeyView} />` : html`<${VIEWS[path]} key=${path} />`}
    <//>`
}

function accountName(mode: AccessMode | undefined): string {
  if (mode === 'ledger') return ledgerUser.value ?? ''
  return mode === undefined ? 'Account' : NAMES[mode]
}

function tabs(): Tab[] {
  const query = boardQuery.value
  return [
    { path: '/', query, label: 'Board', glyph: 'card', key: 'b', count: areLoaded.value ? cardCount.value : undefined },
    { path: '/runs', query, label: 'Runs', glyph: 'play', key: 'r' },
  ]
}
