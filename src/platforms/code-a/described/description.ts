import type { TargetNode } from '../../../model/events/event.js'
import type { Payload } from '../../mapping/payload.js'
import type { Hook } from '../hook.js'

/**
 * The subject of an event, in words and links, if the usual members of its object lack them. Absent members are read
 * from the object, as for any other event.
 */
export interface Description {
  /** Native id of the event's subject, if the event has no object named like itself. */
  subjectId?: string | undefined
  /** The node itself, if other events use it as well. */
  target?: TargetNode | undefined
  /** Id in the node's key. Default: the event's identity. */
  id?: string | undefined
  display?: string | undefined
  url?: string | undefined
  /** Added to the node's metadata. */
  metadata?: Record<string, unknown>
  /** Parent of the node. Default: the repository or its owner. */
  parent?: TargetNode | undefined
  /** When the event happened, if the object does not contain it. Not part of the event's identity. */
  occurredAt?: string | undefined
  /** Text that a person wrote about it. */
  text?: string | undefined
  outcome?: string | undefined
  /** Added to `action.metadata`; undefined members are omitted. */
  facts?: Record<string, unknown>
}

/** @param object the object named like the event, if there is one */
export type Describe = (hook: Hook, object: Payload | undefined) => Description

/** Native events of one name. */
export interface DescribedEvent {
  /** Verbs of the documented actions. */
  verbs: readonly string[]
  /** Absent if the usual members of the object are enough. */
  describe?: Describe
}
