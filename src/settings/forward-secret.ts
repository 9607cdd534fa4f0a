import { readSecret } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

const NAME = 'EVENT_FORWARD_SECRET'
/** Standard Webhooks requires 24 to 64 bytes. */
const KEY_BYTES = { min: 24, max: 64 }

/**
 * The key that signs the events that `daybook consume` forwards: from `EVENT_FORWARD_SECRET`, or from the file that
 * `EVENT_FORWARD_SECRET_FILE` names.
 *
 * @throws AppError `configuration/settings_invalid`
 *
 * Source: Standard Webhooks 1.0, "Signature scheme".
 */
export function readForwardSecret(sources: SettingSources): Uint8Array {
  const reader = new SettingReader(sources)
  const text = readSecret(reader, NAME, { both: 'refused' })
  const key = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text ?? '') ? Buffer.from((text ?? '').slice(6), 'base64') : undefined
  if (!key || key.length < KEY_BYTES.min || key.length > KEY_BYTES.max) {
    const make = 'Make one with: printf \'whsec_%s\\n\' "$(openssl rand -base64 32)"'
    reader.refuse(NAME, `${NAME} must be whsec_ and the base64 of 24 to 64 bytes, which the receiver knows. ${make}`)
  }
  reader.finish()
  return key ?? new Uint8Array()
}
