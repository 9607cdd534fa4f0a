/** V8 optimises only JavaScript that runs 15 times as long as by default. V8 of later Nodes has no such option. */
const LATE_OPTIMISATION = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []

/**
 * V8 compiles WebAssembly only once, since a test ends before a better compilation pays. Threads that help to collect
 * garbage take more processor time than they save.
 */
const CHEAP = ['--liftoff-only', '--single-threaded-gc', ...LATE_OPTIMISATION]

/**
 * Options of Node for test processes. By default V8 begins with space for 1 MiB of young objects, and copies the live
 * ones often.
 */
export const CHEAP_TESTS: readonly string[] = [...CHEAP, '--min-semi-space-size=16']

/**
 * Options of Node for processes that tests start. By default V8 collects all garbage several times while the heap grows
 * to what a server needs. Few of these processes live long enough to optimise JavaScript at all.
 */
export const CHEAP_START: readonly string[] = [
  ...CHEAP,
  '--initial-heap-size=128',
  ...(LATE_OPTIMISATION.length > 0 ? [] : ['--no-opt']),
]
