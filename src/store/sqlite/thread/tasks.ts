import type { MessagePort } from 'node:worker_threads'
import { toFailure } from '../../../model/failure.js'
import type { StoreReply } from './protocol.js'

/** What a worker keeps, by name. Every method of one of these is a task: its row is the method itself. */
export type Stores = Readonly<Record<string, object>>

/** A store as it is asked from another thread. */
export type Asked<Store> = {
  [Task in keyof Store as Store[Task] extends Method ? Task : never]: Store[Task] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}
type Method = (...args: never[]) => unknown

/** The tasks of each store. */
export type TaskNames<Names extends string = string> = Readonly<Record<Names, readonly string[]>>

export type TaskRequest = { id: number; store: string; task: string; args: unknown[] } | { id: number; close: true }

/** In a worker: answers what it is asked, in the order in which that arrives, until it is closed. */
export function serveTasks(port: MessagePort, stores: Stores, close: () => void): void {
  const underWay = new Set<Promise<void>>()
  const reply = (answer: StoreReply) => port.postMessage([answer])
  const answer = async (id: number, work: () => unknown) => {
    try {
      reply({ id, result: await work() })
    } catch (error) {
      reply({ id, error: toFailure(error) })
    }
  }
  port.on('message', async (request: TaskRequest) => {
    if ('close' in request) {
      const closed = answer(request.id, close)
      await Promise.all([closed, ...underWay])
      port.close()
      return
    }
    const { id, store, task, args } = request
    const answered: Promise<void> = answer(id, () => methodOf(stores[store], task)(...args))
    underWay.add(answered)
    await answered
    underWay.delete(answered)
  })
}

export function taskNames<Names extends string>(stores: Readonly<Record<Names, object>>): TaskNames<Names> {
  const named = Object.entries<object>(stores).map(([name, store]) => [name, namesOf(store)])
  return Object.fromEntries(named)
}

/** The other side of a store. @param ask sends a task, and resolves with its result */
export function askedBy<Store>(
  tasks: readonly string[],
  ask: (task: string, args: unknown[]) => unknown,
): Asked<Store> {
  const methods = tasks.map(task => [task, async (...args: unknown[]) => ask(task, args)])
  return Object.fromEntries(methods) as Asked<Store>
}

/** A store of this thread, asked as if it were in another. */
export function askedHere<Store extends object>(store: Store): Asked<Store> {
  return askedBy<Store>(namesOf(store), (task, args) => methodOf(store, task)(...args))
}

function namesOf(store: object): string[] {
  const owner = Object.getPrototypeOf(store) === Object.prototype ? store : Object.getPrototypeOf(store)
  return Object.getOwnPropertyNames(owner).filter(name => name !== 'constructor')
}

function methodOf(store: object | undefined, task: string): (...args: unknown[]) => unknown {
  const method = store && Reflect.get(store, task)
  if (typeof method !== 'function') throw new Error(`There is no task ${task}.`)
  return method.bind(store)
}
