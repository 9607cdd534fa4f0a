import { getSample, sampleKinds } from '../demo/sample-deliveries.js'
import type { PlatformSource } from '../model/platforms/platform-source.js'
import type { Micros } from '../model/timestamp.js'
import { signDelivery } from '../platforms/signatures/sign-delivery.js'

/** The kinds for which sample deliveries exist. */
export function triggerKinds(source: PlatformSource, now: Micros): string[] {
  return sampleKinds(source, now)
}

/**
 * A sample delivery, signed like those of the platform.
 *
 * @param secret absent: unsigned
 * @throws AppError `invalid/unknown_kind`
 */
export function sampleRequest(
  source: PlatformSource,
  { kind, secret, now }: { kind: string; secret: string | undefined; now: Micros },
): { headers: Record<string, string>; body: Uint8Array } {
  const { kinds: _, ...delivery } = getSample(source, kind, now)
  return signDelivery(delivery, secret, now / 1_000)
}
