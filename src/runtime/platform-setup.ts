import { randomBytes } from 'node:crypto'
import type { ServedWebhook } from '../client/served-webhook.js'
import type { AppError } from '../model/app-error.js'
import type { PlatformSetup } from '../model/platforms/platform-setup.js'
import type { PlatformSource } from '../model/platforms/platform-source.js'
import { adapterOf } from '../platforms/adapters.js'
import { SETUP_GUIDES } from '../platforms/setup-guides.js'
import { isLoopback } from '../settings/listen-settings.js'
import type { SetupSettings } from '../settings/webhook-settings.js'

const SECRET_BYTES = 32

/** The ledger that receives the deliveries. */
export interface ReachedLedger {
  /** Its address for this command, without trailing slash. */
  address: string
  /** What the running server reports. */
  webhook?: Pick<ServedWebhook, 'isSecretConfigured' | 'site'>
  /** Why no server reported anything. */
  trouble?: AppError
}

/** What to enter in the platform's form so that it delivers to this ledger. */
export function platformSetup(source: PlatformSource, settings: SetupSettings, ledger: ReachedLedger): PlatformSetup {
  const { catalogue } = adapterOf(source)
  const guide = SETUP_GUIDES[source]
  const base = settings.publicAddress ?? ledger.address
  const url = `${base}${catalogue.webhook_path}${siteParameter(source, settings, ledger)}`
  const configured = ledger.webhook?.isSecretConfigured ?? settings.isSecretSet
  const isSecretKnown = configured || settings.isSecretSet
  const suggestion =
    isSecretKnown || guide.secretMadeBy === 'platform' ? undefined : randomBytes(SECRET_BYTES).toString('hex')
  const secretPlace = placeOfSecret(settings, isSecretKnown)
  return {
    source,
    display_name: catalogue.display_name,
    url,
    secret: {
      setting: settings.secretSetting,
      configured,
      ...(suggestion === undefined ? {} : { suggestion }),
    },
    place: [...guide.place],
    fields: guide.fields
      .filter(({ isForTls }) => !isForTls || url.startsWith('https:'))
      .map(({ name, value }) => ({ name, value: value.replace('<url>', url).replace('<secret>', secretPlace) })),
    events: [...guide.events],
    delivery_log: guide.deliveryLog,
    notes: [
      ...guide.notes,
      ...troubleNotes(ledger),
      ...(configured ? [] : [missingSecret(settings)]),
      ...(source === 'chat' ? chatSiteNotes(settings, ledger) : []),
      ...loopbackNotes(base),
    ],
  }
}

/** What to do if the server has no secret. */
export function missingSecret({ secretSetting, isSecretSet, environmentFile }: SetupSettings): string {
  return isSecretSet
    ? `${secretSetting} is set here, but the server does not have it yet: it reads settings only when it starts.`
    : `Set ${secretSetting} (or ${secretSetting}_FILE, naming a file), for instance in ${environmentFile}, and restart the server. Until then no delivery can be verified.`
}

function placeOfSecret({ secretSetting, isSecretSet }: SetupSettings, isKnown: boolean): string {
  if (isSecretSet && secretSetting.endsWith('_FILE')) return `the one in the file that ${secretSetting} names`
  const isOnServerAlone = isKnown && !isSecretSet
  return isOnServerAlone
    ? `the one that the server has in ${secretSetting} or ${secretSetting}_FILE`
    : `the one in ${secretSetting}`
}

/** The server uses its configured address; if it has none, every delivery must contain it. */
function siteParameter(source: PlatformSource, { chatSite, isChatSiteGiven }: SetupSettings, ledger: ReachedLedger) {
  if (source !== 'chat' || chatSite === undefined || !isChatSiteGiven || ledger.webhook?.site !== undefined) return ''
  return `?site=${encodeURIComponent(chatSite)}`
}

function troubleNotes({ trouble }: ReachedLedger): string[] {
  if (!trouble) return []
  const advice = trouble.code === 'not_found' ? ' Check --api-url or EVENT_API_URL, which include the root path.' : ''
  return [`The settings of the server could not be read. ${trouble.message}${advice}`]
}

function chatSiteNotes({ chatSite, isChatSiteGiven }: SetupSettings, { webhook }: ReachedLedger): string[] {
  const served = webhook?.site
  if (served !== undefined) {
    if (chatSite === undefined || chatSite === served) return []
    const here = isChatSiteGiven ? '--chat-url is' : 'EVENT_CHAT_URL here is'
    return [
      `${here} ${chatSite}, but EVENT_CHAT_URL of the server is ${served}, which takes precedence. The server reads settings only when it starts.`,
    ]
  }
  if (chatSite === undefined) {
    return [
      'Deliveries do not name their server: set EVENT_CHAT_URL to its address, such as https://chat.example.org, or give it here with --chat-url.',
    ]
  }
  if (isChatSiteGiven || !webhook) return []
  return ['EVENT_CHAT_URL is set here, but the server does not have it yet: it reads settings only when it starts.']
}

function loopbackNotes(base: string): string[] {
  if (!isLoopback(new URL(base).hostname.replace(/^\[(.*)\]$/, '$1'))) return []
  return [
    'Only this machine can reach this address. For a platform elsewhere, put a proxy with TLS in front of that one path, and set EVENT_PUBLIC_URL to the address of the proxy.',
  ]
}
