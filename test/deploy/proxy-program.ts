import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A whole configuration of nginx, which touches nothing outside of the folder. @param site servers and upstreams */
export function nginxMain(folder: string, site: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/temp;`,
  )
  const user = process.getuid?.() === 0 ? 'user root; ' : ''
  const main = `${user}daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}`
  return `${main}\n${site}\n}`
}

/** Starts a proxy in the foreground, until the test ends. */
export function startProxy(t: Test, program: string, args: readonly string[], folder: string): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: folder }
  const proxy = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  t.teardown(() => end(proxy))
  return proxy
}

export function makeCertificate(folder: string): void {
  mkdirSync(join(folder, 'temp'))
  const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'certificate')]
  const names = 'subjectAltName=DNS:ledger.example.org,DNS:board.example.org'
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=test', '-addext', names, ...files], { stdio: 'pipe' })
}

interface Asked {
  host?: string
  headers?: Record<string, string>
  /** A text is sent as it is. */
  body?: unknown
}
type Ask = (path: string, asked?: Asked) => Promise<{ status: number; body: string }>

export function asker(port: number): Ask {
  return async (path, asked) => {
    const answer = await open(port, path, asked)
    let body = ''
    for await (const chunk of answer) body += chunk
    return { status: answer.statusCode ?? 0, body }
  }
}

async function open(port: number, path: string, { host = 'ledger.example.org', headers = {}, body }: Asked = {}) {
  const json = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const type =
    json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }
  const call = request({
    host: '127.0.0.1',
    port,
    path,
    servername: host,
    method: json === undefined ? 'GET' : 'POST',
    agent: false,
    rejectUnauthorized: false,
    headers: { host: `${host}:${port}`, ...headers, ...type },
  })
  call.end(json)
  const [answer] = (await once(call, 'response')) as [import('node:http').IncomingMessage]
  return answer.setEncoding('utf8')
}

export async function openStream(port: number, path: string, headers: Record<string, string>) {
  const answer = await open(port, path, { headers })
  if (answer.statusCode !== 200) throw new Error(`The stream is refused: ${answer.statusCode}`)
  let read = ''
  answer.on('data', text => {
    read += text
  })
  return {
    // Caddy ends only after its connections.
    close: () => answer.destroy(),
    until: async (expected: RegExp) => {
      while (!expected.test(read)) await once(answer, 'data')
    },
  }
}

export async function untilAnswers(ask: Ask, proxy: ChildProcess): Promise<void> {
  let printed = ''
  proxy.stderr?.on('data', text => {
    printed += text
  })
  for (;;) {
    if (proxy.exitCode !== null) throw new Error(`The proxy ended: ${printed}`)
    try {
      if ((await ask('/livez')).status === 200) return
    } catch {
      // It does not listen yet.
    }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function end(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode !== null) return
  const ended = once(proxy, 'exit')
  proxy.kill('SIGTERM')
  await ended
}
