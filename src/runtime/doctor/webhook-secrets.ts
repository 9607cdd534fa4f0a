import { type Finding, ok, warning } from '../../model/diagnosis.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'

interface WebhookSecrets {
  secrets: Readonly<Record<PlatformSource, readonly string[]>>
  requireVerified: boolean
}

/** A shorter secret could be guessed. */
const ADVISED_CHARACTERS = 16

/** Whether deliveries of the platforms can be verified. Shows the number of secrets, never a secret. */
export function checkWebhookSecrets({ secrets, requireVerified }: WebhookSecrets): Finding[] {
  const findings: Finding[] = []
  const sources = Object.entries(secrets) as [PlatformSource, readonly string[]][]
  const counts = sources.map(([source, own]) => `${source} ${own.length === 0 ? 'none' : own.length}`)
  for (const [source, own] of sources) {
    if (own.some(secret => secret.length < ADVISED_CHARACTERS)) {
      const detail = `A secret of /webhooks/${source} is shorter than ${ADVISED_CHARACTERS} characters.`
      findings.push(warning(detail, 'Use a longer, random one, here and on the platform.'))
    }
    const other = sources.find(([name, theirs]) => name > source && theirs.some(secret => own.includes(secret)))
    if (other) {
      const detail = `/webhooks/${source} and /webhooks/${other[0]} have the same secret.`
      findings.push(warning(detail, 'Use two different secrets.'))
    }
  }
  const none = sources.every(([, own]) => own.length === 0)
  if (requireVerified && none) {
    const detail =
      'EVENT_WEBHOOK_REQUIRE_VERIFIED is on and there is no secret: every delivery of a platform is refused.'
    findings.push(warning(detail, '`daybook platforms setup` shows how to set one.'))
  }
  return [...findings, ok(`Secrets of webhooks: ${counts.join(', ')}.`)]
}
