import { type TargetNode, targetChain } from '../../model/events/event.js'
import { toIdentifier } from './identifiers.js'
import { known } from './payload.js'

export interface NodeParts {
  /** Native id, or a path of ids. A node without one has no key. */
  id?: string | undefined
  display?: string | undefined
  url?: string | undefined
  nativeType?: string | undefined
  metadata?: Record<string, unknown>
  parent?: TargetNode | undefined
}

export function toNode(type: string, parts: NodeParts): TargetNode {
  return {
    type,
    ...known({
      key: parts.id === undefined ? undefined : `${type}:${toIdentifier(parts.id)}`,
      display: parts.display,
      url: parts.url,
    }),
    metadata: { native_type: parts.nativeType ?? type, ...parts.metadata },
    ...known({ parent: parts.parent }),
  }
}

/** The address of the nearest node that has one, beginning with `node` itself. */
export function nearestUrl(node: TargetNode | undefined): string | undefined {
  for (const { url } of targetChain(node)) if (url !== undefined) return url
  return undefined
}
