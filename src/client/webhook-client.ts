import type { PlatformSource } from '../model/platforms/platform-source.js'
import { type Answer, LEDGER } from './answer.js'
import { ServerClient } from './server-client.js'
import type { ServerAddress } from './transport.js'

/** Delivers to a ledger as a platform does. The delivery itself contains its proof. */
export class WebhookClient extends ServerClient {
  /** @param hintOf what the user of a command can do about a refusal with this `code` */
  constructor(address: ServerAddress, hintOf: (code: string) => string | undefined) {
    super(address, { names: LEDGER, headers: {}, hintOf })
  }

  /** @param site origin of the platform's server, for a platform whose deliveries do not contain it */
  deliver(
    source: PlatformSource,
    { headers, body, site }: { headers: Record<string, string>; body: Uint8Array; site?: string | undefined },
  ): Promise<Answer> {
    const path = `/webhooks/${source}${site === undefined ? '' : `?site=${encodeURIComponent(site)}`}`
    return this.call({ method: 'POST', path, body, headers: { ...headers, 'content-length': String(body.length) } })
  }
}
