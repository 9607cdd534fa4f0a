/** The login form: sends the input as JSON, follows the address in the response, and shows errors. */

/** The note above the fields: the event, then the action to take. */
interface Note {
  what: string
  advice: string
  /** Not an error. */
  isPlain?: boolean
}

/** The members of an `application/problem+json` response that the page uses. */
interface Problem {
  code?: unknown
  detail?: unknown
  errors?: unknown
  request_id?: unknown
}

/** Longer than a login may queue on the server. */
const ANSWER_WITHIN_MS = 20_000

const form = element('login', HTMLFormElement)
const next = element('next', HTMLInputElement)
const note = element('note', HTMLElement)
const noteTemplate = element('note-template', HTMLTemplateElement)
const username = document.querySelector<HTMLInputElement>('#username')
const password = element('password', HTMLInputElement)
const capsLock = element('caps-lock', HTMLElement)
const reveal = element('reveal', HTMLButtonElement)
const submit = element('submit', HTMLButtonElement)
const fields = username ? [username, password] : [password]
const program = form.dataset.program ?? ''
/** `Daybook`, `the board` */
const programInText = program.replace(/^The /, 'the ')
const submitLabel = submit.textContent ?? ''

// Missing input is reported at its field, not in a browser bubble.
form.noValidate = true
form.addEventListener('submit', event => {
  event.preventDefault()
  if (!isInProgress() && nothingIsMissing()) void logIn()
})
for (const field of fields) field.addEventListener('input', () => showProblem(field, ''))
for (const type of ['keydown', 'keyup']) password.addEventListener(type, showCapsLock)
password.addEventListener('blur', () => capsLock.replaceChildren())
reveal.addEventListener('click', () => showPassword(password.type === 'password'))
showWhoseSessionEnded()

/** Explains why the user is here: the page that redirected has stored a message in this window. */
function showWhoseSessionEnded(): void {
  let left: unknown
  try {
    left = JSON.parse(sessionStorage.getItem('daybook.session-ended') ?? 'null')
    sessionStorage.removeItem('daybook.session-ended')
  } catch {
    // This device has no storage.
  }
  if (!left) return
  const back = 'Log in to continue where you were'
  const advice = left === 'draft' ? `${back}, with your unsaved text.` : `${back}.`
  showNote({ what: 'Your session ended.', advice, isPlain: true })
}

function nothingIsMissing(): boolean {
  const empty = fields.filter(field => field.value === '')
  for (const field of empty) showProblem(field, 'Required.')
  empty[0]?.focus()
  return empty.length === 0
}

async function logIn(): Promise<void> {
  setInProgress(true)
  // Browsers may store the value of a visible password.
  showPassword(false)
  let answer: Response
  let body: unknown
  try {
    answer = await fetch(form.action, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: username?.value.trim(), password: password.value, next: next.value }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    body = await answer.json()
  } catch {
    // Unreachable, too slow, or not our server.
    setInProgress(false)
    showNote({ what: `${program} did not answer.`, advice: 'Check that you are connected, then try again.' })
    submit.focus()
    return
  }
  if (answer.ok) {
    if (await isCookieRefused()) {
      setInProgress(false)
      showNote(refusedCookie())
      submit.focus()
      return
    }
    // The form stays disabled until the next page loads. `replace`: the back button does not return here.
    leaveFor(textOf(membersOf(body).next) || next.value)
    return
  }
  const problem: Problem = membersOf(body)
  if (problem.code === 'csrf_failed') {
    // Another tab has logged in this browser, so no login is needed.
    leaveFor(next.value)
    return
  }
  setInProgress(false)
  showRefusal(answer, problem)
}

/**
 * A browser silently drops a cookie that is restricted to TLS on a page over plain HTTP, and every cookie if cookies are
 * disabled. The next page would then be this login page again.
 */
