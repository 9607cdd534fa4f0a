/*
 * Runs before the first paint and applies the appearance chosen on this device. A classic script without imports,
 * loaded in the head, so that no other colours flash first.
 */
{
  const root = document.documentElement
  root.dataset.givenPalette = root.dataset.palette ?? 'indigo'
  root.dataset.givenScheme = root.dataset.scheme ?? 'system'
  let chosen: Record<string, unknown> = {}
  try {
    chosen = Object(JSON.parse(localStorage.getItem('daybook.appearance') ?? '{}'))
  } catch {
    // No storage, or unreadable content: keeps the server's appearance.
  }
  const { palette, scheme, density } = chosen
  if (palette === 'indigo' || palette === 'forest' || palette === 'amber') root.dataset.palette = palette
  if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
  if (scheme === 'system') delete root.dataset.scheme
  if (density === 'compact') root.dataset.density = density
}
