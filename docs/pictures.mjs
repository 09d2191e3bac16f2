// Photographs the pages of the fixed scene, light and dark, wide and narrow, into dist/pictures. Twelve of them are those of README.md and docs.
// Usage: node docs/pictures.mjs [NAME …]   (after a build; needs chromium-headless-shell)
import 'reflect-metadata'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { usePinnedNode } from '../bench/pinned.mjs'
import { ROOT } from '../dist/test/support/server.js'
import { scenePages, startScene } from '../dist/test/support/ui-scene.js'

usePinnedNode()

const BROWSER = '/usr/bin/chromium-headless-shell'
const ALL = join(import.meta.dirname, '../dist/pictures')
const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const SHARPNESS = { wide: 1.25, phone: 2 }

/** The pictures of the documentation, and which of all they are. */
const DOCUMENTED = {
  overview: 'overview-light-wide',
  'overview-dark': 'overview-dark-wide',
  'overview-phone': 'overview-light-phone',
  events: 'events-light-wide',
  token: 'token-permissions-light-wide',
  'token-summary': 'token-light-wide',
  service: 'chain-dark-wide',
  services: 'services-light-wide',
  key: 'key-light-wide',
  'key-history': 'key-history-light-wide',
  'key-phone': 'key-dark-phone',
  'time-travel': 'time-travel-light-wide'
}

const releases = []
const scope = { teardown: release => releases.unshift(release) }
const chosen = process.argv.slice(2)
try {
  const scene = await startScene(scope)
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
  releases.unshift(() => browser.close())
  await mkdir(ALL, { recursive: true })
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        deviceScaleFactor: SHARPNESS[size],
        locale: 'en-GB',
        timezoneId: 'UTC'
      })
      await context.addInitScript(`sessionStorage.setItem('annals-token', '${ROOT}')`)
      const page = await context.newPage()
      for (const { name, path, ready } of scenePages(scene)) {
        if (chosen.length > 0 && !chosen.includes(name)) continue
        await page.goto(scene.server.base + path)
        await page
          .getByText(ready)
          .filter({ visible: true })
          .first()
          .waitFor()
          .catch(error => console.error(`${name}: ${error.message}`))
        await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => undefined)
        await page.screenshot({ path: join(ALL, `${name}-${colorScheme}-${size}.png`) })
      }
      await context.close()
    }
  if (chosen.length === 0)
    for (const [name, from] of Object.entries(DOCUMENTED))
      await copyFile(join(ALL, `${from}.png`), join(import.meta.dirname, 'pictures', `${name}.png`))
} finally {
  for (const release of releases) await release()
}
