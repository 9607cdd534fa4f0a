import type { LoginLabels, LoginPageFiles } from '../../login/login-page.js'
import { type LoginPages, type LoginPagesOptions, loginPages } from '../pages/login-pages.js'

const LABELS: Partial<LoginLabels> = {
  program: 'The board',
  title: 'Log in to the board',
  sentence: 'Cards, their runs, and the results.',
}

const FILES: LoginPageFiles = { folder: 'auth-assets', styles: ['login.css'], script: 'login.js' }

const ASSETS = new Map([
  ['login.css', ['shared/tokens.css', 'login/login.css']],
  ['login.js', ['login/login.js']],
])

/** Source: Board Access Gate, "Endpoints", `/auth-assets/{file}`. */
export function boardLoginPages(
  options: Pick<LoginPagesOptions, 'rootPath' | 'look' | 'publicHost' | 'asksUsername' | 'ledger'>,
): LoginPages {
  return loginPages({ ...options, labels: LABELS, files: FILES, assets: ASSETS })
}
