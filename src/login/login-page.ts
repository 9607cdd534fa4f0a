import type { LoginDesign } from '../model/login-design.js'
import { html, Markup } from './html.js'

/** What the login page and the plain pages share. */
export interface PageFrame extends LoginDesign {
  /** Prefix of every address: empty, or `/x`. */
  rootPath: string
  /** Override the ledger's files. */
  files?: LoginPageFiles
}

/** Texts of the page. */
export interface LoginLabels {
  /** The name of the program. */
  program: string
  /** Above the form and in the window title. */
  title: string
  /** On the left page of the split layout. */
  sentence: string
  username: string
  password: string
  submit: string
}

export interface LoginPageOptions extends PageFrame {
  /** Where to go after the login; comes from `safeNext`. */
  next: string
  /** The requested host, shown below the title. */
  host: string
  /** Override the ledger's labels. */
  labels?: Partial<LoginLabels>
  /** Whether to ask for a user name; default true. */
  asksUsername?: boolean
  /** A login to the ledger counts too. `isOnly`: there is no form. */
  ledger?: { url?: string | undefined; isOnly: boolean }
}

/** Files that the page loads, from one folder below the root path. */
export interface LoginPageFiles {
  folder: string
  styles: readonly string[]
  script: string
  /** Loaded before the first paint, to apply the appearance chosen on this device. */
  firstScript?: string
  /** Absent: the page declares an empty one, so that browsers do not request `/favicon.ico`. */
  icon?: string
}

/** Files below `login/assets/` under the root path: name → path below the package's `assets/`. */
export const LOGIN_ASSETS: ReadonlyMap<string, string> = new Map([
  ['tokens.css', 'shared/tokens.css'],
  ['login.css', 'login/login.css'],
  ['appearance-first.js', 'shared/appearance-first.js'],
  ['login.js', 'login/login.js'],
  ['icon.svg', 'shared/icon.svg'],
])

const LEDGER_FILES: LoginPageFiles = {
  folder: 'login/assets',
  styles: ['tokens.css', 'login.css'],
  script: 'login.js',
  firstScript: 'appearance-first.js',
  icon: 'icon.svg',
}

const LEDGER_LABELS: LoginLabels = {
  program: 'Daybook',
  title: 'Log in to Daybook',
  sentence: 'Everything that happened, recorded exactly once.',
  username: 'Name',
  password: 'Password',
  submit: 'Log in',
}

/**
 * Renders the login page. It posts `{username, password, next}` as JSON to `api/login` below the root path. It
 * therefore needs JavaScript, and shows a message without it. Nothing is inline: the page's Content-Security-Policy
 * forbids that.
 *
 * Source: design, "Login"; decisions on identity, section 5.
 */
export function renderLoginPage(options: LoginPageOptions): string {
  const { host, layout, ledger } = options
  const labels = { ...LEDGER_LABELS, ...options.labels }
  return renderPage(options, {
    title: labels.title,
    needsScript: !ledger?.isOnly,
    body: html`${layout === 'split' ? leftPage(labels) : ''}
<div class="page">
<div class="card">
  ${LOGO}
  <h1>${labels.title}</h1>
  <p class="host">${host}</p>
  ${
    ledger?.isOnly
      ? ''
      : html`${NEEDS_SCRIPT}
  ${loginForm(options, labels)}`
  }
  ${ledger ? ledgerAdvice(ledger) : ''}
</div>
</div>`,
  })
}

/** A page for people at an address of the API: an explanation, and the way to the first page. */
export interface PlainPage {
  title: string
  text: string
  /** Below the text. */
  details?: Markup
  /** Codes for support. */
  code?: string
}

/** Renders a page without a form and without the login's script. */
export function renderPlainPage(frame: PageFrame, page: PlainPage): string {
  const { title, text, details, code } = page
  const body = html`<div class="page">
<div class="card plain${details ? ' is-wide' : ''}">
  ${LOGO}
  <h1>${title}</h1>
  <p>${text}</p>
  ${details ?? ''}
  ${code ? html`<p class="host">${code}</p>` : ''}
  <p><a href="${frame.rootPath}/">Go to the first page</a></p>
</div>
</div>`
  return renderPage({ ...frame, layout: 'card' }, { title, body, needsScript: false })
}

