// A browser without a screen, where one is installed.
import type { ExecutionContext } from 'ava'
import { chromium, type BrowserContextOptions, type Page, type Request } from 'playwright-core'
import { missing } from './programs.js'

const BROWSER = 'chromium-headless-shell'

/** A busy or suspended machine does not exhaust it. */
const PATIENCE_MS = 180_000

/** Logs where a page is, what it says, and its failed requests: `net::ERR_NETWORK_CHANGED` if another run added a network to the machine. */
const describe = async (t: ExecutionContext, page: Page, failed: readonly Request[]): Promise<void> => {
  t.log(page.url())
  for (const request of failed) t.log(request.url(), request.failure()?.errorText)
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
  const failed: Request[] = []
  page.on('requestfailed', request => failed.push(request))
  t.teardown(async () => {
    if (!t.passed) await describe(t, page, failed)
  })
  return page
}
