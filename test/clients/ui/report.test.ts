// Audit reports that the browser verifies, without the server that they are from.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { barriers, show } from '../../support/browser-page.js'
import { annals } from '../../support/command-line.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT } from '../../support/server.js'
import { auditedServer } from '../../server/commands/evidence/support.js'

test('the page of reports verifies them as the command does, and says what is not proved', async t => {
  const shown = await show(t, '/ui/audit/report', ROOT)
  if (!shown) return
  const { page, complaints } = shown
  const { dataDir, vkey } = await auditedServer(t)
  const folder = temporaryFolder(t)
  const reportOf = async (name: string, ...args: readonly string[]): Promise<string> => {
    const file = join(folder, name)
    const { code, errors } = await annals(['audit', 'report', '--data-dir', dataDir, '-o', file, ...args])
    t.is(code, 0, errors)
    return file
  }
  const changed = (file: string, name: string, from: string | RegExp, to: string): string => {
    const text = readFileSync(file, 'utf8')
    t.not(text.replace(from, to), text, name)
    const path = join(folder, name)
    writeFileSync(path, text.replace(from, to))
    return path
  }
  const all = await reportOf('all.html')
  const some = await reportOf('some.json', '--topic', 'KV')
  const input = page.getByLabel('Report, chosen or dropped here')
  const requests: string[] = []
  await input.setInputFiles(all)
  await page.getByText('Enter the public key to verify all.html.').waitFor()
  page.on('request', request => requests.push(request.url()))
  await page.getByLabel('Public key of the log').fill(vkey)
  await page.keyboard.press('Enter')
  const whole = page.getByRole('region', { name: 'Result of all.html' })
  await whole.getByText('these are all its commits').waitFor()
  await whole.getByText('the report shows what its evidence proves').waitFor()
  await whole.getByText(`is signed by ${vkey.split('+')[0]}`).waitFor()
  await whole.getByText('a rewrite with the signing key cannot be ruled out').waitFor()
  t.deepEqual(await barriers(page), [])
  await input.setInputFiles(some)
  const partial = page.getByRole('region', { name: 'Result of some.json' })
  await partial.getByText('whether other commits are about it is not proved').waitFor()
  t.deepEqual(await barriers(page), [])

  writeFileSync(join(folder, 'garbage.json'), Buffer.alloc(300_000, 0xff))
  for (const [file, reason] of [
    [changed(all, 'row.html', '<td>SetKey</td>', '<td>DeleteKey</td>'), /Not proved: line \d+ of the report/],
    [
      changed(all, 'script.html', '<h2>', '<script>alert(1)</script><h2>'),
      /Not proved: line \d+ of the report/
    ],
    [
      changed(some, 'text.json', /"Text":"\{\\"KV/, '"Text":"{ \\"KV'),
      /Not proved: the bundle|Not proved: commit \d+/
    ],
    [changed(some, 'short.json', /\]\}\n$/, ''), /Not proved: the report is cut short/],
    [join(folder, 'garbage.json'), /Not proved: it is no audit report/]
  ] as const) {
    await input.setInputFiles(file)
    await page.getByRole('alert').filter({ hasText: reason }).waitFor()
  }
  await input.setInputFiles(all)
  await whole.waitFor()
  await page.getByLabel('Public key of the log').fill(`${vkey.slice(0, -6)}AAAA==`)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await whole.waitFor({ state: 'detached' })
  t.deepEqual(
    requests.filter(url => url.includes('/v1/event/')),
    []
  )
  t.deepEqual(complaints, [])
})
