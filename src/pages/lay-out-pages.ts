import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { joinPage } from './join-page.js'

const BUILT = fileURLToPath(new URL('../../', import.meta.url))
const ASSETS = join(BUILT, 'assets')
const OUT = join(BUILT, 'pages')

/** The pages, by their folders below `assets`, with what their documents name. */
const PAGES = {
  observatory: { title: 'Daybook', api: 'api/openapi.json' },
  board: { title: 'Board · Daybook', api: 'api/cards' },
} as const
/** Types of files that are served unchanged. */
const SERVED = ['.svg']
/** The script that runs before the first paint, and is therefore a file of its own. */
const FIRST_SCRIPT = 'shared/appearance-first.js'

const compressed = new Map<string, { br: Buffer; gz: Buffer }>()

/**
 * Writes the files of each page to dist/pages/, as served: scripts joined from the modules of `tsc` and of libraries,
 * one style sheet, and icons. Each file has its compressed forms; the folder is named for the version of all files.
 * Part of the build.
 *
 * @returns the paths of the joined modules
 */
export async function layOutPages(): Promise<string[]> {
  const modules = []
  for (const page of Object.keys(PAGES) as (keyof typeof PAGES)[]) modules.push(...(await layOut(page)))
  return modules
}

async function layOut(page: keyof typeof PAGES): Promise<readonly string[]> {
  const { scripts, preloads, modules } = await joinPage(join(ASSETS, page, 'main.js'), page)
  const files = readFiles(page)
  for (const [name, text] of scripts) files.set(name, Buffer.from(text))
  const version = digestOf([...files].map(([name, bytes]) => `${name} ${digestOf(bytes)}`).join('\n')).slice(0, 16)
  const folder = join(OUT, page, 'files', version)
  // An existing folder may be in use by a running server.
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}`
    for (const [name, bytes] of files) write(join(part, name), bytes)
    renameSync(part, folder)
  }
  const manifest = {
    version,
    names: [...files.keys()],
    preloads,
    sprite: `${files.get('shared/sprite.svg') ?? ''}`,
    template: readFileSync(join(ASSETS, 'shared/page.html'), 'utf8')
      .replace('%title%', PAGES[page].title)
      .replaceAll('%api%', PAGES[page].api),
  }
  writeFileSync(join(OUT, page, 'manifest.json'), JSON.stringify(manifest))
  return modules
}

function readFiles(page: string): Map<string, Buffer> {
  const files = new Map([[FIRST_SCRIPT, readFileSync(join(ASSETS, FIRST_SCRIPT))]])
  const styles: string[] = []
  for (const name of ['shared', page].flatMap(namesIn)) {
    if (SERVED.includes(extname(name))) files.set(name, readFileSync(join(ASSETS, name)))
    else if (name.endsWith('.css')) styles.push(readFileSync(join(ASSETS, name), 'utf8'))
  }
  files.set(`${page}/page.css`, Buffer.from(withoutComments(styles.join('\n'))))
  return files
}

function withoutComments(styles: string): string {
  const [first, ...others] = styles.split('/*')
  return [first, ...others.map(part => part.slice(part.indexOf('*/') + 2))].join('')
}

/** Names of files below `assets`, ordered: values first, then the base, then the parts. */
function namesIn(folder: string): string[] {
  const names = readdirSync(join(ASSETS, folder), { recursive: true, encoding: 'utf8' })
    .map(name => posix.join(folder, name.split(sep).join(posix.sep)))
    .sort()
  const first = ['shared/tokens.css', 'shared/base.css'].filter(name => names.includes(name))
  return [...first, ...names.filter(name => !first.includes(name))]
}

/** Both pages share most files, so each is compressed once. */
function write(path: string, bytes: Buffer): void {
  const digest = digestOf(bytes)
  const forms = compressed.get(digest) ?? {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
    gz: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
  }
  compressed.set(digest, forms)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  // A compressed form that is not smaller is not worth serving.
  if (forms.br.length < bytes.length) writeFileSync(`${path}.br`, forms.br)
  if (forms.gz.length < bytes.length) writeFileSync(`${path}.gz`, forms.gz)
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url')
}
