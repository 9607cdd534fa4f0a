/** The board's page: its cards as a list, and the way out. */

const root = document.documentElement.dataset.root ?? ''
const note = document.querySelector('#note')
const cards = document.querySelector('#cards')
const logOut = document.querySelector<HTMLButtonElement>('#log-out')

interface ShownCard {
  title: string
  column: string
}

async function show(): Promise<void> {
  const answer = await fetch(`${root}/api/cards?limit=500`)
  if (!answer.ok) {
    note?.replaceChildren(`The cards cannot be shown (${answer.status}).`)
    return
  }
  const { items } = (await answer.json()) as { items: ShownCard[] }
  note?.replaceChildren(items.length === 0 ? 'There are no cards yet.' : '')
  cards?.replaceChildren(
    ...items.map(({ title, column }) => {
      const row = document.createElement('li')
      row.append(`${column}: ${title}`)
      return row
    }),
  )
}

async function offerLogout(): Promise<void> {
  const answer = await fetch(`${root}/api/session`)
  const { csrf_token: token } = (await answer.json()) as { csrf_token: string | null }
  if (token === null || !logOut) return
  logOut.hidden = false
  logOut.addEventListener('click', async () => {
    await fetch(`${root}/api/logout`, { method: 'POST', headers: { 'x-csrf-token': token } })
    location.reload()
  })
}

void show()
void offerLogout()
