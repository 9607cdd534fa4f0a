/** Runs a command line as if a person were looking at its output, and typing what it reads. */
for (const stream of [process.stdout, process.stderr]) {
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { value: 100 },
    getWindowSize: { value: () => [100, 40] },
  })
}
/** What is typed would be shown but between these two marks. */
const setRawMode = (isRaw: boolean) => process.stderr.write(isRaw ? '<raw>' : '</raw>')
Object.defineProperties(process.stdin, { isTTY: { value: true }, setRawMode: { value: setRawMode } })
await import(new URL('../../../../bin/run.js', import.meta.url).href)