function renderPage(
  { rootPath, palette, layout, appearance, files }: PageFrame,
  { title, body, needsScript }: { title: string; body: Markup; needsScript: boolean },
): string {
  const { folder, styles, script, firstScript, icon } = files ?? LEDGER_FILES
  const assets = `${rootPath}/${folder}`
  const sheets = styles.map(name => html`<link rel="stylesheet" href="${assets}/${name}">`.text).join('\n')
  // Without the attribute the stylesheet follows the system's colour scheme, before any script has run.
  const scheme = appearance === 'system' ? '' : html` data-scheme="${appearance}"`
  return html`<!doctype html>
<html lang="en" data-palette="${palette}" data-layout="${layout}"${scheme}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${appearance === 'system' ? 'light dark' : appearance}">
<title>${title}</title>
${icon === undefined ? NO_ICON : html`<link rel="icon" href="${assets}/${icon}" type="image/svg+xml">`}
${firstScript === undefined ? '' : html`<script src="${assets}/${firstScript}"></script>`}
${new Markup(sheets)}
${needsScript ? html`<script type="module" src="${assets}/${script}"></script>` : ''}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text
}

/** `method` matters only if the script could not be loaded: without it the form would put the password in the URL. */
function loginForm({ rootPath, next, asksUsername = true }: LoginPageOptions, labels: LoginLabels): Markup {
  return html`<form id="login" method="post" action="${rootPath}/api/login" data-program="${labels.program}">
    <input id="next" type="hidden" name="next" value="${next}">
    <div id="note" role="alert"></div>
    <template id="note-template">
      <div class="note">
        ${WARNING}
        <p class="what"></p>
        <p class="advice"></p>
      </div>
    </template>
    ${asksUsername ? usernameField(labels.username) : ''}
    <div class="field">
      <p class="label">
        <label for="password">${labels.password}</label>
        <span id="caps-lock" role="status"></span>
      </p>
      <div class="secret">
        <input id="password" name="password" type="password" required autocomplete="current-password"
          aria-describedby="password-problem caps-lock note"${asksUsername ? '' : AUTOFOCUS}>
        <button id="reveal" type="button" aria-label="Show password" aria-pressed="false">${EYE}</button>
      </div>
      <p id="password-problem" class="problem"></p>
    </div>
    <button id="submit" type="submit" aria-describedby="note">${labels.submit}</button>
  </form>`
}

function ledgerAdvice({ url, isOnly }: NonNullable<LoginPageOptions['ledger']>): Markup {
  const name = url === undefined ? 'ledger' : html`<a href="${url}">ledger</a>`
  return html`<p class="ledger">${isOnly ? 'Use' : 'Or use'} your login to the ${name}: log in there, then load this page again.</p>`
}

function usernameField(label: string): Markup {
  return html`<div class="field">
      <p class="label"><label for="username">${label}</label></p>
      <input id="username" name="username" type="text" required autocomplete="username" autocapitalize="none"
        autocorrect="off" spellcheck="false" aria-describedby="username-problem"${AUTOFOCUS}>
      <p id="username-problem" class="problem"></p>
    </div>`
}

function leftPage({ program, sentence }: LoginLabels): Markup {
  return html`<div class="leaf">
  <p class="brand">${LOGO} ${program}</p>
  <p class="sentence">${sentence}</p>
</div>`
}

/** Without it browsers request `/favicon.ico`. */
const NO_ICON = html`<link rel="icon" href="data:,">`

const AUTOFOCUS = html` autofocus`

const NEEDS_SCRIPT = html`<noscript><p>Logging in needs JavaScript, and it is off. Switch it on for this page, then load it again.</p></noscript>`

const LOGO = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="3" y="2" width="26" height="28" rx="5"/>
    <path d="M10 2v28" stroke-opacity=".55" stroke-width="1.5"/>
    <path d="M14.5 10h9.5M14.5 16h9.5M14.5 22h6" stroke-width="2" stroke-linecap="round"/>
  </svg>`

const WARNING = html`<svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 2 1.5 13.5h13ZM8 6.5v3.25M8 11.5v.25"/>
        </svg>`

const EYE = html`<svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1.5 8S4 3.75 8 3.75 14.5 8 14.5 8 12 12.25 8 12.25 1.5 8 1.5 8Z"/>
          <circle cx="8" cy="8" r="2"/>
          <path class="slash" d="M2.5 2.5l11 11"/>
        </svg>`