async function isCookieRefused(): Promise<boolean> {
  try {
    const answer = await fetch(new URL('session', form.action), { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    return membersOf(await answer.json()).authenticated === false
  } catch {
    // Unknown: the next page reports the problem.
    return false
  }
}

function refusedCookie(): Note {
  const what = 'The browser did not keep the login.'
  if (location.protocol === 'https:') {
    return {
      what,
      advice: `The password was correct. Allow cookies of ${location.host} in this browser, then log in again.`,
    }
  }
  return {
    what,
    advice: `The password was correct, but this page was loaded over plain HTTP. Open its https address. If it has none, an operator of ${programInText} must allow logins without TLS. Or this browser blocks cookies.`,
  }
}

/** If this page is shown at another page's address, keeps its fragment, which the server does not receive. */
function leaveFor(address: string): void {
  const to = new URL(address, location.href)
  to.hash ||= location.hash
  // A change of the fragment alone would not load anything.
  if (to.hash !== '' && to.href === location.href) location.reload()
  else location.replace(to)
}

function showRefusal(answer: Response, problem: Problem): void {
  const wrong = fields.filter(field => showProblem(field, fieldProblem(problem, field)))
  if (wrong.length > 0) {
    note.replaceChildren()
    wrong[0]?.focus()
    return
  }
  showNote(toNote(answer, problem))
  if (problem.code === 'invalid_credentials') {
    password.value = ''
    password.focus()
  } else {
    submit.focus()
  }
}

function toNote(answer: Response, problem: Problem): Note {
  if (problem.code === 'invalid_credentials') {
    return {
      what: username ? 'Wrong name or password.' : 'Wrong password.',
      advice: `Check Caps Lock. After several failed attempts ${programInText} makes you wait.`,
    }
  }
  const wait = `Wait ${inWords(answer.headers.get('retry-after'))}, then try again.`
  if (answer.status === 429) return { what: 'Too many failed attempts.', advice: wait }
  if (answer.status === 503 && problem.code !== 'capacity') return { what: `${program} is busy.`, advice: wait }
  // The detail is for programs.
  if (answer.status === 413) {
    return { what: 'This login was refused.', advice: `${username ? 'The name or the' : 'The'} password is too long.` }
  }
  const detail = textOf(problem.detail)
  const requestId = textOf(problem.request_id)
  return {
    what: answer.status < 500 ? 'This login was refused.' : `${program} could not log you in.`,
    advice: requestId ? `${detail} Request ${requestId}.` : detail,
  }
}

/** A waiting time in words, from whole seconds as sent by the server. */
function inWords(retryAfter: string | null): string {
  const seconds = Number(retryAfter)
  if (!(seconds > 0)) return 'a little'
  return seconds < 90 ? count(Math.ceil(seconds), 'second') : count(Math.ceil(seconds / 60), 'minute')
}

function count(amount: number, unit: string): string {
  return amount === 1 ? `1 ${unit}` : `${amount} ${unit}s`
}

/** The problem with a field, from `errors: [{"field": "/password", "detail": "/password must …"}]`. */
function fieldProblem({ errors }: Problem, field: HTMLInputElement): string {
  const pointer = `/${field.name}`
  const found = Array.isArray(errors) ? errors.map(membersOf).find(error => error.field === pointer) : undefined
  const detail = textOf(found?.detail)
  // Users know the field by its label.
  return detail.startsWith(`${pointer} `) ? detail.replace(pointer, field.labels?.[0]?.textContent ?? '') : detail
}

function showNote({ what, advice, isPlain = false }: Note): void {
  // A new element each time: screen readers do not announce an unchanged text.
  note.replaceChildren(noteTemplate.content.cloneNode(true))
  note.querySelector('.note')?.classList.toggle('is-plain', isPlain)
  note.querySelector('.what')?.append(what)
  note.querySelector('.advice')?.append(advice)
}

/** Shows the problem below its field; an empty text removes it. Returns whether there is one. */
function showProblem(field: HTMLInputElement, problem: string): boolean {
  element(`${field.id}-problem`, HTMLElement).textContent = problem
  if (problem) field.setAttribute('aria-invalid', 'true')
  else field.removeAttribute('aria-invalid')
  return problem !== ''
}

function showCapsLock(event: Event): void {
  // Browser autofill sends key events without a key.
  const isOn = event instanceof KeyboardEvent && event.getModifierState('CapsLock')
  const hint = isOn ? 'Caps Lock is on' : ''
  if (capsLock.textContent !== hint) capsLock.textContent = hint
}

function showPassword(isShown: boolean): void {
  password.type = isShown ? 'text' : 'password'
  reveal.setAttribute('aria-pressed', String(isShown))
}

/** The button is inactive but not disabled, so that it keeps the focus. */
function setInProgress(isInProgress: boolean): void {
  submit.setAttribute('aria-disabled', String(isInProgress))
  submit.textContent = isInProgress ? 'Logging in…' : submitLabel
  for (const field of fields) field.readOnly = isInProgress
}

function isInProgress(): boolean {
  return submit.getAttribute('aria-disabled') === 'true'
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`The page has no such element: ${id}.`)
}

export {}
