import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * A page without frames and media needs no more than this. Loading the style sheets again is for a rule that is
 * experimental, and off.
 */
const OPTIONS = { resultTypes: ['violations'], preload: { assets: ['media'] } }
/** The rules about what a colour scheme changes. */
const COLORS_ALONE = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

/**
 * The problems that axe finds on a page or in a part of it, one per line. A dialog that covers a page needs no second check of
 * the list below: axe looks at every row of it. A page gets the source of axe once. (`@axe-core/playwright` sends it in twice the
 * size, and twice for each run: with it and a window for each test, a file took 40 % more processor time.)
 */
export async function findAxeViolations(part: Page | Locator, { colorsAlone = false } = {}): Promise<string[]> {
  const page = pageOf(part)
  await colorsSettle(page)
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  const root = 'page' in part ? part : part.locator(':root')
  return root.evaluate(runAxe, { ...OPTIONS, ...(colorsAlone ? COLORS_ALONE : {}) })
}

/** Runs in the page. */
async function runAxe(root: unknown, options: object): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
  const { violations } = await axe.run(root as never, options)
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  )
}

/** The problems in the light scheme, and those of colours in the dark one, which stays active. */
export async function findAxeViolationsInBothSchemes(part: Page | Locator): Promise<string[]> {
  const page = pageOf(part)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await findAxeViolations(part)
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await findAxeViolations(part, { colorsAlone: true }))]
}

function pageOf(part: Page | Locator): Page {
  return 'page' in part ? part.page() : part
}

/** Waits for transitions, because colours would be compared during a fade. */
async function colorsSettle(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter(each => each instanceof CSSTransition).map(each => each.finished)).then(() => {})`)
}

/** Where bidirectional control characters are in the page: in its texts and in the labels of its elements, a line each. */
export function findTurningMarks(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const turns = text => /[\\u202a-\\u202e\\u2066-\\u2069]/.test(text ?? '')
    const own = element => [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data)
    const labels = element => ['title', 'aria-label'].map(name => element.getAttribute(name))
    return [...document.querySelectorAll('body *')]
      .filter(element => [...own(element), ...labels(element)].some(turns))
      .map(element => element.outerHTML.slice(0, 200))
  })()`)
}

/** The page's own: Playwright's `page.url()` follows it a moment later. */
export async function addressOf(page: Page): Promise<URL> {
  return new URL(await page.evaluate<string>('location.href'))
}

/** Waits until an expression holds. Not `waitForFunction`: it evaluates text in the page, which the page's policy refuses. */
export async function untilHolds(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) await page.waitForTimeout(10)
}

/** The members of the query in the page's address. */
export async function query(page: Page): Promise<Record<string, string | undefined>> {
  return Object.fromEntries((await addressOf(page)).searchParams)
}

/** How far the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  // Parts that observe their size follow in the frames after a change.
  return page.evaluate(`(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    return document.documentElement.scrollWidth - document.documentElement.clientWidth
  })()`)
}

/** The same with letters twice as large, which are then as before. */
export async function overflowOfLargeText(page: Page): Promise<number> {
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
  const pixels = await overflow(page)
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  return pixels
}

/** The accessible name of what has the focus, or its text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const element = document.activeElement
    return (element.getAttribute('aria-label') ?? element.innerText ?? '').trim().replace(/\\s+/g, ' ')
  })()`)
}

/**
 * The controls that a finger may miss, a line each: which reach less than 44 px from left to right, or from top to bottom. Links inside a
 * sentence are exempt.
 */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const on = document.querySelector(':popover-open') ?? document.querySelector(':modal') ?? document
    const controls = on.querySelectorAll('a[href], button, input, select, textarea, summary, [role=option], [role=menuitem], [role=slider]')
    const isSeen = element => element.checkVisibility({ checkVisibilityCSS: true }) && !element.closest('.visually-hidden, .skip-link')
    const isInSentence = element => {
      const sentence = element.closest('p')
      return sentence && getComputedStyle(element).display.startsWith('inline') && sentence.innerText.trim() !== element.innerText.trim()
    }
    return [...controls].filter(control => isSeen(control.closest('label') ?? control) && !isInSentence(control)).flatMap(control => {
      const target = control.closest('label') ?? control
      target.scrollIntoView({ block: 'center', inline: 'center' })
      const { left, top, width, height } = target.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      const reach = (dx, dy, most) => {
        let steps = 0
        while (steps < most && target.contains(document.elementFromPoint(x + dx * steps, y + dy * steps))) steps++
        return steps
      }
      // Finding an element takes long: no farther than needed.
      const reaches = (dx, dy) => {
        const back = reach(-dx, -dy, 44)
        return back + reach(dx, dy, 44 - back) >= 44
      }
      if (reaches(1, 0) && reaches(0, 1)) return []
      return [Math.round(width) + ' × ' + Math.round(height) + ' px: ' + control.outerHTML.slice(0, 120)]
    })
  })()`)
}

/**
 * The controls that the keyboard reaches and that do not show the one frame, 2 px of the accent, when they have the focus; a line each. A key is
 * pressed first: without keys, browsers show no frames.
 */
export async function findOddFrames(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab')
  return page.evaluate(`(() => {
    const sample = document.body.appendChild(document.createElement('i'))
    sample.style.color = 'var(--accent)'
    const accent = getComputedStyle(sample).color
    sample.remove()
    const on = document.querySelector(':modal') ?? document
    const controls = on.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')
    const focused = [...controls].filter(control => control.tabIndex >= 0 && (control.focus(), document.activeElement === control))
    if (focused.length === 0) return ['No control takes the focus.']
    return focused.flatMap(control => {
      control.focus()
      const framed = control.matches('.segment input') ? control.nextElementSibling : control
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(framed)
      if (outlineStyle === 'solid' && outlineWidth === '2px' && outlineColor === accent) return []
      return [outlineStyle + ' ' + outlineWidth + ' ' + outlineColor + ' ' + control.outerHTML.slice(0, 120)]
    })
  })()`)
}
