// A browser without a screen, where one is installed.
import type { ExecutionContext } from 'ava'
import { chromium, type Browser } from 'playwright-core'
import { missing } from './programs.js'

const BROWSER = 'chromium-headless-shell'

/** Undefined, with a line that says so, where there is none. It ends with the test. */
export const openBrowser = async (t: ExecutionContext): Promise<Browser | undefined> => {
  if (await missing(t, BROWSER)) return undefined
  // As root, as in containers, its sandbox does not work.
  const browser = await chromium.launch({ executablePath: `/usr/bin/${BROWSER}`, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  return browser
}
