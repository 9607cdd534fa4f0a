import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { type RequestOptions, Agent as TlsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import type { BackendProfile } from './backend-profile.js'
import { GatewayFailure } from './gateway-failure.js'
import { isOwnAddress, type SocketAddress } from './own-address.js'

/** For the connections to one backend. */
const OPTIONS: AgentOptions = {
  keepAlive: true,
  maxSockets: 256,
  maxFreeSockets: 64,
  // Shorter than the five seconds after which most servers, ours too, close an unused connection.
  timeout: 4_000,
}

interface AgentRules {
  /** Where this process currently listens. */
  ownListeners: () => readonly SocketAddress[]
  /** For the name lookup, the connection and the TLS handshake, if there is one. */
  connectMs: number
}

/** The connections to all backends, separated by address and port. Unused ones do not keep the process alive. */
export class BackendAgents {
  readonly #plain: Agent
  readonly #secure: Agent

  constructor(rules: AgentRules) {
    this.#plain = new WatchedAgent(rules)
    this.#secure = new WatchedTlsAgent(rules)
  }

  agentFor({ secure }: BackendProfile): Agent {
    return secure ? this.#secure : this.#plain
  }
}

class WatchedAgent extends Agent {
  constructor(private readonly rules: AgentRules) {
    super(OPTIONS)
  }

  override createConnection(options: ClientRequestArgs, callback?: Created): Duplex | null | undefined {
    return watched(super.createConnection(options, callback), 'connect', this.rules)
  }
}

class WatchedTlsAgent extends TlsAgent {
  constructor(private readonly rules: AgentRules) {
    super(OPTIONS)
  }

  override createConnection(options: RequestOptions, callback?: Created): Duplex | null | undefined {
    return watched(super.createConnection(options, callback), 'secureConnect', this.rules)
  }
}

type Created = (error: Error | null, stream: Duplex) => void

/**
 * Ends a connection that leads back to us, or takes too long. Bytes written before the connection exists wait for the
 * same event. This listener is called first, so no byte of a request is sent.
 */
function watched(
  stream: Duplex | null | undefined,
  ready: 'connect' | 'secureConnect',
  { ownListeners, connectMs }: AgentRules,
): Duplex | null | undefined {
  const socket = stream as Socket | null | undefined
  if (!socket) return socket
  const late = setTimeout(() => socket.destroy(new GatewayFailure('gateway_timeout', 'no connection')), connectMs)
  socket.once('close', () => clearTimeout(late))
  socket.once(ready, () => clearTimeout(late))
  socket.prependOnceListener('connect', () => {
    const { remoteAddress: address, remotePort: port } = socket
    const leadsBack =
      address === undefined || port === undefined || isOwnAddress({ address, port }, ownListeners(), addressesHere)
    if (leadsBack) socket.destroy(new GatewayFailure('bad_gateway', 'leads back to this server'))
  })
  return socket
}

function addressesHere(): string[] {
  return Object.values(networkInterfaces()).flatMap(addresses => addresses?.map(({ address }) => address) ?? [])
}
