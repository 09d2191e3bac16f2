// The design system: style sheets use its tokens, pages use its classes, and its page shows all parts accessibly.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createServer } from 'vite'
import { barriers, waitForText } from '../../support/browser-page.js'
import { newPage } from '../../support/browser.js'
import { projectRoot } from '../../support/process.js'

const UI = join(projectRoot, 'clients/ui')

const read = (folder: string, ending: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(join(UI, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith(ending))
      .map(name => [join(folder, name), readFileSync(join(UI, folder, name), 'utf8')])
  )

const sheets = read('.', '.css')

test('style sheets belong to the design system, and take colours, sizes of text and spacing from its tokens', t => {
  for (const [name, text] of sheets) {
    t.true(name.startsWith('design/style/'), name)
    if (name.endsWith('tokens.css')) continue
    for (const line of text.split('\n')) {
      t.notRegex(line, /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i, name)
      t.notRegex(line, /^\s*(?:padding|margin|(?:row-|column-)?gap)[\w-]*:.*\d(?:rem|px|em)\b/, name)
      t.notRegex(line, /^\s*(?:font-size|border-radius):.*\drem/, name)
    }
  }
})

test('every class of the pages has a style, and every style is used', t => {
  const css = [...sheets.values()].join('\n').replaceAll(/\/\*[^]*?\*\//g, '')
  const styled = new Set(
    [...css.matchAll(/([^{};]+)\{/g)].flatMap(([, selector = '']) =>
      [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)
    )
  )
  const source = [...read('.', '.tsx').values(), ...read('.', '.ts').values()].join('\n')
  const words = new Set(source.match(/[\w-]+/g))
  t.deepEqual(
    [...styled].filter(name => name !== undefined && !words.has(name)),
    [],
    'styles without use'
  )
  const used = [...source.matchAll(/\bclass="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' '))
  t.deepEqual(
    used.filter(name => !styled.has(name)),
    [],
    'classes without style'
  )
})

test('the page of the design system has readable colours in all schemes, and no barriers', async t => {
  const page = await newPage(t)
  if (!page) return
  const vite = await createServer({ configFile: join(UI, 'vite.config.mjs'), logLevel: 'silent' })
  t.teardown(() => vite.close())
  await vite.listen(0)
  await page.goto(`${vite.resolvedUrls?.local[0]}design`)
  await page.getByText('key_prefix').first().waitFor()
  await page.getByRole('heading', { name: 'Texts' }).waitFor()
  for (const contrast of ['no-preference', 'more'] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, contrast })
      t.deepEqual(await barriers(page), [], `${colorScheme}, contrast: ${contrast}`)
    }
  await page.getByRole('button', { name: 'Delete key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click()
  await waitForText(t, () => page.locator('.said').innerText(), /Deleted\./)
})
