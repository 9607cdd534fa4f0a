import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'

interface Runtime {
  /** As `process.versions.node`. */
  version: string
  platform: string
}

/** Same as `engines` in package.json. */
const LEAST = [20, 19] as const
/** Platforms on which the tests run. */
const SUPPORTED: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS' }

/** Whether the program runs where it is supported. */
export function checkNode({ version, platform }: Runtime): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const system = SUPPORTED[platform]
  if (system === undefined) {
    return [failing('configuration', `Daybook does not support ${platform}.`, 'Run it on Linux or macOS.')]
  }
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
    const detail = `Daybook needs Node.js ${LEAST.join('.')} or later, and this is ${version}.`
    return [failing('configuration', detail, 'Install a newer Node.js.')]
  }
  const detail = `Node.js ${version} on ${system}.`
  // Odd versions are experimental: they get no fixes after a few months.
  return major % 2 === 0 ? [ok(detail)] : [warning(detail, 'Use an even version, which gets fixes for longer.')]
}
