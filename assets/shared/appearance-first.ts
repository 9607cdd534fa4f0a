/*
 * Before the first paint: the page looks as it was chosen on this device. A classic script without imports, loaded in
 * the head, so that nothing is shown in other colours first.
 */
{
  const root = document.documentElement
  root.dataset.givenPalette = root.dataset.palette ?? 'indigo'
  root.dataset.givenScheme = root.dataset.scheme ?? 'system'
  let chosen: Record<string, unknown> = {}
  try {
    chosen = Object(JSON.parse(localStorage.getItem('daybook.appearance') ?? '{}'))
  } catch {
    // The device keeps nothing for pages, or something else: it looks as the server says.
  }
  const { palette, scheme, density } = chosen
  if (palette === 'indigo' || palette === 'forest' || palette === 'amber') root.dataset.palette = palette
  if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
  if (scheme === 'system') delete root.dataset.scheme
  if (density === 'compact') root.dataset.density = density
}
