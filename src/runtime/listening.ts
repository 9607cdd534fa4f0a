import { isIPv6 } from 'node:net'
import type { HttpApp } from '../server/http/http-app.js'
import type { ListenSettings } from '../settings/listen-settings.js'

/** Where a program answers. */
export interface Listening {
  /** With its root path, such as `http://127.0.0.1:8765`. */
  url: string
  address: string
  port: number
}

/** @throws as `HttpApp.listen` */
export async function listen(app: HttpApp, { host, port: wanted, rootPath }: ListenSettings): Promise<Listening> {
  const { address, port } = await app.listen(host, wanted)
  return { url: `http://${isIPv6(address) ? `[${address}]` : address}:${port}${rootPath}`, address, port }
}
