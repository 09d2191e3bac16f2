// A browser without a screen, where one is installed.
import type { ExecutionContext } from 'ava'
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core'
import { missing } from './programs.js'

const BROWSER = 'chromium-headless-shell'

/** A busy or suspended machine does not exhaust it. */
const PATIENCE_MS = 180_000

/** Logs where a page is and what it says, which a failure otherwise does not tell. */
const describe = async (t: ExecutionContext, page: Page): Promise<void> => {
  t.log(page.url())
  t.log(await page.locator('body').innerText())
}

/** Opens a browser with one page. Undefined, with a line that says so, where there is none. It ends with the test. */
export const newPage = async (
  t: ExecutionContext,
  options: BrowserContextOptions = {}
): Promise<Page | undefined> => {
  if (await missing(t, BROWSER)) return undefined
  // As root, as in containers, its sandbox does not work.
  const browser = await chromium.launch({ executablePath: `/usr/bin/${BROWSER}`, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const page = await browser.newPage(options)
  page.setDefaultTimeout(PATIENCE_MS)
  t.teardown(async () => {
    if (!t.passed) await describe(t, page)
  })
  return page
}
