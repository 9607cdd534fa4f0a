import { address, go, href } from '../shared/address.js'
import { Glyph } from '../shared/controls/glyph.js'
import { Menu, type MenuItem } from '../shared/controls/menu.js'
import { html } from '../shared/html.js'
import { backends, boardName } from './board-address.js'

const OWN_BOARD = 'This machine'

export function boardLabel(): string {
  return boardName.value || OWN_BOARD
}

/** Links to the other boards; renders nothing if there are none. */
export function BoardSwitch() {
  const others = backends.value.value?.items ?? []
  if (others.length === 0 && boardName.value === '') return null
  const choose = (name: string) => go(address.value.path, new URLSearchParams(name === '' ? {} : { board: name }))
  const item = (name: string, label: string, url?: string): MenuItem => ({
    label,
    glyph: name === boardName.value ? 'check' : 'database',
    ...(url === undefined ? {} : { note: url.replace(/^https?:\/\//, '') }),
    onChoose: () => choose(name),
  })
  const items = [item('', OWN_BOARD), ...others.map(({ name, url }) => item(name, name, url))]
  return html`<${Menu} label=${`Board: ${boardLabel()}`} items=${items} buttonClass="button"
    button=${html`<${Glyph} name="database" />${boardLabel()}<${Glyph} name="chevron-down" class="small" />`} />`
}

/** Shows in the top bar that these are another board's cards. */
export function BoardTag() {
  if (boardName.value === '') return null
  return html`<a class="tag accent open-tag board-tag" href=${href(address.value.path)} title=${`Back to the board of this machine`}>
    <${Glyph} name="database" class="small" />On ${boardName.value}<${Glyph} name="close" class="small" />
    <span class="visually-hidden">, back to this machine</span>
  </a>`
}
