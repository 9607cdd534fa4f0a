import { randomBytes } from 'node:crypto'
import type { PlatformSetup } from '../model/platform-setup.js'
import type { PlatformSource } from '../platforms/adapter.js'
import { adapterOf } from '../platforms/adapters.js'
import { SETUP_GUIDES } from '../platforms/setup-guides.js'
import { isLoopback } from '../settings/serve-settings.js'
import type { SetupSettings } from '../settings/setup-settings.js'

const SECRET_BYTES = 32

/**
 * What to enter where, so that a platform delivers to this ledger.
 *
 * @param ledger.address where this command reaches the ledger, without a slash at its end
 * @param ledger.isSecretConfigured what a running server says of itself; undefined when none answers
 */
export function platformSetup(
  source: PlatformSource,
  settings: SetupSettings,
  ledger: { address: string; isSecretConfigured: boolean | undefined },
): PlatformSetup {
  const { catalogue } = adapterOf(source)
  const guide = SETUP_GUIDES[source]
  const base = settings.publicAddress ?? ledger.address
  const url = `${base}${catalogue.webhook_path}${siteParameter(source, settings)}`
  const configured = ledger.isSecretConfigured ?? settings.isSecretSet
  const isSecretKnown = configured || settings.isSecretSet
  const suggestion =
    isSecretKnown || guide.secretMadeBy === 'platform' ? undefined : randomBytes(SECRET_BYTES).toString('hex')
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
    fields: guide.fields.map(({ name, value }) => ({
      name,
      value: value.replace('<url>', url).replace('<secret>', `the one in ${settings.secretSetting}`),
    })),
    events: [...guide.events],
    notes: [...guide.notes, ...ownNotes(source, settings, { base, configured })],
  }
}

/** The server takes the configured address; one that it does not know must come with every delivery. */
function siteParameter(source: PlatformSource, { chatSite, isChatSiteGiven }: SetupSettings): string {
  if (source !== 'chat' || chatSite === undefined || !isChatSiteGiven) return ''
  return `?site=${encodeURIComponent(chatSite)}`
}

function ownNotes(
  source: PlatformSource,
  settings: SetupSettings,
  { base, configured }: { base: string; configured: boolean },
): string[] {
  const { secretSetting, isSecretSet, environmentFile } = settings
  const notes: string[] = []
  if (!configured) {
    notes.push(
      isSecretSet
        ? `${secretSetting} is set here, but the server does not have it yet: it reads settings when it starts.`
        : `Set ${secretSetting} (or ${secretSetting}_FILE, naming a file), for instance in ${environmentFile}, and restart the server. Until then no delivery can prove where it comes from.`,
    )
  }
  if (source === 'chat' && settings.chatSite === undefined) {
    notes.push(
      'Deliveries do not name their server: set EVENT_CHAT_URL to its address, such as https://chat.example.org, or say it here with --chat-url.',
    )
  }
  if (isLoopback(new URL(base).hostname.replace(/^\[(.*)\]$/, '$1'))) {
    notes.push(
      'This address is reached from this machine alone. For a platform elsewhere put a proxy with TLS in front of that one path, and its address into EVENT_PUBLIC_URL.',
    )
  }
  return notes
}
