// The pages of the fixed scene have the recorded layout, readable colours, and no overlaps, light and dark, wide and narrow.
// ANNALS_TEST_WRITE_BOXES=1 records the layout again.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { Page } from 'playwright-core'
import { barriers } from '../../support/browser-page.js'
import { newPage } from '../../support/browser.js'
import { projectRoot } from '../../support/process.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { scenePages, startScene } from '../../support/ui-scene.js'

const FILE = join(projectRoot, 'test/clients/ui/scene-boxes.json')
const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
/** Fonts of machines differ by some pixels. */
const TOLERANCE = 24
/** How long a page takes to show all, when the layout is recorded. */
const SETTLING_MS = 5000

type Box = readonly [left: number, top: number, width: number]
type Boxes = Record<string, Readonly<Record<string, Box>>>

/** Parts of each page whose place is compared; those that are absent or out of view are omitted. */
const PARTS = [
  'nav#places',
  'main',
  'h1',
  '[role=tablist]',
  '[role=grid]',
  '.rows .body .row',
  'dl',
  '.timeline',
  '.chart',
  '.picture svg',
  '.code-editor',
  'table'
]

const boxesOf = (page: Page): Promise<Readonly<Record<string, Box>>> =>
  page.evaluate(`Object.fromEntries(${JSON.stringify(PARTS)}.flatMap(part => {
    const element = document.querySelector(part)
    // Closed details have a box once something has asked for it.
    const box = element?.checkVisibility() ? element.getBoundingClientRect() : undefined
    return box && box.width > 0 && box.top < innerHeight
      ? [[part, [box.left, box.top, box.width].map(Math.round)]]
      : []
  }))`)

/** Describes the parts that are elsewhere than recorded. */
const differences = (boxes: Boxes[string] = {}, recorded: Boxes[string] = {}): readonly string[] =>
  [...new Set([...Object.keys(boxes), ...Object.keys(recorded)])].flatMap(part => {
    const [is, was] = [boxes[part], recorded[part]]
    const isSame = is && was?.every((side, at) => Math.abs((is[at] ?? Infinity) - side) <= TOLERANCE)
    return isSame ? [] : [`${part} is at ${is?.join(', ')}, not at ${was?.join(', ')}`]
  })

/** Returns pairs of neighbours that cover each other. */
const overlaps = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('main, main header, main .choices, main section')].flatMap(box => {
    const parts = [...box.children].map(each => [each, each.getBoundingClientRect()]).filter(([, { width, height }]) => width > 0 && height > 0)
    return parts.flatMap(([one, a], at) => parts.slice(at + 1).flatMap(([other, b]) =>
      a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1
        ? [one.outerHTML.slice(0, 80) + ' covers ' + other.outerHTML.slice(0, 80)]
        : []))
  })`)

test('pages of a fixed scene keep their layout', async t => {
  const page = await newPage(t, { locale: 'en-GB', timezoneId: 'UTC' })
  if (!page) return
  const scene = await startScene(t)
  const isWriting = process.env['ANNALS_TEST_WRITE_BOXES'] !== undefined
  const recorded: Boxes = isWriting ? {} : JSON.parse(readFileSync(FILE, 'utf8'))
  await page.addInitScript(`sessionStorage.setItem('annals-token', '${ROOT}')`)
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    for (const { name, path, ready } of scenePages(scene)) {
      await page.goto(scene.server.base + path)
      await page.getByText(ready).filter({ visible: true }).first().waitFor()
      await page.locator('.pending').first().waitFor({ state: 'detached' })
      const seen = `${name}, ${size}`
      if (isWriting) {
        await page.waitForTimeout(SETTLING_MS)
        recorded[seen] = await boxesOf(page)
      }
      let found: readonly string[] = []
      await until('the layout is the recorded one', async () => {
        found = differences(await boxesOf(page), recorded[seen] ?? {})
        return found.length === 0
      }).catch(() => undefined)
      t.deepEqual(found, [], seen)
      t.deepEqual(await overlaps(page), [], seen)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        t.deepEqual(await barriers(page, ['color-contrast']), [], `${seen}, ${colorScheme}`)
      }
    }
  }
  if (isWriting) writeFileSync(FILE, `${JSON.stringify(recorded)}\n`)
})
