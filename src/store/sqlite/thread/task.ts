import type { MessagePort } from 'node:worker_threads'
import type { AppError } from '../../../model/app-error.js'
import { toFailure } from '../../../model/failure.js'
import type { StoreReply, StoreRequest, TaskCall, TaskKind } from './protocol.js'

/**
 * One row of a table of tasks: a method of a store that its thread carries out.
 *
 * A `write` that is refused returns its `AppError` before it changes anything. If it threw the error, the writes of
 * other callers in the same transaction would be rolled back.
 */
interface Task<Args extends unknown[] = unknown[], Result = unknown> {
  kind: TaskKind
  run(...args: Args): Result
  /** Load that a write adds to its commit; absent: one row of negligible size. */
  load?(...args: Args): CommitLoad
}

export interface CommitLoad {
  rows: number
  bytes: number
}

export function write<Args extends unknown[], Result>(
  run: (...args: Args) => Result,
  load?: (...args: Args) => CommitLoad,
): Task<Args, Result> {
  return { kind: 'write', run, ...(load ? { load } : {}) }
}

export function read<Args extends unknown[], Result>(run: (...args: Args) => Result): Task<Args, Result> {
  return { kind: 'read', run }
}

export function page<Args extends unknown[], Answer>(
  run: (...args: Args) => Generator<void, Answer>,
): Task<Args, Generator<void, Answer>> {
  return { kind: 'page', run }
}

export function query<Args extends unknown[], Answer>(
  run: (...args: Args) => Generator<void, Answer>,
): Task<Args, Generator<void, Answer>> {
  return { kind: 'query', run }
}

/** The tasks of a thread, by store and method. */
type TaskTables = Readonly<Record<string, Readonly<Record<string, Task>>>>

/**
 * The kind of each task. A thread sends them when it has opened its files; `makeProxies` derives the other side from
 * them.
 */
export type TaskKinds<Tables> = {
  readonly [Store in keyof Tables]: { readonly [Name in keyof Tables[Store]]: TaskKind }
}

/** The stores of a thread as other threads call them. */
export type Proxies<Tables> = { [Store in keyof Tables]: StoreProxy<Tables[Store]> }

/** A query also takes an `AbortSignal`. */
export type StoreProxy<Tasks> = {
  [Name in keyof Tasks]: Tasks[Name] extends Task<infer Args, infer Result>
    ? [Result] extends [Generator<void, infer Answer>]
      ? (...args: [...Args, signal?: AbortSignal | undefined]) => Promise<Answer>
      : (...args: Args) => Promise<Exclude<Awaited<Result>, AppError>>
    : never
}

type Method = (...args: never[]) => unknown

/** The methods of a store as tasks. */
type MethodTasks<Store> = {
  [Name in keyof Store as Store[Name] extends Method ? Name : never]: Store[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? Task<Args, Result>
    : never
}

/** @param store of this thread, with methods that are answered in the order of their calls */
export function methodTasks<Store extends object>(store: Store): MethodTasks<Store> {
  const owner = Object.getPrototypeOf(store) === Object.prototype ? store : Object.getPrototypeOf(store)
  const names = Object.getOwnPropertyNames(owner).filter(name => name !== 'constructor')
  const call = (name: string, args: unknown[]) => (Reflect.get(store, name) as Method).apply(store, args as never[])
  const tasks = names.map(name => [name, read((...args) => call(name, args))])
  return Object.fromEntries(tasks) as MethodTasks<Store>
}

/** A store of this thread whose methods return promises, as those of its proxy do. */
export function asyncStore<Store extends object>(store: Store): StoreProxy<MethodTasks<Store>> {
  const tasks: Record<string, Task> = methodTasks(store)
  const methods = Object.entries(tasks).map(([name, { run }]) => [name, async (...args: unknown[]) => run(...args)])
  return Object.fromEntries(methods)
}

export function kindsOf<Tables extends TaskTables>(tables: Tables): TaskKinds<Tables> {
  const kindsIn = (tasks: TaskTables[string]) =>
    Object.fromEntries(Object.entries(tasks).map(([name, { kind }]) => [name, kind]))
  return Object.fromEntries(
    Object.entries(tables).map(([store, tasks]) => [store, kindsIn(tasks)]),
  ) as TaskKinds<Tables>
}

/** Every task by the name that it has in a message: `users.list`. */
export class TaskList {
  readonly #tasks: ReadonlyMap<string, Task>

  constructor(tables: TaskTables) {
    const rows = Object.entries(tables).flatMap(([store, tasks]) =>
      Object.entries(tasks).map(([name, task]) => [nameOf(store, name), task] as const),
    )
    this.#tasks = new Map(rows)
  }

  get(name: string): Task {
    const task = this.#tasks.get(name)
    if (!task) throw new Error(`There is no task ${name}.`)
    return task
  }
}

/** The other side of a thread's tables. @param call sends a task and resolves with its result */
export function makeProxies<Tables extends TaskTables>(
  kinds: TaskKinds<Tables>,
  call: (call: TaskCall, signal?: AbortSignal) => Promise<unknown>,
): Proxies<Tables> {
  const method =
    (task: string, kind: TaskKind) =>
    (...args: unknown[]) => {
      const signal = args.at(-1) instanceof AbortSignal ? (args.pop() as AbortSignal) : undefined
      return call({ kind, task, args }, signal)
    }
  const proxyOf = ([store, ofStore]: [string, Record<string, TaskKind>]) => {
    const methods = Object.entries(ofStore).map(([name, kind]) => [name, method(nameOf(store, name), kind)])
    return [store, Object.fromEntries(methods)]
  }
  return Object.fromEntries(Object.entries<Record<string, TaskKind>>(kinds).map(proxyOf)) as Proxies<Tables>
}

function nameOf(store: string, name: string): string {
  return `${store}.${name}`
}

/** Runs in a worker: carries out all kinds of tasks in the order of their arrival, until `close`. */
export function runTaskWorker(port: MessagePort, tables: TaskTables, close: () => void): void {
  const tasks = new TaskList(tables)
  const inProgress = new Set<Promise<void>>()
  let nextId = 1
  const answer = async (id: number, work: () => unknown) => {
    try {
      port.postMessage([{ id, result: await work() }] satisfies StoreReply[])
    } catch (error) {
      port.postMessage([{ id, error: toFailure(error) }] satisfies StoreReply[])
    }
  }
  // A message may nest deeper than this thread can read, although the other side could send it.
  port.on('messageerror', cause => {
    const error = toFailure(new Error('A message to the store could not be read.', { cause }))
    port.postMessage([{ id: nextId++, error }] satisfies StoreReply[])
  })
  port.on('message', async (request: StoreRequest) => {
    if (request.kind === 'abort') return
    nextId = request.id + 1
    if (request.kind === 'close') {
      const closed = answer(request.id, close)
      await Promise.all([closed, ...inProgress])
      port.close()
      return
    }
    const { id, task, args } = request
    const answered: Promise<void> = answer(id, () => tasks.get(task).run(...args))
    inProgress.add(answered)
    await answered
    inProgress.delete(answered)
  })
}
